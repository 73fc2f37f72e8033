"""Replays the whole log of every model in a directory, and compares the bits with every snapshot on the way."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rosenblatt.errors import ModelError, RosenblattError
from rosenblatt.model.model_file import load_linear_model
from rosenblatt.serve.learning.live_model import LiveModel
from rosenblatt.serve.replay import BATCH_BYTES, LostExamplesError, ReplayOverflowError, model_at, replay, unbroken
from rosenblatt.serve.store.damaged_wal import damage_of
from rosenblatt.serve.store.directory import Directory, ModelFolder
from rosenblatt.serve.store.log import Log


class Verdict(NamedTuple):
    """Whether the log of a model gives its snapshots, bit for bit."""

    name: str
    agrees: bool
    sentence: str
    version: int = 0
    digest: str = ""


def verify(path: str) -> Iterator[Verdict]:
    """A verdict for each model, as soon as it is known. The service may be running at the same time."""
    directory = Directory(path, lock=False)
    for name in directory.names:
        try:
            folder = directory.folder(name)
            try:
                yield _verify(folder)
            except ReplayOverflowError:  # groups learned one by one, as they were at first, may not overflow
                yield _verify(folder, batch_bytes=0)
        except (RosenblattError, OSError, sqlite3.Error) as error:
            yield Verdict(name, False, f"cannot be replayed: {str(error).rstrip('.')}")


def _verify(folder: ModelFolder, batch_bytes: int = BATCH_BYTES) -> Verdict:
    damage = damage_of(folder.log)
    if damage is not None:
        raise ModelError(f"{damage}; rosenblatt serve saves the rest when it starts")
    base = load_linear_model(folder.base, "served")
    log = Log(folder.log, read_only=True)
    try:
        bounds = log.bounds
        live, lost = LiveModel(base, base.sample), []
        checked: list[int] = []
        wrong: list[int] = []
        damaged: list[int] = []
        if bounds is not None and bounds[0] > 0:
            start = next((version for version in folder.snapshots.versions if version >= bounds[0]), None)
            if start is None:
                raise ModelError(f"its log begins at version {bounds[0]:,}, and there is no snapshot of it")
            live = LiveModel(folder.snapshots.load(start), base.sample)
        first = live.version
        end = live.version if bounds is None else bounds[1]
        for version in [*folder.snapshots.versions, end]:
            if live.version < version <= end:
                try:
                    replay(live, unbroken(log.groups(live.version, version), live.version), version, batch_bytes)
                except LostExamplesError as error:
                    lost.append(error.end - error.first)
                    live, _ = model_at(folder, version)  # the model that the service continued from
                    replay(live, log.groups(live.version, version), version, batch_bytes)
            if version == live.version and version in folder.snapshots.versions and version not in [*checked, *damaged]:
                try:
                    agrees = LiveModel(folder.snapshots.load(version), base.sample).digest() == live.digest()
                except ModelError:
                    damaged.append(version)
                    continue
                checked.append(version)
                if not agrees:
                    wrong.append(version)
    finally:
        log.close()
    agrees, sentence = _judge(live.version - first, checked, wrong, damaged, lost)
    return Verdict(folder.name, agrees, sentence, live.version, live.digest())


def _judge(
    n: int, checked: Sequence[int], wrong: Sequence[int], damaged: Sequence[int], lost: Sequence[int]
) -> tuple[bool, str]:
    """Whether the log agrees with the snapshots over `n` examples, and a sentence about it."""
    if wrong:
        return False, f"the bits differ at version {_listed(wrong)}"
    if damaged:
        return False, f"the snapshot of version {_listed(damaged)} is damaged"
    snapshots = "1 snapshot" if len(checked) == 1 else f"{len(checked)} snapshots"
    sentence = f"{n - sum(lost):,} examples replayed, the bits agree with {snapshots}"
    if lost:
        sentence += f"; {sum(lost):,} examples were lost, because the log was damaged"
    return True, sentence


def _listed(versions: Sequence[int]) -> str:
    return ", ".join(f"{version:,}" for version in versions)
