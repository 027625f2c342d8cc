"""What was observed becomes records where the fence allows it, and without the recording no word of it does."""

from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pytest

from daemon.capture.accessibility.digests import ControlWords
from daemon.capture.accessibility.observer import ControlObserver
from daemon.capture.control_source import (
    Access,
    Acted,
    ActKind,
    AnswerAwaited,
    CommandsListed,
    Control,
    ControlList,
    ControlsListed,
    DialogOpened,
    FocusMoved,
    FrontWindow,
    Lost,
    MessageShown,
    Observation,
    PageLoaded,
    PictureWanted,
    ProgramQuiet,
    UndoNamed,
    Working,
)
from daemon.capture.fence.rules import NEW_NS, Fence
from daemon.capture.gate import Gate
from daemon.capture.scene import DesktopWindow, ExportedMenus
from storage.clock import NS_PER_S
from storage.ports import SPOTLIGHT_TITLE, Command, CommandList
from storage.records import (
    CONTROLS_GONE,
    CONTROLS_UNANSWERED,
    Box,
    ControlAct,
    ControlRole,
    ControlState,
    DialogSeen,
    DocumentLoaded,
    Dropped,
    Element,
    Elements,
    EventKind,
    InputEvent,
    KeyClass,
    MessageClass,
    MessageSeen,
    Problem,
    Record,
    Sense,
    UndoLabel,
)
from storage.settings import FenceSettings
from tests.fakes.accessibility.controls import BUTTON, QuietSense
from tests.fakes.desktop.windows import OWN_PID, RIGHT, scene, window

PID = 77
PROGRAM = frozenset({"editor"})
EDITOR = window(1, "Editor", pid=PID, program=PROGRAM)
NOW_NS = 10 * NS_PER_S
ALL: tuple[Observation, ...] = (
    Acted(t_ns=1, pid=PID, control=BUTTON, what=ActKind.PRESSED),
    DialogOpened(t_ns=2, pid=PID, role=ControlRole.ALERT, title="marker-title", text="marker-text: cannot open"),
    MessageShown(t_ns=3, pid=PID, role=ControlRole.LABEL, text="marker-error not found"),
    PageLoaded(t_ns=4, pid=PID, title="marker-page"),
    UndoNamed(t_ns=5, pid=PID, label="marker-label"),
)


class Stage:
    """An observer, its fence and its sense."""

    def __init__(self, *windows: DesktopWindow, record_names: bool = False, active: int = 1) -> None:
        self.sense, self.gate, self.words = QuietSense(), Gate(), ControlWords()
        self.gate.open()
        self.fence = Fence(FenceSettings(), OWN_PID)
        self.fence.update([scene(*windows, active=active)], NOW_NS)
        sense: Any = self.sense
        self.observer = ControlObserver(
            sense,
            self.gate,
            key=b"k" * 32,
            record_names=record_names,
            words=self.words,
            own_pid=OWN_PID,
            picture=lambda place: (np.zeros((place.h, place.w, 3), np.uint8), place),
        )
        self.observer.publish(self.fence, locked=False)

    def records(self, *observations: Observation, events: Any = (), locked: bool = False) -> list[Record]:
        self.sense.pending = list(observations)
        return self.observer.records(self.fence, events, NOW_NS, locked=locked)


def test_what_is_observed_becomes_records() -> None:
    """Each kind its own, with its class, its program and a digest."""
    act, dialog, message, loaded, undo = Stage(EDITOR).records(*ALL)
    assert isinstance(act, ControlAct)
    assert (act.app, act.what, act.role, act.state) == ("Editor", "pressed", ControlRole.BUTTON, ControlState.PLAIN)
    assert isinstance(dialog, DialogSeen)
    assert (dialog.role, dialog.about) == (ControlRole.ALERT, MessageClass.ERROR)
    assert isinstance(message, MessageSeen)
    assert message.about is MessageClass.ERROR
    assert isinstance(loaded, DocumentLoaded)
    assert isinstance(undo, UndoLabel)
    digests = [act.name_digest, dialog.title_digest, dialog.text_digest, message.text_digest]
    digests += [loaded.title_digest, undo.label_digest]
    assert len(set(digests)) == 6
    assert all(len(digest) == 16 for digest in digests)


def test_once_it_is_turned_off_only_that_is_recorded() -> None:
    """What was seen before and is not judged yet leaves nothing, nor do words in memory; that it goes is no problem."""
    stage = Stage(EDITOR)
    act = stage.records(*ALL)[0]
    assert isinstance(act, ControlAct)
    stage.sense.is_off = True
    assert stage.records(*ALL, Working(t_ns=6, pid=0, on=False, chosen=True)) == [Sense(name="controls", on=False)]
    assert stage.words.lookup(act.name_digest, NOW_NS) is None
    stage.sense.is_off = False
    gone = stage.records(Working(t_ns=6, pid=0, on=False))
    assert [type(item).__name__ for item in gone] == ["Sense", "Problem"]


@pytest.mark.parametrize("recording", [False, True])
def test_without_the_recording_no_word_is_in_a_record(*, recording: bool) -> None:
    """With it they are found (the control); memory holds them for a card either way."""
    stage = Stage(EDITOR, record_names=recording)
    records = stage.records(*ALL)
    assert (b"marker" in msgspec.json.encode(records)) is recording
    act = records[0]
    assert isinstance(act, ControlAct)
    assert stage.words.lookup(act.name_digest, NOW_NS) == "Save marker-name"


@pytest.mark.parametrize(
    ("windows", "access"),
    [
        ([window(1, "KeePassXC", pid=PID, program=PROGRAM)], Access.NOTHING),
        ([window(1, "Chromium", pid=PID, program=PROGRAM, title="T - Chromium")], Access.FIELDS),
        ([EDITOR, window(2, "Editor", RIGHT, pid=PID, program=PROGRAM, title="bitwarden")], Access.ALL),
        ([window(1, "kairos", pid=OWN_PID, program=PROGRAM)], None),
        ([window(1, "Editor", pid=PID)], None),
        ([window(1, "Editor", pid=PID + 1, program=PROGRAM)], None),
    ],
)
def test_windows_that_are_not_allowed_are_silent(windows: list[DesktopWindow], access: Access | None) -> None:
    """Excluded ones, such as may be private, our own, ones of another process, and processes that are not known."""
    stage = Stage(*windows)
    assert stage.sense.permit.programs.get(PID) is access
    assert bool(stage.records(*ALL)) is (access is Access.ALL)


def test_one_private_window_silences_its_whole_program() -> None:
    """Which window a signal comes from is not always known; whether a password field has the keyboard may be asked."""
    firefox: dict[str, Any] = {"pid": PID, "program": PROGRAM, "role": "browser", "instance": "Navigator"}
    ordinary = window(1, "firefox-esr", title="T — Mozilla Firefox", group=9, **firefox)
    private = window(2, "firefox-esr", RIGHT, title="T — Mozilla Firefox Private Browsing", group=9, **firefox)
    assert Stage(ordinary).sense.permit.programs == {PID: Access.ALL}
    stage = Stage(ordinary, private)
    assert stage.sense.permit.programs == {PID: Access.FIELDS}
    assert stage.records(*ALL) == []


def test_a_window_that_is_not_known_yet_is_waited_for() -> None:
    """Neither asked nor taken for excluded."""
    stage = Stage(EDITOR)
    stage.fence.update([scene(replace(EDITOR, app=None), active=1)], NOW_NS + NEW_NS)
    stage.observer.publish(stage.fence, locked=False)
    assert stage.sense.permit.settling == {PID}
    assert stage.records(*ALL) == []


def test_a_closed_gate_and_a_locked_screen_leave_nothing() -> None:
    """Also of what was observed before, with the gate open again since."""
    stage = Stage(EDITOR)
    assert stage.records(*ALL, locked=True) == []
    stage.gate.close()
    assert stage.records(*ALL) == []
    stage.gate.open()
    assert stage.records(*ALL) == []
    assert len(stage.records(*(replace(item, epoch=1) for item in ALL))) == len(ALL)


def test_what_is_pending_at_a_pause_is_forgotten_but_for_the_end_of_the_sense() -> None:
    """So are the words in memory."""
    stage = Stage(EDITOR)
    (act, *_) = stage.records(*ALL)
    stage.sense.pending = [*ALL, Working(t_ns=9, pid=0, on=False)]
    assert stage.observer.discard() == [Sense(name="controls", on=False), Problem(code=CONTROLS_GONE)]
    assert isinstance(act, ControlAct)
    assert stage.words.lookup(act.name_digest, NOW_NS) is None


def test_an_act_on_a_password_field_and_a_quiet_message_leave_nothing() -> None:
    """The one is nobody's business, the other no trouble."""
    secret = Control(key="/s", role=ControlRole.PASSWORD, name="marker")
    assert (
        Stage(EDITOR).records(
            Acted(t_ns=1, pid=PID, control=secret, what=ActKind.ENTERED),
            MessageShown(t_ns=2, pid=PID, role=ControlRole.STATUS, text="Ready"),
        )
        == []
    )


def test_enter_presses_the_button_with_the_keyboard() -> None:
    """In the active program, and only what a key can press."""
    enter = InputEvent(t_ns=8, kind=EventKind.KEY, key_class=KeyClass.ENTER)
    moved = FocusMoved(t_ns=7, pid=PID, number=2, control=BUTTON)
    late = FocusMoved(t_ns=6, pid=PID, number=1, control=replace(BUTTON, role=ControlRole.TEXT))
    (act,) = Stage(EDITOR).records(moved, late, events=[enter, replace(enter, key_class=KeyClass.TAB)])
    assert isinstance(act, ControlAct)
    assert (act.t_ns, act.what) == (8, "pressed")
    assert Stage(EDITOR).records(late, events=[enter]) == []
    assert Stage(EDITOR).records(moved, events=[replace(enter, own=True)]) == []
    assert Stage(EDITOR, window(2, "Other", RIGHT), active=2).records(moved, events=[enter]) == []


def test_an_entry_marked_as_wrong_is_an_error_whatever_it_is_called() -> None:
    """And a notification counts without any known word."""
    wrong, note = Stage(EDITOR).records(
        MessageShown(t_ns=1, pid=PID, role=ControlRole.ENTRY, text="Date", about=MessageClass.ERROR),
        MessageShown(t_ns=2, pid=PID, role=ControlRole.NOTIFICATION, text="Bitte beachten"),
    )
    assert isinstance(wrong, MessageSeen)
    assert isinstance(note, MessageSeen)
    assert (wrong.about, note.about) == (MessageClass.ERROR, MessageClass.OTHER)


def test_how_runs_went_is_told_apart_by_what_they_quote() -> None:
    """One missing name after the other is progress; the same one further down is not. A success has no words."""
    *errors, well = Stage(EDITOR).records(
        *(
            MessageShown(t_ns=t_ns, pid=PID, role=ControlRole.OUTPUT, text=text, about=MessageClass.ERROR)
            for t_ns, text in enumerate(
                ("a.c:5: 'tax' undeclared", "a.c:7: 'tax' undeclared", "a.c:7: 'sum' undeclared")
            )
        ),
        MessageShown(t_ns=4, pid=PID, role=ControlRole.OUTPUT, text="", about=MessageClass.SUCCESS),
    )
    first, later, other = (item.text_digest for item in errors if isinstance(item, MessageSeen))
    assert first == later != other
    assert isinstance(well, MessageSeen)
    assert (well.role, well.about, well.text_digest) == (ControlRole.OUTPUT, MessageClass.SUCCESS, "")


def test_the_sense_and_its_losses_are_logged() -> None:
    """When it began, what it dropped, rounded up, and that it went away, once."""
    stage = Stage(EDITOR)
    stage.sense.lost = 3
    records = stage.records(
        Working(t_ns=1, pid=0, on=True), Lost(t_ns=2, pid=0, count=9), Working(t_ns=3, pid=0, on=False)
    )
    assert records == [
        Sense(name="controls", on=True),
        Sense(name="controls", on=False),
        Problem(code=CONTROLS_GONE),
        Dropped(what="control_signals", count=20, reason="overload"),
    ]


def test_programs_that_are_not_asked_for_a_while_are_one_problem_until_all_are_asked_again() -> None:
    """Which ones stands nowhere in the log; what happens while the gate is closed is no less true."""
    stage = Stage(EDITOR)

    def quiet(pid: int, *, on: bool) -> ProgramQuiet:
        return ProgramQuiet(t_ns=1, pid=pid, on=on)

    began, over = Problem(code=CONTROLS_UNANSWERED), Problem(code=CONTROLS_UNANSWERED, over=True)
    assert stage.records(quiet(PID, on=True), quiet(8, on=True), quiet(PID, on=False)) == [began]
    stage.sense.pending = [quiet(8, on=False), quiet(9, on=True)]
    assert stage.observer.discard() == [over, began]
    assert stage.records(Working(t_ns=3, pid=0, on=False))[-1] == over
    assert stage.records(quiet(9, on=False)) == []


LISTED = ControlsListed(
    t_ns=6,
    pid=PID,
    request=3,
    found=ControlList(
        controls=(
            replace(BUTTON, box=Box(1, 2, 3, 4), state=ControlState.DISABLED),
            Control(key="/secret", role=ControlRole.PASSWORD, name="marker-field", box=Box(5, 6, 7, 8)),
            Control(key="/gone", role=ControlRole.BUTTON, name="marker-placeless"),
        ),
        complete=False,
    ),
)


@pytest.mark.parametrize("recording", [False, True])
def test_the_controls_of_a_window_are_stored_without_their_names(*, recording: bool) -> None:
    """Whoever requested them gets the names, a record only with the recording. No password field is there."""
    stage = Stage(EDITOR, record_names=recording)
    (record,) = stage.records(LISTED)
    ((request, delivered),) = stage.sense.delivered
    element = Element(role="button", box=Box(1, 2, 3, 4), name="Save marker-name", state=ControlState.DISABLED)
    expected = Elements(t_ns=6, app="Editor", elements=(element,), complete=False)
    assert (request, delivered) == (3, expected)
    assert record == (expected if recording else replace(expected, elements=(replace(element, name=None),)))
    assert (b"marker" in msgspec.json.encode(record)) is recording


def judged(observation: Observation, why: str) -> Stage:
    """Return a stage after an observation was judged, in a window or at a time that speaks against it, or in none."""
    windows = {
        "excluded": window(1, "KeePassXC", pid=PID, program=PROGRAM),
        "field": window(1, "Chromium", pid=PID, program=PROGRAM, title="T - Chromium"),
    }
    other = window(2, "Other", RIGHT, pid=PID + 1, program=PROGRAM)
    stage = Stage(windows.get(why, EDITOR), other, active=2 if why == "other" else 1)
    stage.sense.pending = [observation]
    if why == "paused":
        stage.gate.close()
        stage.gate.open()
    if why == "closed":
        stage.gate.close()
        assert stage.observer.discard() == []
    else:
        assert stage.observer.records(stage.fence, (), NOW_NS, locked=why == "locked") == []
    return stage


@pytest.mark.parametrize("why", ["excluded", "field", "other", "paused", "locked", "unanswered", "closed"])
def test_controls_of_a_window_that_is_not_allowed_any_more_are_nobodys(why: str) -> None:
    """Excluded while they were read, no longer active, paused, locked, or not known: nothing is handed over."""
    listed = replace(LISTED, found=None) if why == "unanswered" else LISTED
    stage = judged(listed, why)
    assert stage.sense.delivered == [(3, None)]


COMMANDS = CommandsListed(t_ns=6, pid=PID, request=3, found=CommandList(app="", commands=(Command(path=("Save",)),)))


@pytest.mark.parametrize("why", ["", "other", "excluded", "field", "paused", "locked", "closed"])
def test_commands_of_a_program_that_is_not_allowed_any_more_are_nobodys(why: str) -> None:
    """They are of that program also while another window is in front, such as ours; no record comes of them."""
    stage = judged(COMMANDS, why)
    found = COMMANDS.found
    assert found is not None
    assert stage.sense.delivered == [(3, replace(found, app="Editor") if why in ("", "other") else None)]


def test_the_window_whose_commands_count_is_the_one_in_front_or_that_of_its_dialog() -> None:
    """An excluded one is none, and a window of ours is told apart from that."""
    menus = ExportedMenus(":1.5", "/bar")
    main = window(1, "Editor", pid=PID, program=PROGRAM, title="notes - Editor", exported=menus)
    dialog = window(2, "Editor", RIGHT, pid=PID, program=PROGRAM, dialog=True, transient_for=1)
    front = FrontWindow(pid=PID, client=1, app="Editor", title="notes - Editor", exported=menus)
    assert Stage(main, active=1).sense.permit.front == front
    assert Stage(main, dialog, active=2).sense.permit.front == front
    alone = Stage(main, replace(dialog, transient_for=0), active=2).sense.permit.front
    assert alone == FrontWindow(pid=PID, client=2, app="Editor")
    other = window(3, "KeePassXC", RIGHT, pid=PID + 1, program=PROGRAM)
    ours = window(4, "kairos", RIGHT, pid=OWN_PID, program=PROGRAM)
    covered, own = Stage(main, other, active=3).sense.permit, Stage(main, ours, active=4).sense.permit
    assert (covered.front, covered.is_ours) == (None, False)
    assert (own.front, own.is_ours) == (None, True)


def test_the_ring_is_no_menu_and_menus_are_those_of_the_active_program() -> None:
    """What is clicked in the ring is asked of the window below; a menu of another program hides nothing of this one."""
    ring = window(5, "kairos", RIGHT, pid=OWN_PID, program=PROGRAM, title=SPOTLIGHT_TITLE, popup=True)
    ours = window(6, "kairos", RIGHT, pid=OWN_PID, program=PROGRAM, title="Menu", popup=True)
    other = window(7, "Other", Box(1, 1, 5, 5), pid=PID + 1, program=PROGRAM, popup=True)
    menu = window(8, "Editor", Box(2, 2, 5, 5), pid=PID, program=PROGRAM, popup=True)
    permit = Stage(EDITOR, ring, ours, other, menu).sense.permit
    assert permit.popups == (ours.box, other.box, menu.box)
    assert permit.menus == (menu.box,)
    assert permit.window == EDITOR.box


WANTED = PictureWanted(t_ns=6, pid=PID, request=3, areas=(Box(10, 10, 20, 20), Box(25, 5, 10, 10)))


@pytest.mark.parametrize("why", ["", "excluded", "field", "other", "paused", "locked", "closed"])
def test_a_picture_goes_to_its_reader_only_where_the_controls_might_be_known(why: str) -> None:
    """A window that is excluded or may be private, another one, a pause, a lock: nobody gets it."""
    stage = judged(WANTED, why)
    assert stage.sense.pictures == ([] if why else [(3, Box(10, 5, 25, 25))])
    assert stage.sense.delivered == ([(3, None)] if why else [])


def test_texts_that_were_read_are_marked_in_the_record() -> None:
    stage = Stage(EDITOR, record_names=True)
    texts = (Control(key=1, role=ControlRole.TEXT, name="Save", box=Box(1, 2, 3, 4)),)
    found = ControlList(controls=texts, complete=False)
    (record,) = stage.records(replace(LISTED, found=found, by_ocr=True))
    assert record == Elements(
        t_ns=6,
        app="Editor",
        elements=(Element(role="text", box=Box(1, 2, 3, 4), name="Save"),),
        complete=False,
        by_ocr=True,
    )


@pytest.mark.parametrize(("hangs", "kind"), [(True, EventKind.PROTECTED), (False, EventKind.KEY)])
def test_no_letter_counts_before_it_is_told_whether_its_program_has_yet_to_answer(
    kind: EventKind, *, hangs: bool
) -> None:
    """A browser whose page hangs: that news may be later than a letter waits otherwise."""
    stage = Stage(EDITOR)
    stage.sense.is_untold = True
    letter = InputEvent(t_ns=NOW_NS, kind=EventKind.KEY, key_class=KeyClass.CHARACTER)
    assert stage.observer.protect([letter], NOW_NS) == []
    assert stage.observer.protect([], NOW_NS + NS_PER_S // 2) == []
    stage.sense.is_untold = False
    stage.sense.pending = [AnswerAwaited(t_ns=NOW_NS, pid=PID)] if hangs else []
    passed = stage.observer.protect([], NOW_NS + NS_PER_S)
    passed += stage.observer.protect([], NOW_NS + 20 * NS_PER_S)
    assert [event.kind for event in passed] == [kind]


def test_a_password_field_stays_covered_without_keyboard_and_sense_until_that_is_turned_off() -> None:
    """It goes with its window; what the person turned off covers nothing."""
    stage = Stage(EDITOR)
    field = Control(key="/s", role=ControlRole.PASSWORD, box=Box(20, 30, 40, 10))
    later_ns = NOW_NS + 60 * NS_PER_S

    def covered(place: Box) -> int:
        there = scene(replace(EDITOR, box=place), active=1, t_ns=later_ns)
        return len(stage.observer.protected(there, later_ns, later_ns))

    assert covered(EDITOR.box) == 0
    stage.sense.pending = [
        FocusMoved(t_ns=NOW_NS, pid=PID, number=1, control=field),
        FocusMoved(t_ns=NOW_NS + 1, pid=PID, number=2),
    ]
    assert covered(EDITOR.box) == 1
    assert covered(RIGHT) == 2  # until its program has followed
    stage.sense.is_working = False
    stage.observer.protect([], later_ns)
    assert covered(RIGHT) == 2
    stage.sense.is_off = True
    stage.observer.protect([], later_ns)
    assert covered(RIGHT) == 0
