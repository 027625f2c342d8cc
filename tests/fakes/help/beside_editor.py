"""Kairos beside Mousepad on a desktop of their own, and the rows of its session."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from demo.virtual_desktop.daemon_process import DaemonProcess
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import Windows, open_display, poll, ringed
from storage.records import Box, Element, Elements, Focus, Record
from storage.session.log import SessionReader, list_sessions

SETTINGS = {"policy.quiet_start_s": "0", "capture.understand_controls": "on"}


def rows_of(kairos: DaemonProcess) -> list[Record]:
    with SessionReader(list_sessions(kairos.sessions)[-1]) as reader:
        return list(reader)


def elements_of(rows: list[Record]) -> list[Element]:
    return [element for row in rows if isinstance(row, Elements) for element in row.elements]


def is_ringed(windows: Windows, control: Box) -> bool:
    ring = ringed(windows)
    return ring is not None and max(abs(a - b) for a, b in zip(ring, control, strict=True)) <= 6


@contextmanager
def beside_editor(
    folder: Path, settings: Mapping[str, str], page: str = ""
) -> Iterator[tuple[VirtualDesktop, DaemonProcess, Windows]]:
    """Run Kairos with a page of help about the editor, or without any; Mousepad is in front."""
    with VirtualDesktop((1280, 800), compositor=False, tray="none", a11y=True) as desktop:
        kairos = DaemonProcess(desktop, folder, settings={**SETTINGS, **settings})
        if page:
            (folder / "handbook").mkdir()
            (folder / "handbook" / "count.md").write_text(page)
            kairos.command("library", "add", str(folder / "handbook"), "--app", "mousepad")
        kairos.start()
        display = open_display(desktop.env)
        windows = Windows(display)
        try:
            desktop.spawn(["mousepad"], "mousepad")
            windows.wait("mousepad")
            poll(lambda: any(isinstance(row, Focus) and row.app for row in rows_of(kairos)), what="the editor")
            yield desktop, kairos, windows
        finally:
            kairos.quit()
            display.close()
