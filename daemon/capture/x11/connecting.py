"""What python-xlib raises where its connection broke, as a fault."""

from collections.abc import Iterator
from contextlib import contextmanager

from Xlib import error

from storage.errors import EnvironmentFault

LOST = (error.ConnectionClosedError, error.DisplayError, OSError)


@contextmanager
def connected() -> Iterator[None]:
    """Turn what python-xlib raises where its connection broke into a fault."""
    try:
        yield
    except (*LOST, error.XauthError) as fault:
        raise EnvironmentFault(
            "the connection to the X server broke", remedy="Kairos tries again by itself", code="display_gone"
        ) from fault
