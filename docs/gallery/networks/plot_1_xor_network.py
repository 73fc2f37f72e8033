"""
XOR as a network
================

An expression becomes a network; negations are absorbed into the weights.
"""

from rosenblatt import figures, logic

figure = figures.plot_network(logic.parse("~(a & b) & (a | b)"))
