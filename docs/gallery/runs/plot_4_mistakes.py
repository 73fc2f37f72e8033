"""
Mistakes, epoch by epoch
========================

The last epoch has none: the run has separated the classes.
"""

from sklearn.datasets import make_blobs

from rosenblatt import figures, trace

X, y = make_blobs(60, centers=[[0, 0], [3, 2]], cluster_std=0.7, random_state=5)
figure = figures.plot_mistakes(trace(X, y))
