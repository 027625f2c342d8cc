"""Work on a Dask cluster. The only module that imports Dask, and only when a scheduler is named.

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

from daemon.replay.parallel import work
from daemon.replay.parallel.work import SAME_BUILD_REMEDY, Batch, Report, completed_in_order
from storage.errors import EnvironmentFault, UsageError

NO_WORKER_S = 30.0
"""How long a cluster may be without any worker, at any time."""

CONNECT_S = 10.0
"""How long a scheduler may take to answer."""

_ADDRESS = re.compile(r"(tcp|tls)://[^\s/]+:\d{1,5}")


def run_on_cluster(batch: Batch, scheduler: str, concurrency: int, report: Report) -> Generator[bytes]:
    """Yield packed outcomes in order; at most `concurrency` items run at any time.

    Raises:
        UsageError: the address is invalid.
        EnvironmentFault: the cluster cannot be used, or an item loses worker after worker.
    """
    with contextlib.ExitStack() as stack:
        client, killed = _connect(scheduler, stack)
        executor = client.get_executor(pure=False)
        polls_without_worker = 0

        def check_workers() -> None:
            nonlocal polls_without_worker
            polls_without_worker = 0 if client.nthreads() else polls_without_worker + 1
            if polls_without_worker == 1:
                report(f"{scheduler} has no worker now; waiting for one")
            if polls_without_worker * work.POLL_S > NO_WORKER_S:
                raise EnvironmentFault(f"{scheduler} has no worker", remedy=f"start some: dask worker {scheduler}")

        submit = partial(batch.submit, executor)
        try:
            for number, future in completed_in_order(len(batch.items), concurrency, submit, check_workers):
                try:
                    yield future.result()
                except killed:
                    raise EnvironmentFault(
                        f"{batch.items[number]} lost worker after worker of {scheduler}",
                        remedy="the workers' logs say why; it may need more memory than they have",
                    ) from None
        except CancelledError:
            raise EnvironmentFault(f"the scheduler {scheduler} was lost", remedy="start it and try again") from None
        except ModuleNotFoundError as fault:
            raise EnvironmentFault(
                f"a worker of {scheduler} has no module {fault.name}", remedy=SAME_BUILD_REMEDY
            ) from None


def _connect(scheduler: str, stack: contextlib.ExitStack) -> tuple[Any, type[Exception]]:
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
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # we report what matters ourselves
    try:
        client = stack.enter_context(
            Client(scheduler, set_as_default=False, timeout=CONNECT_S)  # type: ignore[no-untyped-call]  # theirs
        )
    except (OSError, ValueError) as fault:
        raise EnvironmentFault(
            f"no Dask scheduler answers at {scheduler}: {type(fault).__name__}",
            remedy="start one (dask scheduler), or leave --scheduler out to use processes of this machine",
        ) from None
    _check_builds(client, scheduler)
    return client, KilledWorker


def _check_builds(client: Any, scheduler: str) -> None:
    """Refuse a cluster with another build; Dask itself would lose worker after worker over what it cannot load.

    Raises:
        EnvironmentFault: the scheduler or a worker has another build, or no Kairos.
    """

    def remote_build() -> str:  # travels as code, so it may refer to nothing of this module
        import importlib

        try:
            return str(importlib.import_module("daemon.replay.parallel.work").build_id())
        except ImportError as fault:
            return f"no {fault.name}"

    builds = {scheduler: client.run_on_scheduler(remote_build), **client.run(remote_build)}
    for address, build in builds.items():
        if build != work.build_id():
            raise EnvironmentFault(
                f"{address} does not run the same build: it has {build}, here is {work.build_id()}",
                remedy=SAME_BUILD_REMEDY,
            )
