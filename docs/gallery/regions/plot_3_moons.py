"""
Moons, by a cubic curve
=======================

One unit on all products of up to three features, computed row by row and never stored.
"""

from sklearn.datasets import make_moons

from rosenblatt import Perceptron, figures

X, y = make_moons(150, noise=0.12, random_state=0)
figure = figures.plot_regions(Perceptron(degree=3, random_state=0, max_iter=300).fit(X, y), X, y)
