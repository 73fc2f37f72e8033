"""
Grown from examples
===================

Each unit is added for what the others get wrong, until nothing is wrong.
"""

from sklearn.datasets import make_moons

from rosenblatt import ThresholdNetwork, figures

X, y = make_moons(60, noise=0.1, random_state=0)
figure = figures.plot_regions(ThresholdNetwork(random_state=0).fit(X, y), X, y)
