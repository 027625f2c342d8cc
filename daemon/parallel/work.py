"""What travels when work is spread over processes: one function, one packed item, the packed result or error.

An item and a result are packed by `msgspec` as the types in the function's annotations, and an error of ours as its
words; nothing else goes over the wire. A piece of work says for which build it is, and another build refuses it.
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

Say = Callable[[str], None]
LOOK_S = 2.0
"""However long work takes, whoever waits for it gets to look around so often."""

SAME_BUILD = "give the scheduler and every worker the Kairos, Python and packages of this process, and start them anew"

_DISTRIBUTION = "kairos-assistant"
_ROOMS = ("daemon", "detectors", "policies", "storage", "evaluation")
_DEPENDENCIES = ("msgspec", "numpy", "onnxruntime")
_ERRORS = {kind.exit_code: kind for kind in (UsageError, EnvironmentFault, BadFile)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What comes back: a packed result, or an error that is told by its exit code and words."""

    packed: bytes = b""
    exit_code: int = 0
    what: str = ""
    remedy: str = ""

    def result(self, kind: Any) -> Any:
        """Return the result, which is of this type, or raise the error."""
        if self.exit_code:
            raise _ERRORS[self.exit_code](self.what, remedy=self.remedy)
        return msgspec.msgpack.decode(self.packed, type=kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A function, what it is to be done with, and that once more as it travels."""

    function: Callable[[Any], object]
    items: Sequence[object]
    packed: Sequence[bytes]

    def given_to(self, executor: Executor, number: int) -> "Future[bytes]":
        """Hand one item over."""
        return executor.submit(do, build(), self.function, self.packed[number])


@cache
def build() -> str:
    """Say which code and packages this process runs; equal builds give equal results."""
    root = Path(__file__).resolve().parents[2]
    code = xxh3_64()
    for path in sorted(path for room in _ROOMS for path in (root / room).rglob("*.py")):
        code.update(path.relative_to(root).as_posix().encode())
        code.update(path.read_bytes())
    packages = [f"{name} {importlib.metadata.version(name)}" for name in _DEPENDENCIES]
    python = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    kairos = f"Kairos {importlib.metadata.version(_DISTRIBUTION)} (code {code.hexdigest()})"
    return ", ".join([kairos, python, *packages])


def do(asked_by: str, function: Callable[[Any], object], packed: bytes) -> bytes:
    """Do one item; runs in a worker."""
    if asked_by != build():
        what = f"a worker does not run the same build: it has {build()}, here is {asked_by}"
        return _refused(EnvironmentFault(what, remedy=SAME_BUILD))
    hints = get_type_hints(function)
    hints.pop("return")
    (kind,) = hints.values()
    try:
        result = function(msgspec.msgpack.decode(packed, type=kind))
    except KairosError as error:
        return _refused(error)
    return msgspec.msgpack.encode(Outcome(packed=msgspec.msgpack.encode(result)))


def _refused(error: KairosError) -> bytes:
    code = error.exit_code if error.exit_code in _ERRORS else EnvironmentFault.exit_code
    return msgspec.msgpack.encode(Outcome(exit_code=code, what=error.what, remedy=error.remedy))


def in_order(
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
