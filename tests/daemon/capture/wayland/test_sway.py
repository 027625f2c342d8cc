"""What is made of sway's list: which windows are on the screen, which was there for a moment, and whose list it is."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.capture.scene import Scene
from daemon.capture.wayland.sway import SwayWindows
from demo.virtual_desktop.windows import poll as until
from storage.clock import SystemClock
from storage.errors import EnvironmentFault
from storage.records import Box
from tests.fakes.desktop.sway_socket import SwaySocket, tree, view


@pytest.fixture
def sway(tmp_path: Path) -> Iterator[SwaySocket]:
    server = SwaySocket(tmp_path)
    yield server
    server.close()


def opened(sway: SwaySocket, compositor: int | None = None) -> SwayWindows:
    compositor = os.getpid() if compositor is None else compositor
    return SwayWindows({"SWAYSOCK": str(sway.path)}, SystemClock(), compositor)


def test_windows_come_from_the_tree_bottom_first(sway: SwaySocket) -> None:
    """Floating ones are above; one beside a tiled window of its program is its dialog; other workspaces are hidden."""
    inner = {"x": 2, "y": 20, "width": 96, "height": 78}
    shadow = {"x": 5, "y": 7, "width": 96, "height": 78}
    sway.tree = tree(
        view(1, "editor", focused=True, window_rect=inner, geometry=shadow) | {"shell": "xdg_shell"},
        view(2, "", (100, 0, 50, 50), pid=7, window_properties={"class": "XTerm", "instance": "xterm"}),
        floating=[view(3, "editor", (10, 10, 20, 20), name="Save?", fullscreen_mode=1)],
    )
    windows = opened(sway)
    (scene,) = windows.take_scenes()
    assert [(w.client, w.app, w.dialog) for w in scene.windows] == [
        (1, "editor", False),
        (2, "XTerm", False),
        (3, "editor", True),
    ]
    assert (scene.windows[0].content, scene.windows[0].corner) == (Box(2, 20, 96, 78), (-3, 13))
    assert (scene.windows[1].instance, scene.windows[1].corner) == ("xterm", None)
    assert (scene.windows[2].title, scene.windows[2].full_screen) == ("Save?", True)
    assert [w.client for w in scene.hidden] == [900]
    assert (scene.active, scene.outputs) == (1, (Box(0, 0, 1000, 500),))
    windows.close()


@pytest.mark.parametrize("told", [{"power": False}, {"dpms": False}, {"dpms": True}, {}])
def test_a_monitor_that_is_turned_off_is_known(sway: SwaySocket, told: dict[str, bool]) -> None:
    """Versions of sway call it by different names."""
    sway.tree = tree(view(1, "editor"))
    sway.tree["nodes"][0] |= told
    windows = opened(sway)
    assert bool(windows.dark) is (False in told.values())
    windows.close()


@pytest.mark.parametrize(("layout", "shown"), [("tabbed", [1, 2]), ("stacked", [1, 2]), ("splith", [1])])
def test_a_window_behind_a_tab_counts_as_shown(sway: SwaySocket, layout: str, shown: list[int]) -> None:
    """Its title stands on the tab."""
    sway.tree = tree(view(1, "editor"), view(2, "KeePassXC", visible=False), layout=layout)
    windows = opened(sway)
    assert [window.client for window in windows.take_scenes()[-1].windows] == shown
    windows.close()


def test_a_window_that_came_and_went_is_in_a_state_of_its_own(sway: SwaySocket) -> None:
    """No list that was asked for has it; an event about something else is a reason to ask, and adds no window."""
    sway.tree = tree(view(1, "editor"))
    windows = opened(sway)
    windows.take_scenes()
    sway.tell(view(5, "KeePassXC"))
    seen = poll(windows)
    assert [[window.client for window in scene.windows] for scene in seen] == [[1, 5], [1]]
    asked = sway.asked
    sway.tell(None)
    while sway.asked == asked:
        windows.read()
    assert windows.take_scenes() == ()
    windows.close()


def test_what_appears_later_has_its_time_and_what_did_not_change_is_no_new_state(sway: SwaySocket) -> None:
    sway.tree = tree(view(1, "editor"))
    windows = opened(sway)
    assert windows.take_scenes()[-1].windows[0].since_ns == 0
    windows.refresh()
    assert windows.take_scenes() == ()
    sway.tree = tree(view(1, "editor"), view(2, "viewer"))
    windows.refresh()
    assert [window.since_ns > 0 for window in windows.take_scenes()[-1].windows] == [False, True]
    windows.close()


def test_the_list_of_another_compositor_does_not_count(sway: SwaySocket) -> None:
    """One sway may run inside of another, and the variable name either."""
    with pytest.raises(EnvironmentFault):
        opened(sway, compositor=1)


def test_a_compositor_that_goes_away_is_a_fault(tmp_path: Path) -> None:
    server = SwaySocket(tmp_path)
    windows = opened(server)
    server.close()
    with pytest.raises(EnvironmentFault):
        windows.refresh()
    windows.close()


def poll(windows: SwayWindows) -> list[Scene]:
    """Read until there are new states."""
    while not (found := windows.take_scenes()):
        windows.read()
    return list(found)


def test_the_group_of_the_keyboard_is_followed(sway: SwaySocket) -> None:
    sway.inputs = [{"type": "keyboard", "xkb_active_layout_index": 1}, {"type": "pointer"}]
    windows = opened(sway)
    assert windows.group == 1
    sway.tell(None, input={"type": "keyboard", "xkb_active_layout_index": 2})

    def is_told() -> bool:
        windows.read()
        return windows.group == 2

    until(is_told, what="the other group")
    windows.close()
