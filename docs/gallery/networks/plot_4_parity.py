"""
Parity of five
==============

No unit can tell odd from even; units that count can.
"""

from rosenblatt import figures, logic

figure = figures.plot_network(logic.parity(5).network)
