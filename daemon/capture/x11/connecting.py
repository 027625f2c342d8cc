"""Connects by python-xlib, and says as a fault what it raises where a connection broke."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from Xlib import error
from Xlib.display import Display

from storage.errors import EnvironmentFault

LOST = (error.ConnectionClosedError, error.DisplayError, OSError)

ANSWER_S = 5.0
"""How long a server may take to answer a connection; python-xlib would wait for ever."""


@contextmanager
def connected() -> Iterator[None]:
    """Turn what python-xlib raises where its connection broke into a fault."""
    try:
        yield
    except (*LOST, error.XauthError) as fault:
        raise EnvironmentFault(
            "the connection to the X server broke", remedy="Kairos tries again by itself", code="display_gone"
        ) from fault


def open_display() -> Display:
    """Connect to the display that DISPLAY names.

    Raises:
        EnvironmentFault: nobody is there, we are refused, or nobody answers.
    """
    made: list[Display | Exception] = []

    def connect() -> None:
        try:
            made.append(Display())
        except (*LOST, error.XauthError) as fault:
            made.append(fault)

    connecting = threading.Thread(target=connect, name="connecting", daemon=True)
    connecting.start()
    connecting.join(ANSWER_S)
    if not made:
        raise EnvironmentFault(
            "the X server does not answer",
            remedy="check DISPLAY: its server, or the connection to it, hangs",
            code="no_display",
        )
    if isinstance(made[0], Exception):
        raise EnvironmentFault(
            "the X display cannot be reached", remedy="check DISPLAY and XAUTHORITY", code="no_display"
        ) from made[0]
    return made[0]
