"""``python -m bench panel --data FOLDER``: ours without options against tuned peers, on the same files.

``--ours`` runs our side only and compares it with the peers' results of an earlier run, which are valid as long as the
files are the same. ``--sets tune`` or ``--sets confirm`` takes one half, ``--sets NAME NAME`` some sets. A run of all
sets and sides saves results/panel.json and results/panel.png; ``--save`` saves our side of a smaller run, too.
"""

from __future__ import annotations

import argparse
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from bench.panel import figure, ours, results, table
from bench.panel.data.data_sets import chosen
from bench.panel.data.raw import DataSet
from bench.panel.data.split_files import Split, raw_splits, split_files
from bench.panel.results import Comparison
from bench.table import versions

OPTIONAL = ("vowpalwabbit", "fasttext")


def main(arguments: list[str]) -> None:
    """The command line of ``python -m bench panel``."""
    parser = argparse.ArgumentParser(prog="python -m bench panel", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="the folder of the real data sets; without it those are left out")
    parser.add_argument("--sets", nargs="+", default=[], metavar="tune|confirm|NAME", help="some of the sets")
    parser.add_argument("--ours", action="store_true", help="only our side, against the saved results of the peers")
    parser.add_argument("--peers", action="store_true", help="measure the peers again, though the files are the same")
    parser.add_argument("--save", action="store_true", help="save our results, though not everything was run")
    parser.add_argument("--show", action="store_true", help="print the saved results and run nothing")
    parser.add_argument("--jobs", type=int, default=2, help="processes of a peer's search (2)")
    parser.add_argument("--results", type=Path, default=results.PATH, help="the JSON file")
    options = parser.parse_args(arguments)
    stored = results.load(options.results)
    if options.show:
        rows = saved(stored)
        return print("\n".join([table.HEADING, *map(table.line, rows), "", table.summary(rows)]))
    if not options.ours:
        missing = [name for name in OPTIONAL if not find_spec(name)]
        print("".join(f"left out: the peer {name} is not installed\n" for name in missing), end="")
    print(table.HEADING)
    rows = [row for data in chosen(options.sets) if (row := run(data, stored, options))]
    print("\n" + table.summary(rows))
    if options.save or not (options.sets or options.ours):
        stored["versions"] = versions()
        results.save(stored, options.results)
        figure.draw(saved(stored), options.results.with_suffix(".png"))
        print(f"Saved in {options.results}")
    return None


def run(data: DataSet, stored: dict[str, Any], options: argparse.Namespace) -> Comparison | None:
    """Both sides of one set; its line is printed as soon as it is known."""
    try:
        splits = split_files(data, options.data)
    except OSError as missing:  # SciPy says OSError where there is no file
        reason = "--data names no folder" if options.data is None else missing
        print(f"{data.name:20} {data.mark:7} left out: {reason}")
        return None
    entry = stored["sets"].setdefault(data.name, {"peers": {}})
    before = results.comparison(data.name, entry) if "ours" in entry else None
    entry |= {"mark": data.mark, "rows": splits[0].n_train, "files": [split.digest for split in splits]}
    if not options.ours:
        measure_peers(data, splits, entry["peers"], options)
        results.save(stored, options.results)
    entry["ours"] = [ours.run(split) | {"majority": majority(split)} for split in splits]
    row = results.comparison(data.name, entry)
    print(table.line(row, before), flush=True)
    return row


def measure_peers(data: DataSet, splits: list[Split], known: dict[str, Any], options: argparse.Namespace) -> None:
    """Tune every peer on every split whose files it has not seen; `known` is by the digest of the files."""
    for stale in set(known) - {split.digest for split in splits}:
        del known[stale]
    if not options.peers and all(split.digest in known for split in splits):
        return
    from bench.panel.peers import peers_of
    from bench.panel.tuning import tune

    for split, (train, test) in zip(splits, raw_splits(data, options.data), strict=True):
        if options.peers or split.digest not in known:
            y, y_test = (np.searchsorted(np.unique(train.y), part.y) for part in (train, test))
            peers = peers_of(split, train, test)
            known[split.digest] = {peer.name: tune(peer, y, y_test, options.jobs) for peer in peers}


def majority(split: Split) -> float:
    """The accuracy of always guessing the commonest class."""
    return Counter(split.labels).most_common(1)[0][1] / len(split.labels)


def saved(stored: dict[str, Any]) -> list[Comparison]:
    """The saved results, in the order of the sets."""
    entries = {data.name: stored["sets"].get(data.name, {}) for data in chosen([])}
    return [results.comparison(name, entry) for name, entry in entries.items() if "ours" in entry]
