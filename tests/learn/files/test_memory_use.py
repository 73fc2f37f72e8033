"""Peak memory, measured by the operating system in a separate process."""

import os
import sys

import pytest

from tests import child

pytestmark = pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs Linux's own account of memory")

PEAK = """
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
"""
GIANT_LINE = """
from rosenblatt import native
line = b"a\\t" + b" ".join(b"w%d" % (i * i % 9973) for i in range(20_000)) * 120 + b"\\n"
how = native.Hashing(bits=16, ngrams=2, value="count", unit=False, first=0)
names = native.NameDictionary(16, 1 << 12)
before = peak()
native.parse_text(line, 0, len(line), kind="labelled", hashing=how, names=names, skip=False)
print((peak() - before) / len(line))
"""
PACKED_RUN = """
import numpy as np
from rosenblatt.learn.state.run_state import pack_run
from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
run = Run(Settings(learning_rate="arow", keep="average", multi_class="ovr"), 1 << 19, np.ones(8), 0)
before = peak()
pack_run(run, {}, "")
print((peak() - before) / (8 * 8 * 2**19))
"""


def peak_memory(code: str) -> float:
    process = child.run([sys.executable, "-c", PEAK + code], capture_output=True, text=True, check=True)
    return float(process.stdout)


def test_a_giant_line_of_text_takes_a_small_multiple_of_itself() -> None:
    assert peak_memory(GIANT_LINE) < 4


def test_saving_copies_one_part_of_the_weights_at_a_time() -> None:
    assert peak_memory(PACKED_RUN) < 1.6  # of the three parts of this run
