"""
The widest margin
=================

The rows that carry it are ringed; no line has a wider one.
"""

from sklearn.datasets import make_blobs

from rosenblatt import certify, figures

X, y = make_blobs(60, centers=[[0, 0], [4, 3]], cluster_std=0.9, random_state=2)
figure = figures.plot_certificate(certify(X, y), X, y)
