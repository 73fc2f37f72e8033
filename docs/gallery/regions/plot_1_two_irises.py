"""
Two kinds of iris
=================

Setosa and versicolor by their petals, and the line of a perceptron between them.
"""

from sklearn.datasets import load_iris

from rosenblatt import Perceptron, figures

X, y = load_iris(return_X_y=True)
X, y = X[y < 2][:, 2:], y[y < 2]
unit = Perceptron(random_state=0).fit(X, y)
figure = figures.plot_regions(unit, X, y, names=["petal length", "petal width"])
