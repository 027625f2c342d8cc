"""The programs of the tasks: how each is started with a fresh document, and what it has saved or set."""

import os
import re
import signal
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import WindowInfo, poll
from lab.simulation.programs.office.files import write_profile
from storage.clock import SystemClock
from storage.errors import EnvironmentFault

_NAMES = ("office", "text", "style", "table", "presentation", ("draw", "drawing"), ("svg", "svg-compatible"))
_SPACES = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{long}:1.0"'
    for short, long in (name if isinstance(name, tuple) else (name, name) for name in _NAMES)
)
_LINES = ("alpha beta gamma", "delta epsilon", "zeta eta theta iota", "kappa lambda")
_LAYOUT_S = 2.5
_SAVED_S = 6.0
_WITH_PRECISION, _WITH_LONG_PLACES = 4, 11
"""Versions of the format of GIMP from which on pictures say how precise their pixels are, and places have 64 bits."""

KEYFILE = Path("config") / "glib-2.0" / "settings" / "keyfile"


def _flat(kind: str, body: str) -> str:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document {_SPACES} office:version="1.3" '
        f'office:mimetype="application/vnd.oasis.opendocument.{kind}"><office:body>{body}</office:body></office:document>'
    )


def _sheet() -> str:
    cell = '<table:table-cell office:value-type="{}"{}><text:p>{}</text:p></table:table-cell>'
    rows = [[cell.format("string", "", name) for name in ("Item", "North", "South")]]
    for name, *values in (("pears", 7, 3), ("apples", 5, 9), ("plums", 2, 8)):
        rows.append([cell.format("string", "", name)])
        rows[-1] += [cell.format("float", f' office:value="{value}"', value) for value in values]
    table = "".join(f"<table:table-row>{''.join(row)}</table:table-row>" for row in rows)
    sheet = f'<table:table table:name="One">{table}</table:table>'
    return _flat("spreadsheet", f"<office:spreadsheet>{sheet}</office:spreadsheet>")


def _text() -> str:
    lines = "".join(f"<text:p>{line}</text:p>" for line in _LINES)
    return _flat("text", f"<office:text>{lines}</office:text>")


def _slides() -> str:
    frame = '<draw:frame svg:x="2cm" svg:y="2cm" svg:width="20cm" svg:height="3cm"><draw:text-box>{}</draw:text-box>'
    pages = "".join(
        f'<draw:page draw:name="{name}">{frame.format(f"<text:p>{name}</text:p>")}</draw:frame></draw:page>'
        for name in ("one", "two")
    )
    return _flat("presentation", f"<office:presentation>{pages}</office:presentation>")


def _picture() -> bytes:
    """Return a picture of GIMP, one layer of 60 by 40 pixels, written by hand: it is saved without a question."""

    def numbers(*values: int) -> bytes:
        return struct.pack(f">{len(values)}I", *values)

    width, height = 60, 40
    end = numbers(0, 0)
    head = b"gimp xcf file\0" + numbers(width, height, 0) + numbers(17, 1) + b"\0" + end
    layer_at = len(head) + 12
    layer = numbers(width, height, 0, 6) + b"first\0" + numbers(6, 4, 255, 8, 4, 1) + end
    planes_at = layer_at + len(layer) + 8
    plane_at = planes_at + 20
    planes = numbers(width, height, 3, plane_at, 0)
    pixels = bytes(range(60)) * (width * height * 3 // 60)
    plane = numbers(width, height, plane_at + 16, 0)
    return head + numbers(layer_at, 0, 0) + layer + numbers(planes_at, 0) + planes + plane + pixels


def _told(picture: bytes) -> str:
    """Return what tasks want to know of a picture of GIMP: mode, size, whether it has alpha, and its layers."""
    version = int(picture[10:13]) if picture[9:10] == b"v" else 0
    width, height, mode = struct.unpack(">3I", picture[14:26])
    at = 30 if version >= _WITH_PRECISION else 26
    while (prop := struct.unpack(">2I", picture[at : at + 8])) != (0, 0):
        at += 8 + prop[1]
    size, code = (8, ">Q") if version >= _WITH_LONG_PLACES else (4, ">I")
    places = []
    while place := struct.unpack(code, picture[at + 8 : at + 8 + size])[0]:
        places.append(place)
        at += size
    kind = struct.unpack(">I", picture[places[0] + 8 : places[0] + 12])[0]
    alpha = "alpha" if kind % 2 else "solid"
    return f"{('rgb', 'gray', 'indexed')[mode]} {width}x{height} {alpha} layers {len(places)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """How a program is started: its words before the file, the file, its class, and how a file is read.

    One that `stays` opens the documents of all tasks; others are started anew, with the settings that they saved.
    """

    argv: Sequence[str]
    suffix: str
    content: Callable[[], str | bytes]
    app: str
    read: Callable[[bytes], str] = bytes.decode
    stays: bool = False
    env: Mapping[str, str] = field(default_factory=dict)


_OFFICE = ("soffice", "--norestore", "--nologo", "--nofirststartwizard")


def _lines() -> str:
    return "\n".join(_LINES)


_SETTINGS_IN_A_FILE = {"GSETTINGS_BACKEND": "keyfile"}
_GTK2 = {"GTK_MODULES": "gail:atk-bridge"}
"""Without these, of the packages libgail-common and libatk-adaptor, GTK 2 says nothing of its controls."""

PROGRAMS: Mapping[str, Program] = {
    "calc": Program(argv=_OFFICE, suffix=".fods", content=_sheet, app="libreoffice-calc", stays=True),
    "writer": Program(argv=_OFFICE, suffix=".fodt", content=_text, app="libreoffice-writer", stays=True),
    "impress": Program(argv=_OFFICE, suffix=".fodp", content=_slides, app="libreoffice-impress", stays=True),
    "gimp": Program(argv=("gimp", "-s"), suffix=".xcf", content=_picture, app="Gimp", read=_told, env=_GTK2),
    "mousepad": Program(argv=("mousepad", "--disable-server"), suffix=".txt", content=_lines, app="Mousepad"),
    "gnome-text-editor": Program(
        argv=("gnome-text-editor", "--standalone"), suffix=".txt", content=_lines, app="gnome-text-editor"
    ),
}


class ProgramWithTasks:
    """One program on a desktop, with a fresh document for each task: one at a time, in front."""

    def __init__(self, desktop: VirtualDesktop, name: str) -> None:
        self.desktop = desktop
        self.facts = PROGRAMS[name]
        self._clock = SystemClock()
        self._count = 0
        self._last: WindowInfo | None = None
        self.path = Path()
        self._profile = desktop.directory / "office"
        if self.facts.stays:
            write_profile(self._profile)
        keyfile = desktop.directory / KEYFILE
        keyfile.parent.mkdir(parents=True)
        keyfile.write_text("[org/gnome/TextEditor]\nrestore-session=false\n")

    def open(self) -> WindowInfo:
        """Open a fresh document in the program, in front and alone, and return its window.

        Raises:
            EnvironmentFault: the program does not come up.
        """
        self._count += 1
        self.path = self.desktop.directory / "home" / f"task{self._count}{self.facts.suffix}"
        content = self.facts.content()
        self.path.write_bytes(content.encode() if isinstance(content, str) else content)
        windows, last = self.desktop.windows, self._last
        if last is not None and not self.facts.stays:
            self._end(last)
        window = self._start()
        if last is not None and self.facts.stays:
            windows.close(last)
            try:
                windows.wait_gone(title=last.title, timeout_s=_SAVED_S)
            except EnvironmentFault:  # it asks something: nobody has to answer
                self._end(last)
                window = self._start()
        windows.maximise(window)
        poll(lambda: windows.is_active(window), what="activating the program")
        self._clock.sleep_s(_LAYOUT_S)
        self._last = windows.refresh(window) or window
        return self._last

    def _start(self) -> WindowInfo:
        """Start the program with the document, or have the running one open it."""
        argv = [*self.facts.argv, str(self.path)]
        if self.facts.stays:
            argv.insert(1, f"-env:UserInstallation={self._profile.as_uri()}")
        self.desktop.spawn(argv, f"program{self._count}", env={**self.facts.env, **_SETTINGS_IN_A_FILE})
        return self.desktop.windows.wait(title=self.path.stem, timeout_s=90)

    def _end(self, window: WindowInfo) -> None:
        """End the program of a window."""
        os.kill(window.pid, signal.SIGKILL)
        self.desktop.windows.wait_gone(title=window.title)

    def text(self) -> str:
        """Return the document as it was saved last."""
        return self.facts.read(self.path.read_bytes())

    def wait_saved(self, pattern: str) -> bool:
        """Return whether the document matches a pattern, once it was saved."""
        return self._wait(lambda: re.search(pattern, self.text()) is not None)

    def wait_setting(self, group: str, key: str, value: str) -> bool:
        """Return whether a setting has a value, or gets it in a moment."""
        return self._wait(lambda: self._setting(group, key) == value)

    def wait_window(self, title: str) -> bool:
        """Return whether a window of a title is there, or comes in a moment."""
        return self._wait(lambda: self.desktop.windows.find(title=title) is not None)

    def _setting(self, group: str, key: str) -> str:
        file = self.desktop.directory / KEYFILE
        text = file.read_text() if file.exists() else ""
        found = re.search(rf"^\[{re.escape(group)}\]\n(?:(?!\[).*\n)*?{re.escape(key)}=(.*)$", text, re.MULTILINE)
        return found[1] if found else ""

    def _wait(self, check: Callable[[], bool]) -> bool:
        try:
            return poll(lambda: check() or None, what="the state that is wanted", timeout_s=_SAVED_S)
        except EnvironmentFault:
            return False
