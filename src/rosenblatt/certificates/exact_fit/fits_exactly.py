"""Does some linear function meet every target? Found modulo a prime, solved by FLINT for the rows that matter, checked.

Modulo a prime p, independent rows are collected until all others depend on them. The linear function of these rows is
tried on all. Where it misses a row, that row is a combination of the independent ones, and its target is not: the few
rows of that combination are solved for exactly, which gives the proof. Where it misses none, the function is solved for
exactly. Either answer is checked exactly, so an unlucky prime, by which the rank is lower than in truth, does no harm:
the next one is tried.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np

from rosenblatt.available_memory import why_too_large
from rosenblatt.certificates.certificate import DataFingerprint
from rosenblatt.certificates.exact_fit import modular, verify_fit
from rosenblatt.certificates.exact_fit.answers import ExactFit, NoExactFit
from rosenblatt.certificates.exact_fit.equations import Equations, check_equations
from rosenblatt.certificates.points.points import ExactNumber
from rosenblatt.errors import DataError
from rosenblatt.extras import require

_MISSED = 1000  # missed rows, at most, of which the one with the shortest proof is chosen


def fits_exactly(X: Any, y: Any) -> ExactFit | NoExactFit:
    """Does some linear function w.x + b meet every target without an error? The answer comes with a proof.

    Parameters
    ----------
    X : array or sparse matrix
        The examples, a row each. Every number counts as exactly what it is.
    y : array
        Their targets, numbers.

    Returns
    -------
    ExactFit or NoExactFit
        The function in fractions, or rows and weights that prove that there is none. `verify(X, y)` checks either
        again.

    Examples
    --------
    >>> answer = fits_exactly([[0], [1], [2]], [1, 3, 5])
    >>> answer, answer.w.tolist(), answer.b
    (ExactFit(3 rows, unique=True, verified='exact'), [Fraction(2, 1)], Fraction(1, 1))
    >>> proof = fits_exactly([[0], [1], [2], [9]], [1, 3, 6, 0])
    >>> proof.rows.tolist(), [str(weight) for weight in proof.weights], str(proof.mismatch)
    ([0, 1, 2], ['1', '-2', '1'], '1')
    """
    return fit_equations(check_equations(X, y))


def fit_equations(equations: Equations) -> ExactFit | NoExactFit:
    """The answer for equations that have been checked."""
    width = equations.n_features + 1
    why = why_too_large(24 * min(equations.n_rows, width) * width)
    if why is not None:
        raise DataError(f"X has {equations.n_features:,} columns, for which the equations need {why}.")
    for prime in modular.primes():
        try:
            answer = _attempt(equations, prime)
        except ValueError:  # the prime divides the denominator of a number
            continue
        if answer is not None:
            return answer
    raise AssertionError("no prime of 31 bits gave an answer")


def _attempt(equations: Equations, prime: int) -> ExactFit | NoExactFit | None:
    """The answer; None if some rows are dependent only modulo this prime."""
    pair = _contradicting_pair(equations, prime)
    if pair is not None:
        return _proof(equations, pair, [Fraction(1), Fraction(-1)])
    basis, rows = _independent_rows(equations, prime)
    targets = np.array([modular.residue(equations.exact_target(i), prime) for i in rows], dtype=np.int64)
    w = basis.solution(targets)
    missed = list(islice(verify_fit.missed_modulo(equations, w[:-1], int(w[-1]), prime), _MISSED))
    if missed:
        return _shortest_proof(equations, basis, rows, missed)
    exact = _solve([[*verify_fit.augmented_row(equations, i), equations.exact_target(i)] for i in rows], basis.pivots)
    weights = np.array([Fraction(0)] * (equations.n_features + 1), dtype=object)
    weights[basis.pivots] = exact
    if verify_fit.missed_row(equations, weights[:-1].tolist(), weights[-1]) is not None:
        return None
    subject = DataFingerprint.from_points(equations)
    return ExactFit(subject, weights[:-1], weights[-1], np.array(rows, dtype=np.intp))


def _independent_rows(equations: Equations, prime: int) -> tuple[modular.ModularBasis, list[int]]:
    """Rows (x, 1) on which all others depend, modulo a prime.

    A row depends on the rows found so far, almost certainly, if its product with a random vector orthogonal to these
    is 0.
    """
    width = equations.n_features + 1
    basis, rows = modular.ModularBasis(width, prime), list[int]()
    random = np.random.default_rng(0)
    vector = basis.orthogonal(random)
    for first in range(0, equations.n_rows, max(256, width)):
        part = equations.take(np.arange(first, min(first + max(256, width), equations.n_rows)))
        while len(rows) < width:
            new = np.flatnonzero(modular.products(part, vector[:-1], int(vector[-1]), prime))
            if not len(new):
                break
            rows.append(first + int(new[0]))
            basis.add(verify_fit.row_residues(equations, rows[-1], prime))
            vector = basis.orthogonal(random)
    return basis, rows


def _shortest_proof(
    equations: Equations, basis: modular.ModularBasis, rows: Sequence[int], missed: Sequence[int]
) -> NoExactFit | None:
    """The shortest of the proofs that the missed rows give; None if it holds only modulo this prime."""
    prime = basis.prime
    combinations = basis.combination(
        np.stack([verify_fit.row_residues(equations, row, prime)[basis.pivots] for row in missed])
    )
    best = int(np.count_nonzero(combinations, axis=1).argmin())
    parts = [rows[k] for k in np.flatnonzero(combinations[best]).tolist()]
    smaller = modular.ModularBasis(equations.n_features + 1, prime)
    for row in parts:
        smaller.add(verify_fit.row_residues(equations, row, prime))
    missed_row = verify_fit.augmented_row(equations, missed[best])
    others = [verify_fit.augmented_row(equations, row) for row in parts]
    system = [[*(row[j] for row in others), missed_row[j]] for j in smaller.pivots]
    coefficients = _solve(system, range(len(parts))) if parts else []
    return _proof(equations, [*parts, missed[best]], [*coefficients, Fraction(-1)])


def _contradicting_pair(equations: Equations, prime: int) -> tuple[int, int] | None:
    """Two identical rows with different targets: the shortest proof."""
    random = np.random.default_rng(1)
    vector = random.integers(1, prime, equations.n_features, dtype=np.int64)
    parts = (modular.products(part, vector, 0, prime) for _, part in verify_fit.parts(equations))
    return equations.identical_rows_that_differ(np.concatenate(list(parts)), equations.targets)


def _proof(equations: Equations, rows: Sequence[int], coefficients: Sequence[Fraction]) -> NoExactFit | None:
    """The proof that weighted rows give; None if they prove nothing."""
    pairs = sorted(zip(rows, _smallest_integers(coefficients), strict=True))
    if pairs[0][1] < 0:
        pairs = [(row, -weight) for row, weight in pairs]
    proof_rows, proof_weights = [row for row, _ in pairs], tuple(weight for _, weight in pairs)
    if not all(proof_weights) or verify_fit.refutes(equations, proof_rows, proof_weights) is None:
        return None
    of_rows = tuple(Fraction(equations.exact_target(row)) for row in proof_rows)
    subject = DataFingerprint.from_points(equations)
    return NoExactFit(subject, np.array(proof_rows, dtype=np.intp), proof_weights, of_rows)


def _solve(equations: Sequence[Sequence[ExactNumber]], columns: Sequence[int]) -> list[Fraction]:
    """The only solution of equations in the unknowns of these columns; the last number of each is its right side."""
    require("certify", modules=["flint"])
    import flint

    integers = []
    for equation in equations:
        common = math.lcm(*(x.denominator for x in equation))
        integers.append([int(x * common) for x in equation])
    if not integers:
        return []
    system = flint.fmpz_mat([[row[j] for j in columns] for row in integers])
    solution = system.solve(flint.fmpz_mat([[row[-1]] for row in integers]))
    return [Fraction(int(solution[k, 0].p), int(solution[k, 0].q)) for k in range(len(integers))]


def _smallest_integers(numbers: Sequence[Fraction]) -> list[Fraction]:
    """Proportional integers without a common divisor, as fractions."""
    common = math.lcm(*(number.denominator for number in numbers))
    integers = [int(number * common) for number in numbers]
    divisor = math.gcd(*integers)
    return [Fraction(integer // divisor) for integer in integers]
