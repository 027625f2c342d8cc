"""Whether somebody is at work, as the compositor tells it: the only thing that every desktop says of input."""

import asyncio
import contextlib
import sys
import threading
from collections.abc import Callable, Mapping

assert sys.platform == "linux"  # nothing else has a compositor of this kind

from dbus_fast import Message

from daemon.capture.dbus import BUS, BUS_PATH, Bus, session_address
from daemon.capture.source_thread import SourceGone, SourceThread
from storage.clock import NS_PER_MS
from storage.records import IDLE_NS
from storage.wayland import WaylandConnection

IDLE_MS = IDLE_NS // NS_PER_MS
"""After this long without any input somebody counts as idle."""

ANSWER_S = 0.5
"""How long mutter may take to say whether it tells; usually it is some milliseconds."""

_NEW, _OLD = "ext_idle_notifier_v1", "org_kde_kwin_idle"
_MUTTER, _MUTTER_PATH = "org.gnome.Mutter.IdleMonitor", "/org/gnome/Mutter/IdleMonitor/Core"


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


class MutterIdle:
    """Calls back like `IdleNotice`, from a thread of its own: GNOME tells of presence on the session bus alone."""

    def __init__(self, env: Mapping[str, str], on_change: Callable[[bool], None]) -> None:
        """Begin to ask; `tells` says whether it does."""
        self._address = session_address(env)
        self._on_change = on_change
        self._answered = threading.Event()
        self._watches: dict[object, bool] = {}
        self._thread = SourceThread("presence", self._main, lambda _: None, failure="presence is no longer known")
        self._thread.start()

    @property
    def tells(self) -> bool:
        """Whether mutter is there and tells of presence."""
        return self._answered.wait(ANSWER_S) and bool(self._watches)

    def close(self) -> None:
        """End."""
        self._thread.stop(0.2)

    async def _main(self) -> None:
        with contextlib.suppress(SourceGone):
            await self._watch()
        self._answered.set()

    async def _watch(self) -> None:
        self._bus = bus = await Bus.connect(self._address)
        fired: asyncio.Queue[object] = asyncio.Queue()

        def take(message: Message) -> None:
            # the rule below holds for what is sent to all: any program may send a signal to this connection alone
            if (message.sender, message.interface, message.member) == (owner, _MUTTER, "WatchFired"):
                fired.put_nowait(message.body[0])

        try:
            owner = await bus.call(BUS, BUS_PATH, BUS, "GetNameOwner", "s", _MUTTER)
            bus.on_signal(take)
            await bus.subscribe(f"sender='{_MUTTER}',interface='{_MUTTER}',member='WatchFired'")
            await self._add(active=False)
            self._answered.set()
            while self._watches:
                is_active = self._watches.get(await fired.get())
                if is_active is not None:
                    self._on_change(is_active)
                if is_active is False:  # the other kind fires once
                    await self._add(active=True)
        finally:
            bus.close()

    async def _add(self, *, active: bool) -> None:
        member, more = ("AddUserActiveWatch", ("",)) if active else ("AddIdleWatch", ("t", IDLE_MS))
        watch = await self._bus.call(_MUTTER, _MUTTER_PATH, _MUTTER, member, *more)
        if watch is not None:
            self._watches = {number: kind for number, kind in self._watches.items() if kind is not active}
            self._watches[watch] = active
