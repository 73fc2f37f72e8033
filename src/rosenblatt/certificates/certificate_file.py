"""Certificates as JSON files: floats as JSON writes them, which is exact, fractions as "p/q", and a version."""

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rosenblatt.atomic import write_atomic
from rosenblatt.available_memory import why_too_large
from rosenblatt.certificates.certificate import (
    Certificate,
    CertifiedHyperplane,
    DataFingerprint,
    Inseparable,
    Separable,
    Undecided,
)
from rosenblatt.certificates.exact_fit.answers import ExactFit, NoExactFit
from rosenblatt.errors import DataError
from rosenblatt.input_checks import json_label
from rosenblatt.records import Floats

AnyCertificate: TypeAlias = Separable | Inseparable | Undecided | ExactFit | NoExactFit
_FORMAT, _VERSION = "rosenblatt certificate", 1
_START = 64
_MAX_DECIMAL_BITS = 12_000  # Python refuses to convert much longer integers to decimal; they are written as 0x...


def save(certificate: Certificate, path: str | Path) -> None:
    write_atomic(path, (json.dumps(as_dict(certificate), indent=1) + "\n").encode())


def load_certificate(path: str | Path) -> AnyCertificate:
    """Read a certificate that `save` wrote. Call `verify(X, y)` before trusting it.

    Parameters
    ----------
    path : path
        A file that the method `save` of a certificate, or `rosenblatt certify --save`, has written.

    Returns
    -------
    Separable, Inseparable, Undecided, ExactFit or NoExactFit
        The certificate as it was saved; DataError if the file holds none.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rosenblatt import certify
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     certify(X, y).save(pathlib.Path(folder, "proof.json"))
    ...     proof = load_certificate(pathlib.Path(folder, "proof.json"))
    >>> proof.verify(X, y)
    True
    """
    try:
        with open(path, "rb") as file:
            start = file.read(_START)
            if not start.lstrip().startswith(b"{"):  # checked before the rest is read: the file may be endless
                raise DataError("this is not a Rosenblatt certificate.")
            return from_dict(json.loads(start + file.read()))
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}.", file=str(path)) from None
    except DataError as error:
        raise DataError(f"{path}: {error}", file=str(path)) from None
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        why = f"{type(error).__name__}: {str(error)[:200]}"
        raise DataError(f"{path}: the certificate is damaged ({why}): create it again.", file=str(path)) from None


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
    elif isinstance(certificate, ExactFit):
        content |= {
            "verified": certificate.verified,
            "w": _vector_to_json(certificate.w),
            "b": _number_to_json(certificate.b),
            "rows": certificate.rows.tolist(),
        }
    elif isinstance(certificate, NoExactFit):
        content |= {
            "verified": certificate.verified,
            "rows": certificate.rows.tolist(),
            "weights": [_number_to_json(weight) for weight in certificate.weights],
            "targets": [_number_to_json(target) for target in certificate.targets],
            "mismatch": _number_to_json(certificate.mismatch),
        }
    return content


def from_dict(content: Any) -> AnyCertificate:
    """The inverse of `as_dict`; the content may be anything that JSON can hold."""
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise DataError("this is not a Rosenblatt certificate.")
    if _integer(content["version"]) > _VERSION:
        raise DataError(
            f"the certificate has version {content['version']}, and this Rosenblatt reads up to {_VERSION}: upgrade "
            "Rosenblatt."
        )
    if content.get("verified", "exact") not in ("exact", "numerical"):
        raise DataError(f"'verified' must be 'exact' or 'numerical'. Got {content['verified']!r} instead.")
    size = _integer(content["n_rows"]), _integer(content["n_features"])
    if content["kind"] in (ExactFit.kind, NoExactFit.kind):
        return _fit_from_dict(content, DataFingerprint((), *size, str(content["digest"])))
    negative, positive = content["labels"]
    if not all(isinstance(label, str | int | float) for label in (negative, positive)):
        raise TypeError("a label is neither a word nor a number")
    subject = DataFingerprint((negative, positive), *size, str(content["digest"]))
    if content["kind"] == "separable":
        planes = [_hyperplane_from_dict(content[name], size[1]) for name in ("geometric", "augmented")]
        separable = Separable(subject, planes[0], planes[1], _float(content["radius"]), content["verified"])
        for name in ("margin", "gap", "mistake_bound"):  # redundant: written for people who read the file
            if not math.isclose(_float(content[name]), getattr(separable, name), rel_tol=1e-9, abs_tol=1e-12):
                raise DataError(f"its {name} does not follow from its evidence.")
        return separable
    if content["kind"] == "inseparable":
        weights = tuple(_number_from_json(number) for number in content["weights"])
        rows, signs = _rows(content["rows"]), tuple(_integer(sign) for sign in content["signs"])
        return Inseparable(subject, rows, weights, signs, _float(content["residual"]), content["verified"])
    if content["kind"] == "undecided":
        low, high = map(_float, content["bracket"])
        return Undecided(subject, (low, high), _rows(content["hardest"]), _floats(content["shares"]))
    raise DataError(f"the kind of certificate {content['kind']!r} is unknown.")


def _fit_from_dict(content: Any, subject: DataFingerprint) -> ExactFit | NoExactFit:
    if content["kind"] == ExactFit.kind:
        w = _vector_from_json(content["w"], subject.n_features)
        fractions = np.array([Fraction(x) for x in w.tolist()], dtype=object)
        return ExactFit(
            subject, fractions, _number_from_json(content["b"]), _rows(content["rows"]), content["verified"]
        )
    weights, targets = (tuple(map(_number_from_json, content[name])) for name in ("weights", "targets"))
    proof = NoExactFit(subject, _rows(content["rows"]), weights, targets, content["verified"])
    if _number_from_json(content["mismatch"]) != proof.mismatch:  # redundant: written for people who read the file
        raise DataError("its mismatch does not follow from its evidence.")
    return proof


def _integer(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{value!r} is not an integer")
    return value


def _float(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError(f"{value!r} is not a number")
    return float(value)


def _rows(values: Any) -> NDArray[np.intp]:
    return np.array([_integer(value) for value in values], dtype=np.intp)


def _floats(values: Any) -> Floats:
    return np.array([_float(value) for value in values], dtype=np.float64)


def _hyperplane_to_dict(plane: CertifiedHyperplane) -> dict[str, Any]:
    return {
        "w": _vector_to_json(plane.w),
        "b": _number_to_json(plane.b),
        "margin": plane.margin,
        "upper": plane.upper,
        "rows": plane.rows.tolist(),
        "weights": plane.weights.tolist(),
    }


def _hyperplane_from_dict(content: Any, n_features: int) -> CertifiedHyperplane:
    w = _vector_from_json(content["w"], n_features)
    b = content["b"] if isinstance(content["b"], float) else _number_from_json(content["b"])
    margin, upper = _float(content["margin"]), _float(content["upper"])
    return CertifiedHyperplane(w, b, margin, upper, _rows(content["rows"]), _floats(content["weights"]))


def _vector_to_json(w: NDArray[Any]) -> Any:
    """All the numbers; of a long vector that is mostly zero, only the nonzero columns and their numbers."""
    columns = np.flatnonzero(w)
    if len(w) < 1000 or 2 * len(columns) > len(w):
        return [_number_to_json(x) for x in w.tolist()]
    return {"size": len(w), "columns": columns.tolist(), "numbers": [_number_to_json(x) for x in w[columns].tolist()]}


def _vector_from_json(content: Any, size: int) -> NDArray[Any]:
    if not isinstance(content, dict):
        return _numbers_from_json(content)
    if content["size"] != size:
        raise ValueError(f"a hyperplane has {content['size']} weights for {size} columns")
    why = why_too_large(8 * size)
    if why is not None:
        raise DataError(f"its {size:,} weights need {why}.")
    numbers, columns = _numbers_from_json(content["numbers"]), _rows(content["columns"])
    vector: NDArray[Any] = np.zeros(size, dtype=numbers.dtype)
    vector[columns] = numbers
    return vector


def _numbers_from_json(content: Any) -> NDArray[Any]:
    """An array of floats, or of Fractions if one of the numbers is written as a fraction."""
    if not any(isinstance(x, str) for x in content):
        return _floats(content)
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


def _number_from_json(number: Any) -> Fraction:
    if not isinstance(number, str):
        _float(number)
        return Fraction(number)
    numerator, _, denominator = number.partition("/")
    return Fraction(*(int(part, 16 if "0x" in part else 10) for part in (numerator, denominator or "1")))
