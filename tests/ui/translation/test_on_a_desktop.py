"""What a screen reader hears on a German desktop: the desktop's own language is followed."""

import pytest

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import poll
from tests.fakes.ui.interface_process import TIMEOUT_S, Puppet
from tests.fakes.ui.window_process import reading

pytestmark = pytest.mark.display

TITLE = "Kairos: Die letzten 10 Minuten vergessen?"


def test_a_screen_reader_hears_the_language_of_the_desktop(
    bare_desktop: VirtualDesktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By `LANGUAGE` alone, without a setting: title and buttons of a question."""
    bare_desktop.turn_accessibility_on()
    monkeypatch.setitem(bare_desktop.env, "LANGUAGE", "de_AT:en")
    puppet = Puppet(bare_desktop)
    try:
        puppet.order("forget_report", kept="1", out_of_reach=["2"])
        window = bare_desktop.windows.wait(title=TITLE)
        with reading(bare_desktop, window) as reader:

            def hears_both() -> bool:
                return {"Behalten", "Vergessen"} <= {element.name for element in reader.elements()}

            poll(hears_both, what="the names of both buttons", timeout_s=TIMEOUT_S)
    finally:
        puppet.end()
