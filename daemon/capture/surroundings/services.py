"""The services on the message buses that know of a locked screen and of do-not-disturb.

Desktops differ: GNOME stores do-not-disturb in its settings, Xfce in its own settings service, KDE and dunst report it
with their notifications. Only yes or no is read.
"""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from daemon.capture.surroundings.bus import PROPERTIES, Bus, BusSource, Service
from daemon.capture.surroundings.commands import command_output
from daemon.capture.surroundings.source import Condition

LOGIN = "org.freedesktop.login1"
NOTIFICATIONS = "org.freedesktop.Notifications"
_SAVERS: Mapping[str, str] = {
    "org.freedesktop.ScreenSaver": "KDE's screen locker",
    "org.gnome.ScreenSaver": "GNOME's screen lock",
    "org.cinnamon.ScreenSaver": "Cinnamon's screen lock",
    "org.mate.ScreenSaver": "MATE's screen lock",
    "org.xfce.ScreenSaver": "Xfce's screen lock",
}


def bus_sources(env: Mapping[str, str]) -> list[BusSource]:
    """Return the system bus and the session bus of an environment."""
    system = env.get("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/run/dbus/system_bus_socket")
    runtime = env.get("XDG_RUNTIME_DIR", "")
    session = env.get("DBUS_SESSION_BUS_ADDRESS") or f"unix:path={Path(runtime) / 'bus'}"
    return [BusSource(system, [_login(env)]), BusSource(session, [*map(_saver, _SAVERS), *_notifiers(env)])]


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
