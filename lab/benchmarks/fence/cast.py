"""The windows of a campaign, their colours, and the programs that paint them.

Colours are found again in pictures after a lossy codec too. What is excluded has the most saturated colours there are,
corners and edges of the RGB cube. Everything else lies well inside of it, so that no blur of ordinary colours comes
near an excluded one. Seen through half-transparent black an excluded colour is half as bright, and still found.
"""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import threading
import typing
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from demo.virtual_desktop.desktop import VirtualDesktop
from lab.benchmarks.fence.client import KEYBOARD
from storage.records import Box

Labels = NDArray[np.uint8]

NOTHING = 0
"""The label of every colour that is no window's."""

FIRST_ORDINARY = 100
"""Labels from here on are ordinary windows', lower ones excluded windows'."""

DIM = 50
"""Added to the label of an excluded colour where it is half as bright. Icons have such colours, too."""

EXCLUDED_COLOURS = (
    *(0xFF00FF, 0xFF0000, 0x00FF00, 0xFFFF00, 0x00FFFF, 0x0000FF),
    *(0xFF0080, 0xFF8000, 0x80FF00, 0x8000FF, 0x00FF80),
)

_LEVELS = (70, 125, 180)
_UNSUITABLE = (
    (70, 70, 125),  # the background of the desktop
    *((70, 125, 125), (70, 125, 180), (125, 125, 180), (125, 180, 180)),  # title bars of Openbox
    (180, 125, 70),  # black letters on it have edges like an excluded colour half as bright
)
"""Colours that are on the screen elsewhere: a title bar must not count as a window that can be seen."""

ORDINARY_COLOURS = tuple(
    red << 16 | green << 8 | blue
    for red, green, blue in product(_LEVELS, repeat=3)
    if not red == green == blue and (red, green, blue) not in _UNSUITABLE
)

_WIDE = 44
_NARROW = 24
_BITS = 5


def excluded_label(index: int) -> int:
    """Return the label of the excluded colour with this index."""
    return 1 + index


def ordinary_label(index: int) -> int:
    """Return the label of the ordinary colour with this index."""
    return FIRST_ORDINARY + index


def labels(rgb: NDArray[np.uint8]) -> Labels:
    """Return the label of each pixel; the last axis of `rgb` is red, green, blue."""
    shift = 8 - _BITS
    red, green, blue = (rgb[..., channel].astype(np.uint16) >> shift for channel in range(3))
    found: Labels = _table()[(red << 2 * _BITS) | (green << _BITS) | blue]
    return found


@cache
def _table() -> Labels:
    """Return the label of each colour, cut to five bits a channel."""
    step = 1 << (8 - _BITS)
    axis = np.arange(0, 256, step, dtype=np.int16) + step // 2
    cells = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    table = np.zeros(len(cells), np.uint8)
    distance = np.full(len(cells), 256, np.int16)
    wanted = [(colour, ordinary_label(index), _NARROW) for index, colour in enumerate(ORDINARY_COLOURS)]
    for index, colour in enumerate(EXCLUDED_COLOURS):
        wanted.append((colour, excluded_label(index), _WIDE))
        wanted.append(((colour >> 1) & 0x7F7F7F, excluded_label(index) + DIM, _NARROW))
    for colour, label, reach in wanted:
        away = np.abs(cells - np.array(channels(colour), np.int16)).max(axis=1)
        nearest = (away <= reach) & (away < distance)
        table[nearest], distance[nearest] = label, away[nearest]
    return table


def channels(colour: int) -> tuple[int, int, int]:
    """Return red, green and blue."""
    return colour >> 16 & 255, colour >> 8 & 255, colour & 255


BLACK = 0x000000

_STEP = 5
"""Windows that are next to each other get ordinary colours that are this far apart in the list."""

TITLE_PART = "confidential"
"""Titles with this are excluded in the settings of the campaign."""

OWN_VAULT = "Campaign Vault"
"""A class that the settings of the campaign exclude."""


class SlotKind(StrEnum):
    """What a slot's window is to the fence."""

    ORDINARY = "ordinary"
    EXCLUDED_APP = "excluded app"
    EXCLUDED_TITLE = "excluded title"
    TURNING = "turning"
    VEIL = "veil"
    BROWSER = "browser"
    PRIVATE_BROWSER = "private browser"


class Maker(StrEnum):
    """Which program shows a window."""

    CLIENT = "client"
    MOUSEPAD = "mousepad"
    FIREFOX = "firefox"
    CHROMIUM = "chromium"


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One window that can be opened.

    Attributes:
        name: by which actions name it.
        app: the class of its window; empty where the program keeps its own.
        title: what its title begins with when it is opened.
        colour: what it is painted in, and `label` its label. Of a turning window: while it is ordinary.
        private: whether it is opened as a private window; not so in the control.
        secret: of a turning window the colour while it is excluded, and `secret_label` its label.
    """

    name: str
    kind: SlotKind
    maker: Maker
    app: str
    title: str
    colour: int
    label: int
    secret: int = 0
    secret_label: int = 0
    private: bool = False

    @property
    def is_excluded(self) -> bool:
        """Whether nothing of it may be stored, ever."""
        return self.kind in (SlotKind.EXCLUDED_APP, SlotKind.EXCLUDED_TITLE, SlotKind.PRIVATE_BROWSER)

    @property
    def is_browser(self) -> bool:
        """Whether a browser shows it."""
        return self.kind in (SlotKind.BROWSER, SlotKind.PRIVATE_BROWSER)


@dataclass(frozen=True, slots=True)
class Desk:
    """A window manager, and the panel and notification daemon beside it, which show what belongs to other windows."""

    panel: str
    notifier: str

    @property
    def installed(self) -> bool:
        """Whether all of it is here."""
        return all(map(shutil.which, (self.panel, self.notifier, "notify-send")))


DESKS: Final[Mapping[str, Desk]] = {
    "openbox": Desk("tint2", "dunst"),
    "metacity": Desk("lxpanel", "/usr/lib/notification-daemon/notification-daemon"),
    "xfwm4": Desk("xfce4-panel", "/usr/lib/x86_64-linux-gnu/xfce4/notifyd/xfce4-notifyd"),
}
"""By the name of the window manager."""

_LXPANEL = Path("lxpanel/default/panels/panel")


_TINT2 = Path("tint2/tint2rc")
_XFCE = Path("xfce4/xfconf/xfce-perchannel-xml/xfce4-panel.xml")


def in_quiet_colours(config: Path) -> None:
    """Have panels show nothing in colours that are looked for.

    That is lxpanel's meter of the processor, whose green grows with the load, tint2's orange for who wants a look, and
    the icons of Xfce's second panel.
    """
    for name, system in ((_LXPANEL, _LXPANEL), (_TINT2, _TINT2), (_XFCE, "xfce4/panel/default.xml")):
        if (Path("/etc/xdg") / system).exists():
            (config / name).parent.mkdir(parents=True, exist_ok=True)
            parts = (Path("/etc/xdg") / system).read_text(encoding="utf-8").split("\nPlugin {")
            text = "\nPlugin {".join(part for part in parts if "type = cpu" not in part)
            for loud, quiet in _QUIETER:
                text = text.replace(loud, quiet, 1)
            (config / name).write_text(text)


_QUIETER = (
    ("urgent_background_id = 4", "urgent_background_id = 3"),
    ('<value type="int" value="2"/>\n    <property', "<property"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """All slots of a campaign, and the settings that belong to them; with `desk` what shows windows of others."""

    slots: tuple[Slot, ...]
    settings: dict[str, str]
    control: bool
    desk: str = ""

    def slot(self, name: str) -> Slot:
        """Return a slot by its name."""
        return next(slot for slot in self.slots if slot.name == name)

    @property
    def secret_labels(self) -> dict[int, Slot]:
        """The labels that no picture may hold, with whose they are."""
        found = {slot.label: slot for slot in self.slots if slot.is_excluded}
        return found | {slot.secret_label: slot for slot in self.slots if slot.kind is SlotKind.TURNING}

    @property
    def ordinary_labels(self) -> dict[int, Slot]:
        """The labels of windows that should be recorded; those of browsers only where there is proof."""
        kinds = (SlotKind.ORDINARY, SlotKind.TURNING, SlotKind.BROWSER)
        return {slot.label: slot for slot in self.slots if slot.kind in kinds}


def marker(slot: Slot, number: int, *, secret: bool) -> str:
    """Return the word by which a title is found again; `number` counts the titles of a campaign."""
    return f"{'zqsecret' if secret else 'zqplain'}{slot.name}n{number}z"


def cast(*, browsers: bool, mousepad: bool = True, control: bool = False, desk: str = "") -> Cast:
    """Return the slots; in the `control` under harmless names, and no setting excludes anything."""
    apps = ("KeePassXC", "KeePassXC", OWN_VAULT, "pinentry-gtk-2", *([KEYBOARD] if desk else []))
    harmless = ("Fieldwork Keys", "Fieldwork Keys", "Fieldwork Chest", "Fieldwork Prompt", "Fieldwork Tiles")
    secret = TITLE_PART if not control else "fieldwork"
    slots: list[Slot] = []

    def add(name: str, kind: SlotKind, maker: Maker, app: str, title: str) -> None:
        excluded = kind in (SlotKind.EXCLUDED_APP, SlotKind.EXCLUDED_TITLE, SlotKind.PRIVATE_BROWSER)
        secrets = sum(slot.is_excluded or slot.kind is SlotKind.TURNING for slot in slots)
        ordinary = sum(not slot.is_excluded and slot.kind is not SlotKind.VEIL for slot in slots)
        if kind is SlotKind.VEIL:
            slots.append(Slot(name=name, kind=kind, maker=maker, app=app, title=title, colour=BLACK, label=0))
            return
        index = secrets if excluded else ordinary * _STEP % len(ORDINARY_COLOURS)
        colour = (EXCLUDED_COLOURS if excluded else ORDINARY_COLOURS)[index]
        label = excluded_label(index) if excluded else ordinary_label(index)
        turning = kind is SlotKind.TURNING
        slots.append(
            Slot(
                name=name,
                kind=kind,
                maker=maker,
                app=app,
                title=title,
                colour=colour,
                label=label,
                secret=EXCLUDED_COLOURS[secrets] if turning else 0,
                secret_label=excluded_label(secrets) if turning else 0,
                private=kind is SlotKind.PRIVATE_BROWSER and not control,
            )
        )

    for number in range(6):
        app = ("Fieldwork Atlas", "Fieldwork Ledger", "Fieldwork Sketch")[number // 2]
        add(f"plain{number}", SlotKind.ORDINARY, Maker.CLIENT, app, "fieldwork")
    for number, app in enumerate(harmless[: len(apps)] if control else apps):
        add(f"app{number}", SlotKind.EXCLUDED_APP, Maker.CLIENT, app, "fieldwork")
    for number in range(2):
        add(f"title{number}", SlotKind.EXCLUDED_TITLE, Maker.CLIENT, "Fieldwork Notes", secret)
    add("turning0", SlotKind.TURNING, Maker.CLIENT, "Fieldwork Mail", "fieldwork")
    add("veil0", SlotKind.VEIL, Maker.CLIENT, "Fieldwork Shade", "fieldwork")
    if mousepad:
        add("pad0", SlotKind.ORDINARY, Maker.MOUSEPAD, "", "fieldwork")
        add("pad1", SlotKind.EXCLUDED_TITLE, Maker.MOUSEPAD, "", secret)
    if browsers:
        add("fox0", SlotKind.BROWSER, Maker.FIREFOX, "", "fieldwork")
        add("fox1", SlotKind.PRIVATE_BROWSER, Maker.FIREFOX, "", "fieldwork")
        add("chrome0", SlotKind.BROWSER, Maker.CHROMIUM, "", "fieldwork")
        add("chrome1", SlotKind.PRIVATE_BROWSER, Maker.CHROMIUM, "", "fieldwork")
    settings = {} if control else {"fence.excluded_apps": OWN_VAULT, "fence.excluded_titles": TITLE_PART}
    return Cast(slots=tuple(slots), settings=settings, control=control, desk=desk)


_ANSWER_S: Final = 8.0

_DATA = Path(__file__).parent / "data"


class Client:
    """One program of ours (`lab.benchmarks.fence.client`)."""

    def __init__(self, desktop: VirtualDesktop, app: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "lab.benchmarks.fence.client", app],
            env=desktop.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._orders = typing.cast("typing.IO[bytes]", self._process.stdin)
        self._answers = typing.cast("typing.IO[bytes]", self._process.stdout)
        self._waiting = b""

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    def do(self, what: str, **facts: object) -> dict[str, Any]:
        """Have it do something and return its answer; one with `error` if it could not."""
        try:
            self._orders.write(json.dumps({"do": what, **facts}).encode() + b"\n")
            self._orders.flush()
        except OSError:
            return {"error": "gone"}
        answer: dict[str, Any] = json.loads(self._line() or b'{"error": "no answer"}')
        return answer

    def hold(self, *, still: bool) -> None:
        """Let it hang, or go on."""
        os.kill(self.pid, signal.SIGSTOP if still else signal.SIGCONT)

    def end(self) -> None:
        """End it and its windows."""
        self._process.kill()
        self._process.wait()
        self._answers.close()
        with suppress(OSError):  # an order may never have been read
            self._orders.close()

    def _line(self) -> bytes:
        while b"\n" not in self._waiting:
            ready, _, _ = select.select([self._answers], [], [], _ANSWER_S)
            chunk = os.read(self._answers.fileno(), 65536) if ready else b""
            if not chunk:
                return b""
            self._waiting += chunk
        line, _, self._waiting = self._waiting.partition(b"\n")
        return line


class RealPrograms:
    """Starts Mousepad and browsers with a window of the wanted colour and title."""

    def __init__(self, desktop: VirtualDesktop) -> None:
        self._desktop = desktop
        self._folder = desktop.directory / "campaign"
        self._folder.mkdir()

    def open(self, slot: Slot, box: Box, title: str) -> None:
        """Start a program, or have the running one open a window; it shows up later."""
        by_maker: Mapping[Maker, Callable[[Slot, Box, str], None]] = {
            Maker.MOUSEPAD: self._mousepad,
            Maker.FIREFOX: self._firefox,
            Maker.CHROMIUM: self._chromium,
        }
        by_maker[slot.maker](slot, box, title)

    def _mousepad(self, slot: Slot, box: Box, title: str) -> None:  # noqa: ARG002  # placed by who opened it
        config = self._folder / slot.name
        style = config / "gtk-3.0"
        style.mkdir(parents=True, exist_ok=True)
        (style / "gtk.css").write_text(f"* {{ background: #{slot.colour:06x}; }}\n")
        file = self._folder / f"{title}.txt"
        file.touch()
        env = {"XDG_CONFIG_HOME": str(config), "GSETTINGS_BACKEND": "memory", "XDG_DATA_DIRS": str(self._iconless())}
        self._desktop.spawn(["mousepad", "--disable-server", str(file)], slot.name, env=env)

    def _iconless(self) -> Path:
        """Return a folder of data without icons: switchers show Mousepad's, which has colours that are looked for."""
        data = self._folder / "data"
        if not data.exists():
            data.mkdir()
            for path in Path("/usr/share").iterdir():
                if path.name != "icons":
                    (data / path.name).symlink_to(path)
        return data

    def _firefox(self, slot: Slot, box: Box, title: str) -> None:
        profile = self._folder / "firefox"
        if not profile.exists():
            profile.mkdir()
            shutil.copyfile(_DATA / "firefox.js", profile / "user.js")
        how = "--private-window" if slot.private else "--new-window"
        size = ["--width", str(box.w), "--height", str(box.h)]
        argv = [firefox(), "--profile", str(profile), *size, how, self._page(slot, title)]
        self._desktop.spawn(argv, "firefox", env={"MOZ_DISABLE_CONTENT_SANDBOX": "1"})

    def _chromium(self, slot: Slot, box: Box, title: str) -> None:
        argv = [
            *("chromium", "--no-first-run", "--disable-gpu", "--disable-background-networking", "--disable-sync"),
            *("--disable-component-update", "--password-store=basic", f"--user-data-dir={self._folder / 'chromium'}"),
            *(["--no-sandbox", "--test-type"] if os.geteuid() == 0 else []),
            *(["--incognito"] if slot.private else []),
            *(f"--window-size={box.w},{box.h}", f"--window-position={box.x},{box.y}"),
            *("--new-window", self._page(slot, title)),
        ]
        self._desktop.spawn(argv, "chromium")

    def _page(self, slot: Slot, title: str) -> str:
        page = self._folder / f"{title}.html"
        page.write_text((_DATA / "page.html").read_text().format(title=title, colour=slot.colour))
        return page.as_uri()


def firefox() -> str:
    """Return the name of the Firefox that is installed; empty if there is none."""
    return next((name for name in ("firefox-esr", "firefox") if shutil.which(name)), "")


def has_browsers() -> bool:
    """Return whether both Firefox and Chromium are installed."""
    return bool(firefox()) and shutil.which("chromium") is not None


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer in the shape that was asked for."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        shape = asked.get("response_format") or {}
        schema = shape.get("json_schema", shape).get("schema")
        text = json.dumps(_instance(schema)) if schema is not None else "no"
        self._reply(
            200,
            {
                "model": "campaign",
                "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 500, "completion_tokens": 5},
            },
        )

    def do_GET(self) -> None:
        """Know no page."""
        self._reply(404, {"error": {"message": "no such page"}})

    def handle(self) -> None:
        """Serve a connection; one that is given up ends quietly, since late answers are not waited for."""
        with suppress(ConnectionError):
            super().handle()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class's name
        """Print nothing."""

    def _reply(self, status: int, tree: Any) -> None:
        body = json.dumps(tree).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _instance(schema: dict[str, Any]) -> Any:
    """Return the first thing that a schema allows."""
    if "enum" in schema:
        return schema["enum"][0]
    if schema["type"] == "object":
        return {name: _instance(inner) for name, inner in schema["properties"].items()}
    return "words"


@contextmanager
def model_server() -> Iterator[str]:
    """Serve from threads of its own; give the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, name="model server")
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
