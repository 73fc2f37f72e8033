"""The native core. This package is the only one that names the compiled module; `_native.pyi` lists what is in it.

`ROSENBLATT_ISA=baseline|avx2|avx512` in the environment chooses the instruction set; every one gives the same bits.
"""

from rosenblatt.native._native import *
from rosenblatt.native.rows import contiguous_rows as contiguous_rows
from rosenblatt.native.rows import rows_of as rows_of
