"""Has the C library hand freed memory back to the system, where that library is glibc; elsewhere nothing happens.

Pictures of the screen come and go in megabytes. By itself glibc takes the first one that is freed as a reason to keep
up to twice its size for the next, in each thread that ever had one.
"""

import ctypes
import functools
import sys
from collections.abc import Callable

LARGE_BYTES = 4 << 20
"""What is larger goes back as soon as it is freed: whole pictures of the screen. Less costs CPU time: pages are fetched
anew for each part of a picture."""

KEPT_BYTES = 4 << 20
"""So much that is free may be kept at the end of a thread's memory."""

_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1


def keep_little() -> None:
    """Have no more kept than that. Called before threads begin."""
    set_option = _glibc("mallopt")
    if set_option is not None:
        set_option(_MMAP_THRESHOLD, LARGE_BYTES)
        set_option(_TRIM_THRESHOLD, KEPT_BYTES)


def give_back() -> None:
    """Hand back what is free now, wherever it lies: a millisecond or two."""
    trim = _glibc("malloc_trim")
    if trim is not None:
        trim(0)


@functools.cache
def _glibc(name: str) -> Callable[..., int] | None:
    """Return a function of glibc; None where there is another C library."""
    if sys.platform != "linux":
        return None
    try:
        found: Callable[..., int] = getattr(ctypes.CDLL(None), name)
    except (OSError, AttributeError):
        return None
    return found
