"""
Every pair of classes
=====================

Which kinds of iris are separable by their petals, and how widely.
"""

from itertools import combinations

import numpy as np
from sklearn.datasets import load_iris

from rosenblatt import certify, figures

X, y = load_iris(return_X_y=True)
X = X[:, 2:]
answers, margins = np.full((3, 3), "", dtype=object), np.zeros((3, 3))
for i, j in combinations(range(3), 2):
    pair = (y == i) | (y == j)
    answer = certify(X[pair], y[pair])
    answers[i, j] = answers[j, i] = type(answer).__name__.lower()
    margins[i, j] = margins[j, i] = getattr(answer, "margin", 0.0)
figure = figures.plot_pairs(["setosa", "versicolor", "virginica"], answers, margins)
