"""What a screen reader hears on a German desktop: the desktop's own language is followed."""

import pytest

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import poll
from lab.benchmarks.grounding.reader import reading
from tests.fakes.ui.interface_process import TIMEOUT_S, Puppet

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

            def names() -> set[str]:
                return {element.name for element in reader.elements() if element.name}

            heard = poll(
                lambda: found if "Vergessen" in (found := names()) else None, what="names", timeout_s=TIMEOUT_S
            )
    finally:
        puppet.end()
    assert {"Behalten", "Vergessen"} <= heard
