"""Pictures, one file for each kind. Every function gives back a matplotlib figure; given an `ax`, it draws there.

    plot_regions        what a model decides: regions, boundary, normal and margin band; curves and many classes too
    plot_boundaries     the boundary after each epoch of a trace
    plot_frames         four updates of a trace, with the vector that was added
    plot_losses         every loss over the margin
    plot_number_losses  the losses of a number over the difference s - y
    plot_activations    the step and the sigmoid
    plot_inequalities   the two inequalities of the convergence theorem along a run
    plot_mistakes       mistakes per epoch, and their sum against the bound
    plot_certificate    the widest margin, or the hulls that meet
    plot_network        threshold units, their thresholds, and the weights of their wires
    plot_comparison     the boundaries of several methods in one picture
    plot_degrees        training and held-out error against the degree
    plot_line           a line through points, and what it misses them by
    plot_residuals      target minus prediction against the prediction
    plot_pairs          which pairs of classes are separable, and how widely

`theme="dark"` draws on dark paper. Matplotlib is loaded when something is drawn, and its pyplot never.
"""

from rosenblatt.report.figures.certificate import plot_certificate
from rosenblatt.report.figures.class_pairs import plot_pairs
from rosenblatt.report.figures.comparison import plot_comparison
from rosenblatt.report.figures.curves import plot_activations, plot_losses, plot_number_losses
from rosenblatt.report.figures.degrees import plot_degrees
from rosenblatt.report.figures.learning import plot_boundaries, plot_frames
from rosenblatt.report.figures.line_and_residuals import plot_line, plot_residuals
from rosenblatt.report.figures.network import plot_network
from rosenblatt.report.figures.regions import plot_regions
from rosenblatt.report.figures.theorem import plot_inequalities, plot_mistakes

__all__ = [
    "plot_activations",
    "plot_boundaries",
    "plot_certificate",
    "plot_comparison",
    "plot_degrees",
    "plot_frames",
    "plot_inequalities",
    "plot_line",
    "plot_losses",
    "plot_mistakes",
    "plot_network",
    "plot_number_losses",
    "plot_pairs",
    "plot_regions",
    "plot_residuals",
]
