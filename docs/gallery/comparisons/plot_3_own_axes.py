"""
Axes of your own
================

Two models in one picture.
"""

from matplotlib.figure import Figure
from sklearn.datasets import make_blobs

from rosenblatt import MaxMargin, Perceptron, figures

X, y = make_blobs(60, centers=[[0, 0], [4, 3]], cluster_std=0.9, random_state=2)
figure = Figure(figsize=(8, 3.6), layout="constrained")
left, right = figure.subplots(1, 2)
_ = figures.plot_regions(Perceptron(keep="last", random_state=0).fit(X, y), X, y, ax=left)
_ = figures.plot_regions(MaxMargin().fit(X, y), X, y, ax=right)
for axes in (left, right):
    axes.get_legend().remove()  # the titles say enough
left.set_title("the perceptron's line")
right.set_title("the widest margin")
