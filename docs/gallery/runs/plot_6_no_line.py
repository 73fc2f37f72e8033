"""
Where no line exists
====================

The mistakes do not end: the run spends its budget, and says so.
"""

from sklearn.datasets import make_blobs

from rosenblatt import Perceptron, figures

X, y = make_blobs(120, centers=[[0, 0], [1.5, 1]], random_state=6)
figure = figures.plot_mistakes(Perceptron(max_iter=20, random_state=0).fit(X, y))
