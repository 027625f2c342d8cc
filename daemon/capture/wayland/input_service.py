"""Keys, buttons and wheel from the service `kairos-input`, where somebody installed it (`daemon.capture.evdev`)."""

import contextlib
import select
import socket
import sys
import threading
from collections.abc import Callable

from daemon.capture.backend import Wakeup
from daemon.capture.input import InputQueue
from daemon.capture.keys import Fallback
from storage.clock import NS_PER_MS
from storage.errors import EnvironmentFault
from storage.records import KeyClass

assert sys.platform == "linux"  # nothing else has a kernel of this kind

SOCKET = "/run/kairos-input/socket"
ANSWER_S = 2.0
"""How long the service may take to say which devices there are; usually it is some milliseconds."""

AGAIN_S = 60.0
"""How often a service that is not there is looked for: it may be started later, and an idle desktop is left alone."""

_READ = 1 << 14
_MAX_LINE = 200
_LAYOUT = "pc+us+inet(evdev)"
"""Until a compositor has told another."""


class InputService:
    """Listens to the service in a thread of its own, so that a key is judged when it comes."""

    def __init__(self, pointer: Callable[[], tuple[int, int] | None], path: str = "") -> None:
        """Connect to the system's, or to the one at `path`, where it is there; `pointer` is asked from the thread."""
        self._pointer = pointer
        self._path = path or SOCKET
        self._queue: InputQueue | None = None
        self._group = 0
        self._said = b""
        self._wakeup = Wakeup()
        self._stopping = threading.Event()
        self._has_changed = False
        self.has_mouse = self.has_touchpad = False
        self._socket = self._connected()
        self._thread = threading.Thread(target=self._run, name="input", daemon=True)
        self._thread.start()

    @property
    def is_there(self) -> bool:
        """Whether the service answered."""
        return self._socket is not None

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when the service ended, or is there at last."""
        return self._wakeup.fileno()

    def check(self) -> None:
        """Raise `EnvironmentFault` where the service ended, or is there at last: what is sensed is another now."""
        if self._has_changed:
            raise EnvironmentFault("keys and pointer come on another way now", code="no_input")

    def start(self, queue: InputQueue) -> None:
        """Pass on to `queue` what comes from now on."""
        self._queue = queue

    def tell_layout(self, symbols: str) -> None:
        """Say what the keyboard means (`xkb.SYMBOLS`)."""
        self._say(f"layout {symbols}\ngroup {self._group}\n")

    def tell_group(self, group: int) -> None:
        """Say which group of the layout is active, where that is new."""
        if group != self._group:
            self._group = group
            self._say(f"group {group}\n")

    def close(self) -> None:
        """Disconnect, and end the thread."""
        self._stopping.set()
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(1.0)
        if self._socket is not None:
            self._socket.close()
        self._wakeup.close()

    def _say(self, words: str) -> None:
        if self._socket is not None:
            with contextlib.suppress(OSError):  # that it broke is found by reading
                self._socket.sendall(words.encode("ascii", "replace"))

    def _connected(self) -> socket.socket | None:
        """Return a connection on which the service has spoken; None where there is none."""
        found = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        with contextlib.suppress(OSError, ValueError):
            found.settimeout(ANSWER_S)
            found.connect(self._path)
            found.sendall(f"layout {_LAYOUT}\n".encode())
            if select.select([found], [], [], ANSWER_S)[0] and self._take_lines(found.recv(_READ)):
                found.settimeout(None)
                return found
        found.close()
        return None

    # ------------------------------------------------------------ the thread

    def _run(self) -> None:
        try:
            if self._socket is not None:
                with contextlib.suppress(OSError, ValueError):
                    while self._take_lines(self._socket.recv(_READ)):
                        pass
                return
            while not self._stopping.wait(AGAIN_S):
                if (found := self._connected()) is not None:
                    found.close()
                    break
        finally:  # also by a bug, or keys would be missing without a word
            self._has_changed = True
            self._wakeup.wake()

    def _take_lines(self, new: bytes) -> bool:
        """Take in what has come; return whether there was anything. `ValueError`: the service says no such thing."""
        *lines, self._said = (self._said + new).split(b"\n")
        for line in lines:
            self._take(line.decode("ascii").split(" "))
        return bool(new) and len(self._said) <= _MAX_LINE

    def _take(self, words: list[str]) -> None:
        if words[0] == "devices":
            _, mouse, touchpad = words
            self.has_mouse, self.has_touchpad = mouse == "1", touchpad == "1"
            return
        at, kind, first, second, *rest = words
        queue = self._queue
        taken = queue is not None and queue.accepts(int(at) & 0xFFFFFFFF)
        x, y = (self._pointer() if taken and kind != "key" else None) or (None, None)
        if kind == "key":
            classes = {Fallback.GROUPS: KeyClass(first), Fallback.US: KeyClass(second)}
            (plain,) = rest
            if queue is not None and taken:
                queue.key(classes[queue.fallback], is_plain=plain == "1", at_ns=int(at) * NS_PER_MS)
        elif kind == "button" and not rest:
            if queue is not None and taken:
                queue.click(x, y, first, pressed=second == "1")
        elif kind == "wheel" and not rest:
            dx, dy = int(first), int(second)
            if queue is not None and taken:
                queue.scroll(x, y, dx, dy)
        else:
            raise ValueError(kind)
