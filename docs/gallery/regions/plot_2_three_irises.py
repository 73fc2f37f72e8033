"""
Three kinds of iris
===================

One unit for each; the regions meet where two scores are equal.
"""

from sklearn.datasets import load_iris

from rosenblatt import LogisticUnit, figures

X, y = load_iris(return_X_y=True)
unit = LogisticUnit(random_state=0).fit(X[:, 2:], y)
figure = figures.plot_regions(unit, X[:, 2:], y, names=["petal length", "petal width"])
