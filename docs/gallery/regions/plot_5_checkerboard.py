"""
A checkerboard
==============

It needs a narrow kernel: each example speaks for its neighbourhood alone.
"""

import numpy as np

from rosenblatt import KernelPerceptron, figures

X = np.random.default_rng(1).uniform(0, 3, (250, 2))
y = (np.floor(X).sum(axis=1) % 2).astype(int)
figure = figures.plot_regions(KernelPerceptron(kernel="rbf", gamma=8.0, random_state=0).fit(X, y), X, y)
