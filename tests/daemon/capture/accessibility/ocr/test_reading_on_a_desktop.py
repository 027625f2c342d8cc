"""A real window that says nothing of its controls, read off its picture through the capture thread and the fence."""

import pytest

from daemon.capture.accessibility.ocr import reading
from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import poll
from storage.records import ControlRole, Elements, Sense
from tests.fakes.desktop.painter import RunningCapture, running, walking

pytestmark = [
    pytest.mark.display,
    pytest.mark.slow,
    pytest.mark.skipif(not reading.is_installed(), reason="the extra ocr is not installed"),
]


MOST = 4
"""Of six titles of menus; two that stand close together may be taken for one."""


def read(desktop: VirtualDesktop, capture: RunningCapture) -> Elements:
    capture.until(lambda: capture.of(Sense), "the sense")
    desktop.spawn(["mousepad"], "mousepad", env={"NO_AT_BRIDGE": "1"})
    desktop.windows.activate(desktop.windows.wait("mousepad"))
    return poll(lambda: capture.elements(60.0), what="the texts", timeout_s=120.0)


def test_a_window_without_a_tree_is_read_off_its_picture(
    desktop: VirtualDesktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Most menus are there, in their window; the record says how, and has no word of them without the recording."""
    monkeypatch.setattr(reading, "LIMIT_S", 60.0)
    with running(walking(recording=False), desktop) as capture:
        found = read(desktop, capture)
        window = desktop.windows.wait("mousepad")
    assert found.by_ocr
    assert {element.role for element in found.elements} == {ControlRole.TEXT}
    names = {element.name for element in found.elements}
    assert len(names & {"File", "Edit", "Search", "View", "Document", "Help"}) >= MOST
    for element in found.elements:
        assert window.box.x <= element.box.x < window.box.x + window.box.w
    (record, *_) = [row for row in capture.of(Elements) if row.by_ocr]
    assert {element.name for element in record.elements} == {None}
