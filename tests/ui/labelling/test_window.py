"""The window for labels without a desktop, over the real reader: by keys alone, blind first, kept at once, undone."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QLabel, QLineEdit, QPushButton, QWidget

from daemon.history.labelling import LabelService
from storage.clock import NS_PER_S, SystemClock
from storage.records import (
    KAIROS,
    BlindLot,
    Judgement,
    LabelTask,
    NeedLabel,
    SegmentLabel,
    Sound,
    State,
    Window,
    quiz_score,
)
from storage.session.labels import LABELS, put_label, read_labels
from storage.session.sound import RATE, SoundPlan
from storage.session.transcript import SpokenWord, Transcript, write_transcript
from storage.testing import SessionBuilder
from storage.timeline import SessionPicture, SessionToLabel, TimelineTrouble
from tests.fakes.narrowing import as_a, present
from tests.fakes.sound.tones import placed, tone, write_sound
from tests.fakes.ui.requests import LabelNotes
from ui.bridge import WindowBridge
from ui.labelling.lanes import Lanes
from ui.labelling.window import LabelWindow
from ui.views.labelling import HIDDEN, KEPT, NO_PICTURES, NOTHING_SAID, SAID, SAY_FIRST, TOO_SHORT

DEADLINE_MS = 30_000
STRETCHES = 60


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a session of 360 seconds in which need was estimated, high in its second half."""
    session = SessionBuilder(recording=True)
    for number in range(60):
        session.wait(5).picture(4 * number)
        session.keys(2, gap_s=0.1)
        session.wait(0.8)
        need, state = (0.8, State.FRUSTRATION) if number >= 30 else (0.1, State.PERFORMING_ACTIONS)
        session.estimate(need, window_id=number + 1, state_probs={state: 0.9})
        end_ns = session.clock.now_ns()
        session.put(Window, window_id=number + 1, start_ns=end_ns - 6 * NS_PER_S, end_ns=end_ns)
    return session.end().write(tmp_path)


def comes(met: Callable[[], bool]) -> bool:
    """Let the window work until something is so, up to a deadline."""
    for _ in range(DEADLINE_MS // 10):
        if met():
            return True
        QTest.qWait(10)
    return False


class Rater:
    """Somebody at the window, who uses keys alone."""

    def __init__(
        self,
        folder: Path,
        lot: BlindLot | None = None,
        rater: str = "me",
        at_wall_ns: int = 0,
        task: LabelTask | None = None,
    ) -> None:
        self.folder = folder
        self.service = LabelService(folder.parent, folder / "none", SystemClock())
        self.window = LabelWindow(self.service, rater, lot or BlindLot(), at_wall_ns, task or LabelTask())
        bridge = WindowBridge(self.window)
        bridge.replied.connect(self.window.take, Qt.ConnectionType.QueuedConnection)
        self.service.attach(bridge)
        self.window.appear(folder.name)
        assert comes(lambda: self.window._session is not None)

    def press(self, *keys: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        for key in keys:
            QTest.keyClick(self.window.focusWidget(), key, held)

    def far(self, count: int = 1) -> None:
        """Go on by ten seconds."""
        self.press(*[Qt.Key.Key_Right] * count, held=Qt.KeyboardModifier.ShiftModifier)

    def kept(self, count: int) -> tuple[SegmentLabel, ...]:
        """Return what the file holds, once it holds so many."""
        assert comes(lambda: len(read_labels(self.folder)) == count)
        return read_labels(self.folder)

    def said(self, name: str) -> str:
        part = present(self.window.findChild(QWidget, name))
        return str(part.text()) if part.isVisibleTo(self.window) else ""  # type: ignore[attr-defined]  # a label

    def close(self) -> None:
        self.window.close()


@pytest.fixture
def rater(qapp: QApplication, folder: Path) -> Iterator[Rater]:
    """Yield somebody who has just opened the window."""
    made = Rater(folder)
    yield made
    made.close()


def test_what_was_said_is_a_lane_and_stands_beside_the_stretch(qapp: QApplication, folder: Path) -> None:
    """Control: without words there is neither."""
    words = [(2, "where"), (4, "is"), (20, "elsewhere")]
    said = [SpokenWord(start_ns=at * NS_PER_S, end_ns=(at + 1) * NS_PER_S, text=text) for at, text in words]
    seen = []
    for transcript in (None, Transcript(source="imported", words=tuple(said))):
        if transcript is not None:
            write_transcript(folder, transcript)
        rater = Rater(folder)
        rater.far()
        rater.press(Qt.Key.Key_E)
        lanes = present(rater.window.findChild(Lanes))
        seen.append((SAID in lanes._lanes, rater.said("said")))
        rater.press(Qt.Key.Key_Delete)
        rater.close()
    assert seen == [(False, ""), (True, "“where is”")]


def test_where_nothing_is_written_down_a_lane_shows_when_somebody_spoke(qapp: QApplication, tmp_path: Path) -> None:
    """By loudness, file by file, after the rest is there; no words are made up. Control: before, there is no lane."""
    made = SessionBuilder(recording=True).wait(1)
    begin_ns = made.clock.now_ns()
    made.picture(20)
    for number in range(2):
        at_ns = begin_ns + 10 * number * NS_PER_S
        made.at(1 + 10 * number).put(Sound, t_ns=at_ns, on=True, sound_ref=f"sound-{number:03}.mp4@0")
    folder = made.wait(20).end().write(tmp_path)
    plan, silence = SoundPlan(10), bytes(2 * RATE * 8)
    for number in range(2):
        write_sound(folder, placed(plan, begin_ns + 10 * number * NS_PER_S, tone(600, 2) + silence))
    rater = Rater(folder)
    assert comes(lambda: len(present(rater.window._session).words) == 2)
    session = present(rater.window._session)
    assert [round((word.start_ns - begin_ns) / NS_PER_S) for word in session.words] == [0, 10]
    assert SAID in present(rater.window.findChild(Lanes))._lanes
    rater.press(Qt.Key.Key_End, Qt.Key.Key_E)
    assert rater.said("said") == ""
    rater.close()


def test_sixty_stretches_by_keys_alone(rater: Rater) -> None:
    """Each with its end, states, need, and some with words."""
    for number in range(STRETCHES):
        rater.press(*[Qt.Key.Key_Right] * 5, Qt.Key.Key_E)
        rater.press(Qt.Key(Qt.Key.Key_1 + number % 9), Qt.Key(Qt.Key.Key_1 + (number + 1) % 9))
        rater.press((Qt.Key.Key_Y, Qt.Key.Key_N, Qt.Key.Key_U)[number % 3])
        if number % 10 == 0:
            rater.press(Qt.Key.Key_W)
            QTest.keyClicks(rater.window.focusWidget(), f"beyond 9 {number}")
            rater.press(Qt.Key.Key_Return)
    assert comes(lambda: sum(label.is_set for label in read_labels(rater.folder)) == STRETCHES)
    kept = read_labels(rater.folder)
    assert [label.start_ns for label in kept] == [5 * NS_PER_S * number for number in range(STRETCHES)]
    assert all(label.end_ns - label.start_ns == 5 * NS_PER_S for label in kept)
    assert all(len(label.states) == 2 and label.is_set for label in kept)
    assert [label.need for label in kept[:3]] == [NeedLabel.YES, NeedLabel.NO, NeedLabel.UNSURE]
    assert [label.wanted for label in kept if label.wanted] == [f"beyond 9 {10 * number}" for number in range(6)]
    assert len({label.label_id for label in kept}) == STRETCHES


def test_what_was_estimated_is_shown_only_after_ones_own(rater: Rater) -> None:
    """Both must be said; what was said before stays beside what was shown, whatever is changed then."""
    rater.far(20)
    rater.press(Qt.Key.Key_B)
    rater.far()
    rater.press(Qt.Key.Key_E, Qt.Key.Key_4)
    assert rater.said("judged") == HIDDEN
    (label,) = rater.kept(1)
    assert (label.blind, label.first, label.shown) == (True, None, None)
    rater.press(Qt.Key.Key_N)
    assert "Struggling, help needed" in rater.said("judged")
    rater.press(Qt.Key.Key_Y)
    rater.close()
    (label,) = rater.kept(1)
    assert label.first == Judgement(by="me", states=(State.PERFORMING_ACTIONS,), need=NeedLabel.NO)
    assert label.shown == Judgement(by=KAIROS, states=(State.FRUSTRATION,), need=NeedLabel.YES)
    assert label.need is NeedLabel.YES


CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.mark.parametrize("way", ["undo", "undo all", "delete", "delete and undo"])
def test_what_was_said_before_something_was_shown_cannot_be_taken_back(rater: Rater, way: str) -> None:
    """The stretch is said anew as what was shown; the first word, and that it was shown, stay."""
    rater.press(Qt.Key.Key_End, Qt.Key.Key_E, Qt.Key.Key_4, Qt.Key.Key_N)
    assert "help needed" in rater.said("judged")
    if way.startswith("undo"):
        for _ in range(1 if way == "undo" else 3):
            rater.press(Qt.Key.Key_Z, held=CTRL)
    else:
        rater.press(Qt.Key.Key_Delete)
    if way == "delete and undo":
        rater.press(Qt.Key.Key_Z, held=CTRL)
    elif way != "undo":
        rater.press(Qt.Key.Key_E, Qt.Key.Key_4)
    rater.press(Qt.Key.Key_Y)
    rater.close()
    (label,) = rater.kept(1)
    assert label.first == Judgement(by="me", states=(State.PERFORMING_ACTIONS,), need=NeedLabel.NO)
    assert label.shown == Judgement(by=KAIROS, states=(State.PERFORMING_ACTIONS,), need=NeedLabel.YES)
    assert (label.need, label.blind, label.judged_ns) == (NeedLabel.YES, True, (0, label.end_ns))


@pytest.mark.parametrize("way", ["new", "moved", "reopened"])
def test_a_stretch_over_time_that_was_shown_is_not_blind(qapp: QApplication, folder: Path, way: str) -> None:
    """Made there, or moved there; control: one that reaches a second into it is."""
    rater = Rater(folder)
    rater.far(20)
    rater.press(Qt.Key.Key_E, Qt.Key.Key_4, Qt.Key.Key_N)
    rater.far(3)
    if way == "reopened":
        rater.close()
        rater = Rater(folder)
        rater.far(23)
    rater.press(Qt.Key.Key_E)
    rater.press(*[Qt.Key.Key_Left] * 31, Qt.Key.Key_BracketLeft)
    assert rater.said("judged") == HIDDEN
    if way == "moved":
        rater.press(*[Qt.Key.Key_Left] * 10, Qt.Key.Key_BracketLeft)
    else:
        rater.press(*[Qt.Key.Key_Left] * 50, Qt.Key.Key_B)
        rater.far(4)
        rater.press(Qt.Key.Key_E)
    assert ", help needed" in rater.said("judged")
    rater.press(Qt.Key.Key_4, Qt.Key.Key_Y)
    rater.close()
    assert comes(lambda: sum(label.is_set for label in read_labels(folder)) == 2)
    late = max((label for label in read_labels(folder) if label.is_set), key=lambda label: label.start_ns)
    assert (late.blind, late.first) == (False, None)
    assert present(late.shown).need is NeedLabel.YES


def pixels(lanes: Lanes) -> Any:
    return lanes.grab().toImage()


def test_lanes_of_others_stay_empty_until_ones_own_is_said(rater: Rater) -> None:
    """The picture of the time line is the same with and without estimates until then."""
    lanes = rater.window._lanes
    rater.far(3)
    rater.press(Qt.Key.Key_E)
    session = present(rater.window._session)
    hidden = pixels(lanes)
    lanes.show_session(replace(session, moments=()), "me", LabelTask())
    assert pixels(lanes) == hidden
    rater.press(Qt.Key.Key_4, Qt.Key.Key_N)
    session = present(rater.window._session)
    shown = pixels(lanes)
    lanes.show_session(replace(session, moments=()), "me", LabelTask())
    assert pixels(lanes) != shown


@pytest.mark.parametrize("share", [1.0, 0.0])
def test_lanes_stay_empty_where_a_judged_stretch_is_moved_to(qapp: QApplication, folder: Path, share: float) -> None:
    """It was judged over ten seconds, and reaches to the end now; blind or not."""
    rater = Rater(folder, BlindLot(share=share))
    lanes = rater.window._lanes
    rater.far()
    rater.press(Qt.Key.Key_E, Qt.Key.Key_4, Qt.Key.Key_N, Qt.Key.Key_End, Qt.Key.Key_BracketRight)
    session = present(rater.window._session)
    assert session.labels[0].end_ns == session.end_ns
    shown = pixels(lanes)
    early = tuple(moment for moment in session.moments if moment.start_ns < 10 * NS_PER_S)
    lanes.show_session(replace(session, moments=early), "me", LabelTask())
    assert pixels(lanes) == shown
    lanes.show_session(replace(session, moments=()), "me", LabelTask())
    assert pixels(lanes) != shown
    rater.close()


def test_what_could_not_be_kept_is_not_shown_as_kept(rater: Rater) -> None:
    """All that the file does not hold goes from the window, as soon as no other change is on its way."""
    rater.far()
    rater.press(Qt.Key.Key_E, Qt.Key.Key_3)
    assert comes(lambda: rater.window._waiting == 0)
    (rater.folder / LABELS).write_bytes(b"damaged")
    rater.press(Qt.Key.Key_4, Qt.Key.Key_5)
    assert comes(lambda: rater.window._own == [])
    assert "holds no labels" in rater.said("trouble")
    assert rater.said("kept") == ""
    (rater.folder / LABELS).unlink()
    rater.far()
    rater.press(Qt.Key.Key_E)
    (label,) = rater.kept(1)
    assert comes(lambda: rater.said("kept") == KEPT)
    assert [label.label_id] == [own.label_id for own in rater.window._own]


def test_the_window_goes_where_what_it_shows_is_forgotten(qapp: QApplication, folder: Path) -> None:
    """Words that were being written are not kept either."""
    rater, gone = Rater(folder), list[bool]()
    rater.window.gone.connect(lambda: gone.append(True))
    rater.far()
    rater.press(Qt.Key.Key_E, Qt.Key.Key_W)
    rater.kept(1)
    QTest.keyClicks(rater.window.focusWidget(), "secret")
    rater.service.drop()
    assert comes(lambda: gone == [True])
    assert b"secret" not in (folder / LABELS).read_bytes()


def test_the_first_rater_s_label_takes_the_place_of_the_estimate(qapp: QApplication, folder: Path) -> None:
    """Not blind by lot: it is there from the beginning, and that is kept."""
    first = SegmentLabel(label_id="x", rater="Anna", start_ns=0, end_ns=12 * NS_PER_S, states=(State.WAITING,))
    put_label(folder, replace(first, need=NeedLabel.NO))
    rater = Rater(folder, BlindLot(share=0.0), "Ben")
    rater.far()
    rater.press(Qt.Key.Key_E)
    assert rater.said("judged").startswith("Anna: Waiting, no help needed")
    rater.press(Qt.Key.Key_8, Qt.Key.Key_N)
    rater.close()
    mine = next(label for label in rater.kept(2) if label.rater == "Ben")
    assert (mine.blind, mine.first) == (False, None)
    assert mine.shown == Judgement(by="Anna", states=(State.WAITING,), need=NeedLabel.NO)


def test_everything_can_be_undone(rater: Rater) -> None:
    """Back to an empty file, step by step; then there is nothing to undo, and that is no fault."""
    rater.far()
    rater.press(Qt.Key.Key_E, Qt.Key.Key_3, Qt.Key.Key_BracketRight)
    rater.press(Qt.Key.Key_Left, Qt.Key.Key_BracketRight, Qt.Key.Key_Right, Qt.Key.Key_Delete)
    held = Qt.KeyboardModifier.ControlModifier

    def ends() -> list[int]:
        """Return where the labels in the file end, once every change is there."""
        assert comes(lambda: rater.window._waiting == 0)
        return [label.end_ns // NS_PER_S for label in read_labels(rater.folder)]

    assert ends() == []
    rater.press(Qt.Key.Key_Z, held=held)
    assert ends() == [9]
    rater.press(Qt.Key.Key_Z, held=held)
    assert ends() == [10]
    for _ in range(6):
        rater.press(Qt.Key.Key_Z, held=held)
    rater.kept(0)
    assert not (rater.folder / LABELS).exists()


def test_a_stretch_has_a_length_and_ends_behind_its_beginning(rater: Rater) -> None:
    """Said beside it, and nothing is kept."""
    rater.press(Qt.Key.Key_E)
    assert rater.said("kept") == TOO_SHORT
    rater.far()
    rater.press(Qt.Key.Key_E, Qt.Key.Key_BracketLeft)
    assert rater.said("kept") == TOO_SHORT
    assert rater.kept(1)[0].start_ns == 0


def test_letters_in_a_line_of_text_are_text(rater: Rater) -> None:
    """Escape leaves the line and no more; in the time line it closes the window."""
    rater.far()
    rater.press(Qt.Key.Key_E, Qt.Key.Key_H)
    line = as_a(QLineEdit, rater.window.focusWidget())
    QTest.keyClicks(line, "yes, 3 nubs")
    rater.press(Qt.Key.Key_Escape)
    assert rater.window.isVisible()
    assert rater.window.focusWidget().objectName() == "lanes"
    (label,) = rater.kept(1)
    assert comes(lambda: read_labels(rater.folder)[0].would_help == "yes, 3 nubs")
    assert (label.states, label.need) == ((), None)
    rater.press(Qt.Key.Key_Escape)
    assert not rater.window.isVisible()


def test_keys_go_from_stretch_to_stretch_and_from_picture_to_picture(rater: Rater) -> None:
    """Space plays; a stretch that repeats goes back to its beginning."""
    for _ in range(3):
        rater.far()
        rater.press(Qt.Key.Key_E)
    window = rater.window
    rater.press(Qt.Key.Key_Up, Qt.Key.Key_Up)
    assert rater.said("segment").startswith("Stretch 1 of 3")
    rater.press(Qt.Key.Key_Down)
    assert window._at_ns == 10 * NS_PER_S
    rater.press(Qt.Key.Key_Period)
    pictures = window._session.pictures if window._session else ()
    assert window._at_ns == next(at_ns for at_ns in pictures if at_ns > 10 * NS_PER_S)
    rater.press(Qt.Key.Key_Comma, Qt.Key.Key_Comma, Qt.Key.Key_Home, Qt.Key.Key_Comma)
    assert window._at_ns == 0
    rater.press(Qt.Key.Key_End)
    assert window._at_ns == present(window._session).end_ns
    rater.press(Qt.Key.Key_L, Qt.Key.Key_Space)
    assert comes(lambda: window._at_ns < 20 * NS_PER_S)
    rater.press(Qt.Key.Key_Space)
    assert not window._timer.isActive()
    rater.press(Qt.Key.Key_L, Qt.Key.Key_End, Qt.Key.Key_Space)
    assert comes(lambda: not window._timer.isActive())


def test_the_pointer_does_the_same(rater: Rater) -> None:
    """A click goes to a time, and buttons say what keys say."""
    lanes = rater.window._lanes
    QTest.mouseClick(lanes, Qt.MouseButton.LeftButton, pos=QPoint(lanes.width() // 2, 5))
    middle_ns = rater.window._at_ns
    assert middle_ns > 60 * NS_PER_S
    for name in ("end", "frustration", "yes"):
        part = present(rater.window.findChild(QPushButton, name) or rater.window.findChild(QCheckBox, name))
        part.click()
    (label,) = rater.kept(1)
    assert comes(lambda: read_labels(rater.folder)[0].is_set)
    assert label.end_ns == middle_ns


def test_it_begins_where_it_was_asked_for(qapp: QApplication, folder: Path) -> None:
    """A moment of the day leads to its time."""
    begin = SessionBuilder()
    rater = Rater(folder, at_wall_ns=begin.clock.wall_ns() + 100 * NS_PER_S)
    assert rater.window._at_ns == 100 * NS_PER_S
    rater.close()


def test_every_part_has_a_name_for_assistive_technology(rater: Rater) -> None:
    """Whatever takes keys, and the picture."""
    for part in rater.window.findChildren(QWidget):
        if part.focusPolicy() is not Qt.FocusPolicy.NoFocus:
            name = part.accessibleName() or getattr(part, "text", str)()
            assert name or part.objectName() in ("qt_scrollarea_viewport", "panel"), part
    assert rater.window._canvas.accessibleName()
    assert rater.window._lanes.accessibleDescription()


def test_troubles_are_said_and_nothing_is_made_up(qapp: QApplication) -> None:
    """No pictures, a lost picture, nothing estimated, and a label that was not kept."""
    notes = LabelNotes()
    window = LabelWindow(notes, "me", BlindLot())
    QTest.keyClick(window, Qt.Key.Key_E)
    QTest.keyClick(window, Qt.Key.Key_Home)
    QTest.keyClick(window, Qt.Key.Key_Space)
    assert notes.calls == []
    session = SessionToLabel(
        session="s", begin_wall_ns=1, begin_ns=0, end_ns=60 * NS_PER_S, pictures=(), acts=(), moments=(), labels=()
    )
    window.take(session)
    assert window._trouble.text() == NO_PICTURES
    QTest.keyClick(window, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    for key in (Qt.Key.Key_E, Qt.Key.Key_1, Qt.Key.Key_U):
        QTest.keyClick(window, key)
    assert window._judged.text() == NOTHING_SAID
    assert [call[0] for call in notes.calls] == ["put", "put", "put"]
    window.take(SessionPicture(at_ns=1))
    assert "gone" in window._canvas.accessibleName()
    window.take(TimelineTrouble(what="the disk is full", remedy="make room"))
    assert window._trouble.text() == "The disk is full. Make room."
    assert window._kept.isHidden()
    window.reject()
    assert notes.calls[-1] == ("close",)


# ---------------------------------------------------------------- what is asked of a rater


def propose(folder: Path, count: int = 4) -> list[SegmentLabel]:
    """Have stretches proposed; somebody else has labelled all of it already."""
    put_label(folder, SegmentLabel(label_id="o", rater="ben", start_ns=0, end_ns=90 * NS_PER_S, wanted="secret"))
    proposed = [
        SegmentLabel(
            label_id=f"p{number}",
            rater="model",
            start_ns=20 * number * NS_PER_S,
            end_ns=(20 * number + 15) * NS_PER_S,
            states=(State.DEBUGGING,),
            need=NeedLabel.YES,
            wanted=f"goal {number}",
            would_help="the menu",
            proposed=True,
            reason="says so",
        )
        for number in range(count)
    ]
    for label in proposed:
        put_label(folder, label)
    return proposed


def by(folder: Path, rater: str) -> list[SegmentLabel]:
    return [label for label in read_labels(folder) if label.rater == rater]


def test_proposals_are_kept_corrected_and_dropped_by_keys(qapp: QApplication, folder: Path) -> None:
    """Nobody else's labels are shown; what is undone is not kept; the next one that is not said comes by itself."""
    proposed = propose(folder)
    rater = Rater(folder, BlindLot(share=0), "anna", task=LabelTask(proposed="model"))
    assert {label.rater for label in present(rater.window._session).labels} == {"anna", "model"}
    judged = rater.said("judged")
    assert "model: Looking for the fault, help needed" in judged
    assert "goal 0" in judged
    assert "says so" in judged
    rater.press(Qt.Key.Key_K, Qt.Key.Key_K)
    assert comes(lambda: len(by(folder, "anna")) == 2)
    rater.press(Qt.Key.Key_8, Qt.Key.Key_N)
    rater.press(Qt.Key.Key_Down, Qt.Key.Key_X)
    QTest.keyClicks(rater.window.focusWidget(), "it is a pause")
    rater.press(Qt.Key.Key_Return)
    assert comes(lambda: any(label.reason == "it is a pause" for label in by(folder, "anna")))
    found = by(folder, "anna")
    assert [(label.start_ns, label.end_ns) for label in found] == [(each.start_ns, each.end_ns) for each in proposed]
    assert [label.states for label in found] == [(State.DEBUGGING,)] * 2 + [(State.WAITING,), ()]
    assert [label.need for label in found] == [NeedLabel.YES, NeedLabel.YES, NeedLabel.NO, None]
    assert [label.dropped for label in found] == [False, False, False, True]
    assert [label.wanted for label in found] == ["goal 0", "goal 1", "", ""]
    assert all(label.shown == proposed[0].judgement and not label.blind for label in found)
    rater.press(Qt.Key.Key_Z, Qt.Key.Key_Z, held=Qt.KeyboardModifier.ControlModifier)
    assert comes(lambda: len(by(folder, "anna")) == 3)
    rater.close()


def test_a_blind_stretch_shows_what_is_proposed_after_ones_own(qapp: QApplication, folder: Path) -> None:
    """Before that nothing can be taken over; then what was said first stays beside it."""
    propose(folder)
    rater = Rater(folder, rater="anna", task=LabelTask(proposed="model"))
    assert "goal 0" not in rater.said("judged")
    rater.press(Qt.Key.Key_K)
    assert rater.said("kept") == SAY_FIRST
    assert by(folder, "anna") == []
    rater.press(Qt.Key.Key_4, Qt.Key.Key_N)
    assert "goal 0" in rater.said("judged")
    rater.press(Qt.Key.Key_K)
    assert comes(lambda: [label.states for label in by(folder, "anna")] == [(State.DEBUGGING,)])
    (label,) = by(folder, "anna")
    assert label.first == Judgement(by="anna", states=(State.PERFORMING_ACTIONS,), need=NeedLabel.NO)
    assert label.blind
    rater.close()


def test_a_quiz_shows_nine_stretches_and_nothing_that_was_said(qapp: QApplication, folder: Path) -> None:
    """Nor what was estimated; each answer leads to the next."""
    for number, state in enumerate(State):
        start_ns = 20 * number * NS_PER_S
        put_label(
            folder,
            SegmentLabel(
                label_id=f"g{number}",
                rater="gold",
                start_ns=start_ns,
                end_ns=start_ns + NS_PER_S,
                states=(state,),
                need=NeedLabel.NO,
            ),
        )
    rater = Rater(folder, rater="anna", task=LabelTask(quiz="gold"))
    assert rater.window._session is not None
    assert {label.rater for label in rater.window._session.labels} == {"anna"}
    assert rater.window._session.moments == ()
    assert rater.window.findChild(QPushButton, "keep") is None
    judged, need = rater.window.findChild(QLabel, "judged"), rater.window.findChild(QPushButton, "yes")
    assert (judged is not None and judged.text(), need is not None and need.isHidden()) == ("", True)
    rater.press(Qt.Key.Key_Y)
    for number in range(9):
        rater.press(Qt.Key(Qt.Key.Key_1 + (number if number != 4 else 0)), Qt.Key.Key_Down)
    assert comes(lambda: len(by(folder, "anna")) == 9)
    assert quiz_score(read_labels(folder), "anna") == (8, 9)
    assert {label.need for label in by(folder, "anna")} == {None}
    rater.close()
