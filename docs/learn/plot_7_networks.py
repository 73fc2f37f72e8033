"""
7. Networks of units
====================

One unit cannot compute XOR; three can. Networks of threshold units compute every Boolean function. In the studio:
*Networks*.
"""

from rosenblatt import ThresholdNetwork, figures, logic

a, b = logic.variables("a b")
xor = ~(a & b) & (a | b)
print(xor.truth_table())
figure = figures.plot_network(xor)

# %%
# Which functions can a single unit compute? Of 4, 16, 256 and 65,536 functions of one to four inputs, so many:

print([sum(1 for _ in logic.threshold_functions(n)) for n in (1, 2, 3, 4)])

# %%
# Parity is the hardest for one layer, and easy for a few units more.

figure = figures.plot_network(logic.parity(4).network)

# %%
# A network can also be grown from examples, a unit at a time, until no error is left.

X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
learned = ThresholdNetwork().fit(X, y)
for step in learned.growth_:
    print(f"{step.unit} in layer {step.layer}, {step.role}: {step.errors} errors left")
figure = figures.plot_network(learned)
