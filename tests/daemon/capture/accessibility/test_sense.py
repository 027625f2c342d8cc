"""The thread that runs an adapter: bounded, retried, permitted, and never waited for."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from unittest.mock import patch

import numpy as np
import pytest

from daemon.capture.accessibility.command_store import FRESH_NS, MAX_WINDOWS, CommandStore
from daemon.capture.accessibility.sense import LOOK_S, MAX_PENDING, TOLD_S, TYPING_NS, ControlSense
from daemon.capture.accessibility.walk_rate import WALK_GAP_NS, WalkRate
from daemon.capture.control_source import (
    Access,
    Acted,
    ActKind,
    AnswerAwaited,
    CommandsListed,
    Control,
    ControlList,
    ControlsListed,
    FrontWindow,
    Observation,
    PageLoaded,
    Permit,
    PictureWanted,
    Working,
)
from daemon.capture.diff import Pixels
from daemon.capture.gate import Gate
from daemon.capture.source_thread import SourceGone
from demo.virtual_desktop.windows import poll
from storage.clock import NS_PER_S, SystemClock
from storage.ports import CommandList
from storage.records import Box, ControlRole, Elements
from tests.fakes.accessibility.controls import ScriptedControls

PID = 77
OPEN = Permit(programs={PID: Access.ALL}, active=PID, window=Box(0, 0, 400, 300))
OFTEN = WalkRate(gap_ns=0, per_minute=100)


class Running:
    """A sense with a scripted adapter."""

    def __init__(self, source: ScriptedControls, rate: WalkRate | None = None) -> None:
        self.source = source
        self.taken: list[Elements | CommandList | None] = []
        self.gate = Gate()
        self.gate.open()
        self.woken = threading.Event()
        self.seen: list[Observation] = []
        self.lost = 0
        self.sense = ControlSense(
            clock=SystemClock(),
            gate=self.gate,
            wake=self.woken.set,
            open_source=lambda *_: source,
            first_pause_s=0.01,
            rate=rate,
            reads_outputs=True,
        )

    def look(self) -> list[Observation]:
        seen, lost = self.sense.take()
        self.seen += seen
        self.lost += lost
        return self.seen


@contextmanager
def running(source: ScriptedControls, rate: WalkRate | None = None) -> Iterator[Running]:
    stage = Running(source, rate)
    stage.sense.start()
    try:
        poll(lambda: any(isinstance(item, Working) for item in stage.look()) or None, what="starting")
        yield stage
    finally:
        assert stage.sense.stop(5.0)


def test_a_bus_that_goes_away_is_reported_once_and_tried_again() -> None:
    """Each end of the sense is one report, whatever number of tries follow."""
    with running(ScriptedControls(goes=True)) as stage:
        poll(lambda: stage.source.watched > 2 or None, what="trying again")
    ons = [item.on for item in stage.look() if isinstance(item, Working)]
    assert ons == [index % 2 == 0 for index in range(len(ons))]


def test_what_the_person_turns_off_looks_at_nothing_more_and_drops_what_was_not_taken() -> None:
    """Its end is reported once, as chosen; a click, a request and the adapter reach nothing from then on."""
    taken: list[Elements | None] = []
    with running(ScriptedControls()) as stage:
        stage.sense.publish(OPEN, locked=False)
        stage.sense.pressed(5, 10, 10)
        poll(lambda: stage.sense.has_pending or None, what="a report that nobody takes")
        stage.sense.turn_off()
        assert stage.sense.epoch is None
        assert [entry for entry in stage.look() if not isinstance(entry, Working)] == []
        stage.sense._report(PageLoaded(t_ns=6, pid=PID, title="late"))
        stage.sense.pressed(7, 10, 10)
        stage.sense.request_elements(taken.append)
        assert stage.sense.stop(5.0)
    assert [(item.on, item.chosen) for item in stage.look() if isinstance(item, Working)] == [
        (True, False),
        (False, True),
    ]
    assert len(stage.seen) == 2
    assert taken == [None]
    assert stage.source.asked == [(PID, 10, 10)]


def test_a_queue_that_is_full_drops_and_counts() -> None:
    """The capture thread may be late; nothing grows without end."""
    flood = [PageLoaded(t_ns=n, pid=PID, title="t") for n in range(MAX_PENDING + 50)]
    stage = Running(ScriptedControls(*flood))
    stage.sense.start()
    poll(lambda: stage.sense._lost or None, what="dropping")
    assert stage.sense.stop(5.0)
    seen, lost = stage.sense.take()
    assert len(seen) == MAX_PENDING
    assert lost == len(flood) + 1 - MAX_PENDING


def test_a_press_is_asked_about_only_where_that_is_allowed() -> None:
    """In the active program, with the gate open and the screen unlocked; in a menu it is what has the focus."""
    with running(ScriptedControls()) as stage:
        sense = stage.sense

        def press(permit: Permit, *, locked: bool = False) -> None:
            sense.publish(permit, locked=locked)
            sense.pressed(5, 10, 10)

        press(Permit(programs={PID: Access.FIELDS}, active=PID))
        press(Permit(programs={PID: Access.ALL}))
        press(OPEN, locked=True)
        stage.gate.close()
        press(OPEN)
        stage.gate.open()
        press(Permit(programs={PID: Access.ALL}, active=PID, popups=(Box(0, 0, 20, 20),)))
        press(OPEN)
        poll(
            lambda: len([entry for entry in stage.look() if isinstance(entry, Acted)]) == 2 or None, what="two answers"
        )
    acts = [report for report in stage.seen if isinstance(report, Acted)]
    assert [(item.control.name, item.what, item.t_ns) for item in acts] == [
        ("Paste", ActKind.PRESSED, 5),
        ("Save marker-name", ActKind.PRESSED, 5),
    ]
    assert stage.source.asked == [(PID, 10, 10)]


def test_a_command_by_keys_reaches_the_adapter_only_where_that_is_allowed() -> None:
    """In the active program, with the gate open, the screen unlocked, and a yes to what is then read."""
    with running(ScriptedControls()) as stage:
        for permit, locked in (
            (Permit(programs={PID: Access.FIELDS}, active=PID), False),
            (Permit(programs={PID: Access.ALL}), False),
            (OPEN, True),
        ):
            stage.sense.publish(permit, locked=locked)
            stage.sense.commanded(is_enter=False)
        stage.gate.close()
        stage.sense.publish(OPEN, locked=False)
        stage.sense.commanded(is_enter=False)
        stage.gate.open()
        stage.sense.reads_outputs = False
        stage.sense.commanded(is_enter=False)
        stage.sense.reads_outputs = True
        stage.sense.commanded(is_enter=True)
        stage.sense.wrote()
        poll(lambda: stage.source.writings or None, what="the command")
    assert stage.source.noted == [(PID, True)]
    assert stage.source.writings == [PID]


def test_a_letter_after_what_may_move_the_keyboard_reaches_the_adapter_only_where_fields_may_be_asked() -> None:
    """Whether the program answers is asked for its password fields."""
    with running(ScriptedControls()) as stage:
        for permit, locked in (
            (Permit(programs={PID: Access.NOTHING}, active=PID), False),
            (Permit(active=PID), False),
            (OPEN, True),
            (Permit(programs={PID: Access.FIELDS}, active=PID), False),
        ):
            stage.sense.publish(permit, locked=locked)
            stage.sense.typed()
        poll(lambda: stage.source.typings or None, what="the letter")
        stage.gate.close()
        stage.sense.typed()
        stage.gate.open()
        stage.sense.wrote()
        poll(lambda: stage.source.writings or None, what="what comes after it")
    assert stage.source.typings == [PID]


class BusyControls(ScriptedControls):
    """Says that a program has yet to answer, in a thread that is late twice."""

    def __init__(self) -> None:
        super().__init__()
        self.may_begin = threading.Event()

    async def watch(self, report: Callable[[Observation], None]) -> None:
        self._report = report
        await super().watch(report)

    def note_typing(self, pid: int) -> None:
        assert self.may_begin.wait(30.0)
        asyncio.ensure_future(self._ask(pid)).add_done_callback(lambda _: self.typings.append(pid))

    async def _ask(self, pid: int) -> None:
        threading.Event().wait(2 * TOLD_S)  # what keeps the thread from what is due
        asyncio.get_running_loop().call_later(TOLD_S / 2, lambda: self._report(AnswerAwaited(t_ns=1, pid=pid)))


def test_it_is_untold_whether_a_program_answers_until_the_adapter_had_the_time_to_say_so() -> None:
    """However late its thread is: what it says is there by then."""
    source = BusyControls()
    with running(source) as stage:
        stage.sense.publish(OPEN, locked=False)
        poll(lambda: stage.sense.is_working, what="the adapter")
        stage.sense.take()
        assert not stage.sense.is_untold
        stage.sense.typed()
        assert stage.sense.is_untold
        source.may_begin.set()
        poll(lambda: not stage.sense.is_untold, what="that it is told")
        assert [type(seen) for seen in stage.sense.take()[0]] == [AnswerAwaited]


def test_after_a_pause_and_a_locked_screen_the_adapter_begins_anew() -> None:
    """It need not wait for a signal: what it does not listen to any more might be the one that counts."""
    with running(ScriptedControls()) as stage:
        stage.gate.close()
        stage.gate.open()
        poll(lambda: stage.source.anew == 1 or None, what="the end of the pause")
        stage.sense.publish(OPEN, locked=True)
        stage.gate.close()
        stage.gate.open()
        stage.sense.publish(OPEN, locked=False)
        poll(lambda: stage.source.anew == 2 or None, what="the end of the lock")
        stage.sense.publish(replace(OPEN, active=0), locked=False)
    stage.gate.close()
    stage.gate.open()
    assert stage.source.anew == 2


@pytest.mark.parametrize("known", [True, False])
def test_a_question_waits_for_the_fence_to_know_a_program(monkeypatch: pytest.MonkeyPatch, *, known: bool) -> None:
    """A moment; what is not known by then is not asked."""
    monkeypatch.setattr("daemon.capture.accessibility.sense.SETTLE_S", 5.0 if known else 0.05)
    answers: list[Access] = []

    class Asking(ScriptedControls):
        async def element_at(self, pid: int, x: int, y: int) -> None:  # the Protocol's signature
            answers.append(await stage.sense.access(99))

    with running(Asking()) as stage:
        stage.sense.publish(OPEN, locked=False)
        stage.sense.pressed(1, 2, 3)
        stage.sense.publish(Permit(programs={99: Access.NOTHING}, settling=frozenset({99})), locked=False)
        if known:
            stage.sense.publish(Permit(programs={99: Access.ALL}), locked=False)
        poll(lambda: bool(answers) or None, what="an answer")
    assert answers == [Access.ALL if known else Access.NOTHING]


def test_a_bug_in_an_adapter_is_logged_once_reported_and_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    """Capture goes on without it, each end is one report, and the pauses grow even though it connects each time."""

    class Broken(ScriptedControls):
        async def watch(self, report: object) -> None:
            self.watched += 1
            assert callable(report)
            report(Working(t_ns=0, pid=0, on=True))
            raise ZeroDivisionError

    source = Broken()
    with running(source) as stage:
        poll(lambda: source.watched > 3 or None, what="trying again")
    ons = [item.on for item in stage.look() if isinstance(item, Working)]
    assert ons == [index % 2 == 0 for index in range(len(ons))]
    assert caplog.text.count("not understood for a while") == 1


def has(found: Sequence[object], count: int) -> bool:
    return len(found) == count


def is_listed(stage: Running, count: int) -> bool:
    return len(listed(stage)) == count


def listed(stage: Running) -> list[ControlsListed]:
    return [item for item in stage.look() if isinstance(item, ControlsListed)]


def test_a_window_is_walked_only_where_that_is_allowed() -> None:
    """In the active program, with the gate open and the screen unlocked; else the answer is none, at once."""
    with running(ScriptedControls(), WalkRate(gap_ns=0, per_minute=100)) as stage:

        def refused(permit: Permit, *, locked: bool = False) -> bool:
            stage.sense.publish(permit, locked=locked)
            count = len(stage.taken)
            stage.sense.request_elements(stage.taken.append)
            return stage.taken[count:] == [None]

        assert refused(replace(OPEN, programs={PID: Access.FIELDS}))
        assert refused(replace(OPEN, programs={PID: Access.NOTHING}))
        assert refused(replace(OPEN, programs={}))
        assert refused(replace(OPEN, settling=frozenset({PID})))
        assert refused(Permit(programs={PID: Access.ALL}))
        assert refused(OPEN, locked=True)
        stage.gate.close()
        assert refused(OPEN)
        stage.gate.open()
        assert not refused(OPEN)  # the control
        poll(lambda: listed(stage) or None, what="the walk")
        assert stage.source.walked == [(PID, OPEN.window, ())]
        (one,) = listed(stage)
        assert one.found == stage.source.listed
        stage.sense.deliver(one.request, None)
        stage.sense.deliver(one.request, None)
    assert len(stage.taken) == 8


def test_a_person_who_asks_is_not_refused_for_walks_that_nobody_asked_for() -> None:
    """Control: without saying so the request is refused."""
    rate = WalkRate(gap_ns=0, per_minute=4, kept=(1, 0))
    with running(ScriptedControls(), rate) as stage:
        stage.sense.publish(OPEN, locked=False)
        for _ in range(4):
            stage.sense.request_elements(stage.taken.append)
        assert stage.taken == [None]
        stage.sense.request_elements(stage.taken.append, asked=True)
        assert stage.taken == [None]
        poll(partial(is_listed, stage, 4), what="the walks")
    assert len(stage.source.walked) == 4


def test_a_window_that_moved_meanwhile_is_not_known() -> None:
    """Its boxes would be where it was."""
    with running(ScriptedControls(), OFTEN) as stage:
        for moves in (True, False):
            stage.source.walk_waits = asyncio.Event()
            stage.sense.publish(OPEN, locked=False)
            count = len(stage.source.walked)
            stage.sense.request_elements(stage.taken.append)
            poll(partial(has, stage.source.walked, count + 1), what="the walk")
            if moves:
                stage.sense.publish(replace(OPEN, window=Box(9, 9, 400, 300)), locked=False)
            stage.sense._thread.call(stage.source.walk_waits.set)
            poll(partial(is_listed, stage, 2 - moves), what="its end")
        assert [listing.found is None for listing in listed(stage)] == [True, False]


@pytest.mark.parametrize("what", ["controls", "commands"])
@pytest.mark.parametrize("fault", [SourceGone, ZeroDivisionError, TimeoutError])
def test_a_walk_that_fails_is_answered(caplog: pytest.LogCaptureFixture, what: str, fault: type[Exception]) -> None:
    """Whoever waits for it hears that there is nothing; only a bug is logged."""

    async def fail(*_: object) -> None:
        raise fault

    source = ScriptedControls()
    setattr(source, what, fail)
    with running(source, OFTEN) as stage:
        stage.sense.publish(WORKED_IN, locked=False)
        if what == "commands":
            assert request(stage).found is None
            return
        stage.sense.request_elements(stage.taken.append)
        poll(lambda: listed(stage) or None, what="an answer")
        assert [listing.found for listing in listed(stage)] == [None]
    assert ("failed" in caplog.text) is (fault is ZeroDivisionError)


def test_who_waits_for_a_walk_is_answered_when_the_sense_ends() -> None:
    """Once, with nothing, although the program never answered."""
    source = ScriptedControls()
    source.walk_waits = asyncio.Event()
    with running(source, OFTEN) as stage:
        stage.sense.publish(OPEN, locked=False)
        stage.sense.request_elements(stage.taken.append)
        poll(lambda: source.walked or None, what="the walk")
        assert stage.taken == []
    assert stage.taken == [None]
    stage.sense.request_elements(stage.taken.append)
    assert stage.taken == [None, None]


TEXTS = ControlList(controls=(Control(key=1, role=ControlRole.TEXT, name="Save", box=Box(1, 2, 3, 4)),), complete=False)


class Texts:
    """Reads texts off pictures: gives what a test put in, when it says so."""

    def __init__(self, *, waits: bool = False) -> None:
        self.read: list[tuple[Box, tuple[Box, ...]]] = []
        self.ended = threading.Event()
        self._waits = waits

    async def __call__(self, _pixels: Pixels, place: Box, areas: Sequence[Box]) -> ControlList | None:
        self.read.append((place, tuple(areas)))
        try:
            if self._waits:
                await asyncio.Event().wait()
        finally:
            self.ended.set()
        return TEXTS


def wanted(stage: Running) -> list[PictureWanted]:
    return [item for item in stage.look() if isinstance(item, PictureWanted)]


@contextmanager
def silent(texts: Texts | None) -> Iterator[Running]:
    """Run a sense whose program says nothing of its window, once its controls were requested."""
    source = ScriptedControls()
    source.listed = ControlList(complete=False)
    with running(source, OFTEN) as stage:
        stage.sense._read_texts = texts
        stage.sense.publish(replace(OPEN, menus=(Box(9, 9, 5, 5),)), locked=False)
        stage.sense.request_elements(stage.taken.append)
        poll(lambda: wanted(stage) or listed(stage) or None, what="an answer")
        yield stage


def test_a_window_that_says_nothing_is_read_off_its_picture() -> None:
    """The picture is wanted of the capture thread, which has it behind the fence."""
    texts = Texts()
    with silent(texts) as stage:
        (one,) = wanted(stage)
        assert one.areas == (OPEN.window, Box(9, 9, 5, 5))
        stage.sense.read_picture(one, np.zeros((4, 4, 3), np.uint8), Box(7, 7, 4, 4))
        poll(lambda: listed(stage) or None, what="the texts")
        assert texts.read == [(Box(7, 7, 4, 4), one.areas)]
    (found,) = listed(stage)
    assert (found.request, found.found, found.by_ocr, found.epoch) == (one.request, TEXTS, True, one.epoch)


def test_without_the_extra_a_window_that_says_nothing_is_not_known() -> None:
    """Control: with it a picture is wanted."""
    with silent(None) as stage:
        assert wanted(stage) == []
        assert [listing.found for listing in listed(stage)] == [None]
    with silent(Texts()) as stage:
        assert len(wanted(stage)) == 1


def test_a_pause_ends_the_reader() -> None:
    """At once, and whoever waits hears that there is nothing."""
    texts = Texts(waits=True)
    with silent(texts) as stage:
        (one,) = wanted(stage)
        stage.sense.read_picture(one, np.zeros((4, 4, 3), np.uint8), Box(7, 7, 4, 4))
        poll(lambda: texts.read or None, what="the reader")
        stage.gate.close()
        poll(lambda: listed(stage) or None, what="an answer")
        assert texts.ended.wait(5.0)
        assert [listing.found for listing in listed(stage)] == [None]


def test_texts_of_a_window_that_has_moved_are_not_known() -> None:
    """Their boxes would be where it was."""
    texts = Texts()
    with silent(texts) as stage:
        (one,) = wanted(stage)
        stage.sense.publish(replace(OPEN, window=Box(9, 9, 400, 300)), locked=False)
        stage.sense.read_picture(one, np.zeros((4, 4, 3), np.uint8), Box(7, 7, 4, 4))
        poll(lambda: listed(stage) or None, what="an answer")
        assert [listing.found for listing in listed(stage)] == [None]


def test_the_adapter_learns_that_another_program_is_active() -> None:
    """Once for each change of that, and not for other changes."""
    with running(ScriptedControls()) as stage:
        stage.sense.publish(OPEN, locked=False)
        stage.sense.publish(replace(OPEN, menus=(Box(1, 2, 3, 4),)), locked=False)
        stage.sense.publish(replace(OPEN, active=0), locked=False)
        poll(lambda: stage.source.activated == 2 or None, what="two changes")
        stage.sense.publish(replace(OPEN, active=0, menus=(Box(1, 2, 3, 4),)), locked=False)
    assert stage.source.activated == 2


def test_walks_that_come_too_soon_are_refused() -> None:
    """One in five seconds; whoever asks again gets nothing, and the program is left in peace."""
    with running(ScriptedControls()) as stage:
        stage.sense.publish(OPEN, locked=False)
        for _ in range(4):
            stage.sense.request_elements(stage.taken.append)
        poll(lambda: listed(stage) or None, what="the walk")
        assert stage.taken == [None] * 3
    assert len(stage.source.walked) == 1
    assert WALK_GAP_NS == 5_000_000_000


# ---------------------------------------------------------------- commands

FRONT = FrontWindow(pid=PID, client=5, app="Editor", title="notes - Editor")
WORKED_IN = replace(OPEN, front=FRONT)


def told(stage: Running) -> list[CommandsListed]:
    return [entry for entry in stage.look() if isinstance(entry, CommandsListed)]


def request(stage: Running, app: str = "") -> CommandsListed:
    count = len(told(stage))
    stage.sense.request_commands(stage.taken.append, app)
    poll(lambda: len(told(stage)) > count or None, what="the commands")
    return told(stage)[-1]


def is_refused(stage: Running, permit: Permit, app: str = "", *, locked: bool = False) -> bool:
    stage.sense.publish(permit, locked=locked)
    count = len(stage.taken)
    stage.sense.request_commands(stage.taken.append, app)
    return stage.taken[count:] == [None]


def test_commands_are_read_only_where_that_is_allowed() -> None:
    """Of the program in front that may be asked, with the gate open and the screen unlocked; else none, at once."""
    with running(ScriptedControls()) as stage:
        assert is_refused(stage, replace(WORKED_IN, programs={PID: Access.FIELDS}))
        assert is_refused(stage, replace(WORKED_IN, programs={}))
        assert is_refused(stage, replace(WORKED_IN, settling=frozenset({PID})))
        assert is_refused(stage, OPEN)
        assert is_refused(stage, WORKED_IN, locked=True)
        assert is_refused(stage, WORKED_IN, app="Other")
        stage.gate.close()
        assert is_refused(stage, WORKED_IN)
        stage.gate.open()
        stage.sense.publish(WORKED_IN, locked=False)
        seen = request(stage)
        assert (seen.pid, seen.found) == (PID, stage.source.listed_commands)
        stage.sense.deliver(seen.request, seen.found)
    assert stage.taken[-1] == stage.source.listed_commands
    assert stage.source.read == [(FRONT, None)]


def test_while_a_window_of_ours_is_in_front_the_one_before_counts_and_a_named_program_always() -> None:
    """Not while an excluded one is in front: then nobody knows what is asked about."""
    with running(ScriptedControls()) as stage:
        stage.sense.publish(WORKED_IN, locked=False)
        ours = replace(WORKED_IN, active=0, front=None, is_ours=True)
        stage.sense.publish(ours, locked=False)
        assert request(stage).pid == PID
        terminal = FrontWindow(pid=9, client=9, app="XTerm")
        stage.sense.publish(replace(ours, programs={**ours.programs, 9: Access.ALL}, front=terminal), locked=False)
        assert request(stage, "Editor").pid == PID
        assert is_refused(stage, replace(ours, is_ours=False))
        assert is_refused(stage, replace(ours, programs={PID: Access.FIELDS}), app="Editor")


def test_commands_are_read_again_after_a_while_or_an_opened_menu_and_by_one_look_for_all_who_wait() -> None:
    """With what was read before, so that what has come since is known."""
    source = ScriptedControls()
    with running(source) as stage:
        stage.sense.publish(WORKED_IN, locked=False)
        assert source.listed_commands is not None
        fresh = replace(source.listed_commands, read_ns=stage.sense._clock.now_ns() + FRESH_NS)
        source.listed_commands = fresh
        request(stage)
        assert request(stage).found == fresh
        assert len(source.read) == 1
        stage.sense.publish(replace(WORKED_IN, menus=(Box(0, 0, 9, 9),)), locked=False)
        assert request(stage).found == fresh  # while it is open
        assert len(source.read) == 1
        stage.sense.publish(WORKED_IN, locked=False)
        source.walk_waits = asyncio.Event()
        for _ in range(3):
            stage.sense.request_commands(stage.taken.append)
        poll(partial(has, source.read, 2), what="the second look")
        stage.sense._thread.call(source.walk_waits.set)
        poll(lambda: len(told(stage)) == 6 or None, what="all answers")
        assert source.read == [(FRONT, None), (FRONT, fresh)]
        source.listed_commands = None  # a program that does not say it this time
        stage.sense.publish(replace(WORKED_IN, menus=(Box(1, 1, 9, 9),)), locked=False)
        stage.sense.publish(WORKED_IN, locked=False)
        assert request(stage).found == fresh
        assert len(source.read) == 3


def test_menus_are_left_alone_for_a_moment_after_a_key_in_their_program() -> None:
    """Whoever types in a window of ours keeps none busy."""
    stage = Running(ScriptedControls())
    assert stage.sense.typing_s == 0.0
    stage.sense.publish(replace(WORKED_IN, active=0, front=None, is_ours=True), locked=False)
    stage.sense.keyed()
    assert stage.sense.typing_s == 0.0
    stage.sense.publish(WORKED_IN, locked=False)
    stage.sense.keyed()
    assert 0.0 < stage.sense.typing_s <= TYPING_NS / NS_PER_S


def test_time_in_which_somebody_types_is_left_out_of_how_long_commands_are_read() -> None:
    source = ScriptedControls()
    source.walk_waits = asyncio.Event()
    with running(source) as stage, patch("daemon.capture.accessibility.sense.COMMANDS_S", LOOK_S / 2):
        stage.sense.publish(WORKED_IN, locked=False)
        stage.sense._keyed_ns = stage.sense._clock.now_ns() + 600 * NS_PER_S
        stage.sense.request_commands(stage.taken.append)
        poll(partial(has, source.read, 1), what="the reading")
        threading.Event().wait(5 * LOOK_S)
        assert source.walks_ended == 0
        stage.sense._keyed_ns = 0
        poll(lambda: source.walks_ended or None, what="its end")


def test_a_part_of_a_list_takes_the_place_of_no_whole_one() -> None:
    source = ScriptedControls()
    with running(source) as stage:
        stage.sense.publish(WORKED_IN, locked=False)
        whole = request(stage).found
        assert isinstance(whole, CommandList)
        for part, kept in (
            (replace(whole, commands=whole.commands[:-1], complete=False), whole),
            (replace(whole, commands=whole.commands[:-1]), None),
        ):
            source.listed_commands = part
            stage.sense.publish(replace(WORKED_IN, menus=(Box(0, 0, 9, 9),)), locked=False)
            stage.sense.publish(WORKED_IN, locked=False)
            assert request(stage).found == (kept or part)


@pytest.mark.parametrize("how", ["pause", "excluded"])
def test_a_reading_that_is_under_way_ends_when_it_may_not_go_on_and_nothing_of_it_is_kept(how: str) -> None:
    source = ScriptedControls()
    source.walk_waits = asyncio.Event()
    with running(source) as stage:
        stage.sense.publish(WORKED_IN, locked=False)
        stage.sense.request_commands(stage.taken.append)
        poll(partial(has, source.read, 1), what="the reading")
        if how == "pause":
            stage.gate.close()
        else:
            stage.sense.publish(replace(WORKED_IN, programs={PID: Access.FIELDS}), locked=False)
        poll(lambda: source.walks_ended or None, what="its end")  # nobody has let it go on
        assert stage.sense._commands.find(FRONT) is None
        assert not stage.sense._fronts


@pytest.mark.parametrize("how", ["pause", "off", "excluded", "gone"])
def test_commands_are_forgotten_with_a_pause_and_when_they_may_not_be_known_any_more(how: str) -> None:
    with running(ScriptedControls()) as stage:
        stage.sense.publish(WORKED_IN, locked=False)
        request(stage)
        assert stage.sense._commands.find(FRONT) is not None
        if how == "pause":
            stage.gate.close()
        elif how == "off":
            stage.sense.turn_off()
        else:
            programs = {PID: Access.NOTHING} if how == "excluded" else {}
            stage.sense.publish(replace(WORKED_IN, programs=programs), locked=False)
        assert stage.sense._commands.find(FRONT) is None


def test_commands_that_come_after_a_pause_are_kept_by_nobody() -> None:
    source = ScriptedControls()
    source.walk_waits = asyncio.Event()
    with running(source) as stage:
        stage.sense.publish(WORKED_IN, locked=False)
        stage.sense.request_commands(stage.taken.append)
        poll(partial(has, source.read, 1), what="the look")
        stage.gate.close()
        stage.gate.open()
        stage.sense._thread.call(source.walk_waits.set)
        poll(lambda: told(stage) or None, what="its end")
        assert told(stage)[0].found is None
        assert stage.sense._commands.find(FRONT) is None


def test_reading_that_costs_too_much_waits_and_gives_what_is_known() -> None:
    source = ScriptedControls()
    with running(source) as stage:
        stage.sense._command_rate = WalkRate(gap_ns=0, per_minute=1, kept=(0, 0))
        stage.sense.publish(WORKED_IN, locked=False)
        assert request(stage).found == request(stage).found == source.listed_commands
    assert len(source.read) == 1


def test_the_newest_windows_are_kept() -> None:
    store = CommandStore()
    found = CommandList(app="", commands=())
    windows = [replace(FRONT, client=client) for client in range(MAX_WINDOWS + 2)]
    for window in windows:
        store.keep(window, found)
        store.note_opened(window)
    assert [store.find(window) for window in windows] == [None, None, *[found] * MAX_WINDOWS]
    assert not store.is_fresh(windows[-1], 0)
    store.keep(windows[-1], found)
    assert store.is_fresh(windows[-1], 0)
    assert not store.is_fresh(windows[-1], FRESH_NS)
    store.keep(windows[-1], replace(found, complete=False))
    assert not store.is_fresh(windows[-1], 0), "the rest may be read at once"
    store.keep(windows[-1], found)
    store.note_opened(windows[0])
    store.forget_all_but({PID + 1})
    assert store.find(windows[-1]) is None
