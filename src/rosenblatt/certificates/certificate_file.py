"""Certificates as JSON files: floats as JSON writes them, which is exact, fractions as "p/q", and a version."""

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.atomic import write_atomic
from rosenblatt.certificates.certificate import (
    Certificate,
    CertifiedHyperplane,
    DataFingerprint,
    Inseparable,
    Separable,
    Undecided,
)
from rosenblatt.checks import json_label
from rosenblatt.errors import DataError

_FORMAT, _VERSION = "rosenblatt certificate", 1
_MAX_DECIMAL_BITS = 12_000  # Python refuses to convert much longer integers to decimal; they are written as 0x...


def save(certificate: Certificate, path: str | Path) -> None:
    write_atomic(path, (json.dumps(as_dict(certificate), indent=1) + "\n").encode())


def load_certificate(path: str | Path) -> Separable | Inseparable | Undecided:
    """Read a certificate that `save` wrote. Call `verify(X, y)` before trusting it."""
    try:
        return from_dict(json.loads(Path(path).read_text(encoding="utf-8")))
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}.", file=str(path)) from None
    except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError) as error:
        reason = str(error)
        if not isinstance(error, DataError):
            reason = f"the certificate is damaged ({type(error).__name__}: {error}): create it again."
        raise DataError(f"{path}: {reason}", file=str(path)) from None


def as_dict(certificate: Certificate) -> dict[str, Any]:
    """The inverse of `from_dict`."""
    subject = certificate.subject
    content: dict[str, Any] = {
        "format": _FORMAT,
        "version": _VERSION,
        "kind": certificate.kind,
        "labels": [json_label(label) for label in subject.labels],
        "n_rows": subject.n_rows,
        "n_features": subject.n_features,
        "digest": subject.digest,
    }
    if isinstance(certificate, Separable):
        content |= {
            "verified": certificate.verified,
            "margin": certificate.margin,
            "gap": certificate.gap,
            "radius": certificate.radius,
            "mistake_bound": certificate.mistake_bound,
            "geometric": _hyperplane_to_dict(certificate.geometric),
            "augmented": _hyperplane_to_dict(certificate.augmented),
        }
    elif isinstance(certificate, Inseparable):
        content |= {
            "verified": certificate.verified,
            "residual": certificate.residual,
            "rows": certificate.rows.tolist(),
            "signs": list(certificate.signs),
            "weights": [_number_to_json(weight) for weight in certificate.weights],
        }
    elif isinstance(certificate, Undecided):
        rows, shares = certificate.hardest.tolist(), certificate.shares.tolist()
        content |= {"bracket": list(certificate.bracket), "hardest": rows, "shares": shares}
    return content


def from_dict(content: dict[str, Any]) -> Separable | Inseparable | Undecided:
    """The inverse of `as_dict`."""
    if content.get("format") != _FORMAT:
        raise DataError("this is not a Rosenblatt certificate.")
    if content["version"] > _VERSION:
        raise DataError(
            f"the certificate has version {content['version']}, and this Rosenblatt reads up to {_VERSION}: upgrade it."
        )
    if content.get("verified", "exact") not in ("exact", "numerical"):
        raise DataError(f"'verified' must be 'exact' or 'numerical'. Got {content['verified']!r} instead.")
    negative, positive = content["labels"]
    size = int(content["n_rows"]), int(content["n_features"])
    subject = DataFingerprint((negative, positive), *size, str(content["digest"]))
    if content["kind"] == "separable":
        planes = [_hyperplane_from_dict(content[name]) for name in ("geometric", "augmented")]
        separable = Separable(subject, planes[0], planes[1], float(content["radius"]), content["verified"])
        for name in ("margin", "gap", "mistake_bound"):  # redundant: written for people who read the file
            if not math.isclose(content[name], getattr(separable, name), rel_tol=1e-9, abs_tol=1e-12):
                raise DataError(f"its {name} does not follow from its evidence.")
        return separable
    if content["kind"] == "inseparable":
        weights = tuple(_number_from_json(number) for number in content["weights"])
        rows, signs = np.array(content["rows"], dtype=np.intp), tuple(int(sign) for sign in content["signs"])
        return Inseparable(subject, rows, weights, signs, float(content["residual"]), content["verified"])
    if content["kind"] == "undecided":
        low, high = content["bracket"]
        return Undecided(subject, (low, high), np.array(content["hardest"], dtype=np.intp), np.array(content["shares"]))
    raise DataError(f"the kind of certificate {content['kind']!r} is unknown.")


def _hyperplane_to_dict(plane: CertifiedHyperplane) -> dict[str, Any]:
    return {
        "w": _vector_to_json(plane.w),
        "b": _number_to_json(plane.b),
        "margin": plane.margin,
        "upper": plane.upper,
        "rows": plane.rows.tolist(),
        "weights": plane.weights.tolist(),
    }


def _hyperplane_from_dict(content: dict[str, Any]) -> CertifiedHyperplane:
    w = _vector_from_json(content["w"])
    b = content["b"] if isinstance(content["b"], float) else _number_from_json(content["b"])
    rows, weights = np.array(content["rows"], dtype=np.intp), np.array(content["weights"], dtype=np.float64)
    return CertifiedHyperplane(w, b, float(content["margin"]), float(content["upper"]), rows, weights)


def _vector_to_json(w: NDArray[Any]) -> Any:
    """All the numbers; of a long vector that is mostly zero, only the nonzero columns and their numbers."""
    columns = np.flatnonzero(w)
    if len(w) < 1000 or 2 * len(columns) > len(w):
        return [_number_to_json(x) for x in w.tolist()]
    return {"size": len(w), "columns": columns.tolist(), "numbers": [_number_to_json(x) for x in w[columns].tolist()]}


def _vector_from_json(content: Any) -> NDArray[Any]:
    if isinstance(content, dict):
        numbers = _vector_from_json(content["numbers"])
        vector = np.zeros(int(content["size"])).astype(numbers.dtype)
        vector[content["columns"]] = numbers
        return vector
    if not any(isinstance(x, str) for x in content):
        return np.array(content, dtype=np.float64)
    exact = np.empty(len(content), dtype=object)
    exact[:] = [_number_from_json(x) for x in content]
    return exact


def _number_to_json(number: Any) -> float | str:
    """A float as it is; a fraction as "p/q"."""
    if isinstance(number, float):
        return float(number)
    fraction = Fraction(number)
    return "/".join(_integer_text(part) for part in (fraction.numerator, fraction.denominator))


def _integer_text(number: int) -> str:
    return str(number) if number.bit_length() < _MAX_DECIMAL_BITS else hex(number)


def _number_from_json(number: float | str) -> Fraction:
    if not isinstance(number, str):
        return Fraction(number)
    numerator, _, denominator = number.partition("/")
    return Fraction(*(int(part, 16 if "0x" in part else 10) for part in (numerator, denominator or "1")))
