"""Work on a Dask cluster. Dask is imported here alone, and only when a scheduler is named.

Whoever controls a scheduler or a worker can run code there and here, because Dask's own messages are pickles: a cluster
must be trusted.
"""

import contextlib
import logging
import re
from collections.abc import Generator
from concurrent.futures import CancelledError
from functools import partial
from typing import Any

from daemon.parallel import work
from daemon.parallel.work import SAME_BUILD, Say, Work, in_order
from storage.errors import EnvironmentFault, UsageError

NO_WORKER_S = 30.0
"""A cluster may be without any worker for so long, at the start and in the midst."""

CONNECT_S = 10.0
"""So long a scheduler may take to answer."""

_ADDRESS = re.compile(r"(tcp|tls)://[^\s/]+:\d{1,5}")


def on_cluster(todo: Work, scheduler: str, at_once: int, say: Say) -> Generator[bytes]:
    """Yield packed outcomes in order; `at_once` pieces of work are under way at any time.

    Raises:
        UsageError: the address is none.
        EnvironmentFault: the cluster cannot be used, or an item loses worker after worker.
    """
    with contextlib.ExitStack() as stack:
        client, killed = _client(scheduler, stack)
        executor = client.get_executor(pure=False)
        looks_without = 0

        def look() -> None:
            nonlocal looks_without
            looks_without = 0 if client.nthreads() else looks_without + 1
            if looks_without == 1:
                say(f"{scheduler} has no worker now; waiting for one")
            if looks_without * work.LOOK_S > NO_WORKER_S:
                raise EnvironmentFault(f"{scheduler} has no worker", remedy=f"start some: dask worker {scheduler}")

        try:
            for number, future in in_order(len(todo.items), at_once, partial(todo.given_to, executor), look):
                try:
                    yield future.result()
                except killed:
                    raise EnvironmentFault(
                        f"{todo.items[number]} lost worker after worker of {scheduler}",
                        remedy="the workers' logs say why; it may need more memory than they have",
                    ) from None
        except CancelledError:
            raise EnvironmentFault(f"the scheduler {scheduler} was lost", remedy="start it and try again") from None
        except ModuleNotFoundError as fault:
            raise EnvironmentFault(f"a worker of {scheduler} has no module {fault.name}", remedy=SAME_BUILD) from None


def _client(scheduler: str, stack: contextlib.ExitStack) -> tuple[Any, type[Exception]]:
    """Return a client of the cluster, and what it raises for work that killed its workers."""
    if not _ADDRESS.fullmatch(scheduler):
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
    _check(client, scheduler)
    return client, KilledWorker


def _check(client: Any, scheduler: str) -> None:
    """Refuse a cluster that runs anything else; Dask itself would lose worker after worker over what it cannot load.

    Raises:
        EnvironmentFault: the scheduler or a worker has another build, or no Kairos.
    """

    def known() -> str:  # goes over the wire as code, so it may name nothing of this module
        import importlib

        try:
            return str(importlib.import_module("daemon.parallel.work").build())
        except ImportError as fault:
            return f"no {fault.name}"

    found = {scheduler: client.run_on_scheduler(known), **client.run(known)}
    for address, other in found.items():
        if other != work.build():
            raise EnvironmentFault(
                f"{address} does not run the same build: it has {other}, here is {work.build()}", remedy=SAME_BUILD
            )
