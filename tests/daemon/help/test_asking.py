"""Somebody asks in words: commands and pages answer, one is shown, the others stay at hand; words are never noted."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest

from daemon.capture.accessibility.digests import ControlWords
from daemon.capture.gate import Gate
from daemon.help import meaning, unasked
from daemon.help.answers import KNOWN_S, UNASKED_NS, TypedAnswers
from daemon.help.commands import matching
from daemon.help.commands import words as word_forms
from daemon.help.commands.command import RequestCommands, TakeCommands, no_commands
from daemon.help.commands.matching import CommandMatch, CommandMatcher, meant_in
from daemon.help.context import HelpContext, HelpMatch
from daemon.help.goal import ModelGoal
from daemon.help.helped import MAX_ANSWERS, WEIGHT, HelpfulAnswers
from daemon.help.ports import OpenLibrary, TakeElements
from daemon.help.service import FIRST_WINDOW_NS, HelpService
from daemon.help.sought import tokens_of_moment
from storage.clock import ManualClock, SystemClock
from storage.db.codec import encode
from storage.ports import (
    WHAT_FOR,
    CandidateKind,
    CandidateNote,
    Command,
    CommandList,
    HelpCandidates,
    HelpContent,
    PointedAt,
)
from storage.records import (
    Box,
    ControlRole,
    ControlState,
    Decision,
    Element,
    Elements,
    Evidence,
    Feedback,
    FeedbackKind,
    Focus,
    HelpFound,
    KeyClass,
    NeedReport,
    Offer,
    Record,
    Verdict,
)
from storage.state.store import Helped
from storage.testing import plain
from tests.fakes.detectors.fake_detectors import estimate_of, key, offer_about
from tests.fakes.help.help_library import FREEZE, GENERAL, OK, VIEW, FakeLibrary, no_library
from tests.fakes.narrowing import present

CALC, TERMINAL = "libreoffice-calc", "xterm"
DEADLINE_S = 30.0
MENUS = CommandList(
    app=CALC,
    commands=(
        Command(path=("Edit", "Undo"), keys="Ctrl+Z"),
        Command(path=("Edit", "Redo"), state=ControlState.DISABLED),
        Command(path=("View", "Freeze Cells", "Freeze First Row")),
    ),
    language="en",
)
GRID = Element(role=ControlRole.TOGGLE, box=Box(1, 2, 3, 4), name="Grid", state=ControlState.ON)
WITH_GRID = CommandList(app=CALC, commands=(Command(path=("View", "Grid")),), language="en")


class Menus:
    """Gives the commands of programs; while it `waits`, once they are `released`."""

    def __init__(self, *lists: CommandList) -> None:
        self.lists = {commands.app: commands for commands in lists}
        self.waits = False
        self.asked_for: list[str] = []
        self._waiting: list[tuple[TakeCommands, str]] = []

    def __call__(self, take: TakeCommands, app: str = "") -> None:
        self.asked_for.append(app)
        if self.waits:
            self._waiting.append((take, app))
        else:
            take(self.lists.get(app))

    def release(self) -> None:
        self.waits = False
        for take, app in self._waiting:
            take(self.lists.get(app))


class Asking:
    """A service in a running loop, and what came of it."""

    def __init__(
        self, library: OpenLibrary | None = None, commands: RequestCommands | None = None, helped: Helped | None = None
    ) -> None:
        self.library, self.menus = FakeLibrary(FREEZE), Menus(MENUS)
        self.elements: tuple[Element, ...] = ()
        self.gate = Gate()
        self.gate.open()
        self.clock = SystemClock()
        self.records: list[Record] = []
        self.found: list[HelpCandidates] = []
        self.helped: list[Helped] = []
        self.rings: list[Box | None] = []
        self.pointed: list[PointedAt] = []
        self.walks = 0
        self.service = HelpService(
            open_library=library or (lambda: self.library),
            request_elements=self._read,
            lookup=ControlWords().lookup,
            gate=self.gate,
            clock=self.clock,
            submit=self.records.extend,
            point=self._point,
            request_commands=commands or self.menus,
            helped=helped,
            save_helped=self.helped.append,
        )

    def _read(self, take: TakeElements, *, asked: bool) -> None:
        self.walks += asked
        take(Elements(t_ns=1, app="", elements=self.elements) if self.elements else None)

    def _point(self, _offer_id: str, _step: int, box: Box | None, about: PointedAt) -> None:
        self.rings.append(box)
        self.pointed.append(about)

    def focus(self, app: str, *, own: bool = False) -> None:
        now_ns = self.clock.now_ns()
        place = {"at_ns": now_ns, "geometry": Box(0, 0, 800, 600), "own": own}
        self.service.observe([plain(Focus, now_ns, app=app, **place)])

    async def come_to_an_offer(self, *codes: str) -> HelpFound:
        evidence = tuple(Evidence(code=code, numbers={}) for code in codes)
        estimate = replace(estimate_of(0.9), app=CALC, evidence=evidence)
        self.service.observe([estimate, Decision(verdict=Verdict.HOLD, gate="content", reason="searching")])
        await self.until(self.rows)
        return self.rows()[0]

    def rows(self) -> list[HelpFound]:
        return [row for row in self.records if isinstance(row, HelpFound)]

    def offer(self, number: int) -> Offer:
        """Return the offer that the engine makes of the n-th result, once that is there, and show it."""
        offer = replace(
            offer_about(), offer_id=f"o{number}", app=CALC, page_id=self.rows()[number].page_id, steps=1, asked=True
        )
        self.service.observe([offer])
        return offer

    def content(self, number: int) -> HelpContent:
        return present(self.service.content_of(self.offer(number)))

    async def ask(self, words: str, **how: Any) -> HelpContent:
        before = len(self.rows())
        assert self.service.ask(words, **how)
        await self.until(lambda: len(self.rows()) > before)
        return self.content(before)

    async def type(self, words: str) -> HelpCandidates:
        self.service.find(words, self.found.append)
        await self.until(lambda: any(found.words == words for found in self.found))
        return self.found[-1]

    async def until(self, check: Callable[[], object]) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while not check():  # noqa: ASYNC110  # what is waited for happens in another thread
                await asyncio.sleep(0.005)


@asynccontextmanager
async def asking(
    library: OpenLibrary | None = None, commands: RequestCommands | None = None, helped: Helped | None = None
) -> AsyncIterator[Asking]:
    """Run a service beside Calc; without another one its library knows one page, and Calc has three commands."""
    session = Asking(library, commands, helped)
    session.service.start(asyncio.get_running_loop())
    try:
        session.focus(CALC)
        yield session
    finally:
        session.service.stop()
        session.service.close(DEADLINE_S)


@pytest.fixture
def session() -> AbstractAsyncContextManager[Asking]:
    return asking()


def paths(found: HelpCandidates | None) -> list[str]:
    return [candidate.page.steps[-1].text for candidate in present(found).candidates]


async def test_a_command_answers_first_and_its_path_is_ringed(session: Asking) -> None:
    session.elements = (VIEW,)
    content = await session.ask("freeze the first row")
    page = present(content.page)
    assert (page.title, page.steps[0].controls) == ("Freeze First Row", ("View", "Freeze Cells", "Freeze First Row"))
    assert paths(content.asked) == ["View > Freeze Cells > Freeze First Row", "Click OK."]
    assert [candidate.kind for candidate in present(content.asked).candidates] == [
        CandidateKind.COMMAND,
        CandidateKind.PAGE,
    ]
    await session.until(lambda: session.rings)
    assert session.rings == [VIEW.box]
    (row,) = session.rows()
    assert (row.asked, row.steps, row.steps_fit, row.general) == (True, 1, (0,), False)


async def test_nothing_that_was_typed_or_found_is_noted(session: Asking) -> None:
    """The control: what is shown holds these words."""
    session.elements = (VIEW,)
    await session.type("undo")
    content = await session.ask("undo")
    assert "undo" in repr(content).lower()
    assert len([row for row in session.records if isinstance(row, NeedReport)]) == 1
    assert not [
        word for row in session.records for word in (b"undo", b"Undo", b"Edit", b"Freeze") if word in encode(row)
    ]


async def test_a_command_that_takes_no_click_is_found_and_says_so(session: Asking) -> None:
    session.library.pages = ()
    content = await session.ask("redo")
    assert present(present(content.asked).find(present(content.page).page_id)).greyed


async def test_where_nothing_answers_the_card_has_the_words_and_no_page(session: Asking) -> None:
    session.library.pages = ()
    content = await session.ask("brew coffee")
    assert (content.page, present(content.asked).words) == (None, "brew coffee")
    assert present(content.asked).language == "en"
    assert present(content.asked).unmatched == ("brew", "coffee")
    assert session.rows()[0].page_id == ""
    assert session.walks == 0


async def test_what_was_chosen_is_shown_also_without_a_ring(session: Asking) -> None:
    found = await session.type("undo")
    page_id = found.candidates[1].page.page_id
    content = await session.ask("undo", page_id=page_id, rings=False)
    assert present(content.page).page_id == page_id == FREEZE.page_id
    content = await session.ask("undo", page_id="command/gone")
    assert present(content.page).title == "Undo"  # the best instead
    assert not session.rings


async def test_what_did_not_help_makes_room_for_the_next_and_at_last_says_so(session: Asking) -> None:
    content = await session.ask("undo")
    assert present(content.page).title == "Undo"
    for number in (0, 1):
        session.service.observe([Feedback(offer_id=f"o{number}", kind=FeedbackKind.WRONG)])
        session.service.observe([])
        content = session.content(number + 1)
    assert [row.page_id for row in session.rows()][1:] == [FREEZE.page_id, ""]
    assert (content.page, len(content.tried), present(content.asked).words) == (None, 2, "undo")
    assert len([row for row in session.records if isinstance(row, NeedReport)]) == 1


async def test_what_led_to_the_end_comes_first_next_time_in_this_program_until_it_did_not_help() -> None:
    """Also in another session, whose ids are others. Of names and words nothing is kept."""
    commands = (Command(path=("Edit", "Undo")), Command(path=("Shapes", "Undo")))
    menus = Menus(*(CommandList(app=app, commands=commands, language="en") for app in (CALC, "draw")))
    async with asking(FakeLibrary, menus) as session:
        content = await session.ask("undo", page_id=(await session.type("undo")).candidates[1].page.page_id)
        assert paths(content.asked) == ["Edit > Undo", "Shapes > Undo"]
        await asyncio.sleep(0)
        assert session.helped == []  # it was only shown
        session.service.observe([key(session.clock.now_ns(), KeyClass.UNDO)])
        kept = session.helped[-1]
        assert kept.by_program() == {CALC: 1}
        assert paths(await session.type("undo again")) == ["Shapes > Undo", "Edit > Undo"]
    assert not [word for word in ("undo", "shapes", "command") if word in repr(kept).lower()]
    async with asking(FakeLibrary, menus, kept) as session:
        assert paths((await session.ask("undo")).asked) == ["Shapes > Undo", "Edit > Undo"]
        session.service.observe([Feedback(offer_id="o0", kind=FeedbackKind.WRONG)])
        assert session.helped[-1].by_program() == {}
        assert paths((await session.ask("undo", app="draw")).asked) == ["Edit > Undo", "Shapes > Undo"]
        assert paths(await session.type("undo")) == ["Edit > Undo", "Shapes > Undo"]


async def test_what_was_so_from_the_start_has_not_helped(session: Asking) -> None:
    session.elements = (GRID,)
    session.menus.lists[CALC] = WITH_GRID
    await session.ask("show the grid")
    await session.until(lambda: session.pointed)
    assert (session.pointed, session.helped) == ([PointedAt.DONE], [])


async def test_nothing_has_helped_behind_a_pause(session: Asking) -> None:
    for is_paused in (True, False):
        await session.ask("undo")
        await asyncio.sleep(0)
        if is_paused:
            session.gate.close()
            session.gate.open()
        session.service.observe([key(session.clock.now_ns(), KeyClass.UNDO)])
        assert bool(session.helped) is not is_paused


def test_a_page_is_noted_once_and_for_one_program() -> None:
    saved: list[Helped] = []
    helpful = HelpfulAnswers(Helped(), saved.append, SystemClock())
    for _ in range(2):
        helpful.note(FREEZE, CALC, helped=True)
    assert (len(saved), helpful.weight(FREEZE, CALC), helpful.weight(FREEZE, "draw")) == (1, WEIGHT, 1.0)


def test_what_helps_again_and_again_is_not_dropped_for_others_and_keeps_when_it_first_did() -> None:
    saved: list[Helped] = []
    clock = ManualClock()
    helpful = HelpfulAnswers(Helped(), saved.append, clock)
    first_ns = clock.wall_ns()
    for number in range(2 * MAX_ANSWERS):
        helpful.note(FREEZE, CALC, helped=True)
        clock.advance(1)
        helpful.note(replace(FREEZE, page_id=f"page {number}"), CALC, helped=True)
    assert helpful.weight(FREEZE, CALC) == WEIGHT
    assert len(saved[-1].answers) == MAX_ANSWERS
    assert first_ns in [row[2] for row in saved[-1].answers]


async def test_an_answer_to_an_offer_that_nobody_asked_for_shows_no_other(session: Asking) -> None:
    await session.ask("undo")
    session.service.observe([replace(offer_about(), offer_id="o9", app=CALC)])
    session.service.observe([Feedback(offer_id="o9", kind=FeedbackKind.WRONG)])
    assert len(session.rows()) == 1


async def test_another_candidate_is_shown_for_the_card_that_is_there(session: Asking) -> None:
    await session.ask("undo")
    session.service.choose("o7", FREEZE.page_id)
    assert len(session.rows()) == 1
    session.service.choose("o0", FREEZE.page_id)
    assert present(session.content(1).page) == FREEZE


async def test_words_are_looked_for_at_each_key_and_nothing_is_noted(session: Asking) -> None:
    before = len(session.records)
    assert paths(await session.type("brew")) == ["Click OK."]
    assert paths(await session.type("undo")) == ["Edit > Undo (Ctrl+Z)", "Click OK."]
    assert (await session.type("")).candidates == ()
    assert len(session.records) == before
    assert session.walks == 0


async def test_a_list_that_comes_late_is_searched_once_it_is_there(session: Asking) -> None:
    session.library.pages, session.menus.waits = (), True
    assert (await session.type("undo")).notes == (CandidateNote.READING,)
    session.menus.release()
    await session.until(lambda: session.found[-1].candidates)
    assert session.found[-1].notes == ()


async def test_a_list_that_was_read_ahead_is_known_while_a_newer_one_is_on_its_way(session: Asking) -> None:
    """The session asks for it when a window is new; nothing that was typed before is searched again by it."""
    taken: list[CommandList | None] = []
    session.service.read_ahead(taken.append, CALC)
    assert (taken, session.found) == ([MENUS], [])
    session.menus.waits = True
    assert paths(await session.type("undo"))[:1] == ["Edit > Undo (Ctrl+Z)"]


def test_a_part_of_a_list_that_answers_nothing_is_read_on_while_more_comes() -> None:
    """A busy machine reads a part in time. Control: what nothing answers is asked for as long as more comes."""
    parts = [replace(MENUS, commands=MENUS.commands[:count], complete=count == 3) for count in (1, 2, 3)]
    menus = Menus(parts[0])

    def request(take: TakeCommands, app: str = "") -> None:
        menus(take, app)
        menus.lists[CALC] = parts[min(len(menus.asked_for), 2)]

    answers = TypedAnswers(request, lambda: None)
    found = answers.find(HelpContext(app=CALC, words="freeze first row"), None, 4.0)
    assert [candidate.page.title for candidate in found.candidates] == ["Freeze First Row"]
    assert len(menus.asked_for) == 3
    late = Menus()

    def request_late(take: TakeCommands, app: str = "") -> None:
        late(take, app)
        late.lists[CALC] = MENUS

    answers = TypedAnswers(request_late, lambda: None)
    assert answers.find(HelpContext(app=CALC, words="undo"), None, 4.0).candidates, "the first look came too early"
    stuck = Menus(parts[0])
    assert not TypedAnswers(stuck, lambda: None).find(HelpContext(app=CALC, words="freeze"), None, 4.0).candidates
    assert len(stuck.asked_for) == 2


@pytest.mark.parametrize("complete", [True, False])
def test_a_whole_list_is_waited_for_where_only_a_part_is_known(complete: bool) -> None:
    """The newer one comes when more than a moment has passed."""
    part = replace(MENUS, commands=(), complete=complete)
    lists = [part, MENUS]
    waits: list[threading.Timer] = []

    def request(take: TakeCommands, app: str = "") -> None:
        found = lists.pop(0)
        if lists:
            take(found)
        else:
            waits.append(threading.Timer(2 * KNOWN_S, take, (found,)))
            waits[0].start()

    answers = TypedAnswers(request, lambda: None)
    answers.read_ahead(lambda _: None, CALC)
    known = answers.known(CALC, DEADLINE_S, UNASKED_NS)
    assert known is not None
    assert (known.commands is MENUS) is not complete
    waits[0].join()


def test_what_nobody_asked_for_makes_do_with_a_list_of_a_while_ago() -> None:
    """One that was read whole and is not cleared; what is typed has it read anew."""
    lists = [replace(MENUS, read_ns=number * UNASKED_NS) for number in range(1, 5)]
    read: list[CommandList] = []

    def request(take: TakeCommands, app: str = "") -> None:
        read.append(lists.pop(0))
        take(read[-1])

    answers = TypedAnswers(request, lambda: None)
    for now_ns, count in ((UNASKED_NS, 1), (2 * UNASKED_NS - 1, 1), (2 * UNASKED_NS, 2), (2 * UNASKED_NS + 1, 2)):
        answers.known(CALC, 0.0, now_ns)
        assert len(read) == count
    answers.find(HelpContext(app=CALC, words="undo"), None, 0.0)
    assert len(read) == 3
    answers.clear()
    answers.known(CALC, 0.0, 4 * UNASKED_NS)
    assert len(read) == 4


def test_a_command_that_nobody_asked_for_is_offered_as_the_program_tells_it_now() -> None:
    """It may be greyed since, or gone."""
    was = MENUS.commands[0]
    greyed = replace(MENUS, commands=(replace(was, state=ControlState.DISABLED), *MENUS.commands[1:]))
    lists = [greyed, replace(MENUS, commands=MENUS.commands[1:])]
    answers = TypedAnswers(lambda take, app="": take(lists.pop(0)), lambda: None)
    match = CommandMatch(command=was, score=0.7)
    assert answers.as_told_now(match, CALC, 0.0) == replace(match, command=greyed.commands[0])
    assert answers.as_told_now(match, CALC, 0.0) is None


def test_a_list_that_cannot_be_read_again_stays_known() -> None:
    """Until a pause; it says that a program has no commands only if none was ever read."""
    lists: list[CommandList | None] = [MENUS, None, None]
    answers = TypedAnswers(lambda take, app="": take(lists.pop(0)), lambda: None)
    for _ in range(2):
        assert present(answers.known(CALC, 0.0, UNASKED_NS)).commands is MENUS
    answers.clear()
    assert answers.known(CALC, 0.0, UNASKED_NS) is None


@pytest.mark.parametrize(
    ("commands", "library", "notes"),
    [
        (no_commands, lambda: FakeLibrary(FREEZE), (CandidateNote.NO_CONTROLS,)),
        (Menus(), lambda: FakeLibrary(FREEZE), (CandidateNote.NO_COMMANDS,)),
        (Menus(MENUS), no_library, (CandidateNote.NO_LIBRARY,)),
    ],
)
async def test_it_is_said_why_there_may_be_less(
    commands: RequestCommands, library: OpenLibrary, notes: tuple[CandidateNote, ...]
) -> None:
    async with asking(library, commands) as session:
        assert (await session.type("undo")).notes == notes
        assert present((await session.ask("undo")).asked).notes == notes
        assert session.rows()[0].trouble is None


class NoPages(FakeLibrary):
    """Documentation of other programs."""

    def language(self, app: str) -> str:
        return ""


@pytest.mark.parametrize(
    ("commands", "library", "why"),
    [
        (no_commands, NoPages, CandidateNote.NO_PAGES),
        (Menus(), no_library, CandidateNote.NO_LIBRARY),
        (Menus(), FakeLibrary, None),  # searched, and nothing found
        (Menus(MENUS), NoPages, None),
    ],
)
async def test_where_nothing_could_be_searched_the_answer_and_the_journal_say_why(
    commands: RequestCommands, library: OpenLibrary, why: CandidateNote | None
) -> None:
    nowhere = TypedAnswers(commands, lambda: None).find(HelpContext(app="", words="brew coffee"), None, 0.0)
    assert nowhere.unsearched is CandidateNote.NO_WINDOW
    async with asking(library, commands) as session:
        asked = present((await session.ask("brew coffee")).asked)
        assert (asked.candidates, asked.unsearched, session.rows()[-1].trouble) == ((), why, why)


async def test_in_a_terminal_somebody_asks_about_the_program_before_it(session: Asking) -> None:
    session.elements = (VIEW,)
    session.focus(TERMINAL)
    session.focus("kairos", own=True)
    content = await session.ask("undo", in_terminal=True)
    assert present(content.page).title == "Undo"
    assert session.rows()[0].app == CALC
    assert session.walks == 0  # the terminal's controls say nothing of it
    assert (await session.type("undo")).app == TERMINAL  # the field was opened over it
    await session.ask("undo", in_terminal=True, app="mousepad")
    assert session.menus.asked_for == [CALC, TERMINAL, "mousepad", "mousepad"]  # who says nothing is asked twice
    for name in ("calc", "LibreOffice Calc", "XTerm", "office"):  # as people write them; the last is none of these
        await session.ask("undo", in_terminal=True, app=name)
    assert session.menus.asked_for[4:] == [CALC, CALC, TERMINAL, TERMINAL, "office", "office"]


async def test_a_program_that_was_not_in_front_was_not_seen(session: Asking) -> None:
    """Nor since a pause; one that was tells no commands."""
    session.menus.lists.clear()
    for app, note in (("mousepad", CandidateNote.NOT_SEEN), ("calc", CandidateNote.NO_COMMANDS)):
        assert present((await session.ask("undo", app=app, in_terminal=True)).asked).notes == (note,)
    session.gate.close()
    session.gate.open()
    session.focus(TERMINAL)
    assert present((await session.ask("undo", app="calc", in_terminal=True)).asked).notes == (CandidateNote.NOT_SEEN,)


class BlockedLibrary(FakeLibrary):
    """Answers typed words as often as it `may`."""

    def __init__(self) -> None:
        super().__init__(FREEZE)
        self.may = threading.Semaphore(0)

    def search_words(self, context: HelpContext, words: str, limit: int = 3) -> Sequence[HelpMatch]:
        found = super().search_words(context, words, limit)
        self.may.acquire(timeout=DEADLINE_S)
        return found


async def test_kairos_looks_from_the_question_to_its_newest_answer_or_a_pause() -> None:
    library = BlockedLibrary()
    async with asking(lambda: library, no_commands) as session:
        service = session.service
        service.ask("freeze")
        await session.until(lambda: library.contexts)
        assert service.looks_for_answers
        service.ask("freeze the first row")
        library.may.release()
        await session.until(lambda: len(session.rows()) == 1)
        assert (service.looks_for_answers, service.answers_found) == (True, None)  # that was the first question's
        library.may.release()
        await session.until(lambda: len(session.rows()) == 2)
        assert (service.looks_for_answers, present(service.answers_found).words) == (False, "freeze the first row")
        service.ask("freeze it")
        await session.until(lambda: len(library.contexts) == 3)
        session.gate.close()
        assert not service.looks_for_answers
        library.may.release(2)
        assert not service.ask("freeze")
        session.gate.open()
        assert not service.looks_for_answers
        await session.ask("freeze")
        assert not service.looks_for_answers


async def test_a_pause_forgets_the_words_and_all_that_answers_them(session: Asking) -> None:
    session.elements = (OK,)
    await session.ask("undo")
    assert session.service.answers_found is not None
    session.gate.close()
    assert session.service.answers_found is None
    session.service.find("undo", session.found.append)
    session.gate.open()
    session.service.choose("o0", FREEZE.page_id)
    session.service.observe([Feedback(offer_id="o0", kind=FeedbackKind.WRONG)])
    assert (len(session.rows()), session.found) == (1, [])


async def test_an_unasked_offer_brings_the_command_that_a_model_names(session: Asking) -> None:
    session.elements = (VIEW,)
    at_ns = session.clock.now_ns()
    session.service.take_model_goal(ModelGoal(app=CALC, goal="Keep the row", help="Freeze First Row", at_ns=at_ns))
    row = await session.come_to_an_offer("undo_bursts")
    assert (row.asked, row.steps, row.page_id.partition("/")[0]) == (False, 1, "command")
    page = present(session.content(0).page)
    assert page.steps[0].controls == ("View", "Freeze Cells", "Freeze First Row")


async def test_an_unasked_offer_brings_no_command_that_is_gone_by_then() -> None:
    lists = [MENUS, replace(MENUS, commands=())]
    async with asking(commands=lambda take, app="": take(lists.pop(0))) as session:
        goal = ModelGoal(app=CALC, goal="Keep the row", help="Freeze First Row", at_ns=session.clock.now_ns())
        session.service.take_model_goal(goal)
        assert not (await session.come_to_an_offer("undo_bursts")).page_id.startswith("command")
        assert not lists


async def test_who_does_not_know_the_way_is_asked_in_place_of_a_general_page(session: Asking) -> None:
    session.library.pages, session.library.general = (), (GENERAL,)
    row = await session.come_to_an_offer("menu_wandering")
    assert (row.page_id, row.general, row.steps, row.steps_fit) == (WHAT_FOR, True, 0, ())
    offer = replace(session.offer(0), asked=False)
    assert present(present(session.service.content_of(offer)).page).page_id == WHAT_FOR
    session.service.observe([Feedback(offer_id=offer.offer_id, kind=FeedbackKind.ACCEPTED)])
    await asyncio.sleep(0)
    assert not session.rings


@pytest.mark.parametrize(
    ("library", "commands", "evidence", "page_id"),
    [
        (FakeLibrary(FREEZE, general=(GENERAL,)), Menus(MENUS), "menu_wandering", FREEZE.page_id),
        (FakeLibrary(FREEZE, general=(GENERAL,)), Menus(), "menu_wandering", FREEZE.page_id),
        (FakeLibrary(general=(GENERAL,)), Menus(MENUS), "undo_bursts", GENERAL.page_id),
        (FakeLibrary(), no_commands, "dialog_loop", WHAT_FOR),
        (FakeLibrary(), Menus(MENUS), "undo_bursts", ""),
    ],
)
async def test_nobody_is_asked_where_a_page_fits_or_who_knows_the_way(
    library: FakeLibrary, commands: RequestCommands, evidence: str, page_id: str
) -> None:
    async with asking(lambda: library, commands) as session:
        session.elements = (VIEW,)
        assert (await session.come_to_an_offer(evidence)).page_id == page_id


async def test_a_failure_while_somebody_types_names_no_word(session: Asking, caplog: pytest.LogCaptureFixture) -> None:
    session.library.error = ValueError("budget.ods")
    session.service.find("undo", session.found.append)
    await session.until(lambda: session.library.contexts)
    assert session.service.ask("undo")
    await session.until(session.rows)
    assert (session.rows()[0].trouble, session.found) == ("failed", [])
    assert "ValueError" in caplog.text
    assert "budget" not in caplog.text


async def test_an_earlier_question_that_is_answered_later_does_not_take_the_place_of_the_last_one(
    session: Asking,
) -> None:
    session.menus.waits = True
    session.service.ask("freeze first row")
    await session.until(lambda: session.menus.asked_for)
    session.service.ask("undo")
    session.menus.release()
    await session.until(lambda: len(session.rows()) == 2)
    assert present(session.service.answers_found).words == "undo"


async def test_a_list_is_prepared_once_while_it_says_the_same(session: Asking) -> None:
    """Each delivery is a list of its own."""
    with patch.object(unasked, "CommandMatcher", wraps=CommandMatcher) as made:
        for number, words in enumerate(("u", "un", "und"), start=1):
            session.menus.lists[CALC] = replace(MENUS, read_ns=number)
            await session.type(words)
        assert made.call_count == 1
        session.menus.lists[CALC] = replace(MENUS, commands=MENUS.commands[:1])
        await session.type("undo")
        assert made.call_count == 2


async def test_a_program_that_tells_nothing_is_not_said_to_be_read_for_ever(session: Asking) -> None:
    session.menus.lists.clear()
    session.menus.waits = True
    assert (await session.type("undo")).notes == (CandidateNote.READING,)
    session.menus.release()
    assert (await session.type("undone")).notes == (CandidateNote.NO_COMMANDS,)


async def test_no_control_of_another_program_is_ringed(session: Asking) -> None:
    """A terminal may have a menu of the same name; once the program is in front its own is ringed."""
    session.elements = (VIEW,)
    session.focus(TERMINAL)
    await session.ask("freeze first row", in_terminal=True)
    await asyncio.sleep(0.1)
    assert not [box for box in session.rings if box is not None]
    session.focus(CALC)
    await session.until(lambda: VIEW.box in session.rings)


async def test_typed_words_are_in_no_cache_after_a_pause(session: Asking) -> None:
    await session.type("zzsecretword")
    known = (word_forms._english_stem, meaning._word_vector)
    assert all(cached.cache_info().currsize for cached in known)
    session.gate.close()
    assert not any(cached.cache_info().currsize for cached in known)


@pytest.mark.parametrize("during", [False, True])
def test_words_compared_with_names_are_in_no_cache_after_a_pause(*, during: bool) -> None:
    """Nor where it comes while they are looked for."""

    class Named(FakeLibrary):
        def search_words(self, context: HelpContext, words: str, limit: int = 3) -> Sequence[HelpMatch]:
            if during:
                answers.clear()
            assert meant_in(words, "en")
            return super().search_words(context, words, limit)

    answers = TypedAnswers(no_commands, lambda: None)
    answers.find(HelpContext(app=CALC, words="zzsecretword"), Named(FREEZE), 0.0)
    if not during:
        assert matching._names_in.cache_info().currsize
        answers.clear()
    known = (matching._names_in, word_forms._english_stem, meaning._word_vector)
    assert not any(cached.cache_info().currsize for cached in known)


def test_words_of_a_search_that_nobody_asked_for_are_in_no_cache_where_a_pause_met_it() -> None:
    answers = TypedAnswers(no_commands, lambda: None)
    with answers.forgetting():
        answers.clear()
        assert list(tokens_of_moment(HelpContext(app=CALC, messages=("zzsecretword",))))
        assert word_forms._english_stem.cache_info().currsize
    assert not word_forms._english_stem.cache_info().currsize


async def test_a_window_may_be_seen_soon_only_just_after_watching_began() -> None:
    """At the start, and at the end of a pause."""
    session = Asking()
    service = session.service
    service._clock = clock = ManualClock(FIRST_WINDOW_NS)
    service.start(asyncio.get_running_loop())
    for _ in range(2):
        assert service.sees_soon
        clock.advance(FIRST_WINDOW_NS)
        assert not service.sees_soon
        service._gate_changed()
    session.focus(CALC)
    assert not service.sees_soon
    service.stop()
    service.close(DEADLINE_S)
