"""
1. One unit
===========

A threshold unit multiplies each input with a weight, adds the bias, and fires when the sum is above 0. With the score
s = w·x + b the unit says yes where s > 0. In the studio: the lessons *One unit* and *Gates*.
"""

from rosenblatt import figures, logic

unit = logic.Unit([1, 1], threshold=1.5)
print(unit)

# %%
# Of the four rows of a truth table it fires on the last one alone: this unit computes AND.

rows = [[0, 0], [0, 1], [1, 0], [1, 1]]
for row, answer in zip(rows, unit(rows), strict=True):
    print(row, answer)

# %%
# The inputs where the score is 0 are a line; on one side of it the unit fires. The weights are the normal of that line:
# they point to the side where the answer is yes.

from rosenblatt import Perceptron

model = Perceptron(order="given", keep="last").fit(rows, [0, 0, 0, 1])
figure = figures.plot_regions(model, rows, [0, 0, 0, 1])

# %%
# The step can be softened into the sigmoid, whose value can be read as a probability.

figure = figures.plot_activations()
