"""The protocol between an engine and the learner: two functions.

`read_piece(piece) -> answer` is what a worker runs. It is a pure function from bytes to bytes: a piece says which lines
of which file to read, the answer holds the parsed, hashed and packed rows. A piece may be read twice, by two workers,
or again after one was killed: the answer has the same bytes. Errors in the data are not raised, but put in the answer.

`engine.in_order(read_piece, pieces) -> answers` is what an engine supplies: `map`, run by its workers. It

* takes the next piece only while fewer than `engine.window` answers are pending, so that memory is bounded everywhere;
* gives the answers in the order of the pieces, each as soon as those before it are given;
* lets another worker read a piece again if its worker dies;
* stops its workers' tasks when the generator is closed.

Everything that depends on order (the numbering of labels, the dictionary of names, the learner itself) is done with the
answers in one process, by the code that also reads a file on one machine. So the result is the same, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from types import TracebackType
from typing import Protocol, Self

ReadPiece = Callable[[bytes], bytes]
AHEAD = 3  # pieces in flight for each worker: one that it reads, one waiting for it, one waiting for the learner


class Engine(Protocol):
    """Anything that can map a function over pieces in order. It is a context manager, and stops what it has started."""

    name: str

    @property
    def window(self) -> int:
        """How many pieces may be in flight: submitted, and not answered yet."""

    def in_order(self, read_piece: ReadPiece, pieces: Iterator[bytes]) -> Generator[bytes]:
        """`map(read_piece, pieces)`, run by the workers."""

    def notes(self) -> list[str]:
        """Sentences about what happened to the workers, such as that one died and its pieces were read again."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
