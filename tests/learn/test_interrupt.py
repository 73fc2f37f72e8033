"""A signal stops a long fit soon and leaves a model that can continue to the same bits; other threads keep running."""

import json
import signal
import sys
import textwrap
from typing import Any

import pytest

from tests import child

DATA = """
import json, os, signal, threading, time
import numpy as np
from scipy import sparse
from rosenblatt import Adaline, Perceptron

random = np.random.default_rng(3)
dense = random.standard_normal((100_000, 20))
labels = random.integers(0, 3, len(dense))  # noise: no epoch will be clean
rows = {"dense": dense, "sparse": sparse.csr_array(np.where(dense > 1, dense, 0.0))}[layout]
"""

STOPPED = """
sent = []

def strike():
    sent.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)

model = Perceptron(keep=keep, order="shuffle", warm_start=True, max_iter=1_000_000, batch=batch)
threading.Timer(0.1, strike).start()
try:
    model.fit(rows, labels)
    raise SystemExit("the fit ended by itself")
except KeyboardInterrupt:
    late = time.perf_counter() - sent[0]
status, epochs = model.status_, model.n_iter_
consistent = {
    "epochs": len(model.mistakes_) == len(model.loss_) == epochs,
    "position": epochs * len(dense) <= model.t_ < (epochs + 1) * len(dense),
    "mistakes": sum(model.mistakes_) <= model.n_mistakes_ <= 3 * model.t_,
    "shapes": model.coef_.shape == (3, 20) and model.intercept_.shape == (3,),
    "finite": bool(np.isfinite(model.coef_).all()),
    "predicts": set(model.predict(rows[:50])) <= {0, 1, 2},
}
model.set_params(max_iter=3).fit(rows, labels)
whole = Perceptron(keep=keep, order="shuffle", max_iter=model.n_iter_, batch=batch).fit(rows, labels)
same = {
    name: np.array_equal(getattr(model, name), getattr(whole, name))
    for name in ("coef_", "intercept_", "mistakes_", "loss_", "n_mistakes_", "t_", "n_iter_", "status_")
}
print(json.dumps({"late": late, "status": status, "more": model.n_iter_ - epochs} | consistent | same))
"""

BESIDE = """
ticks, running = [], True

def tick():
    while running:
        ticks.append(time.perf_counter())
        time.sleep(0.001)

beside = threading.Thread(target=tick)
beside.start()
start = time.perf_counter()
Adaline(order="given", max_iter=20).fit(rows, labels)
end = time.perf_counter()
running = False
beside.join()
times = [start, *(t for t in ticks if start < t < end), end]
print(json.dumps({"seconds": end - start, "longest": float(np.diff(times).max())}))
"""


def run(script: str, **values: object) -> dict[str, Any]:
    """Run the script in a new interpreter and return what it prints."""
    assignments = "\n".join(f"{name} = {value!r}" for name, value in values.items())
    code = assignments + DATA + textwrap.dedent(script)
    process = child.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert process.returncode == 0, process.stdout + process.stderr
    printed: dict[str, Any] = json.loads(process.stdout)
    return printed


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs signals that can be sent to oneself")
@pytest.mark.parametrize(("layout", "keep", "batch"), [("dense", "last", 7), ("sparse", "average", 1)])
def test_an_interrupted_fit_stops_soon_and_goes_on_to_the_same_bits(layout: str, keep: str, batch: int) -> None:
    facts = run(STOPPED, layout=layout, keep=keep, batch=batch)
    late, status, more = facts.pop("late"), facts.pop("status"), facts.pop("more")
    print(f"KeyboardInterrupt {late * 1000:.0f} ms after the signal")
    assert late < 0.5  # 0.2 on an idle machine
    assert status == "interrupted"
    assert more == 3
    assert [name for name, true in facts.items() if not true] == []


def test_another_thread_runs_while_a_fit_does() -> None:
    facts = run(BESIDE, layout="dense")
    print(f"fit {facts['seconds']:.2f} s, longest wait of the other thread {facts['longest'] * 1000:.0f} ms")
    assert facts["seconds"] > 0.1
    assert facts["longest"] < facts["seconds"] / 2
