"""A connection to a Wayland compositor: requests out, events in, without a library.

A client library would bring C code that crashes at the end of a process which did not disconnect, for a protocol of
which capture needs a dozen messages. An object is a number with a function for each event that is looked at.
"""

import array
import os
import select
import socket
import struct
import sys
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path

from storage.clock import NS_PER_S, Clock
from storage.errors import EnvironmentFault

assert sys.platform == "linux"  # nothing else has a compositor of this kind, and type checkers know it

ANSWER_S = 2.0
"""Time limit for a round trip; a compositor that takes longer hangs."""

_WORD = struct.Struct("=I")
_HEADER = struct.Struct("=II")
_DISPLAY = 1
_READ = 1 << 16
_SERVER_IDS = 0xFF000000

Event = tuple[str, Callable[..., None]]
"""The arguments of an event, a letter each (u: number, i: number with a sign, s: text), and what it is given to."""


class WaylandConnection:
    """One connection, used by one thread. Every method raises `EnvironmentFault` where it broke."""

    def __init__(self, env: Mapping[str, str], clock: Clock) -> None:
        """Connect to the compositor that the environment names, and learn what it offers."""
        self._clock = clock
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        try:
            self._socket.connect(str(socket_path(env)))
        except OSError as fault:
            self._socket.close()
            raise EnvironmentFault(
                "this is said to be a Wayland session, and its compositor does not answer",
                remedy="check WAYLAND_DISPLAY and XDG_RUNTIME_DIR; to see Kairos watch a desktop here: kairos demo",
                code="no_display",
            ) from fault
        self._in = bytearray()
        self._next_ids = count(2)
        self._free_ids: list[int] = []
        self._events: dict[int, Mapping[int, Event]] = {}
        self._error = ""
        self.on_file: Callable[[int], None] = os.close
        """Takes each file that comes with an event, before the event, and closes it."""
        self.globals: dict[int, tuple[str, int]] = {}
        """What is offered, by number: interface and version."""
        self.changed = True
        """Whether outputs came or went since the last look."""
        self._events[_DISPLAY] = {0: ("uus", self._on_error), 1: ("u", self._on_deleted)}
        self._registry = self.create({0: ("usu", self._on_global), 1: ("u", self._on_gone)})
        self.request(_DISPLAY, 1, self._registry)
        try:
            self.round_trip()
        except EnvironmentFault:
            self.close()
            raise

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when events come."""
        return self._socket.fileno()

    @property
    def compositor(self) -> int:
        """The process at the other end."""
        found = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 3 * _WORD.size)
        return int(_WORD.unpack_from(found)[0])

    def offers(self, interface: str) -> list[int]:
        """Return the numbers of what is offered of an interface."""
        return [number for number, (name, _) in self.globals.items() if name == interface]

    def bind(self, number: int, version: int, events: Mapping[int, Event] | None = None) -> int:
        """Return an object of what is offered, at `version` or the older one that there is."""
        interface, offered = self.globals[number]
        bound = self.create(events or {})
        self.request(self._registry, 0, number, interface, min(version, offered), bound)
        return bound

    def create(self, events: Mapping[int, Event]) -> int:
        """Return a new object, for a request that makes it: numbers are used again as the compositor frees them."""
        made = self._free_ids.pop() if self._free_ids else next(self._next_ids)
        self._events[made] = events
        return made

    def request(self, target: int, opcode: int, *arguments: int | str, file: int | None = None) -> None:
        """Send a request; its arguments are numbers and texts, and at most one open file."""
        body = b"".join(map(_packed, arguments))
        message = _HEADER.pack(target, (_HEADER.size + len(body)) << 16 | opcode) + body
        passed = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file]))] if file is not None else []
        try:
            sent = self._socket.sendmsg([message], passed)
            self._socket.sendall(message[sent:])
        except OSError as fault:
            raise _gone() from fault

    def buffer(
        self, shm: int, file: int, layout: tuple[int, int, int, int], events: Mapping[int, Event] | None = None
    ) -> int:
        """Return a buffer of an open file's pixels: their format, width, height and bytes a row."""
        format_, width, height, stride = layout
        pool = self.create({})
        self.request(shm, 0, pool, stride * height, file=file)
        made = self.create(events or {})
        self.request(pool, 0, made, 0, width, height, stride, format_)
        self.request(pool, 1)
        return made

    def read(self) -> None:
        """Take in the events that have arrived, without waiting."""
        while select.select([self._socket], [], [], 0)[0]:
            self._receive()

    def round_trip(self) -> None:
        """Take in everything that the compositor did before this call."""
        done: list[int] = []
        self.request(_DISPLAY, 0, self.create({0: ("u", done.append)}))
        self.wait(lambda: bool(done))

    def wait(self, is_done: Callable[[], bool]) -> None:
        """Take in events until something is so."""
        end_ns = self._clock.now_ns() + round(ANSWER_S * NS_PER_S)
        while not is_done():
            left_s = (end_ns - self._clock.now_ns()) / NS_PER_S
            if left_s <= 0 or not select.select([self._socket], [], [], left_s)[0]:
                raise EnvironmentFault("the Wayland compositor does not answer", code="screen_unreadable")
            self._receive()

    def close(self) -> None:
        """Disconnect; a second call changes nothing."""
        self._socket.close()

    def _receive(self) -> None:
        try:
            data, passed, _, _ = socket.recv_fds(self._socket, _READ, 4)
        except OSError as fault:
            raise _gone() from fault
        for descriptor in passed:
            self.on_file(descriptor)
        if not data:
            raise _gone()
        self._in += data
        while len(self._in) >= _HEADER.size:
            target, word = _HEADER.unpack_from(self._in)
            size = word >> 16
            if size < _HEADER.size:
                raise _gone()
            if len(self._in) < size:
                return
            body, opcode = bytes(self._in[_HEADER.size : size]), word & 0xFFFF
            del self._in[:size]
            self._dispatch(target, opcode, body)

    def _dispatch(self, target: int, opcode: int, body: bytes) -> None:
        event = self._events.get(target, {}).get(opcode)
        if event is not None:
            signature, take = event
            try:
                arguments = _unpacked(signature, body)
            except (struct.error, UnicodeDecodeError) as fault:
                raise _gone() from fault
            take(*arguments)
        if self._error:
            raise EnvironmentFault(f"the Wayland compositor refused a request ({self._error})", code="display_gone")

    def _on_error(self, _object: int, code: int, _message: str) -> None:
        self._error = f"error {code}"

    def _on_deleted(self, number: int) -> None:
        if number < _SERVER_IDS:
            self._events.pop(number, None)
            self._free_ids.append(number)

    def _on_global(self, number: int, interface: str, version: int) -> None:
        self.globals[number] = interface, version
        self.changed |= interface == "wl_output"

    def _on_gone(self, number: int) -> None:
        interface, _ = self.globals.pop(number, ("", 0))
        self.changed |= interface == "wl_output"


def socket_path(env: Mapping[str, str]) -> Path:
    """Return where the compositor of an environment listens."""
    return Path(env.get("XDG_RUNTIME_DIR", "")) / env.get("WAYLAND_DISPLAY", "wayland-0")


def _packed(argument: int | str) -> bytes:
    if isinstance(argument, int):
        return _WORD.pack(argument & 0xFFFFFFFF)
    text = argument.encode() + b"\0"
    return _WORD.pack(len(text)) + text + b"\0" * (-len(text) % 4)


def _unpacked(signature: str, body: bytes) -> list[int | str]:
    found: list[int | str] = []
    at = 0
    for kind in signature:
        (word,) = _WORD.unpack_from(body, at)
        at += 4
        if kind == "s":
            found.append(body[at : at + max(0, word - 1)].decode())
            at += word + -word % 4
        else:
            found.append(word - (1 << 32) if kind == "i" and word >> 31 else word)
    return found


def _gone() -> EnvironmentFault:
    return EnvironmentFault("the connection to the Wayland compositor broke", code="display_gone")
