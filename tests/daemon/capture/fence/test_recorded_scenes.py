"""What real browsers showed the fence, replayed: its verdict on each window, state by state.

The scenes were recorded by `python -m tests.fakes.browsers.record`; each names the version it comes from.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.capture.fence.rules import Fence, KeyAccess, Visibility
from daemon.capture.scene import DesktopWindow, Scene, remainder
from storage.settings import FenceSettings
from tests.fakes.browsers.scene_file import SceneFile, read_scenes
from tests.fakes.desktop.windows import OWN_PID

DATA = Path(__file__).parent / "data"
FILES = pytest.mark.parametrize("name", sorted(path.stem for path in DATA.glob("*.json")))

ALLOWED, UNKNOWN, UNSETTLED, COVERED = (
    *(Visibility.ALLOWED, Visibility.UNKNOWN, Visibility.UNSETTLED),
    Visibility.COVERED,
)


def played(recorded: SceneFile) -> Iterator[tuple[Fence, Scene]]:
    """Give a fence each state at its time, and each moment between at which it has to look again."""
    fence = Fence(FenceSettings(), OWN_PID)
    for scene in recorded.scenes:
        while fence.next_ns is not None and fence.next_ns < scene.t_ns:
            fence.update([], fence.next_ns)
            yield fence, fence.scene
        fence.update([scene], scene.t_ns)
        yield fence, scene


def kind(window: DesktopWindow, label: str) -> str:
    """Return what a window is: by whom it was opened, its role or that it is a menu, and whether it is a satellite."""
    return f"{label} {window.role or ('menu' if window.popup else 'without class')}"


@FILES
def test_private_windows_are_never_seen(name: str) -> None:
    """Neither they nor what belongs to them is ever allowed, and no part of them on the screen is open."""
    recorded = read_scenes(DATA / f"{name}.json")
    private = {client for client, label in recorded.labels.items() if label != "ordinary"}
    seen = 0
    for fence, scene in played(recorded):
        for number, window in enumerate(scene.windows):
            if window.client in private:
                seen += 1
                assert fence.visibility(window.client) is not ALLOWED
                if remainder(window.box, [above.box for above in scene.windows[number + 1 :] if above.opaque]):
                    assert not remainder(window.box, fence.zones.hidden)
    assert seen > 5


@FILES
def test_with_the_fence_off_they_would_be(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check above can fail."""
    monkeypatch.setattr(Fence, "_classify", lambda *_, **__: ALLOWED)
    recorded = read_scenes(DATA / f"{name}.json")
    private = {client for client, label in recorded.labels.items() if label != "ordinary"}
    assert any(
        fence.visibility(client) is ALLOWED and not fence.zones.hidden
        for fence, _ in played(recorded)
        for client in private
    )


@FILES
def test_the_verdict_on_each_kind_of_window(name: str) -> None:
    """Everything that windows of a kind were at any time, as it was found to be right."""
    recorded = read_scenes(DATA / f"{name}.json")
    verdicts: dict[str, set[Visibility]] = {}
    for fence, scene in played(recorded):
        for window in scene.windows:
            if window.client in recorded.labels:
                found = kind(window, recorded.labels[window.client])
                verdicts.setdefault(found, set()).add(fence.visibilities[window.client])
    assert verdicts == VERDICTS[name]


def test_keys_count_while_a_menu_of_chromium_is_open() -> None:
    """It has no class and takes the keyboard to itself; it is as known as the window below."""
    recorded = read_scenes(DATA / "chromium_windows.json")
    keys = [
        fence.zones.keys
        for fence, scene in played(recorded)
        if any(window.popup and window.client in recorded.labels for window in scene.windows)
    ]
    assert set(keys) == {KeyAccess.OPEN}


VERDICTS: dict[str, dict[str, set[Visibility]]] = {
    "chromium_begun_private": {"private browser": {COVERED}},
    "chromium_dialogs": {
        "ordinary browser": {UNSETTLED, UNKNOWN},
        "private browser": {UNSETTLED, UNKNOWN},
        "private GtkFileChooserDialog": {UNSETTLED, UNKNOWN},
    },
    "chromium_panels": {
        "ordinary browser": {UNSETTLED, UNKNOWN},
        "private browser": {UNSETTLED, UNKNOWN},
        "private pop-up": {UNSETTLED, UNKNOWN},  # a document taken out of its window
        "private without class": {UNSETTLED, UNKNOWN},  # a video taken out of its window
    },
    "chromium_titles": {"ordinary browser": {UNSETTLED, UNKNOWN}, "private browser": {UNSETTLED, UNKNOWN}},
    "chromium_windows": {
        "ordinary browser": {UNSETTLED, UNKNOWN},
        "private browser": {UNSETTLED, UNKNOWN},
        "private menu": {UNKNOWN},
        "private pop-up": {UNSETTLED, UNKNOWN},  # a pop-up window, and applications
    },
    "firefox_panels": {
        "ordinary browser": {UNSETTLED, UNKNOWN, ALLOWED},
        "private browser": {UNSETTLED, COVERED},
        "private PictureInPicture": {COVERED},
        "program Organizer": {COVERED},
        "program webconsole": {COVERED},
    },
    "firefox_titles": {"ordinary browser": {UNSETTLED, UNKNOWN, ALLOWED}, "private browser": {UNSETTLED, COVERED}},
    "firefox_windows": {
        "ordinary browser": {UNSETTLED, UNKNOWN, ALLOWED},
        "private browser": {COVERED},
        "private Popup": {COVERED},
        "private GtkFileChooserDialog": {COVERED},
        "private page-info": {COVERED},
    },
}
"""A private window of Firefox is unsettled until its title says so."""
