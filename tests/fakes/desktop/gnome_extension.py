"""What comes to Kairos' socket like its extension to GNOME Shell: tells the list of windows that a test gives it."""

import contextlib
import hashlib
import hmac
import json
import socket
import threading
from pathlib import Path
from typing import Any

from demo.virtual_desktop.windows import poll
from storage.files import private_folder

TOKEN = b"token"
EXTENSION = Path("gnome-shell") / "extensions" / "windows@kairos.assistant"
SCREEN = [0, 0, 1000, 500]


def window(number: int, app: str | None, box: tuple[int, int, int, int] = (10, 10, 100, 100), **more: Any) -> Any:
    """Return a window as the extension describes it; it draws a shadow of 5 pixels."""
    x, y, w, h = box
    told: dict[str, Any] = {
        "id": number,
        "app": app,
        "instance": app,
        "role": "",
        "title": app or "",
        "pid": 0,
        "type": 0,
    }
    told |= {"parent": 0, "wayland": True, "full": False, "shown": True, "frame": list(box)}
    return told | {"buffer": [x - 5, y - 5, w + 10, h + 10], "drawn": [0, 0, 0, 0]} | more


def state(*windows: Any, **more: Any) -> dict[str, Any]:
    """Return the state of one monitor with these windows, bottom first."""
    found = {"windows": list(windows), "active": 0, "monitors": [SCREEN], "parts": [], "busy": False}
    return found | {"locked": False, "effects": False, "pointer": [7, 8], "changed": 5} | more


class FakeExtension:
    """Waits for a socket in the session's folder, and answers there until `close`."""

    def __init__(self, folder: Path, first: dict[str, Any]) -> None:
        self.state = first
        self.proofs: list[bool] = []
        self.repaints = self.asked = 0
        self.is_deaf = False
        self.env = {"XDG_RUNTIME_DIR": str(folder), "XDG_DATA_HOME": str(folder)}
        private_folder(folder / EXTENSION)
        (folder / EXTENSION / "token").write_bytes(TOKEN)
        self._sockets = private_folder(folder / "kairos-windows")
        self._connection = socket.socket(socket.AF_UNIX)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def tell(self, told: dict[str, Any]) -> None:
        """Send a state that nobody asked for."""
        self.state = told
        self._send(told)

    def close(self) -> None:
        """Go away."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._connection.close()

    def _run(self) -> None:
        self._connection.connect(str(poll(lambda: next(self._sockets.iterdir(), None), what="finding a socket")))
        with contextlib.suppress(OSError), self._connection.makefile() as lines:
            self._send({"nonce": "n"})
            self.proofs.append(lines.readline().strip() == hmac.digest(TOKEN, b"n", hashlib.sha256).hex())
            self._send(self.state)
            for line in lines:
                self.asked += 1
                number, _, wish = line.strip().partition(" ")
                self.repaints += wish == "repaint"
                if not self.is_deaf:
                    self._send(self.state | {"answer": int(number)})

    def _send(self, message: Any) -> None:
        self._connection.sendall(json.dumps(message).encode() + b"\n")
