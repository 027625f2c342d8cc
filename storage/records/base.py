"""The base of all records, and rectangles."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple


class Box(NamedTuple):
    """A rectangle in full-size desktop pixels: left, top, width, height."""

    x: int
    y: int
    w: int
    h: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The base of all records. `KIND` names its rows in the log and is part of the session format: it never changes."""

    KIND: ClassVar[str]

    seq: int = 0
    at_ns: int = 0
