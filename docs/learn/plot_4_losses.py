"""
4. Losses
=========

Counting errors gives no direction: the count is flat, except where it jumps. The perceptron, the hinge, the logistic
and the squared loss have a slope, and are descended instead. In the studio: *Losses*, *Subgradients*, *Logistic unit
and margin*.
"""

from sklearn.datasets import make_blobs

from rosenblatt import Adaline, LogisticUnit, Perceptron, figures, losses

figure = figures.plot_losses()

# %%
# A loss is a function of the margin m = y·s; its derivative says how far an example pushes the weights.

for name in ("perceptron", "hinge", "logistic"):
    loss = getattr(losses, name)
    print(f"{name:10}", [round(float(loss(m)), 3) for m in (-1.0, 0.0, 1.0)])

# %%
# The same examples by three losses; ten of them are far on their own side. The perceptron stops at the first line that
# separates them, the logistic unit goes on pushing every example away, and Adaline also pulls back those that are too
# far: its line turns towards them, and errs near the middle.

X, y = make_blobs([40, 40, 10], centers=[[-1.0, 0.8], [1.0, -0.8], [14.0, 6.0]], cluster_std=0.5, random_state=4)
y[y == 2] = 1
figure = figures.plot_regions(Perceptron(random_state=0).fit(X, y), X, y)

# %%
figure = figures.plot_regions(LogisticUnit(random_state=0).fit(X, y), X, y)

# %%
figure = figures.plot_regions(Adaline(random_state=0).fit(X, y), X, y)
