"""Gates, truth tables, and networks of threshold units.

>>> from rosenblatt import logic
>>> a, b = logic.variables("a b")
>>> xor = ~(a & b) & (a | b)
>>> print(xor.truth_table())
a b |
0 0 | 0
0 1 | 1
1 0 | 1
1 1 | 0
>>> print(logic.decide(xor))
No single unit can: 1 * row 0 + 1 * row 3 of one class = 1 * row 1 + 1 * row 2 of the other.
"""

from rosenblatt.logic.expression.expression import Expression, at_least, variables
from rosenblatt.logic.expression.gates import AND, MAJORITY, NAND, NOR, NOT, OR, XOR
from rosenblatt.logic.expression.parse import parse
from rosenblatt.logic.network.network import Network, WiredUnit
from rosenblatt.logic.network.smallest_network import smallest_network
from rosenblatt.logic.one_unit.decide import Decision, Proof, decide
from rosenblatt.logic.one_unit.threshold_functions import ThresholdFunction, threshold_functions
from rosenblatt.logic.truth_table import TruthTable
from rosenblatt.logic.unit import Hyperplane, Unit, boundary_between
from rosenblatt.logic.xor_and_parity import Limit, parity, wraparound_limit, wraparound_patterns, xor

__all__ = [
    "AND",
    "MAJORITY",
    "NAND",
    "NOR",
    "NOT",
    "OR",
    "XOR",
    "Decision",
    "Expression",
    "Hyperplane",
    "Limit",
    "Network",
    "Proof",
    "ThresholdFunction",
    "TruthTable",
    "Unit",
    "WiredUnit",
    "at_least",
    "boundary_between",
    "decide",
    "parity",
    "parse",
    "smallest_network",
    "threshold_functions",
    "variables",
    "wraparound_limit",
    "wraparound_patterns",
    "xor",
]
