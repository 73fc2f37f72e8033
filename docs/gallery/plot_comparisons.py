"""
Side by side
============

The perceptron and its relatives on the same data, and how high a degree pays.
"""

import numpy as np
from sklearn.datasets import make_blobs

from rosenblatt import compare, degree_report, figures

X, y = make_blobs(90, centers=[[0, 0], [2.5, 2]], random_state=0)
figure = figures.plot_comparison(compare(X, y, folds=3, random_state=0), X, y)

# %%
rng = np.random.default_rng(0)
X = rng.normal(size=(200, 4))
y = X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=200) > 0
figure = figures.plot_degrees(degree_report(X, y, folds=4))

# %%
# Your own axes: two models in one picture.
from matplotlib.figure import Figure

from rosenblatt import MaxMargin, Perceptron

X, y = make_blobs(60, centers=[[0, 0], [4, 3]], cluster_std=0.9, random_state=2)
figure = Figure(figsize=(8, 3.6), layout="constrained")
left, right = figure.subplots(1, 2)
_ = figures.plot_regions(Perceptron(keep="last", random_state=0).fit(X, y), X, y, ax=left)
_ = figures.plot_regions(MaxMargin().fit(X, y), X, y, ax=right)
for axes in (left, right):
    axes.get_legend().remove()  # the titles say enough
left.set_title("the perceptron's line")
right.set_title("the widest margin")
