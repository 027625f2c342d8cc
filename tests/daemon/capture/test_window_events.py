"""Window changes become few records, and excluded windows none."""

from daemon.capture.accessibility.digests import MAX_AGE_NS, ControlWords
from daemon.capture.fence.rules import Fence
from daemon.capture.scene import DesktopWindow, Scene
from daemon.capture.window_events import DETAIL_NS, MAX_TITLE, YOUNG_NS, WindowEventEmitter, fills_screen
from storage.clock import NS_PER_S
from storage.records import Box, Environment, Focus, Record, Switch, WindowEvent
from storage.settings import FenceSettings
from tests.fakes.desktop.windows import OWN_PID, RIGHT, scene, window


class EmitterHarness:
    """A emitter behind a fence, fed with scenes."""

    def __init__(self, *, record_titles: bool = False) -> None:
        self.fence = Fence(FenceSettings(), OWN_PID)
        self.words = ControlWords()
        self.emitter = WindowEventEmitter(b"k" * 32, record_titles=record_titles, words=self.words)

    def show(self, now_ns: int, *windows: DesktopWindow, active: int = 0) -> list[Record]:
        self.fence.update([scene(*windows, active=active, t_ns=now_ns)], now_ns)
        return self.emit(now_ns)

    def emit(self, now_ns: int) -> list[Record]:
        return self.emitter.emit(self.fence, _environment, now_ns)


def _environment(_: Scene) -> Environment:
    return Environment(full_screen=False)


def _brief(records: list[Record]) -> list[tuple[str, ...]]:
    brief: list[tuple[str, ...]] = []
    for record in records:
        match record:
            case Focus():
                brief.append(("focus", record.app, str(record.window)))
            case WindowEvent():
                brief.append(("gone" if record.gone else "opened", record.app))
            case Switch():
                brief.append(("excluded", str(record.on)))
            case _:
                brief.append((type(record).__name__.lower(),))
    return brief


def _focus(records: list[Record]) -> Focus:
    (found,) = (record for record in records if isinstance(record, Focus))
    return found


EDITOR = window(1, "editor", title="notes")


def test_windows_of_the_first_state_are_not_reported_as_opened() -> None:
    """Windows that were there before are not "opened"; the state of the desktop is reported once."""
    harness = EmitterHarness()
    assert _brief(harness.show(0, EDITOR, active=1)) == [("focus", "editor", "1"), ("environment",)]
    assert harness.emit(NS_PER_S) == []


def test_windows_appear_and_go() -> None:
    """A menu that opens and closes leaves two records; its window keeps its number over a change of focus."""
    harness = EmitterHarness()
    harness.show(0, EDITOR, active=1)
    menu = window(2, "editor", RIGHT, popup=True)
    other = window(3, "calc", RIGHT)
    assert _brief(harness.show(1, EDITOR, menu, active=1)) == [("opened", "editor")]
    assert _brief(harness.show(2, EDITOR, other, active=3)) == [
        ("gone", "editor"),
        ("opened", "calc"),
        ("focus", "calc", "2"),
    ]
    assert _brief(harness.show(3, EDITOR, other, active=1)) == [("focus", "editor", "1")]


def test_a_title_that_may_be_seen_stays_in_memory_for_a_minute() -> None:
    """A search for help starts from it; those of windows that are closed to us are not there."""
    harness = EmitterHarness()
    seen = _focus(harness.show(0, EDITOR, active=1))
    hidden = harness.show(1, EDITOR, window(2, "keepassxc", RIGHT, title="my secret"), active=2)
    assert harness.words.lookup(seen.title_digest, MAX_AGE_NS) == "notes"
    assert harness.words.lookup(seen.title_digest, MAX_AGE_NS + 1) is None
    assert _focus(hidden).title_digest == ""
    assert "my secret" not in str(harness.words._words)


def test_titles_are_recorded_as_keyed_digests_at_most_once_a_second() -> None:
    """Without the recording consent there is no title; a title that keeps changing does not flood the log."""
    harness = EmitterHarness()
    first = _focus(harness.show(0, EDITOR, active=1))
    assert first.title is None
    assert len(first.title_digest) == 16
    assert _brief(harness.show(1, window(1, "editor", title="*notes"), active=1)) == []
    assert harness.emitter.due_ns == DETAIL_NS
    later = harness.emit(DETAIL_NS)
    assert _brief(later) == [("focus", "editor", "1")]
    assert _focus(later).title_digest != first.title_digest
    assert _focus(EmitterHarness(record_titles=True).show(0, EDITOR, active=1)).title == "notes"


def test_an_excluded_window_turns_the_fence_on_and_leaves_nothing_else() -> None:
    """No window opened, no application, no geometry: only that the fence is on, and off again."""
    harness = EmitterHarness()
    harness.show(0, EDITOR, active=1)
    vault = window(2, "KeePassXC", RIGHT, title="secrets")
    records = harness.show(1, EDITOR, vault, active=2)
    assert _brief(records) == [("excluded", "True"), ("focus", "", "0")]
    assert _focus(records).geometry == Box(0, 0, 0, 0)
    assert _brief(harness.show(2, EDITOR, active=1)) == [("focus", "editor", "1")]
    harness.fence.update([], NS_PER_S)
    assert _brief(harness.emit(NS_PER_S)) == [("excluded", "False")]


def test_a_window_not_yet_known_turns_the_fence_on_only_if_it_stays_so() -> None:
    """Most windows are known after a moment; one that never says what it is closes the fence."""
    harness = EmitterHarness()
    harness.show(0, EDITOR, active=1)
    nameless = window(2, None, RIGHT, since_ns=1)
    assert _brief(harness.show(1, EDITOR, nameless, active=2)) == [("focus", "", "0")]
    assert harness.emitter.due_ns == 1 + YOUNG_NS
    assert _brief(harness.emit(1 + YOUNG_NS)) == [("excluded", "True")]


def test_of_a_browser_window_that_may_be_private_no_title_is_recorded() -> None:
    """Program and place are, so that its input counts; the fence is not on."""
    harness = EmitterHarness(record_titles=True)
    harness.show(0, EDITOR, active=1)
    page = window(2, "Chromium", RIGHT, title="Some page - Chromium", role="browser")
    records = harness.show(10 * NS_PER_S, EDITOR, page, active=2)
    assert _brief(records) == [("opened", "Chromium"), ("focus", "Chromium", "2")]
    focus = _focus(records)
    assert (focus.title, focus.title_digest, focus.geometry) == (None, "", RIGHT)


def test_a_long_title_is_recorded_in_part() -> None:
    """The fence sees it whole."""
    harness = EmitterHarness(record_titles=True)
    assert _focus(harness.show(0, window(1, "editor", title="x" * 5000), active=1)).title == "x" * MAX_TITLE


def test_our_own_windows_are_marked() -> None:
    """Focus on a window of ours is marked; that it opened is not worth a record."""
    harness = EmitterHarness()
    harness.show(0, EDITOR, active=1)
    ours = window(2, "kairos", RIGHT, pid=OWN_PID, title="Kairos settings")
    records = harness.show(1, EDITOR, ours, active=2)
    assert _brief(records) == [("focus", "kairos", "0")]
    assert _focus(records).own


def test_a_program_fills_a_screen_with_any_of_its_windows() -> None:
    """Notes beside a presentation and a dialog over it count; another program's film on the second screen does not."""
    slides = window(2, "impress", RIGHT, group=7, full_screen=True)
    notes = window(3, "impress", group=7)
    assert fills_screen(scene(slides, notes, active=2))
    assert fills_screen(scene(slides, notes, active=3))
    assert not fills_screen(scene(slides, EDITOR, active=1))
    assert not fills_screen(scene(notes, EDITOR, active=3))
    assert fills_screen(scene(slides, active=9)), "the active window is not on the screen yet"
    assert not fills_screen(scene(notes))
