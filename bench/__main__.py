"""``python -m bench [name ...]``: run the workloads, print the table, save JSON and the figure."""

from __future__ import annotations

import argparse
import compileall
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import rosenblatt
from bench import figure, table
from bench.accuracy import table as accuracy
from bench.machine import measure
from bench.records import Machine, Row, Size
from bench.workloads import certify, dense, files, memory, one_example, reading, sparse

RESULTS = Path(__file__).parent / "results"

WORKLOADS: dict[str, Callable[[Size, Machine], Iterator[Row]]] = {
    "sparse": sparse.rows,
    "images": dense.images,
    "full": dense.full,
    "narrow": dense.narrow,
    "one-row": one_example.one_row,
    "light": one_example.light,
    "wabbit": sparse.wabbit,
    "memory": memory.rows,
    "reading": reading.rows,
    "certify": certify.rows,
    "streaming": files.rows,
    "json": files.json_lines,
    "regression": files.numbers,
}


def parser() -> argparse.ArgumentParser:
    """The command-line options."""
    names = ", ".join(WORKLOADS)
    parser = argparse.ArgumentParser(prog="python -m bench", description="Every speed claim, against its peers.")
    parser.add_argument(
        "names",
        nargs="*",
        metavar="name",
        help=f"workloads: {names}; or accuracy, panel, numbers, digits, serving, faults, kernel, cluster (their own "
        "options)",
    )
    parser.add_argument("--quick", action="store_true", help="a twentieth of the rows, to test that it runs")
    parser.add_argument("--repeats", type=int, default=5, help="alternating runs of each side (5)")
    parser.add_argument("--output", type=Path, help="folder for bench.json and bench.png (a full run: bench/results)")
    parser.add_argument("--readme", action="store_true", help="print the last results as the table of the README")
    parser.add_argument("--docs", action="store_true", help="print the last results as the table of docs/speed.md")
    parser.add_argument("--list", action="store_true", help="name the workloads")
    return parser


def run(names: list[str], size: Size) -> tuple[list[Row], Machine]:
    """Run the workloads one after the other, printing each row as soon as it is measured."""
    for folder in rosenblatt.__path__:
        compileall.compile_dir(folder, quiet=1)  # as pip does on installing; some environments never write bytecode
    machine = measure(size)
    print(f"{machine}\n\n{table.heading()}")
    rows = []
    for name in names:
        for row in WORKLOADS[name](size, machine):
            rows.append(row)
            print(table.line(row), flush=True)
    with_target = [row for row in rows if row.target is not None]
    n_met = sum(row.verdict == "PASS" for row in with_target)
    print(f"\n{n_met} of {len(with_target)} targets met." + (" Quick sizes prove nothing about speed." * size.quick))
    return rows, machine


def main(arguments: list[str]) -> None:
    """Parse the options, run the workloads, save the results."""
    if arguments[:1] == ["accuracy"]:
        return accuracy.main(arguments[1:])
    if arguments[:1] == ["cluster"]:
        from bench import cluster

        return cluster.main(arguments[1:])
    if arguments[:1] == ["panel"]:
        from bench.panel import panel

        return panel.main(arguments[1:])
    if arguments[:1] == ["numbers"]:
        from bench.panel import numbers

        return numbers.main(arguments[1:])
    if arguments[:1] == ["digits"]:
        from bench import digits

        return digits.main(arguments[1:])
    if arguments[:1] == ["serving"]:
        from bench import serving

        return serving.main(arguments[1:])
    if arguments[:1] == ["faults"]:
        from bench.faults import campaign

        sys.exit(campaign.main(arguments[1:]))
    if arguments[:1] == ["kernel"]:
        from bench.kernel import kernel

        return kernel.main(arguments[1:])
    options = parser().parse_args(arguments)
    unknown = [name for name in options.names if name not in WORKLOADS]
    if unknown:
        parser().error(f"no workload is called {unknown[0]!r}; choose from {', '.join(WORKLOADS)}")
    if options.list:
        return print("\n".join(WORKLOADS))
    if options.readme or options.docs:
        write = table.front_markdown if options.readme else table.markdown
        return print(write(*table.read_json((options.output or RESULTS) / "bench.json")))
    rows, machine = run(options.names or list(WORKLOADS), Size(options.quick, options.repeats))
    folder = options.output or (None if options.quick or options.names else RESULTS)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        table.write_json(folder / "bench.json", rows, machine)
        figure.draw(rows, folder / "bench.png")
        print(f"Saved in {folder}: bench.json, bench.png")
    return None


if __name__ == "__main__":
    main(sys.argv[1:])
