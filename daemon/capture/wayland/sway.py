"""The windows of sway, by its own socket: which there are, where, which is in front. Popups are in no list of it.

Nothing tells of a window that moves, so the list is asked for before and after each picture. A window that was there
only in between is told by its event, and is in a state of its own.
"""

import contextlib
import json
import socket
import struct
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from daemon.capture.programs.processes import program_process, read_process
from daemon.capture.scene import DesktopWindow, Scene, around
from storage.clock import Clock
from storage.errors import EnvironmentFault
from storage.records import Box

assert sys.platform == "linux"  # nothing else has it

_MAGIC = b"i3-ipc"
_HEADER = struct.Struct("=6sII")
_SUBSCRIBE, _TREE, _INPUTS = 2, 4, 100
_EVENTS = ("window", "workspace", "output", "shutdown", "input")
_ANSWER_S = 1.0
_MAX_ANSWER = 1 << 24
_TABBED = ("tabbed", "stacked")
_PEER = struct.Struct("3i")


class SwayWindows:
    """Lists the windows of one compositor. Every method raises `EnvironmentFault` where it does not answer."""

    pointer: tuple[int, int] | None = None
    locked: bool | None = None

    def __init__(self, env: Mapping[str, str], clock: Clock, compositor: int) -> None:
        """Connect to sway where it is the process `compositor`, whose pixels these windows are on.

        Raises:
            EnvironmentFault: it is not, or does not answer: one sway may run inside of another.
        """
        self._clock = clock
        self._queries, self._events = _connect(env), _connect(env)
        try:
            if {_peer(self._queries), _peer(self._events)} != {compositor}:
                raise _gone()
            self._call(self._events, _SUBSCRIBE, json.dumps(_EVENTS))
            self._events.setblocking(False)
            self._partial = b""
            self._since: dict[int, int] = {}
            self._described: dict[int, tuple[object, DesktopWindow]] = {}
            self._newest = Scene(t_ns=0)
            self._scenes: list[Scene] = []
            self.dark: frozenset[Box] = frozenset()
            """The monitors that are turned off."""
            self.group = 0
            """Which group of the keyboard's layout is active."""
            for device in self._call(self._queries, _INPUTS):
                self._note_group(device)
            self.refresh()
        except EnvironmentFault:
            self.close()
            raise

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when something happens to windows."""
        return self._events.fileno()

    def read(self) -> None:
        """Take in the events that have arrived; ask for the list where there are any."""
        appeared = list(self._read_events())
        if not appeared:
            return
        self.refresh()
        known = self._newest.clients
        for node in appeared:
            window = self._window(node) if isinstance(node, Mapping) and _is_view(node) else None
            if window is not None and window.client not in known:
                passed = replace(self._newest, windows=(*self._newest.windows, window))
                self._scenes[-1:] = [passed, self._newest]

    def refresh(self) -> None:
        """Ask for the list as it is now."""
        tree = self._call(self._queries, _TREE)
        scene = self._scene(tree)
        if replace(scene, t_ns=0) != replace(self._newest, t_ns=0) or not self._newest.t_ns:
            self._newest = scene
            self._scenes.append(scene)

    def take_scenes(self) -> tuple[Scene, ...]:
        """Return the states passed through since the last call, oldest first."""
        scenes, self._scenes = tuple(self._scenes), []
        return scenes

    def close(self) -> None:
        """Disconnect."""
        self._queries.close()
        self._events.close()

    # ------------------------------------------------------------ the socket

    def _call(self, connection: socket.socket, kind: int, text: str = "") -> Any:
        payload = text.encode()
        try:
            connection.sendall(_HEADER.pack(_MAGIC, len(payload), kind) + payload)
            _, size, _ = _HEADER.unpack(_received(connection, _HEADER.size))
            if size > _MAX_ANSWER:
                raise _gone()
            return json.loads(_received(connection, size))
        except (OSError, ValueError, struct.error) as fault:
            raise _gone() from fault

    def _read_events(self) -> Iterator[object]:
        """Yield the window of each event that has arrived, None where it is about no window."""
        data = self._partial
        while True:
            try:
                more = self._events.recv(1 << 16)
            except BlockingIOError:
                break
            except OSError as fault:
                raise _gone() from fault
            if not more:
                raise _gone()
            data += more
        while len(data) >= _HEADER.size:
            _, size, _ = _HEADER.unpack_from(data)
            if size > _MAX_ANSWER:
                raise _gone()
            if len(data) < _HEADER.size + size:
                break
            with contextlib.suppress(ValueError):
                event = json.loads(data[_HEADER.size : _HEADER.size + size])
                self._note_group(event.get("input") or {})
                yield event.get("container")
            data = data[_HEADER.size + size :]
        self._partial = data

    def _note_group(self, device: Mapping[str, Any]) -> None:
        if isinstance(group := device.get("xkb_active_layout_index"), int):
            self.group = group

    # ------------------------------------------------------------ the tree

    def _scene(self, tree: Mapping[str, Any]) -> Scene:
        windows: list[DesktopWindow] = []
        hidden: list[DesktopWindow] = []
        outputs: list[Box] = []
        dark: set[Box] = set()
        active, present, floating = 0, set(), []
        for output in tree.get("nodes", ()):
            if output.get("active"):
                outputs.append(_box(output["rect"]))
                if not output.get("power", output.get("dpms", True)):
                    dark.add(outputs[-1])
            for workspace in output.get("nodes", ()):
                is_shown = workspace.get("name") == output.get("current_workspace")
                for node, is_floating, in_tabs in _views(workspace):
                    window = self._window(node)
                    present.add(window.client)
                    if node.get("focused"):
                        active = window.client
                    if not (node.get("visible") or (is_shown and in_tabs)):  # a tab shows the title all the same
                        hidden.append(window)
                    elif is_floating:
                        floating.append(window)
                    else:
                        windows.append(window)
        self.dark = frozenset(dark)
        self._since = {client: since for client, since in self._since.items() if client in present}
        self._described = {client: found for client, found in self._described.items() if client in present}
        shown = [*windows, *floating]
        tiled = {window.pid for window in windows}
        return Scene(
            t_ns=self._clock.now_ns(),
            windows=tuple(replace(w, dialog=True) if w in floating and w.pid in tiled else w for w in shown),
            hidden=tuple(hidden),
            active=active,
            focused=frozenset({active} - {0}),
            screen=around(outputs) if outputs else Box(0, 0, 0, 0),
            outputs=tuple(outputs),
        )

    def _window(self, node: Mapping[str, Any]) -> DesktopWindow:
        client = int(node["id"])
        x11 = node.get("window_properties") or {}
        app, title = node.get("app_id") or x11.get("class"), str(node.get("name") or "")
        places = node["rect"], node.get("window_rect"), node.get("fullscreen_mode")
        told = (app, title, node.get("pid"), places, x11)
        known = self._described.get(client)
        if known is not None and known[0] == told:
            return known[1]
        since_ns = self._since.setdefault(client, self._clock.now_ns() if self._newest.t_ns else 0)
        pid = program_process(int(node.get("pid") or 0))
        found = read_process(pid)
        box, inner = _box(node["rect"]), _box(node.get("window_rect") or {})
        content = Box(box.x + inner.x, box.y + inner.y, inner.w, inner.h) if inner.w > 0 and inner.h > 0 else None
        window = DesktopWindow(
            xid=client,
            client=client,
            group=pid or client,
            app=app,
            instance=x11.get("instance"),
            title=title,
            role=x11.get("window_role") or "",
            pid=pid,
            program=found.names,
            private=found.private,
            ordinary_profile=found.ordinary_profile,
            full_screen=bool(node.get("fullscreen_mode")),
            box=box,
            content=content,
            corner=_corner(node, box, inner),
            since_ns=since_ns,
        )
        self._described[client] = told, window
        return window


def _views(node: Mapping[str, Any], *, in_tabs: bool = False) -> Iterator[tuple[Mapping[str, Any], bool, bool]]:
    """Yield the windows below a node, whether each floats, and whether it may be one of several tabs."""
    in_tabs = in_tabs or node.get("layout") in _TABBED
    for name in ("nodes", "floating_nodes"):
        for child in node.get(name, ()):
            if _is_view(child):
                yield child, name == "floating_nodes" or child.get("type") == "floating_con", in_tabs
            else:
                yield from _views(child, in_tabs=in_tabs)


def _is_view(node: Mapping[str, Any]) -> bool:
    return node.get("pid") is not None and not node.get("nodes")


def _corner(node: Mapping[str, Any], box: Box, inner: Box) -> tuple[int, int] | None:
    """Return where a program that speaks Wayland counts from: its shadow is outside of what sway calls its window."""
    if node.get("shell") != "xdg_shell":
        return None
    drawn = _box(node.get("geometry") or {})
    return box.x + inner.x - drawn.x, box.y + inner.y - drawn.y


def _box(rect: Mapping[str, int]) -> Box:
    return Box(*(int(rect.get(name, 0)) for name in ("x", "y", "width", "height")))


def _connect(env: Mapping[str, str]) -> socket.socket:
    path = env.get("SWAYSOCK", "")
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    connection.settimeout(_ANSWER_S)
    try:
        connection.connect(path)
    except OSError as fault:
        connection.close()
        raise _gone() from fault
    return connection


def _peer(connection: socket.socket) -> int:
    return int(_PEER.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))[0])


def _received(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = connection.recv(size - len(data))
        if not more:
            raise _gone()
        data += more
    return data


def _gone() -> EnvironmentFault:
    return EnvironmentFault("the compositor does not list its windows", code="display_gone")
