"""
How it got there
================

The line after each epoch, single updates, mistakes per epoch, and the two inequalities of the theorem.
"""

from sklearn.datasets import make_blobs

from rosenblatt import Perceptron, figures, theorem_run, trace

X, y = make_blobs(60, centers=[[0, 0], [3, 2]], cluster_std=0.7, random_state=5)
run = trace(X, y)
figure = figures.plot_boundaries(run)

# %%
figure = figures.plot_frames(run)

# %%
figure = figures.plot_mistakes(run)

# %%
record = theorem_run(X, y)
figure = figures.plot_inequalities(record)

# %%
figure = figures.plot_boundaries(run, theme="dark")

# %%
# Inseparable classes: the mistakes do not end.
X, y = make_blobs(120, centers=[[0, 0], [1.5, 1]], random_state=6)
figure = figures.plot_mistakes(Perceptron(max_iter=20, random_state=0).fit(X, y))
