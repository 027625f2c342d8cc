"""Window properties that X11 programs set: class, title, process, type and state."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from Xlib import X
from Xlib.display import Display

_MAX_TEXT = 512
_OPAQUE = 0xFFFFFFFF
_DIALOGS = ("DIALOG", "UTILITY", "TOOLBAR", "SPLASH", "NOTIFICATION")


@dataclass(slots=True)
class Client:
    """The properties of a program's window."""

    app: str | None = None
    instance: str | None = None
    title: str = ""
    pid: int = 0
    transient_for: int = 0
    dialog: bool = False
    full_screen: bool = False
    see_through: bool = False
    top: int = 0


class Properties:
    """Reads properties over one connection; a window that is gone raises BadWindow."""

    def __init__(self, display: Display) -> None:
        """Read over `display`; each atom is queried once."""
        self._display = display
        self._atoms: dict[str, int] = {}
        self._readers: dict[int, Callable[[Any, Client], None]] = {
            self.atom("WM_CLASS"): self._read_class,
            self.atom("WM_NAME"): self._read_title,
            self.atom("_NET_WM_NAME"): self._read_title,
            self.atom("_NET_WM_PID"): self._read_pid,
            self.atom("WM_TRANSIENT_FOR"): self._read_transient,
            self.atom("_NET_WM_WINDOW_TYPE"): self._read_type,
            self.atom("_NET_WM_STATE"): self._read_state,
            self.atom("_NET_WM_WINDOW_OPACITY"): self._read_opacity,
        }

    def atom(self, name: str) -> int:
        """Return an atom."""
        if name not in self._atoms:
            self._atoms[name] = self._display.intern_atom(name)
        return self._atoms[name]

    def read(self, window: Any, client: Client) -> None:
        """Read everything."""
        for reader in dict.fromkeys(self._readers.values()):
            reader(window, client)

    def update(self, window: Any, client: Client, atom: int) -> bool:
        """Read one property that changed; return whether it is one that matters."""
        reader = self._readers.get(atom)
        if reader is not None:
            reader(window, client)
        return reader is not None

    def value(self, window: Any, name: str, longs: int = 4) -> Any:
        """Return a property's value, numbers or bytes; None where it is missing or empty."""
        reply = window.get_property(self.atom(name), X.AnyPropertyType, 0, longs)
        return None if reply is None or not len(reply.value) else reply.value

    def _read_class(self, window: Any, client: Client) -> None:
        value = self.value(window, "WM_CLASS", _MAX_TEXT // 4)
        if isinstance(value, bytes):
            instance, _, rest = value.decode("utf-8", "replace").partition("\0")
            client.instance, client.app = instance[:_MAX_TEXT], rest.partition("\0")[0] or instance

    def _read_title(self, window: Any, client: Client) -> None:
        value = self.value(window, "_NET_WM_NAME", _MAX_TEXT) or self.value(window, "WM_NAME", _MAX_TEXT)
        client.title = value.decode("utf-8", "replace")[:_MAX_TEXT] if isinstance(value, bytes) else ""

    def number(self, window: Any, name: str, default: int = 0) -> int:
        """Return a property's first number; `default` where it is missing."""
        value = self.value(window, name)
        return default if value is None else int(value[0])

    def _read_pid(self, window: Any, client: Client) -> None:
        client.pid = self.number(window, "_NET_WM_PID")

    def _read_transient(self, window: Any, client: Client) -> None:
        client.transient_for = self.number(window, "WM_TRANSIENT_FOR")

    def _read_type(self, window: Any, client: Client) -> None:
        value = self.value(window, "_NET_WM_WINDOW_TYPE", 8)
        dialogs = {self.atom(f"_NET_WM_WINDOW_TYPE_{name}") for name in _DIALOGS}
        client.dialog = value is not None and bool(dialogs.intersection(int(atom) for atom in value))

    def _read_state(self, window: Any, client: Client) -> None:
        value = self.value(window, "_NET_WM_STATE", 32)
        client.full_screen = value is not None and self.atom("_NET_WM_STATE_FULLSCREEN") in list(value)

    def _read_opacity(self, window: Any, client: Client) -> None:
        client.see_through = self.number(window, "_NET_WM_WINDOW_OPACITY", _OPAQUE) != _OPAQUE
