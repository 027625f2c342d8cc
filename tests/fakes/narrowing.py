"""Values that have to be there, and of a kind, for the eyes of mypy too."""

from typing import TypeVar

T = TypeVar("T")


def present(value: T | None) -> T:
    assert value is not None
    return value


def as_a(kind: type[T], value: object) -> T:
    assert isinstance(value, kind), value
    return value
