"""What a worker does with a shard: learn it from a state, or measure the loss and the gradient at one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from rosenblatt import native
from rosenblatt.cluster.messages import pack, unpack
from rosenblatt.cluster.mix.exp_and_log import exp_of_negative, log_1_plus, log_of_sum
from rosenblatt.cluster.mix.mixing import Sums, tree_sum
from rosenblatt.cluster.mix.shards import Shard, ShardsInMemory
from rosenblatt.cluster.worker_errors import check_version, error_answer, raise_error
from rosenblatt.errors import DataError, RosenblattError
from rosenblatt.lazy import NDArray, np
from rosenblatt.learn.run import Run
from rosenblatt.learn.settings import Settings
from rosenblatt.readers.cache.pages import DamagedPageError
from rosenblatt.records import Csr, Floats

_CODEC = "lz4_raw"
_SHARDS = ShardsInMemory(1 << 28)
_SEED_OF_PASS, _SEED_OF_SHARD = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9


def shard_piece(piece: bytes) -> bytes:
    """What a worker computes for a piece: a pure function of its bytes and of the files they name, written only once.

    The shards of a piece are one branch of the tree of all shards, so that it does not matter where they are summed.
    """
    task = json.loads(unpack(piece)[0]["task"])
    try:
        check_version(task["version"])
        settings, work = Settings(**task["settings"]), _learned if task["do"] == "learn" else _measured
        shards = ((k, _SHARDS.shard(task["file"], pages)) for k, pages in task["shards"])
        sums = tree_sum((work(shard, settings, task | {"shard": k}) for k, shard in shards), Sums.plus)
    except FileNotFoundError as error:
        sentence = f"{error.filename}: cannot be found by every worker: give a folder as cache that all can read."
        return error_answer(DataError(sentence, file=error.filename))
    except DamagedPageError:
        return error_answer(DataError(f"{task['file']}: a shard is damaged: start the fit again.", file=task["file"]))
    except (RosenblattError, OSError) as error:
        return error_answer(error)
    arrays = [np.ascontiguousarray(array) for array in (sums.columns, sums.seen, *sums.parts, sums.numbers)]
    shapes = [array.shape for array in arrays]
    data = b"".join(array.tobytes() for array in arrays)
    return pack({"shapes": shapes, "bytes": len(data)}, pa.compress(data, _CODEC, asbytes=True))


def sums_of(answer: bytes) -> Sums:
    header, (packed,) = unpack(answer)
    raise_error(header)
    data, at, arrays = pa.decompress(packed, header["bytes"], _CODEC, asbytes=True), 0, []
    for k, shape in enumerate(header["shapes"]):
        count = int(np.prod(shape))
        arrays.append(np.frombuffer(data, np.int64 if k == 0 else np.float64, count, at).reshape(shape))
        at += 8 * count
    columns, seen, *parts, numbers = arrays
    return Sums(columns, seen, tuple(parts), numbers)


def _of_state(task: Mapping[str, Any], shard: Shard) -> dict[str, Floats]:
    """The arrays of the state, for the columns of the shard only; their files are mapped, not read."""
    if task["state"] is None:
        return {}
    arrays = {name: np.load(path, mmap_mode="r") for name, path in task["state"].items()}
    at = np.searchsorted(arrays["columns"], shard.columns)
    every_column = ("weights", "scale")
    return {
        name: np.ascontiguousarray(array[:, at]) if name in every_column else np.array(array)
        for name, array in arrays.items()
        if name != "columns"
    }


def _learned(shard: Shard, settings: Settings, task: Mapping[str, Any]) -> Sums:
    """One pass over the shard, in a random order of its own: the changes of the state, each multiplied by how often
    the shard has seen the column."""
    state, n_rows = _of_state(task, shard), shard.block.rows
    run = Run(settings, len(shard.columns), [1.0] * task["classes"], 0, dense=not isinstance(shard.block.values, Csr))
    if state:
        run.learner.put("weights", state["weights"], state["bias"])
        if "scale" in state:
            run.learner.put("scale", state["scale"], state["scale_of_bias"])
    before = [(np.array(a), np.array(b)) for a, b in filter(None, (run.part("weights"), run.part("scale")))]
    run.learner.count_errors(True)
    run.begin_pass()
    seed = (task["seed"] + _SEED_OF_PASS * (task["pass"] + 1) + _SEED_OF_SHARD * (task["shard"] + 1)) % 2**64
    order, _ = native.random_order(seed, n_rows, False)
    run.visit(shard.block, shard.rows, order)
    run.end_pass()
    keeps_average = settings.keep == "average" and not settings.mistake_driven
    final = tuple(map(np.asarray, run.learner.final_weights(True))) if keeps_average else run.weights()
    after = [final, *filter(None, [run.part("scale")])]
    times = 1.0 if task["evenly"] else shard.seen
    parts = [(new[0] - old[0]) * times for new, old in zip(after, before, strict=True)]
    biases = [(new[1] - old[1]) * n_rows for new, old in zip(after, before, strict=True)]
    learner = run.learner
    wrong = [learner.wrong, learner.squared_error, learner.absolute_error, learner.pinball_error]
    numbers = [*wrong, learner.weighed, float(run.mistakes[-1]), n_rows]
    return Sums(shard.columns, shard.seen, tuple(parts), np.concatenate([*biases, numbers]))


def _measured(shard: Shard, settings: Settings, task: Mapping[str, Any]) -> Sums:
    """The logistic loss and its gradient; `numbers` are the gradient of the biases, the loss, wrong rows, all rows."""
    state, block = _of_state(task, shard), shard.block
    scores = np.asarray(native.scores(shard.rows, None, state["weights"], state["bias"]))
    loss, pull, wrong = logistic(scores, block.labels)
    if block.weights is not None:
        loss, pull = loss * block.weights, pull * block.weights[:, None]
    gradient = _transposed_times(shard, pull)
    of_bias = np.add.reduce(pull, axis=0) if settings.fit_intercept else np.zeros(len(state["bias"]))
    total = float(np.add.reduce(loss))
    numbers = np.concatenate([of_bias, [total, float(wrong.sum()), block.rows]])
    return Sums(shard.columns, shard.seen, (gradient,), numbers)


def logistic(scores: Floats, labels: NDArray[np.int32]) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """For each row the loss, its derivative by the score of each unit, and whether the row is wrong or tied."""
    if scores.shape[1] == 1:
        signs = np.where(labels == 1, 1.0, -1.0)
        margins = scores[:, 0] * signs
        small = exp_of_negative(-np.abs(margins))
        loss = log_1_plus(small) + np.maximum(-margins, 0.0)
        share = np.where(margins > 0, small, 1.0) / (1.0 + small)
        return loss, (-signs * share)[:, None], margins <= 0
    rows = np.arange(len(labels))
    highest = scores.max(axis=1)
    shares = exp_of_negative(scores - highest[:, None])
    total = np.add.reduce(shares, axis=1)
    own = scores[rows, labels]
    pull = shares / total[:, None]
    pull[rows, labels] -= 1.0
    others = np.array(scores)
    others[rows, labels] = -np.inf
    return log_of_sum(total) + (highest - own), pull, own <= others.max(axis=1)


def _transposed_times(shard: Shard, pull: Floats) -> Floats:
    """X' pull, where each sum is in the order of the rows."""
    values = shard.block.values
    if not isinstance(values, Csr):
        return np.stack([np.add.reduce(values * column[:, None], axis=0) for column in pull.T])
    lengths, width = np.diff(values.indptr), len(shard.columns)
    return np.stack(
        [np.bincount(values.indices, values.values * np.repeat(column, lengths), width) for column in pull.T]
    )
