"""
A choice
========

If a then b, else c.
"""

from rosenblatt import figures, logic

figure = figures.plot_network(logic.parse("(a & b) | (c & ~a)"), theme="dark")
