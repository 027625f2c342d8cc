"""Hypothesis strategies for every record type, made from the types of their fields."""

from collections.abc import Mapping
from dataclasses import is_dataclass
from enum import StrEnum
from types import UnionType
from typing import Any, ClassVar, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from storage.db.codec import KINDS
from storage.records import Record

INT64 = st.integers(-(2**63), 2**63 - 1)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | INT64 | FLOATS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)

_PLAIN: Mapping[Any, st.SearchStrategy[Any]] = {
    int: INT64,
    float: FLOATS,
    str: TEXTS,
    bool: st.booleans(),
    object: JSON,
    type(None): st.none(),
}


def values_of(hint: Any) -> st.SearchStrategy[Any]:
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is UnionType:
        return st.one_of(*map(values_of, arguments))
    if origin is Mapping:
        return st.dictionaries(values_of(arguments[0]), values_of(arguments[1]), max_size=3)
    if origin is tuple and arguments[-1] is Ellipsis:
        return st.lists(values_of(arguments[0]), max_size=3).map(tuple)
    if origin is tuple:
        return st.tuples(*map(values_of, arguments))
    if issubclass(hint, StrEnum):
        return st.sampled_from(list(hint))
    if is_dataclass(hint) or issubclass(hint, tuple):  # our named tuples
        hints = {name: inner for name, inner in get_type_hints(hint).items() if get_origin(inner) is not ClassVar}
        return st.builds(hint, **{name: values_of(inner) for name, inner in hints.items()})
    raise TypeError(f"no strategy for {hint}")


RECORDS: Mapping[str, st.SearchStrategy[Record]] = {kind: values_of(cls) for kind, cls in KINDS.items()}
"""A strategy for the records of each kind."""


def records() -> st.SearchStrategy[Record]:
    return st.sampled_from(sorted(RECORDS)).flatmap(RECORDS.__getitem__)
