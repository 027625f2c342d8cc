"""Who on the message buses knows of a locked screen and of do-not-disturb: one table.

Desktops differ: GNOME keeps do-not-disturb among its settings, Xfce in its own settings service, KDE and dunst beside
their notifications. None of it is read for anything but yes or no.
"""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from daemon.capture.surroundings.bus import PROPERTIES, Bus, BusSource, Service
from daemon.capture.surroundings.child import answer
from daemon.capture.surroundings.source import Kind

LOGIN = "org.freedesktop.login1"
NOTIFICATIONS = "org.freedesktop.Notifications"
_SAVERS: Mapping[str, str] = {
    "org.freedesktop.ScreenSaver": "KDE's screen locker",
    "org.gnome.ScreenSaver": "GNOME's screen lock",
    "org.cinnamon.ScreenSaver": "Cinnamon's screen lock",
    "org.mate.ScreenSaver": "MATE's screen lock",
    "org.xfce.ScreenSaver": "Xfce's screen lock",
}


def buses_of(env: Mapping[str, str]) -> list[BusSource]:
    """Return the buses of an environment."""
    system = env.get("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/run/dbus/system_bus_socket")
    runtime = env.get("XDG_RUNTIME_DIR", "")
    session = env.get("DBUS_SESSION_BUS_ADDRESS") or f"unix:path={Path(runtime) / 'bus'}"
    return [BusSource(system, [_login(env)]), BusSource(session, [*map(_saver, _SAVERS), *_notifiers(env)])]


def _saver(name: str) -> Service:
    path = "/" + name.replace(".", "/")
    return Service(
        kind=Kind.LOCKED,
        words=_SAVERS[name],
        name=name,
        interface=name,
        member="ActiveChanged",
        ask=lambda bus: bus.call(name, path, name, "GetActive"),
    )


def _login(env: Mapping[str, str]) -> Service:
    """Return logind's word for this session, or for the user's graphical one if this process is in none."""
    named = env.get("XDG_SESSION_ID", "")
    manager, session = f"{LOGIN}.Manager", f"{LOGIN}.Session"

    async def ask(bus: Bus) -> object:
        path = await bus.call(LOGIN, "/org/freedesktop/login1", manager, "GetSession", "s", named) if named else None
        if path is None:
            graphical = await bus.property(LOGIN, "/org/freedesktop/login1/user/self", f"{LOGIN}.User", "Display")
            path = graphical[1] if isinstance(graphical, list | tuple) and len(graphical) > 1 else None
        return await bus.property(LOGIN, path, session, "LockedHint") if isinstance(path, str) else None

    return _changing(Kind.LOCKED, "logind", LOGIN, session, ask)


def _notifiers(env: Mapping[str, str]) -> list[Service]:
    path = "/org/freedesktop/Notifications"
    dunst = "org.dunstproject.cmd0"

    async def ask_gnome(bus: Bus) -> object:
        if not await bus.is_there("org.gnome.Shell"):
            return None
        return _told_off(await answer(["gsettings", "get", "org.gnome.desktop.notifications", "show-banners"], env))

    async def ask_xfce(bus: Bus) -> object:
        server = await bus.call(NOTIFICATIONS, path, NOTIFICATIONS, "GetServerInformation")
        if not isinstance(server, str) or "xfce" not in server.lower():
            return None
        words = ("xfce4-notifyd", "/do-not-disturb")
        name = "org.xfce.Xfconf"
        value = await bus.call(name, "/org/xfce/Xfconf", name, "GetProperty", "ss", *words)
        return value is True  # it is unset until it is first turned on

    def ask_kde(bus: Bus) -> Awaitable[object]:
        return bus.property(NOTIFICATIONS, path, NOTIFICATIONS, "Inhibited")

    return [
        _changing(Kind.DO_NOT_DISTURB, "KDE's notifications", NOTIFICATIONS, NOTIFICATIONS, ask_kde),
        _changing(
            *(Kind.DO_NOT_DISTURB, "dunst", NOTIFICATIONS, dunst),
            lambda bus: bus.property(NOTIFICATIONS, path, dunst, "paused"),
        ),
        Service(
            kind=Kind.DO_NOT_DISTURB,
            words="Xfce's notifications",
            name=NOTIFICATIONS,
            sender="org.xfce.Xfconf",
            interface="org.xfce.Xfconf",
            member="PropertyChanged",
            arg0="xfce4-notifyd",
            ask=ask_xfce,
        ),
        Service(
            kind=Kind.DO_NOT_DISTURB,
            words="GNOME's notifications",
            name="org.gnome.Shell",
            sender="ca.desrt.dconf",
            interface="ca.desrt.dconf.Writer",
            member="Notify",
            arg0_path="/org/gnome/desktop/notifications/",
            ask=ask_gnome,
        ),
    ]


def _changing(kind: Kind, words: str, name: str, interface: str, ask: Callable[[Bus], Awaitable[object]]) -> Service:
    """Return a service with a property of an interface that announces its changes."""
    return Service(
        kind=kind, words=words, name=name, interface=PROPERTIES, member="PropertiesChanged", arg0=interface, ask=ask
    )


def _told_off(text: str) -> bool | None:
    """Return whether a printed setting says that banners are not shown."""
    return {"false": True, "true": False}.get(text.strip())
