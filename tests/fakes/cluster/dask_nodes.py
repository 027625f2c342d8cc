"""A Dask cluster on this machine for tests: a scheduler and workers of one thread, started as a person would."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from demo.virtual_desktop.windows import poll
from storage.clock import SystemClock
from tests.fakes.cluster.cluster_detectors import MARK
from tests.fakes.warm_python import WarmPython

ROOT = Path(__file__).resolve().parents[3]
START_S = 60.0
ADDRESS = re.compile(r"Scheduler at:\s+(tcp://127\.0\.0\.1:\d+)")


class _WarmDask(WarmPython):
    """Dask with what it and the work import: the start of a node takes 2 s of CPU."""

    imported = ("distributed.cli.dask_scheduler", "distributed.cli.dask_worker", "daemon.replay.replay")


class DaskNodes:
    """Starts `dask scheduler` and `dask worker`, and ends them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.mark = folder / "mark"
        """The file that a worker writes when it waits to be killed."""

        self._workers: list[subprocess.Popen[bytes]] = []
        log = folder / "scheduler.log"
        self._scheduler = self._start(log, "scheduler", "--port", "0")
        self.address = str(poll(lambda: ADDRESS.search(log.read_text()), what="the scheduler", timeout_s=START_S)[1])

    def workers(self, count: int) -> list[int]:
        """See to it that so many workers run, not waiting for new ones to be ready; return their process ids."""
        self._workers = [worker for worker in self._workers if worker.poll() is None]
        while len(self._workers) > count:
            _end(self._workers.pop())
        while len(self._workers) < count:
            log = self._folder / f"worker-{SystemClock().now_ns()}.log"
            self._workers.append(self._start(log, "worker", self.address, "--nthreads", "1", "--no-nanny"))
        return [worker.pid for worker in self._workers]

    @contextmanager
    def stranger(self) -> Iterator[None]:
        hiding = self._folder / "hiding"
        hiding.mkdir()
        (hiding / "sitecustomize.py").write_text("import sys\nsys.modules['daemon'] = None\n")
        log = self._folder / "stranger.log"
        search = f"{hiding}{os.pathsep}{ROOT}"
        options = ("worker", self.address, "--nthreads", "1", "--no-nanny")
        worker = self._start(log, *options, search=search, python=subprocess.Popen)
        try:
            poll(lambda: "Registered to" in log.read_text(), what="the worker", timeout_s=START_S)
            yield
        finally:
            _end(worker)

    def close(self) -> None:
        self.workers(0)
        _end(self._scheduler)

    def _start(
        self,
        log: Path,
        kind: str,
        *options: str,
        search: str = str(ROOT),
        python: type[subprocess.Popen[bytes]] = _WarmDask,
    ) -> subprocess.Popen[bytes]:
        with log.open("wb") as file:
            return python(
                [sys.executable, "-m", "dask", kind, *options, "--host", "127.0.0.1", "--no-dashboard"],
                cwd=self._folder,
                env={**os.environ, "PYTHONPATH": search, MARK: str(self.mark)},
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
            )


def _end(node: subprocess.Popen[bytes]) -> None:
    node.kill()
    node.wait()
