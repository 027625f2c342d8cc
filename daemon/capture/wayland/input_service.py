"""Keys, buttons and wheel from the service `kairos-input`, where somebody installed it (`daemon.capture.evdev`)."""

import contextlib
import select
import socket
import sys

from daemon.capture.input import InputQueue
from daemon.capture.keys import Fallback
from storage.errors import EnvironmentFault
from storage.records import KeyClass

assert sys.platform == "linux"  # noqa: S101  # nothing else has a kernel of this kind

SOCKET = "/run/kairos-input/socket"
ANSWER_S = 2.0
"""How long the service may take to say which devices there are; usually it is some milliseconds."""

_READ = 1 << 14
_MAX_LINE = 200
_FROM_US = "pc+us+inet(evdev)"


class InputService:
    """A connection to the service, used by one thread."""

    def __init__(self, path: str = "") -> None:
        """Connect to the system's, or to the one at `path`, and wait for the first word.

        Raises:
            EnvironmentFault: the service is not there, serves another user, or finds no device.
        """
        self._queue: InputQueue | None = None
        self._said, self._group = b"", 0
        self.has_mouse = self.has_touchpad = False
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        self._socket.settimeout(ANSWER_S)
        try:
            self._socket.connect(path or SOCKET)
            self.tell_layout(_FROM_US)
            if not select.select([self._socket], [], [], ANSWER_S)[0]:
                raise _gone()
            self._socket.setblocking(False)
            self.read(None)
        except (OSError, EnvironmentFault) as fault:
            self._socket.close()
            raise _gone() from fault

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when there is input."""
        return self._socket.fileno()

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

    def _say(self, words: str) -> None:
        with contextlib.suppress(OSError):  # that it broke is found by reading
            self._socket.sendall(words.encode("ascii", "replace"))

    def read(self, pointer: tuple[int, int] | None) -> None:
        """Take in what has come; buttons and wheel are recorded only where it is known where the pointer is.

        Raises:
            EnvironmentFault: the service ended, or is none.
        """
        while True:
            try:
                new = self._socket.recv(_READ)
            except BlockingIOError:
                return
            except OSError as fault:
                raise _gone() from fault
            *lines, self._said = (self._said + new).split(b"\n")
            if not new or len(self._said) > _MAX_LINE:
                raise _gone()
            for line in lines:
                try:
                    self._take(line.decode("ascii").split(" "), pointer)
                except ValueError as fault:
                    raise _gone() from fault

    def _take(self, words: list[str], pointer: tuple[int, int] | None) -> None:
        """Take in a line; `ValueError` where it is none that the service says."""
        if words[0] == "devices":
            _, mouse, touchpad = words
            self.has_mouse, self.has_touchpad = mouse == "1", touchpad == "1"
            return
        at, kind, *told = words
        queue = self._queue
        if queue is None or not queue.accepts(int(at) & 0xFFFFFFFF):
            return
        if kind == "key":
            groups, us, plain = told
            queue.key(KeyClass(us if queue.fallback is Fallback.US else groups), is_plain=plain == "1")
        elif kind == "button":
            name, down = told
            if pointer is not None:
                queue.click(*pointer, name, pressed=down == "1")
            elif down == "1":
                queue.note_click()
        elif kind == "wheel":
            dx, dy = map(int, told)
            if pointer is not None:
                queue.scroll(*pointer, dx, dy)
        else:
            raise ValueError(kind)

    def close(self) -> None:
        """Disconnect."""
        self._socket.close()


def _gone() -> EnvironmentFault:
    return EnvironmentFault("the service kairos-input does not answer", code="no_input_service")
