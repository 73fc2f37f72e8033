"""What a plain `pip install rosenblatt` leaves out, and the sentence of whatever needs it.

A room that cannot work without an extra calls `require` in its `__init__.py`, a function that imports one of its
packages just before that. Nobody catches an ImportError.
"""

from collections.abc import Collection
from dataclasses import dataclass
from importlib.util import find_spec

from rosenblatt.errors import MissingExtraError


@dataclass(frozen=True)
class Extra:
    """How its sentence begins, and its packages: the name that is imported -> the name that is installed."""

    user_needs: str
    packages: dict[str, str]


_CERTIFY = {"scipy": "scipy", "flint": "python-flint"}
_SKLEARN = {"sklearn": "scikit-learn"} | _CERTIFY  # MaxMargin and compare certify
_FIGURES = {"matplotlib": "matplotlib"}
_SERVE = {name: name for name in ("starlette", "uvicorn", "uvloop", "httptools", "msgspec", "httpx")}
_STUDIO = {"starlette": "starlette", "uvicorn": "uvicorn", "contourpy": "contourpy"}

EXTRAS = {
    "sklearn": Extra("Estimators and comparisons need", _SKLEARN),
    "certify": Extra("Certificates need", _CERTIFY),
    "figures": Extra("Pictures need", _FIGURES),
    "studio": Extra("The studio needs", _STUDIO | _SKLEARN | _FIGURES),
    "serve": Extra("The service needs", _SERVE),
    "dask": Extra("The engine dask needs", {"distributed": "distributed"}),
    "spark": Extra("The engine spark needs", {"pyspark": "pyspark"}),
    "ray": Extra("The engine ray needs", {"ray": "ray"}),
    "onnx": Extra("ONNX needs", {"onnx": "onnx"}),
}


def missing_extra(extra: str, user_needs: str | None = None, modules: Collection[str] | None = None) -> str | None:
    """What to install before this extra can be used, as a sentence; None where everything is installed."""
    packages = EXTRAS[extra].packages
    missing = [packages[module] for module in modules or packages if find_spec(module) is None]
    if not missing:
        return None
    names = missing[0] if len(missing) == 1 else f"{', '.join(missing[:-1])} and {missing[-1]}"
    verb = "is" if len(missing) == 1 else "are"
    command = f'pip install "rosenblatt[{extra}]"'
    return f"{user_needs or EXTRAS[extra].user_needs} {names}, which {verb} not installed: {command}"


def require(extra: str, user_needs: str | None = None, modules: Collection[str] | None = None) -> None:
    """Raise MissingExtraError unless every package of this extra is installed, or those with these modules."""
    sentence = missing_extra(extra, user_needs, modules)
    if sentence is not None:
        raise MissingExtraError(sentence)
