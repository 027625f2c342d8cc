"""Has the methods of our dataclasses compiled when they are first called; all of them were a sixth of a start.

`dataclasses` writes the source of `__init__`, `__eq__`, `__hash__`, `__repr__`, `__setattr__` and `__delattr__` of each
class and compiles them one by one, up to Python 3.12 by a function of its own; where there is none, nothing changes.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

OURS = frozenset({"daemon", "demo", "detectors", "lab", "participant", "policies", "storage", "study", "ui"})
_NAME = "_create_fn"


def compile_late() -> None:
    """Begin with it, in this process, for classes that are made from now on in packages of ours."""
    create = getattr(dataclasses, _NAME, None)
    if create is not None and create.__module__ == dataclasses.__name__:
        setattr(dataclasses, _NAME, lambda *given, **named: _late(create, *given, **named))


def _late(
    create: Callable[..., Callable[..., Any]],
    name: str,
    args: Sequence[str],
    body: Sequence[str],
    *,
    globals: Mapping[str, Any] | None = None,  # noqa: A002  # as it is called
    **named: Any,
) -> Callable[..., Any]:
    if str((globals or {}).get("__name__")).partition(".")[0] not in OURS:
        return create(name, args, body, globals=globals, **named)
    made: list[Callable[..., Any]] = []

    def first(self: object, *values: object, **words: object) -> Any:
        if not made:
            made.append(create(name, args, body, globals=globals, **named))
            made[0].__qualname__ = first.__qualname__
            for owner in type(self).__mro__:
                if owner.__dict__.get(name) is first:
                    type.__setattr__(owner, name, made[0])
        return made[0](self, *values, **words)

    first.__name__ = name
    return first
