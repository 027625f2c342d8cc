"""The services on the message buses that know of a locked screen and of do-not-disturb, asked for yes or no.

A signal is only a hint that something changed: what counts is the reply to the query that follows, so nothing is read
from a message that another program may have sent.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from dbus_fast import Message

from daemon.capture.dbus import BUS, PROPERTIES, Bus, session_address
from daemon.capture.source_thread import SourceGone
from daemon.capture.surroundings.source import Condition, ConditionSource, Report
from daemon.capture.surroundings.streams import command_output

LOGIN = "org.freedesktop.login1"
NOTIFICATIONS = "org.freedesktop.Notifications"
_SAVERS: Mapping[str, str] = {
    "org.freedesktop.ScreenSaver": "KDE's screen locker",
    "org.gnome.ScreenSaver": "GNOME's screen lock",
    "org.cinnamon.ScreenSaver": "Cinnamon's screen lock",
    "org.mate.ScreenSaver": "MATE's screen lock",
    "org.xfce.ScreenSaver": "Xfce's screen lock",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A service that reports one condition, answered by `query`.

    `label` is its name in words for people, `name` its name on the bus. It is queried again when that name comes or
    goes, and whenever `sender` (`name` if empty) emits the signal `member` of `interface`, with `arg0` as its first
    argument where one is given.
    """

    condition: Condition
    label: str
    name: str
    interface: str
    member: str
    query: Callable[[Bus], Awaitable[object]]
    sender: str = ""
    arg0: str = ""
    arg0_path: str = ""

    @property
    def rules(self) -> tuple[str, str]:
        """Return the match rules for its signal, and for its start and end."""
        rule = f"sender='{self.sender or self.name}',interface='{self.interface}',member='{self.member}'"
        rule += f",arg0='{self.arg0}'" if self.arg0 else ""
        rule += f",arg0path='{self.arg0_path}'" if self.arg0_path else ""
        return rule, f"sender='{BUS}',interface='{BUS}',member='NameOwnerChanged',arg0='{self.name}'"

    def is_affected_by(self, message: Message) -> bool:
        """Return whether a signal means that the condition may have changed."""
        first = message.body[0] if message.body else ""
        if message.interface == BUS:
            return bool(message.member == "NameOwnerChanged" and first == self.name)
        matches = message.interface == self.interface and message.member == self.member
        return matches and (not self.arg0 or first == self.arg0)


class BusSource(ConditionSource):
    """All services of one bus."""

    def __init__(self, address: str, services: Sequence[Service]) -> None:
        self._address = address
        self._services = services
        self._bus: Bus | None = None

    @property
    def provides(self) -> Sequence[tuple[Condition, str]]:
        """The conditions its services can report."""
        return [(service.condition, service.label) for service in self._services]

    async def watch(self, report: Report) -> None:
        """Query every service, and again at every signal."""
        bus = self._bus = await Bus.connect(self._address)
        hints = {service.label: asyncio.Event() for service in self._services}

        def dispatch(message: Message) -> None:
            for service in self._services:
                if service.is_affected_by(message):
                    hints[service.label].set()

        async def follow(service: Service, hint: asyncio.Event) -> None:
            for rule in service.rules:
                await bus.subscribe(rule)
            while True:
                hint.clear()
                await _ask(service, bus, report)
                await hint.wait()

        bus.on_signal(dispatch)
        try:
            async with asyncio.TaskGroup() as group:
                for service in self._services:
                    group.create_task(follow(service, hints[service.label]))
                group.create_task(bus.wait_closed())
        except* SourceGone:
            pass
        finally:
            self._bus = None
            bus.close()
        raise SourceGone

    async def look(self, report: Report) -> None:
        """Ask all that tell of a locked screen; a bus that is gone is reported by the watching."""
        if (bus := self._bus) is not None:
            locks = (service for service in self._services if service.condition is Condition.LOCKED)
            with suppress(SourceGone):
                await asyncio.gather(*(_ask(service, bus, report) for service in locks))


async def _ask(service: Service, bus: Bus, report: Report) -> None:
    answer = await service.query(bus)
    report(service.condition, service.label, answer if isinstance(answer, bool) else None)


def bus_sources(env: Mapping[str, str]) -> list[BusSource]:
    """Return the system bus and the session bus of an environment."""
    system = env.get("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/run/dbus/system_bus_socket")
    services = [*map(_saver, _SAVERS), *_notifiers(env)]
    return [BusSource(system, [_login(env)]), BusSource(session_address(env), services)]


def _saver(name: str) -> Service:
    path = "/" + name.replace(".", "/")
    return Service(
        condition=Condition.LOCKED,
        label=_SAVERS[name],
        name=name,
        interface=name,
        member="ActiveChanged",
        query=lambda bus: bus.call(name, path, name, "GetActive"),
    )


def _login(env: Mapping[str, str]) -> Service:
    """Return logind's lock state of this session, or of the user's graphical one if this process is in none."""
    session_id = env.get("XDG_SESSION_ID", "")
    root, manager, session = "/org/freedesktop/login1", f"{LOGIN}.Manager", f"{LOGIN}.Session"

    async def query(bus: Bus) -> object:
        path = await bus.call(LOGIN, root, manager, "GetSession", "s", session_id) if session_id else None
        if path is None:
            graphical = await bus.property(LOGIN, f"{root}/user/self", f"{LOGIN}.User", "Display")
            path = graphical[1] if isinstance(graphical, list | tuple) and len(graphical) > 1 else None
        return await bus.property(LOGIN, path, session, "LockedHint") if isinstance(path, str) else None

    return _property_service(Condition.LOCKED, "logind", LOGIN, session, query)


def _notifiers(env: Mapping[str, str]) -> list[Service]:
    path = "/org/freedesktop/Notifications"
    dunst = "org.dunstproject.cmd0"
    dnd = Condition.DO_NOT_DISTURB

    def query_kde(bus: Bus) -> Awaitable[object]:
        return bus.property(NOTIFICATIONS, path, NOTIFICATIONS, "Inhibited")

    def query_dunst(bus: Bus) -> Awaitable[object]:
        return bus.property(NOTIFICATIONS, path, dunst, "paused")

    async def query_xfce(bus: Bus) -> object:
        server = await bus.call(NOTIFICATIONS, path, NOTIFICATIONS, "GetServerInformation")
        if not isinstance(server, str) or "xfce" not in server.lower():
            return None
        name = "org.xfce.Xfconf"
        setting = ("xfce4-notifyd", "/do-not-disturb")
        value = await bus.call(name, "/org/xfce/Xfconf", name, "GetProperty", "ss", *setting)
        return value is True  # it is unset until it is first turned on

    async def query_gnome(bus: Bus) -> object:
        if not await bus.has_service("org.gnome.Shell"):
            return None
        argv = ["gsettings", "get", "org.gnome.desktop.notifications", "show-banners"]
        return {"false": True, "true": False}.get((await command_output(argv, env)).strip())

    return [
        _property_service(dnd, "KDE's notifications", NOTIFICATIONS, NOTIFICATIONS, query_kde),
        _property_service(dnd, "dunst", NOTIFICATIONS, dunst, query_dunst),
        Service(
            condition=dnd,
            label="Xfce's notifications",
            name=NOTIFICATIONS,
            sender="org.xfce.Xfconf",
            interface="org.xfce.Xfconf",
            member="PropertyChanged",
            arg0="xfce4-notifyd",
            query=query_xfce,
        ),
        Service(
            condition=dnd,
            label="GNOME's notifications",
            name="org.gnome.Shell",
            sender="ca.desrt.dconf",
            interface="ca.desrt.dconf.Writer",
            member="Notify",
            arg0_path="/org/gnome/desktop/notifications/",
            query=query_gnome,
        ),
    ]


def _property_service(
    condition: Condition, label: str, name: str, interface: str, query: Callable[[Bus], Awaitable[object]]
) -> Service:
    """Return a service that announces changes of a property of an interface."""
    return Service(
        condition=condition,
        label=label,
        name=name,
        interface=PROPERTIES,
        member="PropertiesChanged",
        arg0=interface,
        query=query,
    )
