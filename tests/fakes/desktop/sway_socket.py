"""A socket that answers like sway: the list of windows that a test gives it, and its events."""

import json
import socket
import struct
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_HEADER = struct.Struct("=6sII")
_TREE = 4
_WINDOW_EVENT = 0x80000003
OUTPUT = {"x": 0, "y": 0, "width": 1000, "height": 500}


def view(number: int, app: str, rect: tuple[int, int, int, int] = (0, 0, 100, 100), **more: Any) -> dict[str, Any]:
    """Return a window as sway describes it."""
    place = dict(zip(("x", "y", "width", "height"), rect, strict=True))
    return {"id": number, "app_id": app, "pid": 1, "name": app, "rect": place, "visible": True, "nodes": []} | more


def tree(*views: Mapping[str, Any], floating: Sequence[Mapping[str, Any]] = (), layout: str = "splith") -> Any:
    """Return the tree of one monitor with these windows on its workspace, and a hidden workspace."""
    shown = {"name": "1", "layout": layout, "nodes": list(views), "floating_nodes": list(floating)}
    other = {"name": "2", "layout": "tabbed", "nodes": [view(900, "elsewhere", visible=False)]}
    return {"nodes": [{"active": True, "rect": OUTPUT, "current_workspace": "1", "nodes": [shown, other]}]}


class SwaySocket:
    """Listens until `close`; each connection is answered by a thread of its own."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "sway.sock"
        self.tree: Any = tree()
        self.inputs: list[dict[str, Any]] = [{"type": "pointer"}, {"type": "keyboard", "xkb_active_layout_index": 0}]
        self.asked = 0
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(self.path))
        self._listening.listen()
        self._connections: list[socket.socket] = []
        self._listeners: list[socket.socket] = []
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()
        self._threads: list[threading.Thread] = []

    def tell(self, container: Mapping[str, Any] | None, **more: Any) -> None:
        """Send an event about a window, or about something else, to who listens."""
        body = json.dumps({"change": "new"} | ({"container": container} if container else {}) | more).encode()
        for connection in self._listeners:
            connection.sendall(_HEADER.pack(b"i3-ipc", len(body), _WINDOW_EVENT) + body)

    def close(self) -> None:
        """End."""
        self._listening.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listening.close()
        for connection in self._connections:
            connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        for connection in self._connections:
            connection.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self._connections.append(connection)
            thread = threading.Thread(target=self._answer, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _answer(self, connection: socket.socket) -> None:
        while header := connection.recv(_HEADER.size):
            _, size, kind = _HEADER.unpack(header)
            if size:
                connection.recv(size)
                self._listeners.append(connection)
            elif kind == _TREE:
                self.asked += 1
            body = json.dumps({"success": True} if size else self.tree if kind == _TREE else self.inputs).encode()
            connection.sendall(_HEADER.pack(b"i3-ipc", len(body), kind) + body)
