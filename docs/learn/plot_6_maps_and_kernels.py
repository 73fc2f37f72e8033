"""
6. Feature maps and kernels
===========================

What no line separates, a curve may. Multiply features with each other and separate the products by a plane, or never
compute the products and use a kernel. In the studio: *Feature maps*, *Kernels*.
"""

import numpy as np

from rosenblatt import KernelPerceptron, Perceptron, degree_report, figures

rng = np.random.default_rng(0)
X = rng.integers(-3, 4, (200, 2)).astype(float)
y = X[:, 0] ** 2 + 2 * X[:, 1] ** 2 > 8

curve = Perceptron(degree=2, keep="last", max_iter=500).fit(X, y)
print(curve.status_, curve.coef_.shape)
figure = figures.plot_regions(curve, X, y)

# %%
# The kernel perceptron stores the examples on which it made mistakes, and how often.

kernel = KernelPerceptron(kernel="poly", degree=2, gamma=1, keep="last", max_iter=500, random_state=0).fit(X, y)
print(kernel.status_)
figure = figures.plot_regions(kernel, X, y)

# %%
# A higher degree always fits the training data better. Whether it predicts better is another question.

X = rng.normal(size=(200, 4))
y = X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=200) > 0
report = degree_report(X, y, folds=4)
print(report)
figure = figures.plot_degrees(report)
