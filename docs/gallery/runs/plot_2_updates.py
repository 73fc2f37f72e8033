"""
Four updates
============

The line before and after, the example that was a mistake, and the weights with what is added to them.
"""

from sklearn.datasets import make_blobs

from rosenblatt import figures, trace

X, y = make_blobs(60, centers=[[0, 0], [3, 2]], cluster_std=0.7, random_state=5)
figure = figures.plot_frames(trace(X, y))
