"""Threads and processes around the native core: one learns while others read, arrays change, a process forks."""

from __future__ import annotations

import os
import platform
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from rosenblatt import native
from rosenblatt.learn.settings import Settings
from rosenblatt.records import Csr
from tests import child
from tests.native.programs.sanitized import built


def run(code: str, timeout: float = 60) -> Any:
    return child.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=timeout)


# -- one thread learns, others read -----------------------------------------------------------------------------------


def endless(sparse_rows: bool) -> tuple[Any, Any, Any]:
    """Every example is a mistake that adds 1 to every weight: in a model of one moment all of them are equal."""
    X, labels = np.ones((20_000, 64)), np.ones(20_000, dtype=np.int32)
    values: Any = X
    if sparse_rows:
        csr = sparse.csr_array(X)
        values = Csr(csr.indptr, csr.indices, csr.data, 64)
    learner = Settings(margin=1e300, keep="average").learner(64, np.ones(2), dense=not sparse_rows)
    return learner, native.rows_of(values), labels


@pytest.mark.parametrize("sparse_rows", [False, True])
def test_readers_see_one_model_while_another_thread_learns(sparse_rows: bool) -> None:
    learner, rows, labels = endless(sparse_rows)
    done = threading.Event()
    torn: list[Any] = []
    reads = [0]
    one = native.rows_of(np.eye(64)[:8].copy())

    def read() -> None:
        while not done.is_set():
            weights, bias = (np.asarray(part) for part in learner.get("weights"))
            scores = np.asarray(learner.scores(one))
            counters = learner.counters()
            if not (weights == bias[0]).all() or np.ptp(scores) or counters["mistakes"][0] != counters["t"]:
                torn.append((weights, bias, scores))
            reads[0] += 1

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for _ in range(40):
        native.learn([learner], rows, labels, None, None, None, 0, rows.count, 1)
    done.set()
    for reader in readers:
        reader.join()
    assert not torn
    assert reads[0] > 10, "the readers were kept out"
    assert learner.t == 40 * rows.count


def test_two_threads_that_learn_one_model_get_a_sentence() -> None:
    learner, rows, labels = endless(False)
    visited, refused = [0], [0]

    def learn() -> None:
        for _ in range(30):
            try:
                native.learn([learner], rows, labels, None, None, None, 0, rows.count, 1)
                visited[0] += rows.count
            except RuntimeError as error:
                refused[0] += "Another thread is learning with this model" in str(error)

    threads = [threading.Thread(target=learn) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused[0] > 0
    assert learner.t == visited[0]
    with pytest.raises(RuntimeError, match="Another thread"):  # or the same learner twice
        native.learn([learner, learner], rows, labels, None, None, None, 0, 1, 1)
    native.learn([learner], rows, labels, None, None, None, 0, 1, 1)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(Path(__file__).with_name("programs") / "threads.cpp", tmp_path_factory.mktemp("threads"), "thread")


@pytest.mark.compiles
@pytest.mark.parametrize("what", ["race", "memory"])
def test_the_thread_sanitizer_finds_nothing(program: Path, what: str) -> None:
    """One thread learns and three score; and threads whose first, second, ... allocation fails."""
    process = child.run([program, what], capture_output=True, text=True, timeout=120)
    assert (process.returncode, process.stdout) == (0, "fine\n"), process.stderr


# -- arrays that another thread changes -------------------------------------------------------------------------------

CHANGING = """
import sys, threading, time
import numpy as np
from scipy import sparse
from rosenblatt import native
from rosenblatt.learn.settings import Settings
from rosenblatt.records import Csr

index, messy, options = {index}, {messy}, {options}
rng = np.random.default_rng(1)
S = sparse.random_array((3000, 900), density=0.02, rng=rng, format="csr")
indptr, indices, values = S.indptr.astype(np.int64), S.indices.astype(index), S.data
if messy:
    for i in range(3000):
        indices[indptr[i]:indptr[i + 1]] = indices[indptr[i]:indptr[i + 1]][::-1].copy()
labels, order = rng.integers(0, 3, 3000).astype(np.int32), rng.permutation(3000).astype(np.uint32)
arrays = [indptr, indices, labels, order]
good = [array.copy() for array in arrays]
wild = [rng.integers(-2**31, 2**31, array.shape).astype(array.dtype) for array in arrays]
if index is np.int64:
    wild[1] = rng.integers(-2**62, 2**62, indices.shape)
stop = False

def change():
    while not stop:
        for array, old, new in zip(arrays, good, wild):
            array[:] = new
            array[:] = old

thread = threading.Thread(target=change)
rows = native.rows_of(Csr(indptr, indices, values, 900))
assert rows.canonical != messy
thread.start()
columns = native.Columns() if options.pop("compact", False) else None
learner = Settings(**options).learner(900, np.ones(3), columns=columns)
weights, refused, done, until = rng.standard_normal((3, 900)), 0, 0, time.monotonic() + 1.5
while time.monotonic() < until:
    for call in (
        lambda: native.learn([learner], rows, labels, None, order, order, 0, 3000, 1),
        lambda: native.scores(rows, order, weights, np.zeros(3)),
        lambda: learner.scores(rows, order),
        lambda: native.mistakes(learner, rows, labels, None, order),
    ):
        try:
            call()
            done += 1
        except ValueError:  # it was noticed when the call began
            refused += 1
stop = True
thread.join()
np.asarray(learner.get("weights")[0]).sum()
print("done", done)
"""


@pytest.mark.parametrize(
    ("index", "messy", "options"),
    [
        ("np.int32", False, {}),
        ("np.int64", False, {"multi_class": "joint"}),
        ("np.int32", True, {"batch": 7}),
        ("np.int32", False, {"learning_rate": "arow", "keep": "pocket"}),
        ("np.int32", False, {"compact": True}),
    ],
)
def test_arrays_that_change_during_a_call_do_no_harm(index: str, messy: bool, options: dict[str, Any]) -> None:
    process = run(CHANGING.format(index=index, messy=messy, options=options))
    assert process.returncode == 0, process.stderr
    assert int(process.stdout.split()[1]) > 0, "every call was refused"


# -- fork -------------------------------------------------------------------------------------------------------------

FORKED_READER = """
import os, tempfile
from rosenblatt import native

how = {"base": 1, "guess_base": False, "limit": 1 << 31, "skip": False}
with tempfile.NamedTemporaryFile("w") as file:
    file.write("1 1:2 3:4\\n" * 100_000)
    file.flush()
    ahead = native.read_svmlight_ahead(file.fileno(), os.path.getsize(file.name), 1 << 12, 4, **how)
    assert ahead.next() is not None
    if (pid := os.fork()) == 0:
        try:
            ahead.next()
        except RuntimeError as error:
            assert "forked" in str(error)
            del ahead
            again = native.read_svmlight_ahead(file.fileno(), os.path.getsize(file.name), 1 << 12, 4, **how)
            count = sum(len(chunk[1][3]) for chunk in iter(again.next, None))
            os._exit(0 if count == 100_000 else 2)
        os._exit(3)
    assert os.waitpid(pid, 0)[1] == 0
    assert sum(len(chunk[1][3]) for chunk in iter(ahead.next, None)) > 90_000
"""

FORKED_BUSILY = """
import os, threading
import numpy as np
from rosenblatt import native
from rosenblatt.learn.settings import Settings

text = b"1 1:2 3:4\\n-1 2:1 4:0.5\\n" * 200
how = {"base": 1, "guess_base": False, "limit": 1 << 31, "skip": False}
X, labels = np.ones((5000, 50)), np.ones(5000, dtype=np.int32)
rows, learner, stop = native.rows_of(X), Settings(margin=1e300).learner(50, np.ones(2), dense=True), False

def parse():
    while not stop:
        native.parse_svmlight(text, 0, len(text), **how)

def learn():
    while not stop:
        native.learn([learner], rows, labels, None, None, None, 0, 5000, 1)

threads = [threading.Thread(target=work) for work in (parse, parse, learn)]
for thread in threads:
    thread.start()
for _ in range(150):
    if (pid := os.fork()) == 0:
        native.parse_svmlight(text, 0, len(text), **how)
        learner.scores(rows)
        native.learn([learner], rows, labels, None, None, None, 0, 10, 1)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
stop = True
for thread in threads:
    thread.join()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.parametrize("code", [FORKED_READER, FORKED_BUSILY], ids=["reader", "busy"])
def test_a_fork_while_threads_work_hangs_nobody(code: str) -> None:
    process = run(code)
    assert process.returncode == 0, process.stderr


# -- stacks ----------------------------------------------------------------------------------------------------------

# glibc gives threads the stack that the process began with; the limit of the first thread can be raised later.
SMALL_STACKS = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_STACK, (resource.getrlimit(resource.RLIMIT_STACK)[1],) * 2)
import numpy as np
from rosenblatt import Perceptron, fit_file, native

files = {
    "rows.svm": "1 1:0.25 3:1e-300 7:0.1234567890123456789\\n-1 2:5\\n" * 3000,
    "rows.vw": "1 |words buy now |numbers a:2.5\\n-1 |words meet me\\n" * 3000,
    "rows.tsv": "".join(f"spam\\tbuy {i} now, buy\\nham\\tmeet me at {i} or so\\n" for i in range(3000)),
    "rows.csv": "a,b,label\\n" + "1,2,x\\n3,1,y\\n" * 3000,
    "rows.jsonl": '{"a": 1, "label": "x"}\\n{"a": 2, "label": "y"}\\n' * 3000,
}
for name, text in files.items():
    path = os.path.join(sys.argv[1], name)
    with open(path, "w") as file:
        file.write(text)
    assert fit_file(path, threads=4).rows == 6000, name
how = {"base": 1, "guess_base": False, "limit": 1 << 31, "skip": False}
with open(os.path.join(sys.argv[1], "rows.svm")) as file:
    ahead = native.read_svmlight_ahead(file.fileno(), os.path.getsize(file.name), 4096, 4, **how)
    assert sum(len(chunk[1][3]) for chunk in iter(ahead.next, None)) == 6000
X = np.random.default_rng(1).standard_normal((300, 40))
Perceptron(max_iter=3, n_jobs=4).fit(X, np.arange(300) % 5)
panel = native.Panel(40)
panel.extend(X)
panel.products(X, 0, 0.1, 0.7, 3, 4)
print("the end")
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc takes the stack of threads from the limit")
def test_threads_need_no_more_stack_than_musl_gives_them(tmp_path: Path) -> None:
    command = ["sh", "-c", 'ulimit -S -s 128; exec "$0" -c "$1" "$2"', sys.executable, SMALL_STACKS, tmp_path]
    process = child.run(command, capture_output=True, text=True, timeout=120)
    assert (process.returncode, process.stdout) == (0, "the end\n"), process.stderr


# -- interpreters ----------------------------------------------------------------------------------------------------


def test_a_subinterpreter_gets_a_sentence() -> None:
    interpreters = pytest.importorskip("_xxsubinterpreters", reason="another Python names it otherwise")
    del interpreters
    code = """
import sys, _xxsubinterpreters as interpreters
interpreter = interpreters.create()
try:
    interpreters.run_string(interpreter, "import sys; sys.path[:] = %r; import rosenblatt.native" % sys.path)
except interpreters.RunFailedError as error:
    print(error)
"""
    process = run(code)
    assert "does not run in a subinterpreter" in process.stdout, process.stderr


def test_a_thread_in_native_code_does_not_abort_the_exit() -> None:
    # Python ended it as it came back, which C++ answers with "terminate called without an active exception".
    source = """
import threading, time
from rosenblatt import native
text = b"1 1:0.5 2:0.25 7:1\\n-1 2:1 3:0.125\\n" * 20000
def work():
    while True:
        native.parse_svmlight(text, 0, len(text), base=0, guess_base=False, limit=2**31, skip=True)
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
print("the end")
"""
    process = run(source)
    assert (process.returncode, process.stdout, process.stderr) == (0, "the end\n", "")
