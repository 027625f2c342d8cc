"""Whether somebody is at work, as the compositor tells it: the only thing that every desktop says of input."""

import sys
from collections.abc import Callable

# ruff: noqa: E402  # type checkers must know the platform before the imports: elsewhere these modules hold nothing
assert sys.platform == "linux"  # noqa: S101  # nothing else has a compositor of this kind

from daemon.capture.wayland.connection import WaylandConnection

IDLE_MS = 1000
"""After this long without any input somebody counts as idle."""

_NEW, _OLD = "ext_idle_notifier_v1", "org_kde_kwin_idle"


class IdleNotice:
    """Calls back when somebody begins to be active, and when they end."""

    def __init__(self, connection: WaylandConnection, on_change: Callable[[bool], None]) -> None:
        """Ask for notices on a connection that `offers_idle`; `on_change` is called as their events are read."""
        newer = connection.offers(_NEW)
        seat = connection.bind(connection.offers("wl_seat")[0], 1)
        notifier = connection.bind((newer or connection.offers(_OLD))[0], 1)
        notice = connection.create({0: ("", lambda: on_change(False)), 1: ("", lambda: on_change(True))})
        if newer:
            connection.request(notifier, 1, notice, IDLE_MS, seat)
        else:
            connection.request(notifier, 0, notice, seat, IDLE_MS)


def offers_idle(connection: WaylandConnection) -> bool:
    """Return whether the compositor tells of idleness."""
    return bool(connection.offers("wl_seat")) and bool(connection.offers(_NEW) or connection.offers(_OLD))
