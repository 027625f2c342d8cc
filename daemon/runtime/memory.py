"""Has the C library hand free memory back to the system, where that library is glibc; elsewhere nothing happens.

Only what is not needed again soon: with limits on what glibc keeps (`mallopt`), 10 MB less were held, and pages fetched
anew for each picture of the screen cost an eighth of all CPU time (docs/decisions.md).
"""

import ctypes


def give_back() -> None:
    """Hand back what is free now, wherever it lies: a millisecond or two."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError, TypeError):
        return  # another C library, which has ways of its own
