"""Who is answered next: the client that has used the least time, and never one that keeps others out."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from rosenblatt.studio.classroom import fair_queue
from rosenblatt.studio.classroom.fair_queue import Client, FairQueue, TooManyQuestionsError

Work = Callable[[FairQueue[int], list[str]], Awaitable[None]]


def order_of(work: Work, workers: int = 1) -> list[str]:
    served: list[str] = []

    async def run() -> None:
        await work(FairQueue(list(range(workers))), served)

    asyncio.run(run())
    return served


async def ask(queue: FairQueue[int], served: list[str], client: Client, seconds: float, name: str = "") -> None:
    async with queue.worker(client):
        served.append(name or client[1])
        await asyncio.sleep(seconds)


async def hold(queue: FairQueue[int], served: list[str], client: Client, release: asyncio.Event) -> None:
    async with queue.worker(client):
        served.append(client[1])
        await release.wait()


async def until_waiting() -> None:
    """Until the tasks that were created have run as far as they can."""
    for _ in range(5):
        await asyncio.sleep(0)


def test_a_client_with_long_work_waits_for_those_with_short_work() -> None:
    async def work(queue: FairQueue[int], served: list[str]) -> None:
        await ask(queue, served, ("a", "greedy"), 0.05)
        long = [ask(queue, served, ("a", "greedy"), 0.05) for _ in range(5)]
        jobs = asyncio.gather(*long, *(ask(queue, served, ("a", f"s{k}"), 0.001) for k in range(4)))
        await jobs

    served = order_of(work)
    assert served[:2].count("greedy") == 2, "the worker was free"
    assert sorted(served[2:6]) == ["s0", "s1", "s2", "s3"]


def test_invented_pages_share_the_time_of_their_address() -> None:
    async def work(queue: FairQueue[int], served: list[str]) -> None:
        await ask(queue, served, ("evil", "x"), 0.05)
        many = [ask(queue, served, ("evil", f"x{k}"), 0.02) for k in range(20)]
        students = [ask(queue, served, (f"10.0.0.{k}", "page"), 0.001, f"s{k}") for k in range(5)]
        await asyncio.gather(*many, *students)

    served = order_of(work)
    assert sorted(served[2:7]) == [f"s{k}" for k in range(5)]


def test_one_address_does_not_take_every_worker_where_there_are_others() -> None:
    async def work(queue: FairQueue[int], served: list[str]) -> None:
        await ask(queue, served, ("student", "page"), 0.01)
        release = asyncio.Event()
        jobs = [asyncio.create_task(hold(queue, served, ("evil", f"x{k}"), release)) for k in range(3)]
        await until_waiting()
        await ask(queue, served, ("student", "page"), 0, "again")
        release.set()
        await asyncio.gather(*jobs)

    assert order_of(work, workers=2)[:3] == ["page", "x0", "again"]


def test_a_page_has_one_worker_at_a_time_and_few_waiting() -> None:
    async def work(queue: FairQueue[int], served: list[str]) -> None:
        jobs = [asyncio.create_task(ask(queue, served, ("a", "page"), 0.01)) for _ in range(fair_queue.MAX_WAITING + 1)]
        await until_waiting()
        assert len(served) == 1, "although two workers are free"
        with pytest.raises(TooManyQuestionsError):
            await ask(queue, served, ("a", "page"), 0)
        await asyncio.gather(*jobs)

    assert len(order_of(work, workers=3)) == fair_queue.MAX_WAITING + 1


def test_who_gives_up_while_waiting_is_passed_over() -> None:
    async def work(queue: FairQueue[int], served: list[str]) -> None:
        release = asyncio.Event()
        first = asyncio.create_task(hold(queue, served, ("a", "first"), release))
        await until_waiting()
        gone = asyncio.create_task(ask(queue, served, ("a", "gone"), 0))
        last = asyncio.create_task(ask(queue, served, ("a", "last"), 0))
        await until_waiting()
        gone.cancel()
        release.set()
        await asyncio.gather(first, last)
        await ask(queue, served, ("a", "gone"), 0, "back")

    assert order_of(work) == ["first", "last", "back"]
