"""Print what pyproject.toml requires under some keys, `build` or the name of an extra, one requirement a line.

An extra may name others, as in rosenblatt[sklearn,certify]: those are replaced by what they require, so that pip need
not find rosenblatt itself.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
_OURSELVES = re.compile(r"rosenblatt\[(.+)\]")


def requirements(project: dict[str, Any], key: str) -> Iterator[str]:
    """The requirements under one key: build, base, or an extra.

    >>> extras = {"figures": ["matplotlib"], "all": ["rosenblatt[figures]", "onnx"]}
    >>> list(requirements({"project": {"optional-dependencies": extras}}, "all"))
    ['matplotlib', 'onnx']
    """
    if key == "build":
        yield from project["build-system"]["requires"]
    elif key == "base":
        yield from project["project"]["dependencies"]
    else:
        for requirement in project["project"]["optional-dependencies"][key]:
            match = _OURSELVES.fullmatch(requirement)
            for other in match[1].split(",") if match else ():
                yield from requirements(project, other)
            if not match:
                yield requirement


def read_requirements(*keys: str) -> list[str]:
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))
    return list(dict.fromkeys(line for key in keys for line in requirements(project, key)))


def main(keys: list[str]) -> None:
    print(*read_requirements(*keys), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
