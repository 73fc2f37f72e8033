"""
Residuals that bend
===================

The relation is a parabola and no line: the mean of neighbours shows it.
"""

import numpy as np

from rosenblatt import LinearPredictor, figures

rng = np.random.default_rng(1)
X = rng.uniform(0, 10, (200, 1))
y = X[:, 0] ** 2 + rng.normal(0, 4, 200)
figure = figures.plot_residuals(y, LinearPredictor().fit(X, y).predict(X))
