"""The windows of KWin, by a script of ours that it runs: all but those which X11 programs place themselves.

Any program of the session may have KWin run a script. Ours calls back to the one connection that loaded it. What comes
is taken only from the process that the Wayland connection leads to, and with the token that this one script was given.
Its thread listens; the capture thread takes.
"""

import asyncio
import contextlib
import json
import secrets
import sys
import threading
from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

assert sys.platform == "linux"  # nothing else has it

from dbus_fast import Message

from daemon.capture.backend import Wakeup
from daemon.capture.dbus import BUS, BUS_PATH, Bus, session_address
from daemon.capture.programs.processes import program_process, read_process
from daemon.capture.scene import DesktopWindow, Scene, WindowKind
from daemon.capture.source_thread import SourceGone, SourceThread
from storage.clock import Clock
from storage.errors import EnvironmentFault
from storage.files import private_folder, write_whole
from storage.records import Box

COMES_S = 2.0
"""How long the first list may take to come; usually it is some 10 ms."""

_KWIN, _SCRIPTING = "org.kde.KWin", "org.kde.kwin.Scripting"
_CODE = Path(__file__).parent / "data" / "kwin.js"
_numbers = count()
_NAMES = tuple(f"kairos.assistant.windows{number}" for number in range(8))
"""What our scripts are called, and who runs one holds that name on the bus. So one that a killed Kairos left behind is
known, and the one of another that runs, such as `kairos doctor` beside the daemon, is left alone."""

_INTROSPECTABLE = "org.freedesktop.DBus.Introspectable"
_DO_NOT_QUEUE, _IS_OWNER = 4, 1


class KwinWindows:
    """Lists the windows of one KWin. Every method raises `EnvironmentFault` once its script is gone."""

    def __init__(self, env: Mapping[str, str], clock: Clock, compositor: int) -> None:
        """Have the compositor of this process run our script, and wait for the first list.

        Raises:
            EnvironmentFault: it does not.
        """
        self._env = env
        self._clock = clock
        self._compositor = compositor
        self._names: list[str] = []
        self._token = secrets.token_hex(32)
        self._lock = threading.Lock()
        self._scenes: list[Scene] = []
        self._clients: dict[str, int] = {}
        self._described: dict[int, tuple[object, DesktopWindow]] = {}
        self._has_first, self._newest = False, Scene(t_ns=0)
        self._is_checking = False
        self.is_gone = False
        self.pointer: tuple[int, int] | None = (0, 0)
        self.locked: bool | None = None
        self._wakeup = Wakeup()
        self._came = threading.Event()
        self._thread = SourceThread("kwin", self._main, lambda _: None, failure="windows are no longer known")
        self._thread.start()
        if not self._came.wait(COMES_S) or self.is_gone:
            self.close()
            raise _gone()

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when there is a new state."""
        return self._wakeup.fileno()

    def read(self) -> None:
        """Forget that there was something new."""
        self._wakeup.clear()
        if self.is_gone:
            raise _gone()

    def refresh(self) -> None:
        """Have it looked whether the script still runs: the list comes by itself."""
        self._thread.call(self._check_soon)

    def take_scenes(self) -> tuple[Scene, ...]:
        """Return the states passed through since the last call, oldest first."""
        with self._lock:
            scenes, self._scenes = tuple(self._scenes), []
        return scenes

    def close(self) -> None:
        """Disconnect, and take the script away."""
        self._thread.stop(0.5)
        self._wakeup.close()

    # ------------------------------------------------------------ the thread

    async def _main(self) -> None:
        try:
            self._bus = bus = await Bus.connect(session_address(self._env))
            self._tasks: set[asyncio.Task[None]] = set()
            try:
                await self._load()
                await bus.wait_closed()
            finally:
                with contextlib.suppress(SourceGone):
                    await asyncio.shield(self._unload(*self._names))
                bus.close()
        except SourceGone:
            self._end()

    async def _load(self) -> None:
        bus = self._bus
        self._owner = await bus.call(BUS, BUS_PATH, BUS, "GetNameOwner", "s", _KWIN)
        process = await bus.call(BUS, BUS_PATH, BUS, "GetConnectionUnixProcessID", "s", _KWIN)
        if process != self._compositor:
            raise SourceGone
        bus.on_call(self._take)
        folder = Path(self._env.get("XDG_RUNTIME_DIR", "")) / "kairos-windows"
        file = folder / f"{secrets.token_hex(8)}.js"
        try:
            code = _CODE.read_text(encoding="utf-8").replace("@KAIROS@", bus.unique_name())
            private_folder(folder)
            write_whole(file, code.replace("@TOKEN@", self._token).encode())
            for path in await self._load_script(str(file)):
                await bus.call(_KWIN, path, "org.kde.kwin.Script", "run")  # which reads the file
        except (OSError, EnvironmentFault) as fault:
            raise SourceGone from fault
        finally:
            file.unlink(missing_ok=True)

    async def _load_script(self, file: str) -> tuple[str, str]:
        """Have it loaded, in place of one that was left; return where it is found, as versions have it."""
        bus = self._bus
        for name in _NAMES:
            if await bus.call(BUS, BUS_PATH, BUS, "RequestName", "su", name, _DO_NOT_QUEUE) != _IS_OWNER:
                continue
            self._names.append(name)
            await self._unload(name)
            # KWin numbers a script by how many there are, which may be the number of another: then one more helps
            others = [await bus.call(_KWIN, path, _INTROSPECTABLE, "Introspect") for path in ("/Scripting", "/")]
            number = await bus.call(_KWIN, "/Scripting", _SCRIPTING, "loadScript", "ss", file, name)
            if not isinstance(number, int) or number < 0:
                break
            if not any(f'"{node}"' in str(others) for node in (f"Script{number}", f"{number}")):
                return f"/Scripting/Script{number}", f"/{number}"
        raise SourceGone

    async def _unload(self, *names: str) -> None:
        for name in names:
            await self._bus.call(_KWIN, "/Scripting", _SCRIPTING, "unloadScript", "s", name)

    def _check_soon(self) -> None:
        if not self._is_checking:
            self._is_checking = True
            task = asyncio.get_running_loop().create_task(self._check())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _check(self) -> None:
        try:
            if (
                await self._bus.call(_KWIN, "/Scripting", _SCRIPTING, "isScriptLoaded", "s", self._names[-1])
                is not True
            ):
                self._end()
        except SourceGone:
            self._end()
        finally:
            self._is_checking = False

    def _end(self) -> None:
        self.is_gone = True
        self._came.set()
        self._wakeup.wake()

    # ------------------------------------------------------------ the states

    def _take(self, message: Message) -> bool:
        """Take in a list; return whether the call was one."""
        if (message.sender, message.path, message.member) != (self._owner, "/kairos", "Tell"):
            return False
        try:
            token, told = message.body
            if not secrets.compare_digest(token, self._token):
                return False
            state = json.loads(told)
            scene = self._scene(state)
            self.pointer = int(state["pointer"][0]), int(state["pointer"][1])
        except (KeyError, TypeError, ValueError, IndexError):
            self._end()
            return True
        if self._has_first and replace(scene, t_ns=0) == replace(self._newest, t_ns=0):
            return True
        self._newest, self._has_first = scene, True
        with self._lock:
            self._scenes.append(scene)
        self._came.set()
        self._wakeup.wake()
        return True

    def _scene(self, state: Mapping[str, Any]) -> Scene:
        listed = [(bool(told["shown"]), self._window(told)) for told in state["windows"]]
        present = {window.client for _, window in listed}
        self._clients = {name: client for name, client in self._clients.items() if client in present}
        self._described = {client: found for client, found in self._described.items() if client in present}
        active = self._clients.get(str(state["active"]), 0)
        shown = [window for is_shown, window in listed if is_shown]
        return Scene(
            t_ns=self._clock.now_ns(),
            windows=tuple(sorted(shown, key=lambda window: (window.client == active, window.popup))),
            hidden=tuple(window for is_shown, window in listed if not is_shown),
            active=active,
            focused=frozenset({active} - {0}),
            screen=Box(0, 0, int(state["screen"][0]), int(state["screen"][1])),
        )

    def _window(self, told: Mapping[str, Any]) -> DesktopWindow:
        client = self._client(str(told["id"]))
        known = self._described.get(client)
        if known is not None and known[0] == told:
            return known[1]
        since_ns = known[1].since_ns if known is not None else self._clock.now_ns() if self._has_first else 0
        pid = program_process(max(0, int(told["pid"])))
        found = read_process(pid)
        window = DesktopWindow(
            xid=client,
            client=client,
            group=pid or client,
            app=str(told["app"]) or None,
            instance=str(told["instance"]),
            title=str(told["title"]),
            role=str(told["role"]),
            pid=pid,
            program=found.names,
            private=found.private,
            ordinary_profile=found.ordinary_profile,
            kind=WindowKind(told["kind"]),
            transient_for=self._clients.get(str(told["parent"]), 0),
            popup=bool(told["popup"]),
            dialog=bool(told["dialog"]),
            full_screen=bool(told["full"]),
            opaque=False,
            box=Box(*map(int, told["box"])),
            since_ns=since_ns,
        )
        self._described[client] = told, window
        return window

    def _client(self, name: str) -> int:
        """Return the number of a window, which KWin has a long name for."""
        if name not in self._clients:
            self._clients[name] = next(_numbers) + 1
        return self._clients[name]


def _gone() -> EnvironmentFault:
    return EnvironmentFault("KWin does not list its windows", code="display_gone")
