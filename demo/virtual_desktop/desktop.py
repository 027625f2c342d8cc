"""A throw-away X11 desktop: server, session bus, window manager, compositor and tray, with an empty profile.

Several can run at once, as root or as a user. Everything started here carries a random token in its environment;
a keeper process ends all bearers of it even if this process is killed outright (`process_cleanup`).
Readiness is polled, never assumed after a delay. The display is protected by a cookie that only `env` names.
"""

import os
import random
import secrets
import select
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Literal, Self

from Xlib import Xatom
from Xlib.display import Display

from demo.virtual_desktop import process_cleanup
from demo.virtual_desktop.hands import Hands, ScriptLog
from demo.virtual_desktop.windows import Windows, environment, listens, open_display, poll
from storage.clock import SystemClock
from storage.errors import EnvironmentFault

_STARTED = tomllib.loads((Path(__file__).parent / "data" / "programs.toml").read_text(encoding="utf-8"))
PACKAGES: Mapping[str, str] = _STARTED["packages"]
_WINDOW_MANAGERS: Mapping[str, Sequence[str]] = _STARTED["window_managers"]
_SERVERS = {"Xvfb": "-screen 0 {}x{}x24", "Xvnc": "-geometry {}x{} -depth 24 -SecurityTypes None -rfbport -1"}
"""How each is told the size of its screen; that of TigerVNC also to listen to no viewer."""

_BACKGROUND = 0x35566E
_FAMILY_LOCAL = 256
_COOKIE_NAME = b"MIT-MAGIC-COOKIE-1"

Tray = Literal["xembed", "none"]
Server = Literal["Xvfb", "Xvnc"]


def program(name: str) -> str:
    """Return the path of an installed program.

    Raises:
        EnvironmentFault: it is not installed; names the Debian packages that bring it.
    """
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/bin:/usr/libexec:/usr/lib/at-spi2-core")
    if found is None:
        packages = PACKAGES.get(name, name)
        raise EnvironmentFault(
            f'the program "{name}" is not installed',
            remedy=f"install it with: apt-get install --no-install-recommends {packages}",
            code="program_missing",
        )
    return found


class VirtualDesktop:
    """The desktop as a context manager; `env` is the environment for programs that shall run on it.

    `display` and `windows` are this process's own connection to it, for one thread. `name` is the display (":7"),
    `directory` the private folder that holds profile, logs (`directory / "log"`) and the runtime folder.
    """

    def __init__(
        self,
        size: tuple[int, int] = (1920, 1080),
        *,
        wm: str = "openbox",
        compositor: bool = True,
        tray: Tray = "xembed",
        a11y: bool = False,
        server: Server = "Xvfb",
    ) -> None:
        """Describe the desktop; it starts on entering the context. With `a11y` it has an accessibility bus."""
        self._size = size
        self._wm = wm
        self._compositor = compositor
        self._tray = tray
        self._a11y = a11y
        self._server = server
        self._token = secrets.token_hex(16)
        self._stack = ExitStack()
        self._children: list[subprocess.Popen[bytes]] = []
        self._infrastructure: list[subprocess.Popen[bytes]] = []
        self._server_pid = 0

    def __enter__(self) -> Self:
        """Start everything and wait until it answers.

        Raises:
            EnvironmentFault: a program is missing or does not come up.
        """
        for name in self._needed():
            program(name)
        with ExitStack() as stack:
            self.directory = Path(tempfile.mkdtemp(prefix="kairos-desktop-"))
            stack.callback(shutil.rmtree, self.directory, ignore_errors=True)
            self._start_keeper(stack)
            stack.callback(self._end)
            self._prepare_profile()
            self._start_server()
            self.display: Display = open_display(self.env)
            stack.callback(self.display.close)
            self.windows = self._look(self.display)
            self._paint_background()
            self._start_session()
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End everything that was started, in bounded time, and remove the folder."""
        self._stack.close()

    def spawn(
        self,
        argv: Sequence[str],
        name: str,
        *,
        env: Mapping[str, str] | None = None,
        log: Path | None = None,
        cwd: Path | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a program on this desktop, in a session of its own, and return its process.

        Its output goes to `log`, or to `directory / "log" / NAME.log`. `env` adds to the desktop's environment. It is
        ended with the desktop unless it ended before.

        Raises:
            EnvironmentFault: the program is not installed.
        """
        process = self._start([program(argv[0]), *argv[1:]], name, extra=env or {}, log=log, cwd=cwd)
        self._children.append(process)
        return process

    def stop(self, process: subprocess.Popen[bytes], *, grace_s: float = 3.0) -> int:
        """End a process: TERM, then KILL after `grace_s`; return its exit status."""
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(grace_s)
            except subprocess.TimeoutExpired:
                process.kill()
        return process.wait()

    @property
    def server_pid(self) -> int:
        """The X server's process id, for those who measure what it uses."""
        return self._server_pid

    @contextmanager
    def person(self, log: ScriptLog, rng: random.Random, clock: SystemClock) -> Iterator[tuple[Hands, Windows]]:
        """Yield the hands of somebody at this desktop, and their view of its windows."""
        with closing(open_display(self.env)) as display:
            yield Hands(display, log, rng, clock), self._look(display)

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Make this desktop the one that this process itself sees (`os.environ`), for code that reads DISPLAY."""
        with environment(self.env):
            yield

    def screenshot(self, path: Path) -> Path:
        """Save what is on the screen as PNG, and return the path."""
        import mss
        import mss.tools

        with self.entered(), mss.MSS(backend="xlib") as grabber:  # which Xvnc can be read by, too
            shot = grabber.grab(grabber.monitors[0])
            mss.tools.to_png(shot.rgb, shot.size, output=path)
        return path

    def _needed(self) -> list[str]:
        if self._wm not in _WINDOW_MANAGERS:
            raise EnvironmentFault(f'no recipe for the window manager "{self._wm}"', remedy="use openbox")
        names = [self._server, "dbus-daemon", self._wm]
        names += ["picom"] if self._compositor else []
        names += ["trayer"] if self._tray == "xembed" else []
        names += ["at-spi-bus-launcher", "dbus-send"] if self._a11y else []
        return names

    def _start_keeper(self, stack: ExitStack) -> None:
        reading, self._leash = os.pipe()
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", process_cleanup.__file__, str(reading), self._token, str(self.directory)],
            pass_fds=[reading],
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(reading)
        stack.callback(process.wait)
        stack.callback(os.close, self._leash)
        stack.callback(os.write, self._leash, process_cleanup.DONE)

    def _prepare_profile(self) -> None:
        folders = {
            "HOME": "home",
            "XDG_RUNTIME_DIR": "run",
            "XDG_CONFIG_HOME": "config",
            "XDG_DATA_HOME": "data",
            "XDG_CACHE_HOME": "cache",
            "XDG_STATE_HOME": "state",
        }
        for folder in (*folders.values(), "log"):
            (self.directory / folder).mkdir(mode=0o700)
        kept = ("PATH", "TMPDIR", "USER", "LOGNAME", "SHELL", "VIRTUAL_ENV", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
        self.env = {name: os.environ[name] for name in kept if name in os.environ}
        self.env |= {name: str(self.directory / folder) for name, folder in folders.items()}
        self.env |= {
            process_cleanup.TOKEN_NAME: self._token,
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",  # menus in English whatever the caller speaks
            "XAUTHORITY": str(self.directory / "Xauthority"),
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.directory / 'run' / 'bus'}",
            "XDG_SESSION_TYPE": "x11",
            "XDG_CURRENT_DESKTOP": "X-Generic",
            "GDK_BACKEND": "x11",
            "QT_QPA_PLATFORM": "xcb",
            "SAL_USE_VCLPLUGIN": "gtk3",
            "LIBGL_ALWAYS_SOFTWARE": "1",
        }
        if not self._a11y:
            self.env |= {"NO_AT_BRIDGE": "1", "GTK_A11Y": "none"}

    def _start_server(self) -> None:
        cookie = secrets.token_bytes(16)
        server_file = self.directory / "server-auth"
        _write_cookie(server_file, "0", cookie)
        reading, writing = os.pipe()
        sized = _SERVERS[self._server].format(*self._size).split()
        try:
            process = self._start(
                [
                    *(program(self._server), "-displayfd", str(writing), *sized),
                    *("-nolisten", "tcp", "-noreset", "-dpi", "96", "-auth", str(server_file)),
                    *("+extension", "RANDR", "+extension", "COMPOSITE"),
                ],
                "server",
                pass_fds=[writing],
            )
            self._infrastructure.append(process)
            self._server_pid = process.pid
            os.write(self._leash, f"{process.pid}\n".encode())
            os.close(writing)
            writing = -1
            number = _read_line(reading, timeout_s=20.0)
        finally:
            os.close(reading)
            if writing >= 0:
                os.close(writing)
        if not number:
            raise EnvironmentFault(f"the virtual X server did not start: {self._log_end('server')}", code="no_display")
        self.name = f":{number}"
        self.env["DISPLAY"] = self.name
        _write_cookie(self.directory / "Xauthority", number, cookie)

    def _start_session(self) -> None:
        bus = self.directory / "run" / "bus"
        self._add_infrastructure(
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address=unix:path={bus}"], "bus"
        )
        poll(lambda: listens(bus), what="starting the session bus")
        if self._a11y:
            self._start_accessibility()
        self._add_infrastructure(_WINDOW_MANAGERS[self._wm], "wm")
        poll(self.windows.has_window_manager, what="starting the window manager", timeout_s=20.0)
        self.windows.wait_managed(timeout_s=20.0)
        if self._compositor:
            self._add_infrastructure(_STARTED["others"]["compositor"], "compositor")
            poll(lambda: self.windows.owns_selection("_NET_WM_CM_S0"), what="starting the compositor", timeout_s=20.0)
        if self._tray == "xembed":
            self._add_infrastructure(_STARTED["others"]["tray"], "tray")
            poll(lambda: self.windows.owns_selection("_NET_SYSTEM_TRAY_S0"), what="starting the tray", timeout_s=20.0)

    def _look(self, display: Display) -> Windows:
        return Windows(display)

    def _paint_background(self) -> None:
        """Give the desktop a colour; compositors ignore the root window's own and look for this property."""
        screen = self.display.screen()
        pixmap = screen.root.create_pixmap(1, 1, screen.root_depth)
        context = pixmap.create_gc(foreground=_BACKGROUND)
        pixmap.fill_rectangle(context, 0, 0, 1, 1)
        screen.root.change_attributes(background_pixmap=pixmap)
        screen.root.clear_area(0, 0, 0, 0)
        atom = self.display.intern_atom("_XROOTPMAP_ID")
        screen.root.change_property(atom, Xatom.PIXMAP, 32, [pixmap.id])
        self.display.sync()

    def _start_accessibility(self) -> None:
        self._add_infrastructure(["at-spi-bus-launcher", "--launch-immediately"], "a11y")
        poll(lambda: self._ask_bus("org.a11y.Bus"), what="starting the accessibility bus")

    def turn_accessibility_on(self) -> None:
        """Turn the desktop's accessibility switch on, as it stands where somebody said yes to it before.

        Chromium looks at it only when it starts, so this comes before the programs. Needs `a11y`.

        Raises:
            EnvironmentFault: the service does not answer.
        """
        path, status = "/org/a11y/bus", "org.a11y.Status"
        properties = "org.freedesktop.DBus.Properties"
        to = "--dest=org.a11y.Bus"
        self._send(to, path, f"{properties}.Set", f"string:{status}", "string:IsEnabled", "variant:boolean:true")
        poll(
            lambda: "boolean true" in self._send(to, path, f"{properties}.Get", f"string:{status}", "string:IsEnabled"),
            what="turning accessibility on",
        )

    def _ask_bus(self, name: str) -> bool:
        answer = self._send(
            *("--dest=org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.NameHasOwner"),
            f"string:{name}",
        )
        return "boolean true" in answer

    def _send(self, *words: str) -> str:
        done = subprocess.run(
            [program("dbus-send"), "--session", "--print-reply", *words],
            env=self.env,
            capture_output=True,
            check=False,
            timeout=10,
        )
        return done.stdout.decode()

    def _add_infrastructure(self, argv: Sequence[str], name: str) -> None:
        self._infrastructure.append(self._start([program(argv[0]), *argv[1:]], name))

    def _start(
        self,
        argv: Sequence[str],
        name: str,
        *,
        extra: Mapping[str, str] | None = None,
        log: Path | None = None,
        cwd: Path | None = None,
        pass_fds: Sequence[int] = (),
    ) -> subprocess.Popen[bytes]:
        output: IO[bytes]
        with (log or self.directory / "log" / f"{name}.log").open("ab") as output:
            return subprocess.Popen(
                argv,
                env=self.env | dict(extra or {}),
                cwd=cwd or self.directory / "home",
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                pass_fds=pass_fds,
            )

    def _end(self) -> None:
        for process in reversed(self._children):
            self.stop(process)
        process_cleanup.end_token_processes(self._token, last=self._server_pid)
        for process in self._infrastructure:
            process.wait()

    def _log_end(self, name: str) -> str:
        lines = (self.directory / "log" / f"{name}.log").read_text(errors="replace").splitlines()
        return lines[-1] if lines else "it wrote no message"


def _write_cookie(path: Path, number: str, cookie: bytes) -> None:
    """Write an Xauthority file with one entry for this host; the server takes the cookie whatever the number."""
    path.touch(mode=0o600)
    parts = (socket.gethostname().encode(), number.encode(), _COOKIE_NAME, cookie)
    packed = b"".join(struct.pack(">H", len(part)) + part for part in parts)
    path.write_bytes(struct.pack(">H", _FAMILY_LOCAL) + packed)


def _read_line(descriptor: int, *, timeout_s: float) -> str:
    """Read one line from a pipe; empty if the writer went away or `timeout_s` passed."""
    line = b""
    while not line.endswith(b"\n"):
        ready, _, _ = select.select([descriptor], [], [], timeout_s)
        chunk = os.read(descriptor, 64) if ready else b""
        if not chunk:
            return ""
        line += chunk
    return line.decode().strip()
