"""Hostile values, and small changes to valid ones."""

import contextlib
import json
import os
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

NUMBERS: tuple[object, ...] = (
    0, -1, 1, 2**31, 2**63 - 1, -(2**63), 2**63, 10**40, 10**4400, 0.0, -0.0, 1e-320, 1e9, 1e308, float("inf"),
    float("nan"),
)  # fmt: skip
TEXTS = (
    "", "\0", "a\0b", "\ud800", "~nosuchuser/x", "../../../etc", "/", "%n%s", "é" * 3, "x" * 70_000, "[[[",
    "os:getcwd",
)  # fmt: skip

ODDITIES: tuple[Callable[[Path], object], ...] = (os.mkfifo, Path.mkdir, lambda path: path.symlink_to(path))
"""What may be found in place of a file: a pipe, a folder, a link to itself."""


def value(rng: random.Random) -> object:
    match rng.randrange(7):
        case 0 | 1:
            return rng.choice(NUMBERS)
        case 2 | 3:
            return rng.choice(TEXTS)
        case 4:
            return rng.choice((None, True, False))
        case 5:
            return nested(rng.choice((1, 30, 200)))
        case _:
            return [rng.choice(NUMBERS) for _ in range(rng.choice((0, 3, 300)))]


def nested(depth: int) -> object:
    found: object = 1
    for level in range(depth):
        found = [found] if level % 2 else {"a": found}
    return found


@contextlib.contextmanager
def any_digits() -> Iterator[None]:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)


def dump(item: object) -> str:
    with any_digits():
        return json.dumps(item)


def load(line: str) -> Any:
    with any_digits():
        return json.loads(line)


def damaged(rng: random.Random, raw: bytes) -> bytes:
    data = bytearray(raw)
    for _ in range(rng.randint(1, 8)):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(4):
            case 0:
                data[at : at + 1] = bytes([rng.randrange(256)])
            case 1:
                del data[at : at + rng.randint(1, 200)]
            case 2:
                data[at:at] = rng.choice((b"[", b"{", b'"', b"\\u0000", b"\xff", b"9")) * rng.choice((1, 50, 20_000))
            case _:
                data[at:at] = data[at : at + rng.randint(1, 300)]
    return bytes(data)


def changed(rng: random.Random, item: Any) -> Any:
    if isinstance(item, dict) and item and rng.random() < 0.85:  # mostly deeper
        key = rng.choice(list(item))
        if rng.random() < 0.1:  # sometimes it is gone
            return {name: part for name, part in item.items() if name != key}
        return {**item, key: changed(rng, item[key])}
    if isinstance(item, list) and item and rng.random() < 0.7:  # mostly one of its parts changes
        at = rng.randrange(len(item))
        return [*item[:at], changed(rng, item[at]), *item[at + 1 :]]
    return value(rng)
