"""The native core. This package is the only one that names the compiled module.

`ROSENBLATT_ISA=baseline|avx2|avx512` in the environment chooses the instruction set; every one gives the same bits.
"""

from rosenblatt.kernels import _native
from rosenblatt.kernels.rows import rows_of

Learner = _native.Learner
Rows = _native.Rows
instruction_set = _native.instruction_set
instruction_sets = _native.instruction_sets
judge_clean = _native.judge_clean
learn = _native.learn
mistakes = _native.mistakes
order = _native.order
scores = _native.scores
uniform = _native.uniform

__all__ = [
    "Learner",
    "Rows",
    "instruction_set",
    "instruction_sets",
    "judge_clean",
    "learn",
    "mistakes",
    "order",
    "rows_of",
    "scores",
    "uniform",
]
