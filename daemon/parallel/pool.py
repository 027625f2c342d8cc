"""Does many like pieces of work at once, in processes here or on a Dask cluster; results come in the items' order.

Both do the same work in the same way (`daemon.parallel.work`), so where it is done makes no difference to what comes of
it.
"""

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar, get_type_hints

import msgspec

from daemon.parallel.work import Outcome, Say, Work, build, do, in_order
from storage.errors import EnvironmentFault

Item = TypeVar("Item")
Result = TypeVar("Result")

NICE = 10
ITEMS_A_PROCESS = 4
"""Fewer than this are done sooner than another process has started; an estimate."""


def each(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    scheduler: str | None,
    workers: int,
    say: Say,
) -> Generator[Result]:
    """Yield `function(item)` for all items, in their order; the first error ends it, as it would in a loop.

    A piece of work whose worker is lost is done again elsewhere. Locally it is done again once, alone; a cluster has
    its own patience (`distributed.scheduler.allowed-failures`). Then the item is named, by its `str`.

    Args:
        function: of a module, with one annotated parameter; it and its result are of types that `msgspec` packs.
        items: what to do.
        scheduler: address of a Dask scheduler; None: processes of this machine.
        workers: so many at once; 0: as many as are of use.
        say: is told what a person should know meanwhile.

    Raises:
        UsageError: the address is none.
        EnvironmentFault: Dask is missing, the cluster cannot be used, or an item loses worker after worker.
        KairosError: what the function raised.
    """
    result_type = get_type_hints(function)["return"]
    work = Work(function=function, items=items, packed=[msgspec.msgpack.encode(item) for item in items])
    if scheduler is not None:
        from daemon.parallel.dask_cluster import on_cluster

        done = on_cluster(work, scheduler, workers or len(items), say)
    elif (many := min(workers or _useful(len(items)), len(items))) > 1:
        done = _in_processes(work, many, say)
    else:
        done = (do(build(), function, one) for one in work.packed)
    with contextlib.closing(done):
        for answer in done:
            yield msgspec.msgpack.decode(answer, type=Outcome).result(result_type)


def _useful(items: int) -> int:
    return min(os.cpu_count() or 1, max(1, items // ITEMS_A_PROCESS))


def _in_processes(work: Work, workers: int, say: Say) -> Generator[bytes]:
    pool = _pool(workers)

    def submit(number: int) -> "Future[bytes]":
        nonlocal pool
        try:
            return work.given_to(pool, number)
        except BrokenProcessPool:
            pool.shutdown()
            pool = _pool(workers)
            return work.given_to(pool, number)

    try:
        for number, future in in_order(len(work.items), workers, submit, lambda: None):
            try:
                answer = future.result()
            except BrokenProcessPool:
                # All that was under way is lost with the process that was; alone, no item is blamed for another.
                say(f"a worker was lost; {work.items[number]} is done again")
                answer = _alone(work, number)
            yield answer
    finally:
        pool.shutdown(cancel_futures=True)


def _alone(work: Work, number: int) -> bytes:
    with _pool(1) as pool:
        try:
            return work.given_to(pool, number).result()
        except BrokenProcessPool:
            raise EnvironmentFault(
                f"the process that worked on {work.items[number]} was killed, and so was the next",
                remedy="it may need more memory than there is: try fewer --workers, or leave it out",
            ) from None


def _pool(workers: int) -> ProcessPoolExecutor:
    spawn = multiprocessing.get_context("spawn")  # a fork would copy threads half-way
    return ProcessPoolExecutor(workers, mp_context=spawn, initializer=_settle_in)


def _settle_in() -> None:
    """Give way to others, end at once on Ctrl-C, and never outlive the process that started this one."""
    os.nice(NICE)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent,), name="follow", daemon=True).start()


def _follow(parent: Any) -> None:
    parent.join()
    os._exit(1)
