"""Every parameter, once: its default, its bounds, its choices, and its help text.

The estimators, the command line, the studio and the documentation read these options, and repeat nothing of them.
An estimator takes a default as `margin: float = options.margin.default`, checks its parameters with `check` and their
combinations with `check_together`. If an estimator differs, it has a changed copy, made with `Option.but`.
"""

from rosenblatt.options.certify import *
from rosenblatt.options.command_line import *
from rosenblatt.options.compare import *
from rosenblatt.options.docstrings import described_by as described_by
from rosenblatt.options.docstrings import parameter_entry as parameter_entry
from rosenblatt.options.estimators.kernel_perceptron import *
from rosenblatt.options.estimators.learner import *
from rosenblatt.options.estimators.linear_predictor import *
from rosenblatt.options.estimators.linear_separator import *
from rosenblatt.options.estimators.linear_unit import *
from rosenblatt.options.estimators.threshold_network import *
from rosenblatt.options.fit_file import *
from rosenblatt.options.option import Option as Option
from rosenblatt.options.option import check as check
from rosenblatt.options.reading import *
from rosenblatt.options.serve import *
from rosenblatt.options.studio import *
from rosenblatt.options.trace import *
from rosenblatt.options.values.character_range import range_of as range_of
from rosenblatt.options.values.duration import duration_of as duration_of
from rosenblatt.options.values.file_size import size_of as size_of
from rosenblatt.options.values.quantile_levels import levels_of as levels_of
