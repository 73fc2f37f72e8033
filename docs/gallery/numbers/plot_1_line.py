"""
A line and its residuals
========================

Each segment is what the line leaves over.
"""

import numpy as np

from rosenblatt import LinearPredictor, figures

rng = np.random.default_rng(0)
X = rng.uniform(0, 10, (60, 1))
y = 3 * X[:, 0] + 5 + rng.normal(0, 2, 60)
figure = figures.plot_line(LinearPredictor().fit(X, y), X, y)
