"""Who is answered next: whoever has used the least time lately, counted by address and then by page.

A client that asks for long work waits for those that do not. One that invents many pages shares the time of
its address.
"""

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Generic, TypeVar

MAX_WAITING = 8  # questions of one page; a page asks for about five at once
MAX_WAITING_AT_ADDRESS = 2_000  # a class behind one proxy has one address
_HALF_LIFE = 20.0  # seconds after which used time counts half

T = TypeVar("T")
Client = tuple[str, str]  # the address, and the page's own name for itself


class TooManyQuestionsError(Exception):
    """The client has more questions waiting than it may."""


class UsedTime:
    """Seconds of work by name, halved as time passes; names that have used nothing lately are forgotten."""

    def __init__(self) -> None:
        self._used: dict[str, float] = {}
        self._halved_at = time.monotonic()

    def add(self, name: str, seconds: float) -> None:
        now = time.monotonic()
        share = 0.5 ** ((now - self._halved_at) / _HALF_LIFE)
        if share < 0.9:
            self._used = {other: used * share for other, used in self._used.items() if used * share > 1e-3}
            self._halved_at = now
        self._used[name] = self._used.get(name, 0.0) + seconds

    def has_others(self, address: str) -> bool:
        """Whether another address has used any time lately."""
        return any(" " not in name and name != address for name in self._used)

    def __getitem__(self, name: str) -> float:
        return self._used.get(name, 0.0)


class FairQueue(Generic[T]):
    """Lends a few workers to many clients, one to each page at a time."""

    def __init__(self, workers: Sequence[T]) -> None:
        self._free = list(workers)
        self._waiting: dict[str, dict[str, deque[asyncio.Future[T]]]] = {}
        self._busy: set[Client] = set()
        self._busy_at: Counter[str] = Counter()
        self._most_at_address = max(1, len(workers) // 2)
        self._used = UsedTime()

    @asynccontextmanager
    async def worker(self, client: Client) -> AsyncIterator[T]:
        """A worker for this client, once it is its turn."""
        worker = await self._turn(client)
        begin = time.monotonic()
        try:
            yield worker
        finally:
            for name in (client[0], " ".join(client)):
                self._used.add(name, time.monotonic() - begin)
            self._give_back(worker, client)

    def _give_back(self, worker: T, client: Client) -> None:
        self._busy.discard(client)
        self._busy_at[client[0]] -= 1
        self._free.append(worker)
        self._lend()

    async def _turn(self, client: Client) -> T:
        address, page = client
        pages = self._waiting.setdefault(address, {})
        waiting = pages.setdefault(page, deque())
        if len(waiting) >= MAX_WAITING or sum(map(len, pages.values())) >= MAX_WAITING_AT_ADDRESS:
            raise TooManyQuestionsError
        turn: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        waiting.append(turn)
        self._lend()
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # lent, but nobody is there any more
                self._give_back(turn.result(), client)
            raise

    def _lend(self) -> None:
        while self._free and (turn := self._next()):
            turn.set_result(self._free.pop())

    def _next(self) -> "asyncio.Future[T] | None":
        """The next turn: of the address, then of the page, that has used the least time; a page has one at a time."""
        for address in sorted(self._waiting, key=lambda name: self._used[name]):
            if self._busy_at[address] >= self._most_at_address and self._used.has_others(address):
                continue  # the rest is for the other addresses
            pages = self._waiting[address]
            for page in sorted(pages, key=lambda name: self._used[f"{address} {name}"]):
                waiting = pages[page]
                while waiting and waiting[0].done():
                    waiting.popleft()  # cancelled
                if not waiting:
                    del pages[page]
                elif (address, page) not in self._busy:
                    turn = waiting.popleft()
                    self._busy.add((address, page))
                    self._busy_at[address] += 1
                    return turn
            if not pages:
                del self._waiting[address]
        return None
