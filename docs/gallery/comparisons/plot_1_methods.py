"""
The perceptron and its relatives
================================

The line of each on the same examples.
"""

from sklearn.datasets import make_blobs

from rosenblatt import compare, figures

X, y = make_blobs(90, centers=[[0, 0], [2.5, 2]], random_state=0)
figure = figures.plot_comparison(compare(X, y, folds=3, random_state=0), X, y)
