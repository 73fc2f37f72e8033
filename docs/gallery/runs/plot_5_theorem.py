"""
The theorem, along a run
========================

w·w* grows at least with k, and the square of w's length at most with k: so k cannot go on.
"""

from sklearn.datasets import make_blobs

from rosenblatt import figures, theorem_run

X, y = make_blobs(60, centers=[[0, 0], [3, 2]], cluster_std=0.7, random_state=5)
figure = figures.plot_inequalities(theorem_run(X, y))
