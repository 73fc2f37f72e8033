"""
How high a degree pays
======================

The training error falls; the error on rows kept aside need not.
"""

import numpy as np

from rosenblatt import degree_report, figures

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 4))
y = X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=200) > 0
figure = figures.plot_degrees(degree_report(X, y, folds=4))
