"""
Circles, by a radial kernel
===========================

On dark paper, as every picture can be.
"""

from sklearn.datasets import make_circles

from rosenblatt import KernelPerceptron, figures

X, y = make_circles(150, noise=0.08, factor=0.45, random_state=0)
unit = KernelPerceptron(kernel="rbf", gamma=2.0, random_state=0).fit(X, y)
figure = figures.plot_regions(unit, X, y, theme="dark")
