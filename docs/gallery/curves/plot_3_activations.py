"""
Step and sigmoid
================

A hard decision, and a soft one.
"""

from rosenblatt import figures

figure = figures.plot_activations()
