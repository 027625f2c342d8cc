"""Calls a function with many items at once, in processes here or on a Dask cluster; results keep the items' order.

Both run the same `daemon.replay.parallel.work`, so where it runs makes no difference to the results.
"""

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar, get_type_hints

import msgspec

from daemon.replay.parallel.work import Batch, Report, WorkOutcome, build_id, completed_in_order, run_packed
from storage.errors import EnvironmentFault

Item = TypeVar("Item")
Result = TypeVar("Result")

NICE = 10
ITEMS_PER_PROCESS = 4
"""Fewer items than this are done sooner than another process has started; an estimate."""


def map_in_order(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    scheduler: str | None,
    workers: int,
    report: Report,
) -> Generator[Result]:
    """Yield `function(item)` for all items, in their order; the first error ends it, as it would in a loop.

    An item whose worker is lost runs again elsewhere: locally once, alone; on a cluster as often as it allows
    (`distributed.scheduler.allowed-failures`). Then the error names the item, by its `str`.

    Args:
        function: of a module, with one annotated parameter; it and its result are of types that `msgspec` packs.
        items: what to call it with.
        scheduler: address of a Dask scheduler; None: processes of this machine.
        workers: so many at once; 0: as many as are of use.
        report: prints what a person should know meanwhile.

    Raises:
        UsageError: the address is invalid.
        EnvironmentFault: Dask is missing, the cluster cannot be used, or an item loses worker after worker.
        KairosError: what the function raised.
    """
    result_type = get_type_hints(function)["return"]
    batch = Batch(function=function, items=items, packed=[msgspec.msgpack.encode(item) for item in items])
    useful = min(os.cpu_count() or 1, max(1, len(items) // ITEMS_PER_PROCESS))
    if scheduler is not None:
        from daemon.replay.parallel.dask_cluster import run_on_cluster

        outcomes = run_on_cluster(batch, scheduler, workers or len(items), report)
    elif (processes := min(workers or useful, len(items))) > 1:
        outcomes = _run_in_processes(batch, processes, report)
    else:
        outcomes = (run_packed(build_id(), function, packed) for packed in batch.packed)
    with contextlib.closing(outcomes):
        for outcome in outcomes:
            yield msgspec.msgpack.decode(outcome, type=WorkOutcome).result(result_type)


def _run_in_processes(batch: Batch, processes: int, report: Report) -> Generator[bytes]:
    pool = _pool(processes)

    def submit(number: int) -> "Future[bytes]":
        nonlocal pool
        try:
            return batch.submit(pool, number)
        except BrokenProcessPool:
            pool.shutdown()
            pool = _pool(processes)
            return batch.submit(pool, number)

    try:
        for number, future in completed_in_order(len(batch.items), processes, submit, lambda: None):
            try:
                outcome = future.result()
            except BrokenProcessPool:
                # A lost process takes along all that was running; alone, no item is blamed for another.
                report(f"a worker was lost; {batch.items[number]} is done again")
                outcome = _run_alone(batch, number)
            yield outcome
    finally:
        pool.shutdown(cancel_futures=True)


def _run_alone(batch: Batch, number: int) -> bytes:
    with _pool(1) as pool:
        try:
            return batch.submit(pool, number).result()
        except BrokenProcessPool:
            raise EnvironmentFault(
                f"the process that worked on {batch.items[number]} was killed, and so was the next",
                remedy="it may need more memory than there is: try fewer --workers, or leave it out",
            ) from None


def _pool(processes: int) -> ProcessPoolExecutor:
    spawn = multiprocessing.get_context("spawn")  # a fork would copy locks held by other threads
    return ProcessPoolExecutor(processes, mp_context=spawn, initializer=_initialize)


def _initialize() -> None:
    """Lower the priority, end at once on Ctrl-C, and never outlive the parent process."""
    if sys.platform == "win32":  # nothing of this is built for Windows yet
        raise NotImplementedError
    os.nice(NICE)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_exit_with, args=(parent,), name="parent-watch", daemon=True).start()


def _exit_with(parent: Any) -> None:
    parent.join()
    os._exit(1)
