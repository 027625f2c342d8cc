"""GNOME's pictures: which are looked at, which are not, when none are asked for, and what ends them."""

import socket
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from daemon.capture.backend import NotNow
from daemon.capture.diff import Pixels
from daemon.capture.source_thread import SourceGone
from daemon.capture.wayland.gnome import frames
from daemon.capture.wayland.gnome.frames import GnomeFrames
from daemon.capture.wayland.gnome.portal import SharedScreens, ShareEnd
from storage.clock import SystemClock
from storage.errors import EnvironmentFault
from storage.records import Box
from storage.state.pictures import PicturePermission

LEFT, RIGHT = Box(0, 0, 800, 600), Box(800, 0, 400, 300)
PART = Box(10, 20, 30, 40)


def kept() -> str | None:
    """Return what stands for the yes."""
    return PicturePermission().token


class FakeStream:
    """SharedScreens that a test makes; `made` is when the newest was."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self.wake = wake
        self.made, self.taken_ns = 0, 0
        self.has_ended, self.is_active = False, False

    def activate(self, *, on: bool) -> None:
        self.is_active = on
        if not on:
            self.made = self.taken_ns = 0

    def take(self) -> int:
        self.taken_ns = self.made
        return self.made

    def pixels(self, part: Box, scaled: tuple[int, int]) -> Pixels:
        return np.full((part.h, part.w, 4), self.taken_ns % 256, np.uint8)


class FakePipeWire:
    """The connection."""

    def __init__(self) -> None:
        self.streams: list[FakeStream] = []
        self.is_closed = False

    def stream(self, _node: int, wake: Callable[[], None]) -> FakeStream:
        self.streams.append(FakeStream(wake))
        return self.streams[-1]

    def close(self) -> None:
        self.is_closed = True


class FakePortal:
    """The process that asks; it says what a test puts into `says`."""

    made: list["FakePortal"] = []  # noqa: RUF012  # of one test at a time

    def __init__(self, _env: object, token: str) -> None:
        self.token = token
        self.says: SharedScreens | ShareEnd | None = None
        self.is_closed, self.is_dead = False, False
        self._ends = socket.socketpair()
        self.made.append(self)

    def fileno(self) -> int:
        return self._ends[0].fileno()

    def speak(self) -> None:
        """Become readable, which nobody needs who reads anyway."""
        self._ends[1].send(b"!")

    def read(self) -> SharedScreens | ShareEnd | None:
        if self.is_dead:
            raise SourceGone
        told, self.says = self.says, None
        return told

    def close(self) -> None:
        self.is_closed = True
        for end in self._ends:
            end.close()


class FakeList:
    """The list of windows; `answers` are when it changed last, an answer each, the last one again and again."""

    def __init__(self) -> None:
        self.monitors: tuple[Box, ...] = (LEFT, RIGHT)
        self.locked = False
        self.changed_ns = 100
        self.answers: list[int] = []
        self.repaints = 0
        self.on_repaint: Callable[[], None] = lambda: None

    def refresh(self, *, repaint: bool = False) -> None:
        if repaint:
            self.repaints += 1
            self.on_repaint()
        if self.answers:
            self.changed_ns = self.answers.pop(0)


class Stage:
    """Frames with all that they touch."""

    def __init__(self) -> None:
        self.windows, self.pipewire = FakeList(), FakePipeWire()
        self.frames = GnomeFrames({}, SystemClock(), self.windows, lambda _: self.pipewire)  # type: ignore[arg-type,return-value]  # fakes

    @property
    def portal(self) -> FakePortal:
        return FakePortal.made[-1]

    def begin(self, *boxes: Box, word: str = "t1") -> list[FakeStream]:
        """Have the person allow these monitors; return their streams."""
        self.frames.watch(())
        nodes = tuple((number, *box) for number, box in enumerate(boxes, 1))
        self.portal.says = SharedScreens(file=-1, nodes=nodes, token=word)
        assert self.frames.note_arrived()
        self.frames.watch(())
        return self.pipewire.streams[-len(boxes) :]


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    monkeypatch.setattr(frames, "PortalProcess", FakePortal)
    monkeypatch.setattr(frames, "PATIENCE_NS", 20_000_000)
    monkeypatch.setattr(frames, "LAST_WORD_S", 0.02)
    FakePortal.made = []
    made = Stage()
    yield made
    made.frames.close()


def test_nothing_is_asked_for_until_something_may_be_captured(stage: Stage) -> None:
    """A pause ends the session, so that there is no sign in the panel; what was a yes is one afterwards."""
    stage.frames.watch(None)
    assert FakePortal.made == []
    with pytest.raises(NotNow):
        stage.frames.grab(PART)
    stage.begin(LEFT)
    assert (stage.portal.token, kept()) == ("", "t1")
    stage.frames.watch(None)
    assert (stage.portal.is_closed, stage.pipewire.is_closed) == (True, True)
    stage.frames.watch(())
    assert [portal.token for portal in FakePortal.made] == ["", "t1"]


def test_a_locked_screen_ends_the_session_and_no_permission(stage: Stage) -> None:
    """The shell ends it too, and its word may come before that of the lock."""
    stage.begin(LEFT)
    stage.portal.says, stage.windows.locked = ShareEnd.CLOSED, True
    assert not stage.frames.note_arrived()
    stage.frames.watch(())
    assert [portal.is_closed for portal in FakePortal.made] == [True]
    stage.windows.locked = False
    stage.frames.watch(())
    assert [portal.token for portal in FakePortal.made] == ["", "t1"]


def test_a_picture_is_looked_at_if_it_was_made_after_the_last_change_of_the_list(stage: Stage) -> None:
    (stream,) = stage.begin(LEFT)
    stream.made = 101
    stream.wake()
    assert not stage.frames.note_arrived()
    assert stage.frames.damaged
    assert stage.frames.take_damage() == (LEFT,)
    assert (stage.frames.grab(PART) == 101).all()
    assert stage.frames.grab(PART).shape == (40, 30, 4)
    assert (stage.frames.take_damage(), stage.frames.damaged, stage.windows.repaints) == ((), False, 0)  # the same one


@pytest.mark.parametrize("made", [99, 100])
def test_an_older_picture_is_not_looked_at_and_another_one_is_asked_for(stage: Stage, made: int) -> None:
    (stream,) = stage.begin(LEFT)
    stream.made = made
    assert (stage.frames.take_damage(), stage.windows.repaints, stage.frames.damaged) == ((), 1, True)
    with pytest.raises(NotNow):
        stage.frames.grab(PART)
    stage.windows.on_repaint = lambda: setattr(stream, "made", 102)
    assert (stage.frames.take_damage(), stage.windows.repaints) == ((LEFT,), 2)
    assert (stage.frames.grab(PART) == 102).all()


def test_a_list_that_changes_after_the_picture_counts(stage: Stage) -> None:
    """The list is asked for once more when a picture has come, and each change of it afterwards ends its use."""
    (stream,) = stage.begin(LEFT)
    stream.made, stage.windows.answers = 101, [103]
    assert stage.frames.take_damage() == ()
    stream.made = 104
    assert stage.frames.take_damage() == (LEFT,)
    stage.windows.changed_ns = 105  # it was told
    with pytest.raises(NotNow):
        stage.frames.grab(PART)


def test_no_picture_is_sent_of_a_screen_that_is_hidden_whole(stage: Stage) -> None:
    """None that was sent before is kept; where only a part is hidden the fence covers that."""
    left, right = stage.begin(LEFT, RIGHT)
    left.made = right.made = 101
    assert stage.frames.take_damage() == (LEFT, RIGHT)
    stage.frames.watch((LEFT, PART))
    assert (left.is_active, right.is_active, left.taken_ns) == (False, True, 0)
    right.made = 102
    assert stage.frames.take_damage() == (RIGHT,)
    stage.frames.watch((PART,))
    assert left.is_active
    assert (stage.frames.take_damage(), stage.frames.damaged) == ((), True)
    left.made = 103
    assert stage.frames.take_damage() == (LEFT,)


def test_a_screen_without_any_picture_is_not_tried_again_before_one_comes(stage: Stage) -> None:
    stage.begin(LEFT)
    assert (stage.frames.take_damage(), stage.frames.damaged) == ((), False)


def test_only_screens_that_were_allowed_count(stage: Stage) -> None:
    assert [monitor.box for monitor in stage.frames.monitors()] == [LEFT, RIGHT]
    (stream,) = stage.begin(RIGHT)
    assert [monitor.box for monitor in stage.frames.monitors()] == [RIGHT]
    stream.made = 101
    assert stage.frames.take_damage() == (RIGHT,)
    with pytest.raises(NotNow):
        stage.frames.grab(PART)


def test_a_stream_that_ends_before_the_portal_says_why_is_a_no_all_the_same(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who ends it by the sign in the panel ends both; the stream's end may be known first."""
    (stream,) = stage.begin(LEFT)
    monkeypatch.setattr(frames, "LAST_WORD_S", 60.0)
    stream.has_ended, stage.portal.says = True, ShareEnd.CLOSED
    stage.portal.speak()
    with pytest.raises(EnvironmentFault):
        stage.frames.note_arrived()
    assert kept() == ""


def test_a_process_that_cannot_be_started_is_a_fault(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(frames, "PortalProcess", refuse)
    with pytest.raises(EnvironmentFault):
        stage.frames.watch(())


def test_a_yes_that_cannot_be_kept_counts_until_the_end(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk a fault would have GNOME ask at each try."""

    def refuse(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(PicturePermission, "save", refuse)
    (stream,) = stage.begin(LEFT)
    stream.made = 101
    assert stage.frames.take_damage() == (LEFT,)


@pytest.mark.parametrize("had_token", [True, False])
def test_a_question_that_ended_otherwise_is_no_lasting_no(stage: Stage, *, had_token: bool) -> None:
    """Nobody is asked again before the next start; with a yes from before there is no question."""
    if had_token:
        stage.begin(LEFT)
        stage.frames.watch(None)
    stage.frames.watch(())
    stage.portal.says = ShareEnd.UNANSWERED
    with pytest.raises(EnvironmentFault):
        stage.frames.note_arrived()
    assert PicturePermission()._path.exists() is had_token
    assert kept() == ("t1" if had_token else "")
    PicturePermission().forget()
    assert kept() is None


@pytest.mark.parametrize("why", [ShareEnd.REFUSED, ShareEnd.CLOSED])
def test_a_no_counts_until_somebody_is_asked_again(stage: Stage, why: ShareEnd) -> None:
    """When GNOME asks, or later by its sign in the panel: nobody is asked a second time."""
    if why is ShareEnd.CLOSED:
        stage.begin(LEFT)
    stage.frames.watch(())
    stage.portal.says = why
    with pytest.raises(EnvironmentFault):
        stage.frames.note_arrived()
    assert kept() == ""


@pytest.mark.parametrize("ending", ["monitors", "closed with them", "stream", "process"])
def test_what_breaks_is_a_fault_and_no_no(stage: Stage, ending: str) -> None:
    (stream,) = stage.begin(LEFT)
    if ending == "stream":
        stream.has_ended = True
    elif ending == "process":
        stage.portal.is_dead = True
    else:
        stage.portal.says = ShareEnd.CLOSED if ending == "closed with them" else None
        stage.windows.monitors = (LEFT,)
    with pytest.raises(EnvironmentFault):
        stage.frames.note_arrived()
    assert kept() == "t1"


def test_pictures_of_no_known_screen_are_a_fault(stage: Stage) -> None:
    with pytest.raises(EnvironmentFault):
        stage.begin(Box(1, 1, 800, 600))


def test_a_new_token_takes_the_place_of_the_old_one_and_none_does_not(stage: Stage) -> None:
    stage.begin(LEFT)
    stage.frames.watch(None)
    stage.begin(LEFT, word="t2")
    assert kept() == "t2"
    stage.frames.watch(None)
    stage.begin(LEFT, word="")
    assert kept() == "t2"
    assert PicturePermission()._path.stat().st_mode & 0o777 == 0o600
