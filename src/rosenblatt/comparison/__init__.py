"""The perceptron and its relatives side by side."""

from rosenblatt.extras import require

require("sklearn")
