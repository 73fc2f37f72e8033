"""`python -m tools.golden check` and `python -m tools.golden write`; `--help` says what else."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from pathlib import Path

from tools.golden.hashes import read_hashes, write_hashes
from tools.golden.plan import GROUPS, INSTRUCTION_SETS, Group, is_there, run, works

HASHES = Path(__file__).with_name("hashes.json")
SHOWN = 20  # differing cases that are named


def main() -> int:
    if sys.argv[1:2] == ["worker"]:
        return _worker(sys.argv[2:])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the processes it has started end with it
    options = _options()
    groups = [group for group in GROUPS if not options.only or group.name in options.only]
    stored = read_hashes(HASHES)
    with tempfile.TemporaryDirectory(prefix="golden-") as folder:
        return _compare_or_write(options, groups, stored, Path(folder))


def _options() -> argparse.Namespace:
    names = [group.name for group in GROUPS]
    parser = argparse.ArgumentParser(prog="python -m tools.golden", description="Does every case give the same bits?")
    parser.add_argument("action", choices=("check", "write"), help="compare with hashes.json, or write it anew")
    parser.add_argument("--only", help=f"groups of cases, with commas between them: {', '.join(names)}")
    parser.add_argument("--isa", help=f"instruction sets, with commas between them: {', '.join(INSTRUCTION_SETS)}")
    parser.add_argument("--quick", action="store_true", help="every tenth case on the widest instruction set")
    options = parser.parse_args()
    options.only = options.only.split(",") if options.only else []
    unknown = [name for name in options.only if name not in names]
    if unknown:
        parser.error(f"there is no group {unknown[0]!r}; there are {', '.join(names)}")
    if options.quick and options.action == "write":
        parser.error("a quick look is not enough to write the hashes")
    return options


def _worker(words: list[str]) -> int:
    from tools.golden.runner import run_worker

    group, share, shares, extent, results = words
    run_worker(group, int(share), int(shares), extent == "quick", Path(results))
    return 0


def _sets(options: argparse.Namespace, folder: Path) -> list[str]:
    wanted = options.isa.split(",") if options.isa else list(INSTRUCTION_SETS)
    present = []
    for isa in wanted:
        if options.quick and present:
            break
        if is_there(isa, folder):
            present.append(isa)
        else:
            print(f"this machine has no {isa}, which is left out", file=sys.stderr)
    if not present:
        raise SystemExit("the package cannot be loaded with any of these instruction sets")
    return present


def _compare_or_write(options: argparse.Namespace, groups: list[Group], stored: dict[str, str], folder: Path) -> int:
    from tools.golden.data.files import make_files

    sets = _sets(options, folder)
    make_files(folder / "data")
    began, planned = time.monotonic(), works(groups, sets, options.quick)
    hashes: dict[str, str] = {}
    wrong: list[str] = []
    for done, (work, results) in enumerate(run(planned, options.quick, folder), start=1):
        expected = stored if options.action == "check" else hashes
        for name, value in results.items():
            if value.startswith("error") or value != expected.get(name, value if options.action == "write" else None):
                wrong.append(f"{name} ({work.isa})")
            hashes.setdefault(name, value)
        seconds = time.monotonic() - began
        progress = f"{done} of {len(planned)} parts, {len(hashes):,} cases, {len(wrong)} different, {seconds:.0f} s"
        print(progress, file=sys.stderr, flush=True)
    if not options.quick:
        missing = [name for name in stored if _is_of(name, groups) and name not in hashes]
        wrong += [f"{name} (not computed)" for name in missing] if options.action == "check" else []
    return _report(wrong, hashes, sets) or (_written(groups, stored, hashes) if options.action == "write" else 0)


def _is_of(name: str, groups: list[Group]) -> bool:
    return name.split("/")[0] in {group.name for group in groups}


def _report(wrong: list[str], hashes: dict[str, str], sets: list[str]) -> int:
    if not wrong:
        print(f"{len(hashes):,} cases on {', '.join(sets)}: the same")
        return 0
    for name in sorted(wrong)[:SHOWN]:
        print(name)
    print(f"{len(wrong):,} of {len(hashes):,} cases on {', '.join(sets)}: DIFFERENT")
    return 1


def _written(groups: list[Group], stored: dict[str, str], hashes: dict[str, str]) -> int:
    others = {name: value for name, value in stored.items() if not _is_of(name, groups)}
    write_hashes(HASHES, {**others, **hashes})
    print(f"written to {HASHES}, {HASHES.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
