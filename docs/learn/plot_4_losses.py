"""
4. Losses
=========

Counting errors gives no direction: the count is flat, except where it jumps. The perceptron, the hinge, the logistic
and the squared loss have a slope, and are descended instead. In the studio: *Losses*, *Subgradients*, *The output as it
is*, *Logistic unit and margin*.
"""

from matplotlib.figure import Figure
from sklearn.datasets import make_blobs

from rosenblatt import Adaline, LinearUnit, LogisticUnit, Perceptron, figures, losses

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

# %%
# The score can also be the answer itself, to a question about a number: the *linear unit*. Its squared error asks for
# the mean of the targets at each place, the absolute error for their median. So one flat that is far too dear turns the
# first line, and hardly moves the second. :doc:`Numbers </numbers>` is about learning them from files.

sizes = [[-4.0], [-3.0], [-2.0], [-1.0], [0.0], [1.0], [2.0], [3.0], [4.0]]  # in 10 m² from 70 m²
rents = [4.1, 4.4, 5.2, 5.4, 6.1, 6.4, 7.2, 7.4, 13.0]  # in 100 €
units = {loss: LinearUnit(loss=loss, max_iter=1000).fit(sizes, rents) for loss in ("squared", "absolute")}

figure = Figure(figsize=(5.5, 4), layout="constrained")
axes = figure.subplots()
axes.plot([size for (size,) in sizes], rents, "o", label="flats")
for (loss, unit), style in zip(units.items(), ("-", "--"), strict=True):
    axes.plot([-4.0, 4.0], unit.predict([[-4.0], [4.0]]), style, label=f"{loss} error")
axes.set(xlabel="size, from 70 m², in 10 m²", ylabel="rent, in 100 €")
axes.legend()
print({loss: (round(unit.intercept_, 2), unit.coef_.round(2).tolist()) for loss, unit in units.items()})
