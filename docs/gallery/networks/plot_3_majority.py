"""
The majority of three
=====================

One unit is enough.
"""

from rosenblatt import ThresholdNetwork, figures

figure = figures.plot_network(ThresholdNetwork.from_truth_table("00010111"))
