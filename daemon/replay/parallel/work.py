"""What travels to a worker and back: a function, one packed item, and the packed result or error.

An item and a result are packed by `msgspec` as the types in the function's annotations, an error of ours as its texts;
nothing else goes over the wire. A job names the build that it is for, and another build refuses it.
"""

import importlib.metadata
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
from xxhash import xxh3_64

from storage.errors import BadFile, EnvironmentFault, KairosError, UsageError

Report = Callable[[str], None]
"""Prints what a person should know while work goes on."""

POLL_S = 2.0
"""How often whoever waits for results may check its workers."""

SAME_BUILD_REMEDY = (
    "give the scheduler and every worker the Kairos, Python and packages of this process, and start them anew"
)

_DISTRIBUTION = "kairos-assistant"
_ROOMS = ("daemon", "demo", "detectors", "policies", "storage", "lab")
_DATA_FOLDERS = ("data", "models")
"""Folders of package data, as in `pyproject.toml`."""

_NO_DATA = (".md", ".pyc")
"""Files in them that no result depends on."""

_DEPENDENCIES = ("msgspec", "numpy")
_ERRORS = {kind.exit_code: kind for kind in (UsageError, EnvironmentFault, BadFile)}


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkOutcome:
    """A packed result, or an error as its exit code and texts."""

    packed: bytes = b""
    exit_code: int = 0
    what: str = ""
    remedy: str = ""

    def result(self, kind: Any) -> Any:
        """Return the result, which is of type `kind`, or raise the error."""
        if self.exit_code:
            raise _ERRORS[self.exit_code](self.what, remedy=self.remedy)
        return msgspec.msgpack.decode(self.packed, type=kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """A function and the items to call it with; `packed` are the items as they travel."""

    function: Callable[[Any], object]
    items: Sequence[object]
    packed: Sequence[bytes]

    def submit(self, executor: Executor, number: int) -> "Future[bytes]":
        """Submit one item to an executor."""
        return executor.submit(run_packed, build_id(), self.function, self.packed[number])


@cache
def build_id() -> str:
    """Return which code and packages this process runs; equal builds give equal results."""
    digest = files_digest(Path(__file__).resolve().parents[3])
    packages = [f"{name} {importlib.metadata.version(name)}" for name in _DEPENDENCIES]
    python = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    kairos = f"Kairos {importlib.metadata.version(_DISTRIBUTION)} (code and data {digest})"
    return ", ".join([kairos, python, *packages])


def files_digest(root: Path) -> str:
    """Return a digest of the files that results depend on: code, and what packages hold in `data` and `models`."""
    files = {path for room in _ROOMS for path in (root / room).rglob("*.py")}
    for folder in _DATA_FOLDERS:
        for room in _ROOMS:
            files |= {path for path in (root / room).rglob(f"{folder}/*") if path.suffix not in _NO_DATA}
    digest = xxh3_64()
    for path in sorted(path for path in files if path.is_file()):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root).as_posix()} {len(content)} ".encode())
        digest.update(content)
    return digest.hexdigest()


def run_packed(client_build: str, function: Callable[[Any], object], packed: bytes) -> bytes:
    """Call the function with one item, in a worker; return the packed `Outcome`."""
    if client_build != build_id():
        what = f"a worker does not run the same build: it has {build_id()}, here is {client_build}"
        return _packed_error(EnvironmentFault(what, remedy=SAME_BUILD_REMEDY))
    hints = get_type_hints(function)
    hints.pop("return")
    (kind,) = hints.values()
    try:
        result = function(msgspec.msgpack.decode(packed, type=kind))
    except KairosError as error:
        return _packed_error(error)
    return msgspec.msgpack.encode(WorkOutcome(packed=msgspec.msgpack.encode(result)))


def completed_in_order(
    items: int, concurrency: int, submit: Callable[[int], "Future[bytes]"], on_poll: Callable[[], None]
) -> Iterator[tuple[int, "Future[bytes]"]]:
    """Yield the items' numbers and completed futures, in order; at most `concurrency` of them run at any time."""
    numbers = iter(range(items))
    begun: deque[tuple[int, Future[bytes]]] = deque()
    try:
        while True:
            running = [future for _, future in begun if not future.done()]
            for number in islice(numbers, concurrency - len(running)):
                begun.append((number, submit(number)))
                running.append(begun[-1][1])
            if not begun:
                return
            wait(running, POLL_S, FIRST_COMPLETED)
            on_poll()
            while begun and begun[0][1].done():
                yield begun.popleft()
    finally:
        for _, future in begun:
            future.cancel()


def _packed_error(error: KairosError) -> bytes:
    code = error.exit_code if error.exit_code in _ERRORS else EnvironmentFault.exit_code
    return msgspec.msgpack.encode(WorkOutcome(exit_code=code, what=str(error.what), remedy=str(error.remedy)))
