"""Which names prove what, and to which window a name belongs."""

from typing import Any

import pytest

from daemon.capture.accessibility.browsers import BrowserProofs, verdict
from daemon.capture.control_source import BrowserWindowNamed
from daemon.capture.fence.rules import Fence, Proof, Visibility
from daemon.capture.scene import DesktopWindow
from storage.clock import NS_PER_S
from storage.records import Box
from storage.settings import FenceSettings
from tests.fakes.desktop.windows import OWN_PID, scene, window

PID = 9
LEFT, RIGHT = Box(0, 0, 600, 500), Box(700, 0, 600, 500)


def browser(client: int, title: str, box: Box = LEFT, **more: Any) -> DesktopWindow:
    values = {"pid": PID, "program": frozenset({"chromium"}), "role": "browser", "group": 5, "title": title} | more
    return window(client, "Chromium", box, **values)


def named(key: str, name: str, box: Box = LEFT, pid: int = PID) -> BrowserWindowNamed:
    """Return what the browser calls a window; its own place leaves out the decorations."""
    inner = Box(box.x + 1, box.y + 24, box.w - 2, box.h - 25)
    return BrowserWindowNamed(t_ns=1, pid=pid, key=key, name=name, box=inner)


@pytest.mark.parametrize(
    ("name", "proof"),
    [
        ("T - Chromium", Proof.ORDINARY),
        ("T - Chromium (Incognito)", Proof.PRIVATE),
        ("T - Chromium (Inkognito)", Proof.PRIVATE),
        ("T - Chromium (シークレット)", Proof.PRIVATE),
        ("T - Chromium (Incognito) - Chromium", Proof.ORDINARY),
        ("T - Chromium - Chromium (Incognito)", Proof.PRIVATE),
        ("T - Chromium - Work", None),
        ("T - Chromium ", None),
        ("T - Chromium\N{RIGHT-TO-LEFT MARK}", None),
        ("T - Google Chrome", None),
        (" - Chromium", None),
        ("Chromium", None),
        ("", None),
    ],
)
def test_what_a_name_proves(name: str, proof: Proof | None) -> None:
    """The last characters alone count, which no page writes; nothing is trimmed or searched for inside."""
    assert verdict(name) is proof


def test_a_proven_window_is_seen_and_a_private_one_beside_it_covered() -> None:
    """Each by its own name, and for as long as it exists, whatever its page calls it."""
    found, fence = BrowserProofs(), Fence(FenceSettings(settle_s=0.0), OWN_PID)
    first = scene(browser(1, "A - Chromium"), browser(2, "B - Chromium", RIGHT), active=1)
    fence.update([first], NS_PER_S)
    assert set(fence.visibilities.values()) == {Visibility.UNKNOWN}
    found.note([named("/1", "A - Chromium"), named("/2", "B - Chromium (Incognito)", RIGHT)])
    fence.prove(found.proofs(first))
    fence.update([], NS_PER_S)
    assert fence.visibilities == {1: Visibility.ALLOWED, 2: Visibility.COVERED}
    later = scene(browser(1, "C - Chromium"), browser(2, "D - Chromium", RIGHT), active=1)
    found.note([named("/2", "D - Chromium", RIGHT)])
    fence.prove(found.proofs(later))
    fence.update([later], 2 * NS_PER_S)
    assert fence.visibilities == {1: Visibility.ALLOWED, 2: Visibility.COVERED}


def test_a_window_that_takes_the_number_of_another_has_nothing_proven() -> None:
    """A number may be used again once its window is gone, and so may a frame's path."""
    found = BrowserProofs()
    found.note([named("/1", "A - Chromium")])
    assert found.proofs(scene(browser(1, "A - Chromium"))) == {1: Proof.ORDINARY}
    assert found.proofs(scene()) == {}
    found.note([named("/1", "")])
    assert found.proofs(scene(browser(1, "A - Chromium"))) == {}


@pytest.mark.parametrize(
    "windows",
    [
        [browser(1, "A - Chromium"), browser(2, "A - Chromium")],
        [browser(1, "A - Chromium", pid=PID + 1)],
        [browser(1, "B - Chromium")],
        [browser(1, "A - Chromium", RIGHT)],
        [browser(1, "A - Chromium", role="pop-up")],
        [browser(1, "A - Chromium", program=frozenset())],
        [browser(1, "A - Chromium", readable=False)],
        [
            window(
                1, "Google-chrome", LEFT, pid=PID, program=frozenset({"chrome"}), role="browser", title="A - Chromium"
            )
        ],
    ],
)
def test_what_does_not_fit_one_window_alone_proves_nothing(windows: list[DesktopWindow]) -> None:
    """Two that look the same, another process, title or place, a window of another kind or browser."""
    found = BrowserProofs()
    found.note([named("/1", "A - Chromium")])
    assert found.proofs(scene(*windows)) == {}


def test_two_frames_for_one_window_prove_nothing() -> None:
    """One of them is private, and which one it is cannot be known."""
    found = BrowserProofs()
    found.note([named("/1", "A - Chromium"), named("/2", "A - Chromium (Incognito)")])
    assert found.proofs(scene(browser(1, "A - Chromium"))) == {}


def test_a_proof_opens_nothing_that_is_excluded_or_private() -> None:
    """It only ever decides about a window that is unknown."""
    for excluded, title in ((("chromium",), "A - Chromium"), ((), "Bitwarden - Chromium")):
        fence = Fence(FenceSettings(settle_s=0.0, excluded_apps=excluded), OWN_PID)
        fence.update([scene(browser(1, title))], NS_PER_S)
        fence.prove({1: Proof.ORDINARY})
        fence.update([], NS_PER_S)
        assert fence.visibility(1) is Visibility.COVERED
