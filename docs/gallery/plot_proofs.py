"""
Proofs
======

The widest margin with the rows that carry it, or the point that the hulls of both classes share.
"""

import numpy as np
from sklearn.datasets import load_iris, make_blobs

from rosenblatt import certify, figures

X, y = make_blobs(60, centers=[[0, 0], [4, 3]], cluster_std=0.9, random_state=2)
figure = figures.plot_certificate(certify(X, y), X, y)

# %%
X, y = load_iris(return_X_y=True)
X, y = X[y > 0][:, 2:], y[y > 0]
figure = figures.plot_certificate(certify(X, y), X, y, names=["petal length", "petal width"])

# %%
X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0]
figure = figures.plot_certificate(certify(X, y), X, y, theme="dark")

# %%
# Which pairs of three kinds of iris are separable by their petals, and how widely.
from itertools import combinations

X, y = load_iris(return_X_y=True)
X = X[:, 2:]
answers, margins = np.full((3, 3), "", dtype=object), np.zeros((3, 3))
for i, j in combinations(range(3), 2):
    pair = (y == i) | (y == j)
    answer = certify(X[pair], y[pair])
    answers[i, j] = answers[j, i] = type(answer).__name__.lower()
    margins[i, j] = margins[j, i] = getattr(answer, "margin", 0.0)
figure = figures.plot_pairs(["setosa", "versicolor", "virginica"], answers, margins)
