"""
Losses of a margin
==================

What each charges for a mistake, and for being barely right.
"""

from rosenblatt import figures

figure = figures.plot_losses()
