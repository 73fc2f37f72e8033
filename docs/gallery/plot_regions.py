"""
What a model decides
====================

Regions, boundary, normal and margin band, of any model with ``predict``.
"""

import numpy as np
from sklearn.datasets import load_iris, make_circles, make_moons

from rosenblatt import KernelPerceptron, LogisticUnit, Perceptron, figures

# Two kinds of iris by their petals.
X, y = load_iris(return_X_y=True)
petals, kinds = X[y < 2][:, 2:], y[y < 2]
figure = figures.plot_regions(
    Perceptron(random_state=0).fit(petals, kinds), petals, kinds, names=["petal length", "petal width"]
)

# %%
# All three kinds.
figure = figures.plot_regions(LogisticUnit(random_state=0).fit(X[:, 2:], y), X[:, 2:], y)

# %%
# Moons, by a cubic curve.
X, y = make_moons(150, noise=0.12, random_state=0)
figure = figures.plot_regions(Perceptron(degree=3, random_state=0, max_iter=300).fit(X, y), X, y)

# %%
# Circles, by a radial kernel, on dark paper.
X, y = make_circles(150, noise=0.08, factor=0.45, random_state=0)
figure = figures.plot_regions(KernelPerceptron(kernel="rbf", gamma=2.0, random_state=0).fit(X, y), X, y, theme="dark")

# %%
# A checkerboard, which needs a narrow kernel.
X = np.random.default_rng(1).uniform(0, 3, (250, 2))
y = (np.floor(X).sum(axis=1) % 2).astype(int)
figure = figures.plot_regions(KernelPerceptron(kernel="rbf", gamma=8.0, random_state=0).fit(X, y), X, y)
