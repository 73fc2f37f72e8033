"""
Two kinds that overlap
======================

Versicolor and virginica: two flowers with equal petals are enough to prove it.
"""

from sklearn.datasets import load_iris

from rosenblatt import certify, figures

X, y = load_iris(return_X_y=True)
X, y = X[y > 0][:, 2:], y[y > 0]
figure = figures.plot_certificate(certify(X, y), X, y, names=["petal length", "petal width"])
