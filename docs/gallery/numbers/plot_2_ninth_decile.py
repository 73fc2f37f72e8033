"""
A line that nine of ten lie below
=================================

The quantile loss at 0.9, on dark paper.
"""

import numpy as np

from rosenblatt import LinearPredictor, figures

rng = np.random.default_rng(0)
X = rng.uniform(0, 10, (400, 1))
y = 3 * X[:, 0] + 5 + rng.normal(0, 2, 400)
figure = figures.plot_line(LinearPredictor(quantiles=(0.9,)).fit(X, y), X, y, theme="dark")
