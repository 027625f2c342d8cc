"""Private windows of Debian's Chromium and Firefox leave nothing, their ordinary windows as much as can be proven.

Needs the packages of packaging/debian-browsers.txt, which `./test --full` installs; without them these tests fail.
"""

from collections.abc import Callable

import pytest

from daemon.capture.fence.rules import LINGER_NS, Fence, Visibility
from daemon.capture.fence.traits import TraitReader
from daemon.capture.scene import intersection
from storage.clock import NS_PER_S
from storage.errors import EnvironmentFault
from storage.records import Box, EventKind, Frame, InputEvent
from storage.settings import FenceSettings
from tests.fakes.browsers.programs import Browser, Chromium, Firefox
from tests.fakes.browsers.stage import MARK, ORDINARY, PAGE, PRIVATE, BrowserStage, browsing
from tests.fakes.browsers.stories import STORIES, open_ordinary

pytestmark = [pytest.mark.display, pytest.mark.slow]

BROWSERS = pytest.mark.parametrize("program", [Chromium, Firefox], ids=["chromium", "firefox"])
LEAST = 0.9
"""The share of what is done in ordinary windows that must be counted."""


@pytest.mark.parametrize("name", STORIES)
def test_private_windows_of_real_browsers_leave_no_pixel_and_no_title(name: str) -> None:
    """Whatever they are called and open; of the ordinary window beside there are pixels where it proves to be one."""
    story = STORIES[name]
    with browsing() as stage:
        story.play(stage)
    assert {colour: stage.capture.recorded[colour] for colour in PRIVATE} == dict.fromkeys(PRIVATE, 0)
    assert {colour: stage.capture.in_ring[colour] for colour in PRIVATE} == dict.fromkeys(PRIVATE, 0)
    assert stage.leaks() == []
    assert (stage.capture.recorded[ORDINARY] > 0) is story.proves


@pytest.mark.parametrize("name", STORIES)
def test_with_the_fence_off_all_of_it_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same scripts show each colour and title to the same search."""
    monkeypatch.setattr(Fence, "_classify", lambda *_, **__: Visibility.ALLOWED)
    story = STORIES[name]
    with browsing() as stage:
        story.play(stage)
    assert all(stage.capture.recorded[colour] > 0 for colour in story.colours)
    assert all(stage.capture.in_ring[colour] > 0 for colour in story.colours)
    assert any(MARK in repr(record) for record in stage.leaks())


@pytest.mark.parametrize("proof", ["profile", "title alone"])
def test_a_firefox_that_never_remembers_leaves_nothing(proof: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its titles look ordinary; without the look at its profile they and its page would be recorded."""
    if proof == "title alone":
        monkeypatch.setattr("daemon.capture.programs.processes.has_ordinary_profile", lambda *_: True)
    with browsing() as stage:
        firefox = Firefox(stage.desktop, remembers=False)
        firefox.open(stage.pages.url(f"{MARK}-1", PAGE, f"a page {MARK}"))
        stage.pages.wait(f"{MARK}-1", "shown")
        stage.shown(PAGE)
        stage.frame()
    assert (stage.capture.recorded[PAGE] == 0) is (proof == "profile")
    assert (stage.leaks() == []) is (proof == "profile")


@BROWSERS
def test_what_is_done_in_ordinary_browser_windows_counts(program: Callable[..., Browser]) -> None:
    """Keys, clicks and changes in a page, and what is typed into the address, where a list opens below it."""
    with browsing() as stage:
        open_ordinary(stage, program(stage.desktop))
        box = stage.front("plain page").box
        stage.capture.clock.sleep_s(2 * LINGER_NS / NS_PER_S)  # what comes just as it is known is dropped with before
        stage.click("plain page")
        stage.capture.until(lambda: count_clicks(stage), "counting a click")
        stage.frame()
        # Where something paints by itself, no change below would say anything.
        stage.capture.until(lambda: is_still(stage, box), "a page that stands still", 30.0)
        keys, clicks = stage.capture.keys(), count_clicks(stage)
        changes = 0
        for number in range(24):
            pressed_ns = stage.capture.clock.now_ns()
            stage.hands.key("x")
            stage.pages.wait("plain", f"key {number + 1}")
            changes += waited(stage, lambda: changed_since(stage, pressed_ns, box))  # noqa: B023  # called at once
            stage.capture.clock.sleep_s(0.7)
        for number in range(12):
            stage.hands.click(box.x + 320 + number, box.y + box.h - 40)
            stage.capture.clock.sleep_s(0.1)
        for number in range(4):
            stage.hands.chord("Control_L", "l")
            for letter in "abcdefgh":
                stage.hands.key(letter)
                stage.capture.clock.sleep_s(0.12)
            stage.hands.key("Escape")
            stage.hands.click(box.x + 320 + number, box.y + box.h - 40)
        stage.frame()
        got_keys, got_clicks = stage.capture.keys() - keys, count_clicks(stage) - clicks
    done_keys, done_clicks = 24 + 4 * (2 + 8 + 1), 12 + 4
    print(
        f"\n{program.__name__}: keys {got_keys}/{done_keys}, clicks {got_clicks}/{done_clicks}, changes {changes}/24, "
        f"quarter-pixels of the page {stage.capture.recorded[ORDINARY]}"
    )
    assert LEAST * done_keys <= got_keys <= done_keys
    assert LEAST * done_clicks <= got_clicks <= done_clicks
    assert changes >= LEAST * 24
    assert (stage.capture.recorded[ORDINARY] > 0) is (program is Firefox)


def test_no_title_of_a_new_private_window_looks_ordinary_before_it_has_settled() -> None:
    """Firefox marks a private window late: twenty of them, opened one after the other; the delay is printed."""
    settings = FenceSettings()
    reader = TraitReader((), ())
    with browsing() as stage:
        firefox = Firefox(stage.desktop)
        open_ordinary(stage, firefox)
        for number in range(20):
            title = f"number {number:02} "
            with stage.opening("private", title):
                firefox.open(stage.pages.url(f"{MARK}-{number}", PRIVATE[0], f"{title} {MARK}"), private=True)
                stage.pages.wait(f"{MARK}-{number}", "shown")
                stage.window(title)
            stage.close(title)
    delays, ordinary = [], []
    for window in stage.labelled("private"):
        seen = [
            (scene.t_ns, found)
            for scene in stage.log.scenes
            for found in scene.windows
            if found.client == window.client and found.role == "browser"
        ]
        marked = [t_ns - found.since_ns for t_ns, found in seen if "private" in found.title.lower()]
        if marked:
            delays.append(marked[0] / NS_PER_S)
        ordinary += [t_ns - found.since_ns for t_ns, found in seen if reader.traits(found).ordinary]
    delays.sort()
    print(
        f"\nmark after the window maps: n={len(delays)} median {delays[len(delays) // 2]:.3f} s, max {delays[-1]:.3f} s"
    )
    print(f"states in which a private window's title looked ordinary: {len(ordinary)}")
    assert len(delays) >= 20
    assert all(after_ns < settings.settle_s * NS_PER_S for after_ns in ordinary)


def changed_since(stage: BrowserStage, t_ns: int, box: Box) -> bool:
    frames = [frame for frame in stage.capture.of(Frame) if frame.t_ns >= t_ns]
    return any(intersection(changed, box) for frame in frames for changed in frame.changed)


def is_still(stage: BrowserStage, box: Box) -> bool:
    began_ns = stage.capture.clock.now_ns()
    stage.capture.clock.sleep_s(2.0)
    return not changed_since(stage, began_ns, box)


def waited(stage: BrowserStage, check: Callable[[], bool]) -> bool:
    try:
        stage.capture.until(check, "a change", 10.0)
    except EnvironmentFault:
        return False
    return True


def count_clicks(stage: BrowserStage) -> int:
    return sum(event.kind is EventKind.BUTTON_DOWN for event in stage.capture.of(InputEvent))
