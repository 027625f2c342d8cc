"""Does many like pieces of work at once, in processes here or on a Dask cluster; results come in the items' order.

What goes over the wire is plain data: an item and a result are packed by `msgspec` as the types in the function's
annotations, and an error of ours as its words. Dask is imported only when a scheduler is named. Whoever controls a
scheduler or a worker can run code there and here: a cluster must be trusted.
"""

import contextlib
import importlib.metadata
import logging
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import msgspec
from xxhash import xxh3_64

from storage.errors import BadFile, EnvironmentFault, KairosError, UsageError

Item = TypeVar("Item")
Result = TypeVar("Result")
Say = Callable[[str], None]

NICE = 10
LOOK_S = 2.0
"""How often a cluster is asked whether it still has workers."""

NO_WORKER_S = 30.0
"""A cluster may be without any worker for so long, at the start and in the middle."""

ITEMS_A_PROCESS = 4
"""Fewer than this are done sooner than another process has started; an estimate."""

CONNECT_S = 10.0
"""So long a scheduler may take to answer."""

_DISTRIBUTION = "kairos-assistant"
_ROOMS = ("daemon", "detectors", "policies", "storage", "evaluation")
_DEPENDENCIES = ("msgspec", "numpy", "onnxruntime")
_SCHEMES = ("tcp://", "tls://")
_ERRORS = {kind.exit_code: kind for kind in (UsageError, EnvironmentFault, BadFile)}
_SAME_BUILD = (
    "give the scheduler and every worker the same Kairos, Python and packages as this process, and start them anew"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """What comes back: a packed result, or an error that is told by its exit code and words."""

    packed: bytes = b""
    exit_code: int = 0
    what: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    """A function, what it is to be done with, and that once more as it travels."""

    function: Callable[[Any], object]
    items: Sequence[object]
    packed: Sequence[bytes]

    def given_to(self, executor: Executor, number: int) -> "Future[bytes]":
        """Hand one item over."""
        return executor.submit(_do, build(), self.function, self.packed[number])


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
    work = _Work(function=function, items=items, packed=[msgspec.msgpack.encode(item) for item in items])
    if scheduler is not None:
        done = _on_cluster(work, scheduler, workers or len(items), say)
    elif (many := min(workers or _useful(len(items)), len(items))) > 1:
        done = _in_processes(work, many, say)
    else:
        done = (_do(build(), function, one) for one in work.packed)
    with contextlib.closing(done):
        for answer in done:
            outcome = msgspec.msgpack.decode(answer, type=_Outcome)
            if outcome.exit_code:
                raise _ERRORS[outcome.exit_code](outcome.what, remedy=outcome.remedy)
            yield msgspec.msgpack.decode(outcome.packed, type=result_type)


@cache
def build() -> str:
    """Say which code and packages this process runs; equal builds give equal results."""
    root = Path(__file__).resolve().parents[1]
    code = xxh3_64()
    for path in sorted(path for room in _ROOMS for path in (root / room).rglob("*.py")):
        code.update(path.relative_to(root).as_posix().encode())
        code.update(path.read_bytes())
    packages = [f"{name} {importlib.metadata.version(name)}" for name in _DEPENDENCIES]
    python = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    kairos = f"Kairos {importlib.metadata.version(_DISTRIBUTION)} (code {code.hexdigest()})"
    return ", ".join([kairos, python, *packages])


def _useful(items: int) -> int:
    return min(os.cpu_count() or 1, max(1, items // ITEMS_A_PROCESS))


def _do(asked_by: str, function: Callable[[Any], object], packed: bytes) -> bytes:
    """Do one item; runs in a worker."""
    if asked_by != build():
        return _refused(
            EnvironmentFault(
                f"a worker does not run the same build: it has {build()}, asked was by {asked_by}", remedy=_SAME_BUILD
            )
        )
    hints = get_type_hints(function)
    hints.pop("return")
    (kind,) = hints.values()
    try:
        result = function(msgspec.msgpack.decode(packed, type=kind))
    except KairosError as error:
        return _refused(error)
    return msgspec.msgpack.encode(_Outcome(packed=msgspec.msgpack.encode(result)))


def _refused(error: KairosError) -> bytes:
    code = error.exit_code if error.exit_code in _ERRORS else EnvironmentFault.exit_code
    return msgspec.msgpack.encode(_Outcome(exit_code=code, what=error.what, remedy=error.remedy))


def _in_order(
    items: int, at_once: int, submit: Callable[[int], "Future[bytes]"], look: Callable[[], None]
) -> Iterator[tuple[int, "Future[bytes]"]]:
    """Yield the items' numbers and finished futures, in order; `at_once` of them are under way at any time."""
    left = iter(range(items))
    begun: deque[tuple[int, Future[bytes]]] = deque()
    try:
        while True:
            unfinished = [future for _, future in begun if not future.done()]
            for number in islice(left, at_once - len(unfinished)):
                begun.append((number, submit(number)))
                unfinished.append(begun[-1][1])
            if not begun:
                return
            wait(unfinished, LOOK_S, FIRST_COMPLETED)
            look()
            while begun and begun[0][1].done():
                yield begun.popleft()
    finally:
        for _, future in begun:
            future.cancel()


# --- processes of this machine ----------------------------------------------------------------------------------------


def _in_processes(work: _Work, workers: int, say: Say) -> Generator[bytes]:
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
        for number, future in _in_order(len(work.items), workers, submit, lambda: None):
            try:
                answer = future.result()
            except BrokenProcessPool:
                # All that was under way is lost with the process that was; alone, no item is blamed for another.
                say(f"a worker was lost; {work.items[number]} is done again")
                answer = _alone(work, number)
            yield answer
    finally:
        pool.shutdown(cancel_futures=True)


def _alone(work: _Work, number: int) -> bytes:
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


# --- a Dask cluster ---------------------------------------------------------------------------------------------------


def _on_cluster(work: _Work, scheduler: str, at_once: int, say: Say) -> Generator[bytes]:
    with contextlib.ExitStack() as stack:
        client, killed = _client(scheduler, stack)
        executor = client.get_executor(pure=False)
        looks_without = 0

        def look() -> None:
            nonlocal looks_without
            looks_without = 0 if client.nthreads() else looks_without + 1
            if looks_without == 1:
                say(f"{scheduler} has no worker now; waiting for one")
            if looks_without * LOOK_S > NO_WORKER_S:
                raise EnvironmentFault(f"{scheduler} has no worker", remedy=f"start some: dask worker {scheduler}")

        try:
            for number, future in _in_order(len(work.items), at_once, partial(work.given_to, executor), look):
                try:
                    yield future.result()
                except killed:
                    raise EnvironmentFault(
                        f"{work.items[number]} lost worker after worker of {scheduler}",
                        remedy="the workers' logs say why; it may need more memory than they have",
                    ) from None
        except CancelledError:
            raise EnvironmentFault(f"the scheduler {scheduler} was lost", remedy="start it and try again") from None
        except ModuleNotFoundError as fault:
            raise EnvironmentFault(
                f"{scheduler} or a worker of it has no module {fault.name}", remedy=_SAME_BUILD
            ) from None


def _client(scheduler: str, stack: contextlib.ExitStack) -> tuple[Any, type[Exception]]:
    """Return a client of the cluster, and what it raises for work that killed its workers."""
    if not scheduler.startswith(_SCHEMES):
        raise UsageError(
            f"{scheduler} is no address of a Dask scheduler", remedy="it looks like tcp://192.168.1.10:8786"
        )
    try:
        from distributed import Client, KilledWorker
    except ModuleNotFoundError as fault:
        raise EnvironmentFault(
            f"a cluster needs the package {fault.name}, which is not installed",
            remedy="install it: pip install 'kairos-assistant[scale]'",
        ) from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters of it is said here, in our words
    try:
        client = stack.enter_context(
            Client(scheduler, set_as_default=False, timeout=CONNECT_S)  # type: ignore[no-untyped-call]  # theirs
        )
    except (OSError, ValueError) as fault:
        raise EnvironmentFault(
            f"no Dask scheduler answers at {scheduler}: {type(fault).__name__}",
            remedy="start one (dask scheduler), or leave --scheduler out to use processes of this machine",
        ) from None
    return client, KilledWorker
