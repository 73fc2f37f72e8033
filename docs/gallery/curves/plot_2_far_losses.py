"""
The same, from further away
===========================

The squared loss punishes being right by too much.
"""

from rosenblatt import figures

figure = figures.plot_losses(theme="dark", reach=4)
