"""
Networks of threshold units
===========================

Drawn from an expression, a truth table, or a network that was grown from examples.
"""

from rosenblatt import ThresholdNetwork, figures, logic

figure = figures.plot_network(logic.parse("~(a & b) & (a | b)"))

# %%
figure = figures.plot_network(logic.parse("(a & b) | (c & ~a)"), theme="dark")

# %%
# The majority of three is one unit.
figure = figures.plot_network(ThresholdNetwork.from_truth_table("00010111"))

# %%
figure = figures.plot_network(logic.parity(5).network)
