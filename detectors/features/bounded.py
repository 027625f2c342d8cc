"""Bounded memory: a dict that forgets what was set longest ago."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def remember(store: OrderedDict[K, V], key: K, value: V, limit: int) -> None:
    """Set a value as the newest, and drop the oldest beyond `limit`."""
    store[key] = value
    store.move_to_end(key)
    if len(store) > limit:
        store.popitem(last=False)
