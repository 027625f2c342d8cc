"""The recipe "a capture backend": the real capture thread records a scripted desktop, without a display."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pkgutil import resolve_name
from typing import Any, TypeVar

import pytest

from daemon.capture.accessibility.sense import ControlSense
from daemon.capture.backend import BACKENDS, CaptureBackend, open_backend
from daemon.capture.control_source import DialogOpened, FocusMoving, Observation
from daemon.capture.fence.exclusions import Exclusions
from daemon.capture.gate import Gate
from daemon.capture.observer import DesktopObserver
from daemon.capture.programs.terminals import TerminalEcho
from daemon.capture.surroundings.source import Condition, ConditionSource, Report
from daemon.capture.thread import CaptureSession, CaptureThread
from demo.virtual_desktop.windows import poll
from storage.capabilities import Capabilities, Capability, Level
from storage.clock import SystemClock
from storage.errors import EnvironmentFault
from storage.records import (
    Box,
    ControlRole,
    DialogSeen,
    Dropped,
    EventKind,
    Focus,
    Frame,
    InputEvent,
    KeyClass,
    Problem,
    Record,
    Sense,
    Switch,
    SwitchName,
    WindowEvent,
)
from storage.session.video import Picture, VideoPlan
from storage.settings import CaptureSettings, FenceSettings, Settings
from tests.fakes.accessibility.controls import ScriptedControls
from tests.fakes.desktop.conformance import check_backend
from tests.fakes.desktop.scripted_backend import SCREEN, Click, Paint, Press, ScriptedBackend, Show
from tests.fakes.desktop.windows import window

SETTINGS = Settings(capture=CaptureSettings(active_fps=10.0, passive_fps=10.0, drain_s=0.05, store_width=SCREEN.w))
EDITOR = window(1, "Editor", Box(0, 0, 320, 320), title="notes")
OTHER_BOX = Box(320, 64, 256, 128)
SECRET = 250
LIMIT_S = 30.0

R = TypeVar("R", bound=Record)


class Recording:
    """What a capture thread handed over, and the backend that it observes."""

    def __init__(self) -> None:
        self.backend = ScriptedBackend(SystemClock())
        self.records: list[Record] = []
        self.pictures: list[Picture] = []
        self.gate = Gate()
        self.capture: CaptureThread | None = None
        self._arrived = threading.Condition()

    def of(self, kind: type[R]) -> list[R]:
        return [record for record in tuple(self.records) if isinstance(record, kind)]

    def until(self, check: Callable[[], object], what: str) -> None:
        with self._arrived:
            assert self._arrived.wait_for(check, LIMIT_S), f"{what} did not come"

    def take(self, records: Sequence[Record]) -> None:
        with self._arrived:
            self.records.extend(records)
            self._arrived.notify_all()

    def keep(self, picture: Picture) -> bool:
        self.pictures.append(picture)
        return True


class LateControls(ScriptedControls):
    """Reports what a test gives it, when it does."""

    def __init__(self) -> None:
        super().__init__()
        self.loop: asyncio.AbstractEventLoop | None = None

    async def watch(self, report: Callable[[Observation], None]) -> None:
        self.loop, self._report = asyncio.get_running_loop(), report
        await super().watch(report)

    def say(self, observation: Observation) -> None:
        """Report it, in the thread of the sense, and return once that is done."""
        assert self.loop is not None
        done = threading.Event()

        def tell() -> None:
            self._report(observation)
            done.set()

        self.loop.call_soon_threadsafe(tell)
        assert done.wait(LIMIT_S)


@contextmanager
def recording(
    controls: LateControls | None = None, exclusions: Exclusions | None = None, **agreed: str
) -> Iterator[Recording]:
    result = Recording()
    result.capture = capture = CaptureThread(
        clock=SystemClock(),
        settings=SETTINGS,
        gate=result.gate,
        session=CaptureSession(
            key=b"k" * 32, record_titles=True, plan=VideoPlan(300.0), controls=controls is not None, sees=agreed
        ),
        on_records=result.take,
        on_picture=result.keep,
        open_backend=lambda _: result.backend,
        open_controls=lambda *_: controls if controls is not None else ScriptedControls(),
        exclusions=exclusions,
    )
    capture.start()
    try:
        result.gate.open()
        result.until(lambda: result.of(Frame), "the first frame")
        yield result
    finally:
        assert capture.stop(5.0)


def test_where_there_is_no_picture_now_it_is_taken_as_soon_as_there_is() -> None:
    """Nothing is said of it and no frame stands for it; the desktop says when it is worth trying again."""
    with recording() as found:
        frames = len(found.of(Frame))
        found.backend.refusals = 3
        found.backend.play(Paint(OTHER_BOX, 90))
        poll(lambda: found.backend.refusals == 0, what="the last refusal")  # of which no record tells
        found.backend.play(Paint(OTHER_BOX, 120))
        found.until(lambda: len(found.of(Frame)) > frames, "a frame")
        frame = found.of(Frame)[frames]
        assert frame.changed[0] == OTHER_BOX  # all of the screen was compared, and the last paint alone is new
        assert frame.covered == ()


def test_while_there_is_no_monitor_there_is_no_picture_and_nothing_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """As while the only one is unplugged, or the lid is closed; keys go on being taken."""
    with recording() as found:
        found.backend.play(Show((EDITOR,), active=1))
        found.until(lambda: [focus.app for focus in found.of(Focus)][-1:] == ["Editor"], "the window")
        shown = found.backend.monitors()
        monkeypatch.setattr(found.backend, "monitors", lambda: ())
        found.backend.resized = True
        found.backend.play(Paint(OTHER_BOX, 90), Press("a"))
        found.until(lambda: [event for event in found.of(InputEvent) if event.key_class], "a key")
        frames = len(found.of(Frame))
        found.backend.play(Paint(OTHER_BOX, 91), Press("b"))
        found.until(lambda: sum(event.count for event in found.of(InputEvent) if event.key_class) > 1, "another")
        assert (len(found.of(Frame)), found.of(Problem)) == (frames, [])
        monkeypatch.setattr(found.backend, "monitors", lambda: shown)
        found.backend.play(Paint(OTHER_BOX, 120))
        found.until(lambda: len(found.of(Frame)) > frames, "a frame")


def test_windows_that_change_faster_than_they_are_followed_are_told_and_no_picture_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("daemon.capture.observer.BEHIND_NS", 0)
    with recording() as found:
        found.backend.behind = True
        frames = len(found.of(Frame))
        found.backend.play(Paint(OTHER_BOX, 90))
        found.until(lambda: found.of(Problem), "that it is behind")
        for value in range(5):
            found.backend.play(Paint(OTHER_BOX, value))
            poll(lambda: not found.backend.has_steps, what="taking it in")
        assert (len(found.of(Frame)), found.of(Problem)) == (frames, [Problem(code="behind")])
        found.backend.behind = False
        found.backend.play(Paint(OTHER_BOX, 120))
        found.until(lambda: len(found.of(Frame)) > frames, "a frame")
    assert found.of(Problem) == [Problem(code="behind"), Problem(code="behind", over=True)]


@pytest.mark.parametrize("agreed", [{"frames": "none"}, {"keys": "part", "popups": "none"}])
def test_a_desktop_that_shows_more_than_was_agreed_to_is_not_watched(agreed: dict[str, str]) -> None:
    """It may tell less at the time of consent: a screen that is turned, a list of windows that does not answer."""
    result = Recording()
    capture = CaptureThread(
        clock=SystemClock(),
        settings=SETTINGS,
        gate=result.gate,
        session=CaptureSession(key=b"k" * 32, record_titles=True, sees=agreed),
        on_records=result.take,
        on_picture=result.keep,
        open_backend=lambda _: result.backend,
    )
    with pytest.raises(EnvironmentFault, match="more than was agreed to"):
        capture.start()
    assert (result.records, result.backend.is_closed) == ([], True)


def test_a_desktop_that_begins_to_show_more_is_told_as_that(monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not end by itself, as the fault does with which it begins: Kairos must be started again."""

    def fails(_: ScriptedBackend) -> None:
        raise EnvironmentFault("keys come on another way now", code="no_input")

    less = Capability(Level.PART, "no classes", "")
    monkeypatch.setattr(ScriptedBackend, "capabilities", Capabilities(desktop="scripted", keys=less))
    with recording(keys="part") as found:
        monkeypatch.setattr(ScriptedBackend, "capabilities", Capabilities(desktop="scripted"))
        monkeypatch.setattr(ScriptedBackend, "read", fails)
        found.backend.play(Press("a"))
        found.until(lambda: len(found.of(Problem)) == 3, "what is wrong now")
    told = [(problem.code, problem.over) for problem in found.of(Problem)]
    assert told == [("no_input", False), ("no_input", True), ("sees_more", False)]


class NoCall(ConditionSource):
    """Nobody is in a call, and everybody may be in one for a moment."""

    provides: Sequence[tuple[Condition, str]] = ((Condition.MICROPHONE, "a fake"),)

    async def watch(self, report: Report) -> None:
        report(*self.provides[0], False)
        self.report = report
        await asyncio.Event().wait()

    async def look(self, report: Report) -> None:
        report(*self.provides[0], False)


def test_everybody_has_looked_only_once_the_screen_was_looked_at_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was to be seen by then, and a call that is over, have closed the ear before that."""
    call = NoCall()
    monkeypatch.setattr("daemon.capture.surroundings.thread.default_sources", lambda _: [call])
    with recording() as found:
        assert found.capture is not None
        ear, read, held, free = found.capture.ear, found.backend.read, threading.Event(), threading.Event()
        poll(lambda: ear.is_open, what="the ear")

        def late() -> None:
            held.set()
            assert free.wait(LIMIT_S)
            read()

        monkeypatch.setattr(found.backend, "read", late)
        found.backend.play(Paint(OTHER_BOX, 90))
        assert held.wait(LIMIT_S)
        epoch = ear.epoch
        found.backend.play(Show((window(2, "KeePassXC", OTHER_BOX),)))
        now_ns = SystemClock().now_ns()
        ear.look(now_ns)
        poll(lambda: ear.screen_due_ns == now_ns, what="the look beside the desktop")
        assert (ear.looked_ns < now_ns, ear.epoch) == (True, epoch)
        free.set()
        poll(lambda: ear.looked_ns == now_ns, what="the look at the screen")
        assert (ear.is_open, ear.epoch) == (False, epoch + 1)
        found.backend.play(Show(()))
        poll(lambda: ear.is_open, what="the ear, open again")
        free.clear()
        call.report(*call.provides[0], True)
        call.report(*call.provides[0], False)
        free.set()
        poll(lambda: ear.is_open, what="the ear after the call")
        assert ear.epoch == epoch + 2


def test_windows_paint_and_input_become_records() -> None:
    """Focus, an opened window, the changed box of a paint, and the keys and clicks of the user, in one order."""
    with recording() as session:
        session.backend.play(Show((EDITOR,), active=1))
        session.until(lambda: session.of(Focus)[-1].app == "Editor", "the focus")
        session.backend.play(Paint(Box(70, 40, 10, 10), 120))
        session.until(lambda: len(session.of(Frame)) == 2, "the second frame")
        session.backend.play(Press("a"), Click(100, 50))
        session.until(lambda: len(session.of(InputEvent)) == 3, "the input")
    assert [frame.changed for frame in session.of(Frame)] == [(SCREEN,), (Box(64, 32, 64, 32),)]
    assert [(event.app, event.gone) for event in session.of(WindowEvent)] == [("Editor", False)]
    assert session.of(Focus)[-1].title == "notes"
    key, down, up = session.of(InputEvent)
    assert key.key_class is KeyClass.CHARACTER
    assert (down.kind, down.x, down.y, up.kind) == (EventKind.BUTTON_DOWN, 100, 50, EventKind.BUTTON_UP)


@pytest.mark.parametrize(("app", "hidden"), [("KeePassXC", True), ("Calculator", False)])
def test_an_excluded_window_is_covered_and_its_keys_are_dropped(app: str, *, hidden: bool) -> None:
    """Nothing of it is recorded but that it is there; of a harmless window everything is."""
    other = window(2, app, OTHER_BOX)
    with recording() as session:
        session.backend.play(Show((EDITOR, other), active=2), Paint(OTHER_BOX, SECRET))
        session.until(lambda: len(session.of(Frame)) == 2, "the second frame")
        session.backend.play(Press("a"))
        session.until(lambda: hidden or session.of(InputEvent), "the key")
    assert session.of(Frame)[-1].covered == ((OTHER_BOX,) if hidden else ())
    shown = any((picture.planes[: picture.height] > SECRET - 10).any() for picture in session.pictures)
    assert shown is not hidden
    assert [switch.on for switch in session.of(Switch) if switch.name is SwitchName.EXCLUDED] == [True] * hidden
    assert bool(session.of(InputEvent)) is not hidden
    assert bool(session.of(Dropped)) is hidden
    assert session.of(Focus)[-1].app == ("" if hidden else app)


@pytest.mark.parametrize("excluded", [True, False])
def test_what_is_excluded_while_capture_runs_is_covered_in_the_next_picture(*, excluded: bool) -> None:
    """Its pixels and keys are dropped from then on; another program loses nothing."""
    exclusions = Exclusions(SETTINGS.fence)
    with recording(exclusions=exclusions) as session:
        assert session.capture is not None
        session.backend.play(Show((EDITOR, window(2, "Calculator", OTHER_BOX)), active=2), Paint(OTHER_BOX, 100))
        session.until(lambda: len(session.of(Frame)) == 2, "the second frame")
        exclusions.tighten(FenceSettings(excluded_apps=("calculator" if excluded else "another",)))
        count = len(session.pictures)
        session.backend.play(Paint(OTHER_BOX, SECRET), Paint(Box(0, 0, 32, 32), 60))
        session.until(lambda: len(session.pictures) > count, "a picture after it")
        session.backend.play(Press("a"))
        session.until(lambda: excluded or session.of(InputEvent), "the key")
    assert session.of(Frame)[-1].covered == ((OTHER_BOX,) if excluded else ())
    shown = any((picture.planes[: picture.height] > SECRET - 10).any() for picture in session.pictures)
    assert shown is not excluded
    assert bool(session.of(InputEvent)) is not excluded
    assert bool(session.of(Dropped)) is excluded


@pytest.mark.parametrize(("app", "title"), [("Editor", "notes"), ("KeePassXC", None)])
def test_after_a_pause_the_window_in_front_is_known_again(app: str, title: str | None) -> None:
    """Its title was forgotten with the pause, and need not change to be known; an excluded one stays unknown."""
    with recording() as session:
        assert session.capture is not None
        words = session.capture.words
        session.backend.play(Show((window(1, app, title="notes"),), active=1))
        session.until(lambda: session.of(Focus)[-1].app == "Editor" or app != "Editor", "the focus")
        digest = session.of(Focus)[-1].title_digest
        count = len(session.of(Focus))
        session.gate.close()
        assert words.lookup(digest, SystemClock().now_ns()) is None
        session.gate.open()
        session.until(lambda: len(session.of(Focus)) > count, "the focus after the pause")
        now = session.of(Focus)[-1]
        assert (now.title, now.title_digest) == (title, digest)
        assert words.lookup(digest, now.t_ns) == title


def test_a_program_that_came_to_the_front_during_a_pause_is_asked_about_its_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A password may be asked for there; it was known only once the windows changed again."""
    watched: list[int] = []
    monkeypatch.setattr(TerminalEcho, "watch", lambda _, pid, **_named: watched.append(pid))
    with recording() as session:
        session.backend.play(Show((EDITOR, window(2, "XTerm", OTHER_BOX, pid=70)), active=1))
        session.until(lambda: session.of(Focus), "the focus")
        session.gate.close()
        session.backend.play(Show((EDITOR, window(2, "XTerm", OTHER_BOX, pid=70)), active=2))
        poll(lambda: not session.backend.has_steps, what="the step of the pause")
        assert 70 not in watched
        session.gate.open()
        session.until(lambda: session.of(Focus)[-1].app == "XTerm", "the focus after the pause")
    assert watched[-1] == 70


def test_no_picture_from_before_a_pause_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a window says nothing of its controls; once there is one from after it that is read (the control)."""
    observers: list[DesktopObserver] = []
    real = DesktopObserver.run

    def noting(observer: DesktopObserver, *arguments: Any, **named: Any) -> Any:
        observers.append(observer)
        return real(observer, *arguments, **named)

    monkeypatch.setattr(DesktopObserver, "run", noting)
    with recording() as session:
        (observer,) = observers
        assert observer._picture_of(EDITOR.box) is not None
        with monkeypatch.context() as held:
            held.setattr(observer, "_grab", lambda: None)  # the screen has not been captured since
            session.gate.close()
            assert observer._picture_of(EDITOR.box) is None
            session.gate.open()
            assert observer._picture_of(EDITOR.box) is None
        session.backend.play(Paint(Box(70, 40, 10, 10), 120))
        session.until(lambda: len(session.of(Frame)) == 2, "a frame after the pause")
        assert observer._picture_of(EDITOR.box) is not None


@pytest.mark.parametrize("painted", [True, False])
def test_what_is_observed_without_any_input_is_recorded(monkeypatch: pytest.MonkeyPatch, *, painted: bool) -> None:
    """Where a picture made the capture thread look it does so by itself, else the sense wakes it after a moment."""
    monkeypatch.setattr("daemon.capture.accessibility.sense.WAKE_S", 600.0 if painted else 0.01)
    controls = LateControls()
    shown = window(1, "Editor", EDITOR.box, title="notes", pid=77, program="/usr/bin/editor")
    dialog = DialogOpened(t_ns=1, pid=77, role=ControlRole.ALERT, title="Question", text="Really?")
    with recording(controls) as session:
        session.backend.play(Show((shown,), active=1))
        session.until(lambda: session.of(Sense), "the sense")
        session.until(lambda: session.of(Focus)[-1].app == "Editor", "the focus")
        frames = len(session.of(Frame))
        controls.say(dialog)
        if painted:
            session.backend.play(Paint(Box(70, 40, 10, 10), 120))
            session.until(lambda: len(session.of(Frame)) > frames, "the frame")
        session.until(lambda: session.of(DialogSeen), "the dialog")


def test_input_that_still_waits_at_the_end_is_counted_roughly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys of which nobody said in time where they went are not stored."""
    monkeypatch.setattr(ControlSense, "is_working", True)
    controls = LateControls()
    shown = window(1, "Editor", EDITOR.box, title="notes", pid=77, program="/usr/bin/editor")
    with recording(controls) as session:
        session.backend.play(Show((shown,), active=1))
        session.until(lambda: session.of(Sense), "the sense")
        session.until(lambda: session.of(Focus)[-1].app == "Editor", "the focus")
        controls.say(FocusMoving(t_ns=SystemClock().now_ns(), pid=77, number=1))
        session.backend.play(Press("a"), Press("b"), Press("c"))
    assert session.of(InputEvent) == []
    assert session.of(Dropped) == [Dropped(what="input", count=10, reason="unanswered")]


def test_a_scripted_desktop_keeps_to_what_every_backend_keeps_to() -> None:
    """So what tests see of it holds of real ones."""
    check_backend(ScriptedBackend(SystemClock()))


@pytest.mark.parametrize("path", BACKENDS.values())
def test_the_table_names_backends(path: str) -> None:
    """Each line names a class with the whole Protocol; a method that is missing would keep it from being created."""
    backend: type[CaptureBackend] = resolve_name(path)
    assert CaptureBackend in backend.__mro__
    moves_are_told = {"look_ns", "look_for_pointer", "with_places"}  # where they are, these have nothing to do
    assert not {n for n in vars(CaptureBackend) if not n.startswith("_")} - vars(backend).keys() - moves_are_told


def test_one_line_adds_a_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    """A session type that has a line in the table is opened with the class named there."""
    monkeypatch.setitem(BACKENDS, "wayland", "tests.fakes.desktop.scripted_backend:ScriptedBackend")
    backend = open_backend(env={"XDG_SESSION_TYPE": "wayland"})
    assert isinstance(backend, ScriptedBackend)
    backend.close()
