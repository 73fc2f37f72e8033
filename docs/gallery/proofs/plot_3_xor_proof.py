"""
XOR
===

The line between the zeros crosses the line between the ones.
"""

from rosenblatt import certify, figures

X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
figure = figures.plot_certificate(certify(X, y), X, y, theme="dark")
