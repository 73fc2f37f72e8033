"""
3. The theorem
==============

If some line separates the classes with margin γ, and no example is longer than R, the rule makes at most (R/γ)²
mistakes, in whatever order the examples come (Novikoff, 1962). In the studio: *The theorem*.
"""

import numpy as np

from rosenblatt import certify, figures, theorem_run

rng = np.random.default_rng(3)
X = rng.normal(size=(120, 2))
y = np.where(X @ [1.0, 2.0] > 0.4, 1, -1)
wide = np.abs(X @ [1.0, 2.0] - 0.4) > 0.5
X, y = X[wide], y[wide]

answer = certify(X, y)
print(answer)

# %%
# The certificate knows the widest margin, so it knows the bound before anything is learned. The run stays below it.

record = theorem_run(X, y)
print(f"{record.mistakes} mistakes; the theorem allows {record.mistake_bound:.0f}")
assert record.mistakes <= record.mistake_bound

# %%
# Why: with each mistake the weights gain at least γ along the separator, but their square grows by at most
# R². Both cannot go on forever.

figure = figures.plot_inequalities(record)
