"""The windows of GNOME as Kairos' extension to its shell tells them: all that there are, popups and panels with them.

The extension comes to a socket of ours in the private folder of the session. It is believed only where it is the
process that the Wayland connection leads to, and it speaks only where this side proves that it knows the token.
"""

import contextlib
import hashlib
import hmac
import json
import os
import select
import socket
import struct
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

assert sys.platform == "linux"  # nothing else has it

from daemon.capture.programs.processes import program_process, read_process
from daemon.capture.scene import DesktopWindow, Scene, WindowKind, around
from daemon.capture.wayland.gnome.installation import folder_of
from storage.clock import Clock
from storage.errors import EnvironmentFault
from storage.files import private_folder
from storage.records import Box

COMES_S = 1.0
"""How long the extension may take to come; where the shell is free it takes a few milliseconds."""

ANSWER_S = 1.0
_READ = 1 << 16
_MAX_LINE = 1 << 22
_PEER = struct.Struct("3i")
_SHELL = "gnome-shell"
_SHELL_CLIENTS = 1 << 48
"""Where the numbers begin of what the shell itself shows: beyond those of windows."""

_KINDS = {1: WindowKind.DESKTOP, 2: WindowKind.DOCK, 12: WindowKind.NOTIFICATION}
_DIALOGS = (3, 4)
_POPUPS = (9, 10, 11, 13, 14, 15)
"""Types of windows as mutter numbers them."""


class GnomeWindows:
    """Lists the windows of one shell. Every method raises `EnvironmentFault` where it does not answer."""

    def __init__(self, env: Mapping[str, str], clock: Clock, compositor: int) -> None:
        """Wait for the extension in the process `compositor`.

        Raises:
            EnvironmentFault: it is not there.
        """
        self._clock = clock
        self._data = b""
        self._compositor = compositor
        self._asked, self._answered = 0, 0
        self._scenes: list[Scene] = []
        self._newest = Scene(t_ns=0)
        self._described: dict[int, tuple[object, DesktopWindow]] = {}
        self._lately: dict[int, DesktopWindow] = {}
        self.pointer: tuple[int, int] | None = (0, 0)
        self.locked: bool | None = False
        self.monitors: tuple[Box, ...] = ()
        self.changed_ns = 0
        """Until when what was painted may not be what is listed, by the clock that counts no suspend."""
        try:
            token = (folder_of(env) / "token").read_bytes()
            self._connection = _awaited(private_folder(Path(env.get("XDG_RUNTIME_DIR", "")) / "kairos-windows"))
        except OSError as fault:
            raise _gone() from fault
        try:
            self._connection.settimeout(ANSWER_S)
            peer = self._connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
            if _PEER.unpack(peer)[0] != compositor:
                raise _gone()
            nonce = str(self._line().get("nonce", ""))
            self._say(hmac.digest(token, nonce.encode(), hashlib.sha256).hex())
            self._take(self._line())
        except EnvironmentFault:
            self.close()
            raise

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when something happens to windows."""
        return self._connection.fileno()

    def read(self) -> None:
        """Take in the states that have arrived."""
        while b"\n" in self._data or select.select([self._connection], [], [], 0)[0]:
            self._take(self._line())

    def refresh(self, *, repaint: bool = False) -> None:
        """Take in the list as it is now; have all monitors painted anew, if wanted."""
        self._asked += 1
        self._say(f"{self._asked} repaint" if repaint else str(self._asked))
        while self._answered != self._asked:
            self._take(self._line())

    def ask(self) -> None:
        """Have the list told soon, and wait for nothing; not while an answer is awaited."""
        if self._answered == self._asked:
            self._asked += 1
            self._say(str(self._asked))

    def take_scenes(self) -> tuple[Scene, ...]:
        """Return the states passed through since the last call, oldest first."""
        scenes, self._scenes = tuple(self._scenes), []
        return scenes

    def close(self) -> None:
        """Disconnect."""
        self._connection.close()

    # ------------------------------------------------------------ the socket

    def _say(self, word: str) -> None:
        try:
            self._connection.sendall(f"{word}\n".encode())
        except OSError as fault:
            raise _gone() from fault

    def _line(self) -> dict[str, Any]:
        while b"\n" not in self._data:
            try:
                more = self._connection.recv(_READ)
            except OSError as fault:
                raise _gone() from fault
            self._data += more
            if not more or len(self._data) > _MAX_LINE:
                raise _gone()
        line, _, self._data = self._data.partition(b"\n")
        with contextlib.suppress(ValueError):
            found = json.loads(line)
            if isinstance(found, dict):
                return found
        raise _gone()

    # ------------------------------------------------------------ the states

    def _take(self, state: Mapping[str, Any]) -> None:
        try:
            self._answered = state.get("answer", self._answered)
            self.locked = bool(state["locked"])
            self.pointer = int(state["pointer"][0]), int(state["pointer"][1])
            self.changed_ns = 1000 * int(state["changed"])
            scene = self._scene(state)
        except (KeyError, TypeError, ValueError, IndexError) as fault:
            raise _gone() from fault
        if replace(scene, t_ns=0) != replace(self._newest, t_ns=0) or not self._newest.t_ns:
            self._newest = scene
            self._scenes.append(scene)

    def _scene(self, state: Mapping[str, Any]) -> Scene:
        self.monitors = monitors = tuple(Box(*map(int, box)) for box in state["monitors"])
        whole = around(monitors) if monitors else Box(0, 0, 0, 0)
        shown: dict[int, DesktopWindow] = {}
        hidden: list[DesktopWindow] = []
        for told in state["windows"]:
            if told["pid"] == self._compositor:  # one pixel beyond the screen, which holds its selection
                continue
            window = self._window(told)
            if told["shown"]:
                shown[window.client] = window
            else:
                hidden.append(window)
        present = shown.keys() | {window.client for window in hidden}
        self._described = {client: found for client, found in self._described.items() if client in present}
        # while an effect may draw them elsewhere, windows count that were there when it began, wherever they are drawn
        self._lately = self._lately | shown if state["effects"] else shown
        leaving = [window for client, window in self._lately.items() if client not in shown]
        windows = [*leaving, *shown.values()]
        parts = [] if state["busy"] else [(part["name"], Box(*map(int, part["box"]))) for part in state["parts"]]
        if state["busy"]:  # its overview, its switcher and its menus show parts of any window, and what it found
            parts = [("", whole)]
        windows += [self._part(number, *part) for number, part in enumerate(parts)]
        kept = {window.client for window in windows}
        return Scene(
            t_ns=self._clock.now_ns(),
            windows=tuple(windows),
            hidden=tuple(window for window in hidden if window.client not in kept),
            active=int(state["active"]),
            focused=frozenset({int(state["active"])} - {0}),
            screen=whole,
            outputs=monitors if state["effects"] else (),
        )

    def _window(self, told: Mapping[str, Any]) -> DesktopWindow:
        client = int(told["id"])
        known = self._described.get(client)
        if known is not None and known[0] == told:
            return known[1]
        since_ns = known[1].since_ns if known is not None else self._clock.now_ns() if self._newest.t_ns else 0
        pid = program_process(max(0, int(told["pid"])))
        found = read_process(pid)
        frame, buffer, drawn = (Box(*map(int, told[name])) for name in ("frame", "buffer", "drawn"))
        kind = int(told["type"])
        window = DesktopWindow(
            xid=client,
            client=client,
            group=pid or client,
            app=told["app"],
            instance=told["instance"],
            title=str(told["title"]),
            role=str(told["role"]),
            pid=pid,
            program=found.names,
            private=found.private,
            ordinary_profile=found.ordinary_profile,
            kind=_KINDS.get(kind, WindowKind.PROGRAM),
            transient_for=int(told["parent"]),
            popup=kind in _POPUPS,
            dialog=kind in _DIALOGS,
            full_screen=bool(told["full"]),
            opaque=False,  # nobody tells which of its pixels are
            box=around((frame, buffer, drawn) if drawn.w > 0 else (frame, buffer)),
            content=frame,
            corner=(buffer.x, buffer.y) if told["wayland"] else None,
            since_ns=since_ns,
        )
        self._described[client] = told, window
        return window

    def _part(self, number: int, name: str, box: Box) -> DesktopWindow:
        """Return what the shell itself shows: its panel lists windows, anything else may be a message."""
        client = _SHELL_CLIENTS + number
        kind = WindowKind.DOCK if name == "panelBox" else WindowKind.NOTIFICATION
        return DesktopWindow(xid=client, client=client, group=client, app=_SHELL, instance=_SHELL, kind=kind, box=box)


def _awaited(folder: Path) -> socket.socket:
    """Return the connection of the extension, which looks into this folder."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC) as listening:
        listening.settimeout(COMES_S)
        new, path = folder.parent / f"kairos-windows.{os.getpid()}.{id(listening)}", folder / f"{os.getpid()}"
        listening.bind(str(new))
        try:
            listening.listen(1)
            new.rename(path)
            return listening.accept()[0]
        finally:
            for name in (new, path):
                name.unlink(missing_ok=True)


def _gone() -> EnvironmentFault:
    return EnvironmentFault("the extension to GNOME Shell does not list its windows", code="display_gone")
