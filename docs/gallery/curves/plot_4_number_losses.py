"""
Losses of a number
==================

The squared loss leads to the mean, the absolute loss to the median, the quantile loss to a quantile.
"""

from rosenblatt import figures

figure = figures.plot_number_losses()
