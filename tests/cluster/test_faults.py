"""Processes that are killed in the middle, or slow: the same bits, said in one line."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rosenblatt.cluster import fit
from rosenblatt.cluster.engines.processes import Processes
from rosenblatt.cluster.engines.reachable import is_reachable, refuse_unreachable
from rosenblatt.errors import DataError
from rosenblatt.model.fit_file import fit_file
from rosenblatt.readers.formats import line_source
from tests import child
from tests.cluster.examples import BLOCK, CASES, model_bytes
from tests.cluster.harm import Harmed, kill_always, kill_once, slow_once_in_three


def test_a_killed_process_changes_no_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_source, "BLOCK_BYTES", BLOCK)
    data, marker = CASES["text"][0](tmp_path), tmp_path / "killed"
    alone = fit_file(data, rule="arow")
    with Processes(2) as engine:
        unharmed = Harmed(engine)
        fit(data, unharmed, rule="arow")
        # The first reading is broken off after a block: what a worker still reads of it nobody misses.
        together = fit(data, Harmed(engine, kill_once, marker, after=max(unharmed.readings)), rule="arow")
        notes = engine.notes()
    assert marker.exists()
    assert model_bytes(together.model, tmp_path) == model_bytes(alone.model, tmp_path)
    assert notes == ["1 worker process died: what it was reading was read again, to the same bits."]


def test_slow_workers_change_no_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_source, "BLOCK_BYTES", BLOCK)
    data = CASES["svmlight"][0](tmp_path)
    with Processes(2) as engine:
        together = fit(data, Harmed(engine, slow_once_in_three, tmp_path / "none"), rule="arow")
        assert engine.notes() == []
    assert model_bytes(together.model, tmp_path) == model_bytes(fit_file(data, rule="arow").model, tmp_path)


def test_a_piece_that_kills_every_worker_is_given_up() -> None:
    with (
        Processes(1) as engine,
        pytest.raises(DataError, match="3 worker processes died one after another: is there enough memory"),
    ):
        list(engine.in_order(kill_always, iter([b"piece"])))


_CTRL_C = """
import os, signal, sys, time
from rosenblatt.cluster.engines.choose_engine import open_engine

def pieces():
    yield b"the first one starts the workers"
    time.sleep(0.2)  # they import
    os.killpg(0, signal.SIGINT)  # as a terminal does: all processes of the group
    yield from [b"another one"] * 100

try:
    with open_engine(sys.argv[1]) as engine:
        list(engine.in_order(bytes.upper, pieces()))
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("engine", ["processes:2", "dask"])
def test_a_ctrl_c_reaches_the_learner_alone(engine: str) -> None:
    command = [sys.executable, "-c", _CTRL_C, engine]
    ended = child.run(command, capture_output=True, text=True, start_new_session=True, timeout=60)
    assert (ended.stdout, ended.stderr) == ("interrupted\n", "")


def test_never_more_pieces_are_out_than_the_window() -> None:
    taken = 0

    def pieces() -> object:
        nonlocal taken
        for _ in range(40):
            taken += 1
            yield b"piece"

    with Processes(2) as engine:
        for n_answers, _ in enumerate(engine.in_order(bytes.upper, pieces()), 1):  # type: ignore[arg-type]
            assert taken - n_answers <= engine.window


_WAITS = """
import os, sys, time
from rosenblatt.cluster.engines.processes import Processes
from rosenblatt.cluster.engines.reachable import refuse_unreachable
from tests.cluster.harm import own_number

if __name__ == "__main__":
    engine = Processes(1)
    print(*map(bytes.decode, engine.in_order(own_number, iter([b"piece"]))), flush=True)
    time.sleep(60)
"""


def test_a_script_of_one_line_is_not_run_by_its_workers(tmp_path: Path) -> None:
    """`multiprocessing` would have them import it, and fit in turn, but for `if __name__ == "__main__"`."""
    data, script = CASES["svmlight"][0](tmp_path), tmp_path / "script.py"
    script.write_text(f"from rosenblatt.cluster import fit; print(fit({data!r}, 'processes:2', rule='arow').rows)")
    ended = child.run([sys.executable, script], capture_output=True, text=True, timeout=60)
    assert (ended.stdout, ended.stderr) == (f"{fit_file(data, rule='arow').rows}\n", "")


def test_workers_end_with_a_learner_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "waits.py"
    script.write_text(_WAITS)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with child.start([sys.executable, script], stdout=subprocess.PIPE, env=environment) as learner:
        worker = int(learner.stdout.readline())
        os.kill(worker, 0)  # it lives
        learner.kill()
    for _ in range(200):
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    raise AssertionError(f"worker {worker} has outlived its learner")


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("127.0.0.1:1", "nothing answers at this address: "),
        ("127.0.0.1", "is not an address: give host:port"),
        ("a:99999", ""),
    ],
)
def test_an_address_at_which_nobody_is_is_refused_at_once(address: str, sentence: str) -> None:
    with pytest.raises(DataError, match=f"spark://{address}: .*{sentence}"):
        refuse_unreachable("spark", address)


def test_an_address_of_which_one_answers_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        refuse_unreachable("spark", f"127.0.0.1:1,127.0.0.1:{server.getsockname()[1]}")
        refuse_unreachable("ray", f"127.0.0.1:{server.getsockname()[1]}")


def test_only_workers_who_answer_are_asked_directly() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        assert is_reachable(url)
    assert not is_reachable(url)
    assert not is_reachable("inproc://127.0.0.1/7/1")


def test_standard_input_is_refused_where_it_is_a_file(tmp_path: Path) -> None:
    data = CASES["svmlight"][0](tmp_path)
    command = [sys.executable, "-m", "rosenblatt", "fit", "-", "--on", "processes:1", "-o", tmp_path / "m"]
    with open(data, "rb") as redirected:
        process = child.run(command, stdin=redirected, capture_output=True, text=True, timeout=100)
    assert "is a stream, which workers cannot read: give files" in process.stderr
    assert process.returncode == 2
