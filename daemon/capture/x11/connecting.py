"""Connects by python-xlib, and says as a fault what it raises where a connection broke."""

import threading

from Xlib import error
from Xlib.display import Display

from storage.errors import EnvironmentFault

LOST = (error.ConnectionClosedError, error.DisplayError, OSError)

ANSWER_S = 5.0
"""How long a server may take to answer a connection; python-xlib would wait for ever."""


class _Connected:
    """Entered some twenty times a second, so it is no generator."""

    def __enter__(self) -> None: ...

    def __exit__(self, _kind: object, fault: BaseException | None, _trace: object) -> None:
        if isinstance(fault, (*LOST, error.XauthError)):
            raise EnvironmentFault(
                "the connection to the X server broke", remedy="Kairos tries again by itself", code="display_gone"
            ) from fault


def connected(found: _Connected = _Connected()) -> _Connected:  # noqa: B008  # holds nothing
    """Turn what python-xlib raises where its connection broke into a fault."""
    return found


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
