"""Numbers with a few decimals as whole numbers of two or four bytes: 0.1234 is 1234 and four places, to the bit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rosenblatt import kernels
from rosenblatt.records import Floats

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_PLACES = 9  # and 10^9 is a double


class Decimals:
    """How many places the values of some blocks have: never fewer than in a block before, so few are tried in all."""

    def __init__(self) -> None:
        self.places = 0

    def whole(self, values: Floats) -> NDArray[Any] | None:
        """The values times 10^places, if dividing these gives the very same bits; else None."""
        while self.places <= MOST_PLACES:
            found = kernels.to_whole(values, 10.0**self.places)
            if found is not None:
                return found
            self.places += 1
        return None


def divided(whole: NDArray[Any], places: int) -> Floats:
    """The values again."""
    return kernels.divided(whole, 10.0**places)
