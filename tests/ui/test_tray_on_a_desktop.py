"""The icon and its menu over D-Bus, as panels of today show them, and the small window where no panel does."""

from collections.abc import Iterator

import pytest

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import poll
from tests.fakes.desktop.tray_watcher import TrayWatcher
from tests.fakes.ui.interface_process import Puppet, click, find_button

pytestmark = pytest.mark.display


@pytest.fixture
def watcher(bare_desktop: VirtualDesktop) -> Iterator[TrayWatcher]:
    """Yield a desktop's watcher of icons."""
    with TrayWatcher(bare_desktop.env["DBUS_SESSION_BUS_ADDRESS"]) as made:
        yield made


def test_the_menu_is_used_over_d_bus(bare_desktop: VirtualDesktop, watcher: TrayWatcher) -> None:
    """Every line that is there can be clicked by its label; icon, tool tip and lines follow the status."""
    puppet = Puppet(bare_desktop)
    try:
        poll(lambda: watcher.item, what="finding the icon")
        pictures = set()
        for state, says in (
            ("watching", "Kairos: Watching"),
            ("paused", "Kairos: Paused until you resume"),
            ("private", "Kairos: Private: nothing is watched"),
            ("problem", "Kairos: Something is wrong"),
        ):
            puppet.order("status", state=state)
            poll(lambda says=says: watcher.tooltip() == says, what=says)  # type: ignore[misc]  # bound at once
            pictures.add(watcher.icon())
        puppet.order("status", state="watching", model_off=True)
        poll(lambda: watcher.tooltip() == "Kairos: Watching; a model cannot be asked now", what="the model")
        pictures.add(watcher.icon())
        assert len(pictures) == 5
        puppet.order("status", state="paused")
        poll(lambda: not watcher.lines()["Ask now"][1], what="nothing to ask")
        assert watcher.lines()["Private now"][2] == 0
        for label, call in (
            ("Resume", {"call": "resume"}),
            ("Pause for 15 minutes", {"call": "pause", "seconds": 900.0}),
            ("Private now", {"call": "set_private", "on": True}),
            ("Quit Kairos", {"call": "quit"}),
        ):
            watcher.click(label)
            assert puppet.hear() == call
    finally:
        assert puppet.end() == 0


def test_minutes_are_forgotten_from_the_menu_without_the_timeline(
    bare_desktop: VirtualDesktop, watcher: TrayWatcher
) -> None:
    """The entry brings the question up by itself; a double click on yes forgets once, since the time that was shown."""
    puppet = Puppet(bare_desktop)
    try:
        poll(lambda: watcher.item, what="finding the icon")
        puppet.order("status", state="watching")
        poll(lambda: watcher.lines().get("Forget the last 10 minutes…", (0, False, 0))[1], what="the entry")
        watcher.click("Forget the last 10 minutes…")
        assert puppet.hear() == {"call": "preview_forget", "scope": "last", "day": None}
        puppet.order("forget_report", begin_wall_ns=7)
        bare_desktop.windows.wait(title="Kairos: Forget the last 10 minutes?")
        point = find_button(puppet, "forget_now")
        click(bare_desktop, point)
        click(bare_desktop, point)
        assert puppet.hear() == {"call": "forget", "begin_wall_ns": 7}
        bare_desktop.windows.wait_gone(title="Kairos: Forget the last 10 minutes?")
        puppet.order("forget_report", begin_wall_ns=7, done=True)
        poll(lambda: puppet.ask("button", name="keep")["button"], what="what went; no second call came before")
    finally:
        assert puppet.end() == 0
