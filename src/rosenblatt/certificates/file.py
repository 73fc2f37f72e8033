"""Certificates as JSON: floats as JSON writes them (they come back the same), fractions as "p/q", and a version."""

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.atomic import write_atomic
from rosenblatt.certificates.certificate import Certificate, Inseparable, Separable, Subject, Undecided, Widest
from rosenblatt.errors import DataError

_FORMAT, _VERSION = "rosenblatt certificate", 1
_DECIMAL = 12_000  # bits of a number that Python still writes in decimal digits; longer ones are written as 0x...


def save(certificate: Certificate, path: str | Path) -> None:
    write_atomic(path, (json.dumps(as_dict(certificate), indent=1) + "\n").encode())


def load_certificate(path: str | Path) -> Separable | Inseparable | Undecided:
    """Read a certificate that `save` wrote. It is believed only after `verify` on the data it is about."""
    try:
        return from_dict(json.loads(Path(path).read_text(encoding="utf-8")))
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}.") from None
    except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError) as error:
        if isinstance(error, DataError):
            raise DataError(f"{path}: {error}") from None
        raise DataError(
            f"{path}: is not a whole certificate ({type(error).__name__}: {error}); make it anew."
        ) from None


def as_dict(certificate: Certificate) -> dict[str, Any]:
    subject = certificate.subject
    head: dict[str, Any] = {
        "format": _FORMAT,
        "version": _VERSION,
        "kind": certificate.kind,
        "labels": [_label(label) for label in subject.labels],
        "n_rows": subject.n_rows,
        "n_features": subject.n_features,
        "digest": subject.digest,
    }
    if isinstance(certificate, Separable):
        head |= {
            "verified": certificate.verified,
            "margin": certificate.margin,
            "gap": certificate.gap,
            "radius": certificate.radius,
            "mistake_bound": certificate.mistake_bound,
            "geometric": _widest(certificate.geometric),
            "augmented": _widest(certificate.augmented),
        }
    elif isinstance(certificate, Inseparable):
        head |= {
            "verified": certificate.verified,
            "residual": certificate.residual,
            "rows": certificate.rows.tolist(),
            "signs": list(certificate.signs),
            "weights": [_text(weight) for weight in certificate.weights],
        }
    elif isinstance(certificate, Undecided):
        rows, shares = certificate.hardest.tolist(), certificate.shares.tolist()
        head |= {"bracket": list(certificate.bracket), "hardest": rows, "shares": shares}
    return head


def from_dict(held: dict[str, Any]) -> Separable | Inseparable | Undecided:
    """The inverse of `as_dict`."""
    if held.get("format") != _FORMAT:
        raise DataError("it is no certificate of Rosenblatt.")
    if held["version"] > _VERSION:
        raise DataError(f"it has version {held['version']}, and this program knows {_VERSION}: use a newer one.")
    if held.get("verified", "exact") not in ("exact", "numerical"):
        raise DataError(f"it says it was verified {held['verified']!r}, and there is only 'exact' and 'numerical'.")
    negative, positive = held["labels"]
    subject = Subject((negative, positive), int(held["n_rows"]), int(held["n_features"]), str(held["digest"]))
    if held["kind"] == "separable":
        widest = [_to_widest(held[name]) for name in ("geometric", "augmented")]
        separable = Separable(subject, widest[0], widest[1], float(held["radius"]), held["verified"])
        for name in ("margin", "gap", "mistake_bound"):  # said once more, for people who read the file
            if not math.isclose(held[name], getattr(separable, name), rel_tol=1e-9, abs_tol=1e-12):
                raise DataError(f"its {name} is not the one that follows from its evidence.")
        return separable
    if held["kind"] == "inseparable":
        weights = tuple(_number(text) for text in held["weights"])
        rows, signs = np.array(held["rows"], dtype=np.intp), tuple(int(sign) for sign in held["signs"])
        return Inseparable(subject, rows, weights, signs, float(held["residual"]), held["verified"])
    if held["kind"] == "undecided":
        low, high = held["bracket"]
        return Undecided(subject, (low, high), np.array(held["hardest"], dtype=np.intp), np.array(held["shares"]))
    raise DataError(f"it is of the unknown kind {held['kind']!r}.")


def _label(label: Any) -> Any:
    plain = label.item() if hasattr(label, "item") else label
    return plain if isinstance(plain, str | int | float) else str(plain)


def _widest(widest: Widest) -> dict[str, Any]:
    return {
        "w": _vector(widest.w),
        "b": _text(widest.b),
        "margin": widest.margin,
        "upper": widest.upper,
        "rows": widest.rows.tolist(),
        "weights": widest.weights.tolist(),
    }


def _to_widest(held: dict[str, Any]) -> Widest:
    w = _to_vector(held["w"])
    b = held["b"] if isinstance(held["b"], float) else _number(held["b"])
    rows, weights = np.array(held["rows"], dtype=np.intp), np.array(held["weights"], dtype=np.float64)
    return Widest(w, b, float(held["margin"]), float(held["upper"]), rows, weights)


def _vector(w: NDArray[Any]) -> Any:
    """Every number; of a long vector that is mostly zero, the columns and numbers that are not."""
    columns = np.flatnonzero(w)
    if len(w) < 1000 or 2 * len(columns) > len(w):
        return [_text(x) for x in w.tolist()]
    return {"size": len(w), "columns": columns.tolist(), "numbers": [_text(x) for x in w[columns].tolist()]}


def _to_vector(held: Any) -> NDArray[Any]:
    if isinstance(held, dict):
        whole = np.zeros(int(held["size"]))
        numbers = _to_vector(held["numbers"])
        whole = whole.astype(numbers.dtype)
        whole[held["columns"]] = numbers
        return whole
    if not any(isinstance(x, str) for x in held):
        return np.array(held, dtype=np.float64)
    exact = np.empty(len(held), dtype=object)
    exact[:] = [_number(x) for x in held]
    return exact


def _text(number: Any) -> float | str:
    """A float as it is; a fraction as "p/q"."""
    if isinstance(number, float):
        return float(number)
    fraction = Fraction(number)
    return "/".join(_digits(part) for part in (fraction.numerator, fraction.denominator))


def _digits(number: int) -> str:
    return str(number) if number.bit_length() < _DECIMAL else hex(number)


def _number(text: float | str) -> Fraction:
    if not isinstance(text, str):
        return Fraction(text)
    top, _, bottom = text.partition("/")
    return Fraction(*(int(part, 16 if "0x" in part else 10) for part in (top, bottom or "1")))
