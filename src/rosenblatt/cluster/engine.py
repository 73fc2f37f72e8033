"""The protocol between an engine and the learner: two functions.

`read_piece(piece) -> answer` is what a worker runs. It is a pure function from bytes to bytes: which lines of which
file, in; the parsed, hashed and packed rows, out. A piece may be read twice, by two workers, or again after one was
killed: the answer has the same bytes. It raises nothing on purpose; what is wrong with the data is in the answer.

`engine.in_order(read_piece, pieces) -> answers` is what an engine supplies: `map`, run by its workers. It

* takes the next piece only when fewer than `engine.window` answers are awaited, so that memory is bounded everywhere;
* gives the answers in the order of the pieces, each as soon as those before it are given;
* reads a piece again elsewhere when its worker dies;
* stops its workers' tasks when it is closed, as a generator is.

Everything in which order matters (the numbering of labels, the dictionary of names, the learner itself) happens to the
answers, in one process, by the code that also reads a file on one machine. So they lead to the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from types import TracebackType
from typing import Protocol, Self

ReadPiece = Callable[[bytes], bytes]
AHEAD = 3  # pieces under way for each worker: one that it reads, one that waits for it, one that waits for the learner


class Engine(Protocol):
    """Whatever can map a function over pieces in order. A context manager: it ends what it has started."""

    name: str

    @property
    def window(self) -> int:
        """How many pieces may be under way: submitted, and not answered yet."""

    def in_order(self, read_piece: ReadPiece, pieces: Iterator[bytes]) -> Generator[bytes]:
        """`map(read_piece, pieces)`, run by the workers."""

    def notes(self) -> list[str]:
        """What happened to the workers, a sentence each: that one died, and that its pieces were read again."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
