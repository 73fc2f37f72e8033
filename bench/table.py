"""Rows as text: the table on the terminal, the tables of the README and of docs/speed.md, and JSON."""

from __future__ import annotations

import json
import platform
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from bench.records import Limit, Machine, Row, Target

PACKAGES = ("rosenblatt", "numpy", "scipy", "scikit-learn", "river", "mlxtend", "vowpalwabbit")


def amount(value: float, unit: str) -> str:
    """A time or a percentage in three digits."""
    if unit == "share":
        return f"{100 * value:.1f}%"
    for scale, word in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if value >= scale:
            return f"{value / scale:.3g} {word}"
    return f"{value * 1e9:.3g} ns"


def value_text(row: Row) -> str:
    """The value that the target is compared with."""
    return f"{row.value:.1f}%" if row.kind == "memory" else f"{row.value:.3g}x"


def target_text(row: Row) -> str:
    """The target, or a dash."""
    return "-" if row.target is None else f"{row.target}{'%' if row.kind == 'memory' else 'x'}"


def cells(row: Row) -> tuple[str, ...]:
    """The row as text, column by column."""
    return (
        row.work,
        amount(row.ours, row.unit),
        amount(row.peer, row.unit),
        row.peer_name,
        value_text(row),
        target_text(row),
        row.verdict,
        f"{row.closeness:.2g}",
    )


def line(row: Row) -> str:
    """One line of the terminal, printed as soon as the row is known, with the machine's limit under it."""
    work, ours, peer, peer_name, value, target, verdict, closeness = cells(row)
    first = f"{work:62} {value:>9}  {target:>9} {verdict:>6}   ours {ours:>8} | {peer:>8} {peer_name}"
    limit = amount(row.limit.seconds, row.unit)
    return f"{first}\n{'':62} {'':>9}  limit {limit} ({row.limit.reason}): {closeness} of it reached"


def heading() -> str:
    """The heading of the table on the terminal."""
    return f"{'work':62} {'value':>9}  {'target':>9} {'':>6}   medians per unit of work (epoch, call)"


# The rows that the README shows; docs/speed.md has all of them.
FRONT = ("file", "file-liblinear", "file-sklearn", "file-small", "text-auto", "images", "light", "digits 8 against 9")


def front_markdown(rows: list[Row], machine: str, versions: dict[str, str]) -> str:
    """The short table of the README."""
    lines = ["| work | Rosenblatt | peer | ratio |", "|---|---|---|---|"]
    for row in rows:
        if row.name in FRONT:
            work, ours, peer, peer_name, value, *_ = cells(row)
            lines.append(f"| {work} | {ours} | {peer} {peer_name} | **{value}** |")
    return "\n".join([*lines, "", f"Medians of alternating runs on {machine.partition(';')[0]}."])


def markdown(rows: list[Row], machine: str, versions: dict[str, str]) -> str:
    """The table of docs/speed.md: rows with a target; the others are in the JSON."""
    lines = ["| work | ours | peer | ratio | target | of the machine's limit |", "|---|---|---|---|---|---|"]
    for row in rows:
        if row.target is None:
            continue
        work, ours, peer, peer_name, value, target, verdict, closeness = cells(row)
        mark = target if verdict == "PASS" else f"{target} ({verdict})"
        lines.append(f"| {work} | {ours} | {peer} {peer_name} | **{value}** | {mark} | {closeness} |")
    names = ", ".join(f"{name} {number}" for name, number in versions.items() if name != "rosenblatt")
    return "\n".join([*lines, "", f"Medians of alternating runs on {machine}. Peers: {names}."])


def versions() -> dict[str, str]:
    """The versions of Python and of every package involved."""
    numbers = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            numbers[name] = version(name)
        except PackageNotFoundError:
            continue
    return numbers


def write_json(path: Path, rows: list[Row], machine: Machine) -> None:
    """Write everything that was measured, including every single run."""
    table = [asdict(row) | {"closeness": row.closeness, "verdict": row.verdict} for row in rows]
    content = {"machine": asdict(machine) | {"words": str(machine)}, "versions": versions(), "rows": table}
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def read_json(path: Path) -> tuple[list[Row], str, dict[str, str]]:
    """The inverse of :func:`write_json`, the machine as text."""
    content: dict[str, Any] = json.loads(path.read_text())
    rows = []
    for item in content["rows"]:
        fields = {key: value for key, value in item.items() if key not in ("closeness", "verdict")}
        fields["limit"] = Limit(**fields["limit"])
        fields["target"] = Target(**fields["target"]) if fields["target"] else None
        rows.append(Row(**fields))
    return rows, content["machine"]["words"], content["versions"]
