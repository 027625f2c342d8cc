"""Window properties that X11 programs set: class, title, process, type and state."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from Xlib import error
from Xlib.display import Display
from Xlib.ext import res

from daemon.capture.programs.processes import (
    NO_PROCESS,
    Process,
    local_process,
    parents_of,
    program_process,
    read_process,
)
from daemon.capture.scene import NO_EDGES, Edges, ExportedMenus, WindowKind
from daemon.capture.x11.requests import AskedProperty, Property, atoms_of

_MAX_TEXT = 512
_MAX_LONGS = 16384
"""How much of a title is read, in units of four bytes; a longer one counts as unknown."""

_GROUP_HINT = 1 << 6
_GROUP_AT = 8
_ESCAPE = b"\x1b"
_OPAQUE = 0xFFFFFFFF
_MAX_EDGE = 1000
_CLIENT_IDS_SINCE = (1, 2)
_CLASSES_OF_TK = ("Dialog", "Tk", "TkChooseDir", "TkColorDialog", "TkFDialog", "Toplevel")
_DIALOGS = tuple(f"_NET_WM_WINDOW_TYPE_{name}" for name in ("DIALOG", "UTILITY", "TOOLBAR", "SPLASH", "NOTIFICATION"))
_FULL_SCREEN = "_NET_WM_STATE_FULLSCREEN"

_MENUS_ON_BUS = (
    *("_GTK_UNIQUE_BUS_NAME", "_GTK_MENUBAR_OBJECT_PATH", "_GTK_APP_MENU_OBJECT_PATH"),
    *("_GTK_APPLICATION_OBJECT_PATH", "_GTK_WINDOW_OBJECT_PATH"),
)
"""In the order of `ExportedMenus`."""

_LONGS = {
    "WM_CLASS": _MAX_TEXT // 4,
    "_NET_WM_NAME": _MAX_LONGS,
    "WM_NAME": _MAX_LONGS,
    "WM_WINDOW_ROLE": _MAX_TEXT // 4,
    "WM_HINTS": _GROUP_AT + 1,
    "_NET_WM_WINDOW_TYPE": 8,
    "_NET_WM_STATE": 32,
    **dict.fromkeys(_MENUS_ON_BUS, _MAX_TEXT // 4),
}
"""How much is read of a property, in units of four bytes; of others four."""

_KINDS = {
    "_NET_WM_WINDOW_TYPE_NOTIFICATION": WindowKind.NOTIFICATION,
    "_KDE_NET_WM_WINDOW_TYPE_CRITICAL_NOTIFICATION": WindowKind.NOTIFICATION,
    "_NET_WM_WINDOW_TYPE_DOCK": WindowKind.DOCK,
    "_NET_WM_WINDOW_TYPE_DESKTOP": WindowKind.DESKTOP,
}


@dataclass(slots=True)
class Client:
    """The properties of a program's window."""

    app: str | None = None
    instance: str | None = None
    title: str = ""
    readable: bool = True
    role: str = ""
    claimed_pid: int | None = None
    pid: int = 0
    connected: tuple[int, ...] = ()
    process: Process = NO_PROCESS
    leader: int = 0
    window_group: int = 0
    transient_for: int = 0
    dialog: bool = False
    kind: WindowKind = WindowKind.PROGRAM
    full_screen: bool = False
    see_through: bool = False
    decorations: Edges = NO_EDGES
    shadow: Edges = NO_EDGES
    exported: ExportedMenus | None = None
    top: int = 0

    @property
    def name(self) -> str | None:
        """What the program is called: its class, or its script where the class is that of any program made with Tk."""
        return self.process.script if self._is_nameless else self.app

    @property
    def program(self) -> frozenset[str]:
        """Other names by which the program may be excluded."""
        return self.process.names | ({self.app} if self.app and self._is_nameless else frozenset())

    @property
    def _is_nameless(self) -> bool:
        return self.app in _CLASSES_OF_TK and bool(self.process.script)


class Properties:
    """Reads properties over one connection; a window that is gone raises BadWindow."""

    def __init__(self, display: Display) -> None:
        """Read over `display`; each atom is queried once."""
        self._display: Any = display
        self._has_client_ids = _has_client_ids(self._display)
        readers = {
            "WM_CLASS": self._read_class,
            "WM_NAME": self._read_title,
            "_NET_WM_NAME": self._read_title,
            "WM_WINDOW_ROLE": self._read_role,
            "_NET_WM_PID": self._read_pid,
            "WM_CLIENT_LEADER": self._read_leader,
            "WM_HINTS": self._read_hints,
            "WM_TRANSIENT_FOR": self._read_transient,
            "_NET_WM_WINDOW_TYPE": self._read_type,
            "_NET_WM_STATE": self._read_state,
            "_NET_WM_WINDOW_OPACITY": self._read_opacity,
            "_NET_FRAME_EXTENTS": self._read_decorations,
            "_GTK_FRAME_EXTENTS": self._read_shadow,
            **dict.fromkeys(_MENUS_ON_BUS, self._read_menus),
        }
        self._atoms = atoms_of(self._display, (*readers, *_KINDS, *_DIALOGS, _FULL_SCREEN))
        self._readers: dict[int, Callable[[Any, Client], None]] = {
            self._atoms[name]: reader for name, reader in readers.items()
        }
        self._usual = [self._atoms[name] for name in readers if name not in ("WM_NAME", *_MENUS_ON_BUS[1:])]
        self._longs = {self._atoms[name]: longs for name, longs in _LONGS.items()}
        self._asked: dict[int, AskedProperty] = {}

    def atom(self, name: str) -> int:
        """Return an atom."""
        if name not in self._atoms:
            self._atoms[name] = self._display.intern_atom(name)
        return self._atoms[name]

    def read(self, window: Any, client: Client) -> None:
        """Read everything, in one round trip but for what few windows have."""
        self._asked = {atom: self._ask(window, atom) for atom in self._usual}
        try:
            for reader in dict.fromkeys(self._readers.values()):
                reader(window, client)
        finally:
            self._asked.clear()

    def update(self, window: Any, client: Client, atom: int) -> bool:
        """Read one property that changed; return whether it is one that matters."""
        reader = self._readers.get(atom)
        if reader is not None:
            reader(window, client)
        return reader is not None

    def value(self, window: Any, name: str) -> bytes | tuple[int, ...] | None:
        """Return a property's value; None where it is missing or empty."""
        found = self._get(window, name)
        return found.value or None if found is not None else None

    def _get(self, window: Any, name: str) -> Property | None:
        return (self._asked.pop(self.atom(name), None) or self._ask(window, self.atom(name))).found()

    def _ask(self, window: Any, atom: int) -> AskedProperty:
        return AskedProperty(self._display, window.id, atom, self._longs.get(atom, 4))

    def _read_class(self, window: Any, client: Client) -> None:
        value = self.value(window, "WM_CLASS")
        if isinstance(value, bytes):
            instance, _, rest = decoded(value).partition("\0")
            client.instance, client.app = instance[:_MAX_TEXT], rest.partition("\0")[0] or instance

    def _read_title(self, window: Any, client: Client) -> None:
        """Read the title whole: a page may push what matters far behind."""
        for name in ("_NET_WM_NAME", "WM_NAME"):
            reply = self._get(window, name)
            if reply is not None and isinstance(reply.value, bytes) and reply.value:
                client.title = decoded(reply.value)
                client.readable = not reply.bytes_after and _ESCAPE not in reply.value
                return
        client.title, client.readable = "", True

    def _read_role(self, window: Any, client: Client) -> None:
        client.role = self._text(window, "WM_WINDOW_ROLE")

    def _read_leader(self, window: Any, client: Client) -> None:
        client.leader = self.number(window, "WM_CLIENT_LEADER")

    def _read_hints(self, window: Any, client: Client) -> None:
        value = self.value(window, "WM_HINTS")
        client.window_group = 0
        if value is not None and len(value) > _GROUP_AT and value[0] & _GROUP_HINT:
            client.window_group = value[_GROUP_AT]

    def number(self, window: Any, name: str, default: int = 0) -> int:
        """Return a property's first number; `default` where it is missing."""
        value = self.value(window, name)
        return default if value is None else value[0]

    def _read_pid(self, window: Any, client: Client) -> None:
        claimed = self.number(window, "_NET_WM_PID")
        if claimed != client.claimed_pid:
            connected = self._connected_process(window)
            pid = local_process(claimed, connected) if claimed else 0
            client.claimed_pid, client.pid = claimed, program_process(pid)
            parents = () if claimed else parents_of(connected)  # what names its process is a program of its own
            client.connected = (connected, *parents) if connected else ()
            client.process = read_process(pid or connected)  # Tk and older toolkits claim none

    def _connected_process(self, window: Any) -> int:
        """Return the process that made a window, as the display server knows it; 0 if it does not."""
        if not self._has_client_ids:
            return 0
        spec = {"client": window.id, "mask": res.LocalClientPIDMask}
        try:
            found = self._display.res_query_client_ids([spec]).ids
        except error.XError:
            return 0
        return next((int(client.value[0]) for client in found if client.value), 0)

    def _read_transient(self, window: Any, client: Client) -> None:
        client.transient_for = self.number(window, "WM_TRANSIENT_FOR")

    def _read_type(self, window: Any, client: Client) -> None:
        value = self.value(window, "_NET_WM_WINDOW_TYPE")
        types = set() if value is None else {int(atom) for atom in value}
        client.dialog = any(self.atom(name) in types for name in _DIALOGS)
        kinds = (kind for name, kind in _KINDS.items() if self.atom(name) in types)
        client.kind = next(kinds, WindowKind.PROGRAM)

    def _read_state(self, window: Any, client: Client) -> None:
        value = self.value(window, "_NET_WM_STATE")
        client.full_screen = value is not None and self.atom(_FULL_SCREEN) in list(value)

    def _read_opacity(self, window: Any, client: Client) -> None:
        client.see_through = self.is_see_through(window)

    def _read_decorations(self, window: Any, client: Client) -> None:
        client.decorations = self._edges(window, "_NET_FRAME_EXTENTS")

    def _read_shadow(self, window: Any, client: Client) -> None:
        client.shadow = self._edges(window, "_GTK_FRAME_EXTENTS")

    def _read_menus(self, window: Any, client: Client) -> None:
        """Read where the menus of a window are; few programs say so, and of the others one property is asked."""
        name, *objects = _MENUS_ON_BUS
        bus_name = self._text(window, name)
        client.exported = ExportedMenus(bus_name, *(self._text(window, path) for path in objects)) if bus_name else None

    def _text(self, window: Any, name: str) -> str:
        value = self.value(window, name)
        return decoded(value) if isinstance(value, bytes) else ""

    def _edges(self, window: Any, name: str) -> Edges:
        value = self.value(window, name)
        if value is None or len(value) != len(NO_EDGES):
            return NO_EDGES
        return Edges(*(min(int(width), _MAX_EDGE) for width in value))

    def is_see_through(self, window: Any) -> bool:
        """Return whether a window or a frame asks a compositor to draw it see-through."""
        return self.number(window, "_NET_WM_WINDOW_OPACITY", _OPAQUE) != _OPAQUE


def _has_client_ids(display: Any) -> bool:
    """Return whether the server says which process a connection is of."""
    if not display.has_extension(res.extname):
        return False
    version = display.res_query_version(*_CLIENT_IDS_SINCE)
    return (version.server_major, version.server_minor) >= _CLIENT_IDS_SINCE


def decoded(value: bytes) -> str:
    """Return a property's text: UTF-8, whatever it is declared as, else Latin-1, which is the type STRING."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")
