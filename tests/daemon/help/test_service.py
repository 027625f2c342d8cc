"""Help for a session: what it searches for and when, what the session gets of it, and where it points."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from daemon.capture.accessibility.digests import ControlWords
from daemon.capture.gate import Gate
from daemon.help.library import HelpLibrary
from daemon.help.ports import OpenLibrary, TakeElements
from daemon.help.search_thread import MAX_FAILURES
from daemon.help.service import MOMENT_NS, HelpService
from storage.clock import NS_PER_S, SystemClock
from storage.db.codec import encode
from storage.files import state_folder
from storage.ports import HelpPage, HelpStep, PointedAt
from storage.records import (
    Box,
    ControlAct,
    ControlRole,
    ControlState,
    Decision,
    Element,
    Elements,
    EventKind,
    Feedback,
    FeedbackKind,
    Focus,
    HelpFound,
    InputEvent,
    KeyClass,
    NeedReport,
    Offer,
    Record,
    ReportedBy,
    Sense,
    Verdict,
    WindowEvent,
)
from storage.testing import plain
from tests.fakes.detectors.fake_detectors import estimate_of, offer_about
from tests.fakes.help.documentation import index_of, write_documentation
from tests.fakes.help.help_library import FREEZE, FREEZE_ITEM, GENERAL, OK, VIEW, FakeLibrary, no_library
from tests.fakes.narrowing import present

DEADLINE_S = 30.0
GEOMETRY = Box(100, 0, 800, 600)
SEARCHING = Decision(verdict=Verdict.HOLD, gate="content", reason="searching")


@pytest.fixture(autouse=True)
def _quick_person(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daemon.help.pointing.OWN_S", 0.01)


class Screens:
    """Has the controls read that a test puts there; None as often as it says. While it `waits`, once it is released."""

    def __init__(self, *elements: Element) -> None:
        self.elements = elements
        self.waits = False
        self._waiting: list[TakeElements] = []
        self.refusals = 0
        self.complete = True
        self.asked: list[bool] = []
        """For each reading, whether a person asked for it."""

    @property
    def reads(self) -> int:
        return len(self.asked)

    def __call__(self, take: TakeElements, *, asked: bool) -> None:
        self.asked.append(asked)
        if self.waits:
            self._waiting.append(take)
        elif self.refusals:
            self.refusals -= 1
            take(None)
        else:
            take(Elements(t_ns=1, app="", elements=self.elements, complete=self.complete))

    def release(self) -> None:
        for take in self._waiting:
            take(Elements(t_ns=1, app="", elements=self.elements))
        self._waiting.clear()


class Session:
    """A service in a running loop, beside a spreadsheet whose menu can be read, and what came of it."""

    def __init__(self, open_library: OpenLibrary, library: FakeLibrary, *, for_model: bool) -> None:
        self.library = library
        self.screens = Screens(VIEW)
        self.gate = Gate()
        self.gate.open()
        self.words = ControlWords()
        self.clock = SystemClock()
        self.records: list[Record] = []
        self.rings: list[tuple[str, int, Box | None]] = []
        self.about: list[PointedAt] = []
        self.service = HelpService(
            open_library=open_library,
            request_elements=self.screens,
            lookup=self.words.lookup,
            gate=self.gate,
            clock=self.clock,
            submit=self.records.extend,
            point=self._point,
            for_model=for_model,
        )

    def _point(self, offer_id: str, step: int, box: Box | None, about: PointedAt) -> None:
        self.rings.append((offer_id, step, box))
        self.about.append(about)

    def digest(self, text: str) -> str:
        self.words.remember(f"d-{text}", text, self.clock.now_ns())
        return f"d-{text}"

    def focus(
        self,
        app: str = "libreoffice-calc",
        geometry: Box = GEOMETRY,
        *,
        dialog: bool = False,
        title: str = "budget.ods",
    ) -> None:
        now_ns = self.clock.now_ns()
        place = {"at_ns": now_ns, "geometry": geometry, "dialog": dialog, "title_digest": self.digest(title)}
        self.service.observe([plain(Focus, now_ns, app=app, **place)])

    def estimate(self, decision: Decision = SEARCHING) -> None:
        self.service.observe([estimate_of(0.9), decision])

    def press(self, name: str, role: ControlRole = ControlRole.MENU, what: str = "pressed") -> None:
        act = {"app": "libreoffice-calc", "role": role, "name_digest": self.digest(name), "what": what}
        self.service.observe([plain(ControlAct, self.clock.now_ns(), **act)])

    def accept(self, offer: Offer) -> None:
        self.service.observe([offer])
        self.service.observe([Feedback(offer_id=offer.offer_id, kind=FeedbackKind.ACCEPTED)])

    async def search(self) -> None:
        self.estimate()
        await self.until(self.found)

    async def ring_first_step(self) -> None:
        """Come to an offer with a page, accept it, do what only the person can, and wait for its first ring."""
        await self.search()
        await self.accept_and_begin()
        await self.until(lambda: self.rings)
        assert self.rings == [("o1", 1, VIEW.box)]

    async def accept_and_begin(self, offer: Offer | None = None) -> None:
        self.accept(offer or paged())
        await self.until(lambda: self.about == [PointedAt.YOURS])
        assert self.rings == [("o1", 0, None)]
        self.rings.clear()
        self.about.clear()
        self.click()

    def click(self, kind: EventKind = EventKind.BUTTON_UP, x: int = 300, y: int = 300, at_ns: int = 0) -> None:
        t_ns = at_ns or self.clock.now_ns()
        self.service.observe([plain(InputEvent, t_ns, kind=kind, button="left", x=x, y=y)])

    def key(self, key_class: KeyClass, *, own: bool = False) -> None:
        key = plain(InputEvent, self.clock.now_ns(), kind=EventKind.KEY, key_class=key_class, own=own)
        self.service.observe([key])

    def show_menu(self, *, gone: bool = False) -> None:
        self.service.observe([WindowEvent(t_ns=1 + gone, app="x", popup=True, gone=gone, geometry=GEOMETRY)])

    def found(self) -> list[HelpFound]:
        return [row for row in self.records if isinstance(row, HelpFound)]

    def has(self, count: int) -> bool:
        return len(self.found()) >= count

    async def until(self, check: Callable[[], object]) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while not check():  # noqa: ASYNC110  # what is waited for happens in another thread
                await asyncio.sleep(0.005)


@pytest.fixture
def library() -> FakeLibrary:
    return FakeLibrary(FREEZE)


@pytest.fixture
def open_library(library: FakeLibrary) -> OpenLibrary:
    """Return what opens the library, which is there once it has pages."""
    return lambda: library if library.pages else no_library()


@pytest.fixture
def for_model() -> bool:
    return False


@pytest.fixture
@asynccontextmanager
async def session(open_library: OpenLibrary, library: FakeLibrary, *, for_model: bool) -> AsyncIterator[Session]:
    session = Session(open_library, library, for_model=for_model)
    session.service.start(asyncio.get_running_loop())
    try:
        session.focus()
        yield session
    finally:
        session.service.stop()
        session.service.close(DEADLINE_S)


def paged(offer_id: str = "o1", page_id: str = FREEZE.page_id, **changes: Any) -> Offer:
    return replace(offer_about(), offer_id=offer_id, app="libreoffice-calc", page_id=page_id, steps=3, **changes)


async def test_a_search_is_made_where_an_offer_waits_and_leaves_no_words(session: Session) -> None:
    session.library.pages = (FREEZE, GENERAL)
    await session.until(lambda: session.records)
    session.press("View")
    await session.search()
    assert session.records[0] == Sense(name="help", on=True)
    (found,) = session.found()
    assert (found.page_id, found.steps, found.steps_fit, found.checked) == ("calc/freeze", 3, (0, 1, 2), True)
    assert (found.app, found.general, found.trouble, found.asked) == ("libreoffice-calc", False, None, False)
    assert 0 < found.latency_ns < DEADLINE_S * NS_PER_S
    (context,) = session.library.contexts
    assert (context.title, context.controls) == ("budget.ods", ("View",))
    assert not [word for word in (b"budget", b"Freeze", b"View", b"Select") if word in encode(found)]
    session.service.close(DEADLINE_S)
    assert session.library.closed == 1


@pytest.mark.parametrize(
    "decision",
    [
        Decision(verdict=Verdict.HOLD, gate="evidence", reason="not_enough"),
        Decision(verdict=Verdict.HOLD, gate="content", reason="nothing_to_say"),
        Decision(verdict=Verdict.NEVER, gate="consent", reason="paused"),
        Decision(verdict=Verdict.HOLD, gate="budget", reason="cooldown"),
    ],
)
async def test_nothing_is_searched_where_no_offer_could_come_of_it(session: Session, decision: Decision) -> None:
    await session.until(lambda: session.records)
    waiting = Decision(verdict=Verdict.HOLD, gate="break", reason="waiting_for_break")
    session.estimate(decision)
    session.service.observe([waiting])  # at a tick nothing is new
    session.service.observe([SEARCHING])
    await session.until(session.found)
    session.estimate(waiting)
    await session.until(partial(session.has, 2))
    assert len(session.library.contexts) == 2


@pytest.mark.parametrize(("open_library", "trouble"), [(FakeLibrary, None), (no_library, "no_library")])
async def test_where_nothing_fits_or_can_be_searched_the_record_says_so(session: Session, trouble: str | None) -> None:
    await session.search()
    assert [(row.page_id, row.trouble) for row in session.found()] == [("", trouble)]
    assert [row.on for row in session.records if isinstance(row, Sense)] == [True] * (trouble is None)


async def test_a_library_that_fails_again_and_again_is_left_alone_and_names_no_word_in_the_log(
    session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    """The error's text may quote what was on the screen; its kind and place are enough."""
    session.library.error = ValueError("budget.ods")
    for number in range(MAX_FAILURES + 1):
        session.estimate()
        await session.until(partial(session.has, number + 1))
    assert [row.trouble for row in session.found()] == ["failed"] * MAX_FAILURES + ["no_library"]
    assert [row.on for row in session.records if isinstance(row, Sense)] == [True, False]
    assert "ValueError" in caplog.text
    assert "budget" not in caplog.text


class SlowLibrary(FakeLibrary):
    """Takes until it `may` to search a second time."""

    def __init__(self) -> None:
        super().__init__(FREEZE)
        self.searching, self.may = threading.Event(), threading.Event()

    def search(self, *parts: Any) -> Any:
        if self.contexts:
            self.searching.set()
            self.may.wait(DEADLINE_S)
        return super().search(*parts)


@pytest.mark.parametrize("library", [SlowLibrary()])
async def test_a_pause_ends_what_is_under_way_and_forgets_what_was_found(
    session: Session, library: SlowLibrary
) -> None:
    await session.search()
    assert session.service.content_of(paged()) is not None
    session.estimate()
    await session.until(library.searching.is_set)
    session.gate.close()
    library.may.set()
    assert session.service.content_of(paged()) is None
    assert not session.service.ask("freeze")
    session.gate.open()
    session.estimate()
    await session.until(lambda: len(library.contexts) == 3 and len(session.found()) == 2)
    assert library.contexts[2].title == ""
    assert not [row for row in session.records if isinstance(row, NeedReport)]


async def test_who_asks_is_searched_for_at_once_and_reported_stuck(session: Session) -> None:
    assert session.service.ask("freeze the first row")
    await session.until(session.found)
    report = next(row for row in session.records if isinstance(row, NeedReport))
    assert (report.needed, report.by, report.start_ns) == (True, ReportedBy.ASKED, report.end_ns)
    assert [row.asked for row in session.found()] == [True]
    assert session.library.contexts[0].words == "freeze the first row"
    assert not [row for row in session.records if b"first row" in encode(row)]


async def test_the_card_gets_the_page_with_what_is_missing_and_a_guess(session: Session) -> None:
    session.screens.elements = (VIEW, OK)
    for name in ("Format", "Freeze", "Format"):
        session.press(name)
    await session.search()
    content = present(session.service.content_of(paged()))
    assert (content.page, content.missing) == (FREEZE, ())
    assert content.guess == "Use “Format”"
    assert session.service.content_of(paged(page_id="")) is None


async def test_the_ring_follows_from_control_to_control(session: Session) -> None:
    await session.ring_first_step()
    session.screens.elements = (VIEW, FREEZE_ITEM)
    session.show_menu()
    await session.until(lambda: session.rings[-1][2] == FREEZE_ITEM.box)
    session.screens.elements = (OK,)
    session.press("Freeze Rows and Columns")
    await session.until(lambda: session.rings[-1] == ("o1", 2, OK.box))
    session.press("OK")
    await session.until(lambda: session.rings[-1][2] is None)


async def test_readings_say_whether_a_person_asked_for_them(session: Session) -> None:
    session.screens.refusals = 3
    await session.search()
    assert session.screens.asked == [False]
    session.service.ask("freeze")
    await session.until(lambda: session.has(2))
    assert session.screens.asked == [False, True]
    await session.accept_and_begin()  # nothing was read, so its control is looked for; refused, and once more
    await session.until(lambda: session.screens.reads == 4)
    assert session.screens.asked[2:] == [True, True]
    session.show_menu()
    await session.until(lambda: session.screens.reads == 5)
    session.press("View")
    await session.until(lambda: session.screens.reads == 6)
    assert session.screens.asked[4:] == [False, True]


@pytest.mark.parametrize("late", [False, True])
async def test_a_menu_that_was_opened_is_read_once(session: Session, *, late: bool) -> None:
    """A program says what was pressed after its menu has come, before or after that has been read; the ring stays.

    Where the next control is not among what was read, it is read again (the control).
    """
    await session.ring_first_step()
    session.screens.elements, session.screens.waits = (VIEW, FREEZE_ITEM), late
    session.show_menu()
    if late:
        session.press("View")
        session.screens.release()
    await session.until(lambda: session.rings[-1][2] == FREEZE_ITEM.box)
    if not late:
        session.press("View")
    await asyncio.sleep(0.05)
    assert session.screens.reads == 2
    assert session.rings[-1][2] == FREEZE_ITEM.box
    session.screens.elements = (VIEW,)
    session.press("Freeze Rows and Columns")
    await session.until(lambda: session.screens.reads == 3)
    assert session.screens.asked == [False, False, True]


CANCEL = Element(role=ControlRole.BUTTON, box=Box(300, 400, 80, 30), name="_Cancel")


async def test_a_dialog_that_has_nothing_of_the_page_is_to_be_closed_first(session: Session) -> None:
    """The ring is on the button that closes it, and on the next control once it is closed.

    Control: of another program's dialog, and where not all of it is known, nothing is ringed.
    """
    await session.search()
    session.screens.elements = (replace(OK, name="Help"), CANCEL)
    session.focus(geometry=Box(6, 6, 60, 60), dialog=True)
    session.accept(paged())
    await session.until(lambda: session.rings[-1:] == [("o1", 0, CANCEL.box)])
    assert session.about == [PointedAt.WAY_OUT]
    session.screens.elements = (VIEW,)
    session.focus()
    await session.until(lambda: session.about[1:] == [PointedAt.YOURS])
    session.click()
    await session.until(lambda: session.rings[-1] == ("o1", 1, VIEW.box))
    assert session.about[2:] == [PointedAt.STEP]
    session.screens.elements = (CANCEL,)
    session.focus("browser")
    session.focus("browser-dialog", geometry=Box(7, 7, 60, 60), dialog=True)
    await asyncio.sleep(0.05)
    session.focus()
    session.screens.complete = False
    session.focus("soffice", geometry=Box(8, 8, 60, 60), dialog=True)
    await asyncio.sleep(0.05)
    assert session.rings[-1][2] is None
    assert session.about.count(PointedAt.WAY_OUT) == 1
    session.screens.complete = True
    session.focus()
    session.focus("soffice", geometry=Box(9, 9, 60, 60), dialog=True)
    await session.until(lambda: session.about.count(PointedAt.WAY_OUT) == 2)


async def test_in_a_dialog_a_tab_comes_before_the_button_that_ends_it(session: Session) -> None:
    tab = Element(role=ControlRole.TAB, box=Box(10, 10, 90, 30), name="Rows")
    other = replace(tab, box=Box(110, 10, 90, 30), name="Freeze Rows")
    box = Element(role=ControlRole.CHECK_BOX, box=Box(20, 80, 90, 30), name="Freeze")
    choose = HelpStep(text="Choose View > Freeze Rows and click the Rows tab.", controls=("View", "Freeze Rows"))
    tick = HelpStep(text="Tick Freeze.", controls=("Freeze",))
    session.library.pages = (replace(FREEZE, steps=(choose, tick, HelpStep(text="Click OK.", controls=("OK",)))),)
    await session.search()
    session.screens.elements = (other, tab, OK, CANCEL)
    session.focus(geometry=Box(6, 6, 60, 60), dialog=True)
    session.accept(paged())
    await session.until(lambda: session.rings == [("o1", 0, tab.box)])
    session.screens.elements = (other, tab, box, OK, CANCEL)
    session.press("Rows")
    await session.until(lambda: session.rings[-1] == ("o1", 1, box.box))
    session.press("Freeze")
    await session.until(lambda: session.rings[-1] == ("o1", 2, OK.box))


async def test_a_control_that_takes_no_click_is_said_and_ringed_once_it_does(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No program says when that changes, so it is looked again; in a dialog no later step takes its place."""
    monkeypatch.setattr("daemon.help.pointing.GREYED_AGAIN_S", 0.01)
    session.screens.elements = (replace(VIEW, state=ControlState.DISABLED), OK)
    await session.search()
    session.focus(geometry=Box(6, 6, 60, 60), dialog=True)
    await session.accept_and_begin()
    await session.until(lambda: session.rings == [("o1", 1, None)])
    assert session.about == [PointedAt.GREYED]
    await session.until(lambda: session.screens.reads >= 4)
    assert len(session.rings) == 1
    session.screens.elements = (VIEW, OK)
    await session.until(lambda: session.rings[-1] == ("o1", 1, VIEW.box))
    assert session.about[-1] is PointedAt.STEP


async def test_the_ring_moves_with_its_window_and_leaves_with_it(session: Session) -> None:
    await session.ring_first_step()
    session.screens.elements = ()
    session.focus(geometry=GEOMETRY._replace(x=GEOMETRY.x + 50))
    assert session.rings[-1][2] == VIEW.box._replace(x=VIEW.box.x + 50)
    session.screens.elements = (VIEW,)
    session.focus("browser")
    assert session.rings[-1][2] is None
    session.focus()
    await session.until(lambda: session.rings[-1][2] == VIEW.box)
    session.gate.close()
    assert session.rings[-1][2] is None
    rings = len(session.rings)
    session.gate.open()
    session.focus()
    await asyncio.sleep(0.05)
    assert not [ring for ring in session.rings[rings:] if ring[2] is not None]


@pytest.mark.parametrize("open_library", [HelpLibrary.open])
async def test_an_index_that_appears_is_searched_without_a_restart(session: Session, tmp_path: Path) -> None:
    session.focus("painter")
    session.service.ask("freeze the rows; copy and paste")
    await session.until(session.found)
    index_of(state_folder(), write_documentation(tmp_path / "pages"))
    session.service.ask("freeze the rows; copy and paste")
    await session.until(lambda: session.has(2))
    assert [row.general for row in session.found()] == [True, False]
    assert [row.on for row in session.records if isinstance(row, Sense)] == [True]


async def test_a_model_may_know_what_the_search_started_from_and_found(session: Session) -> None:
    session.library.pages = (FREEZE, GENERAL)
    session.press("View")
    await session.search()
    moment = present(session.service.moment_of(FREEZE.page_id, "libreoffice-calc"))
    assert (moment.pages, moment.elements) == ((FREEZE, GENERAL), (VIEW,))
    assert (moment.context.title, moment.context.controls) == ("budget.ods", ("View",))
    assert session.service.moment_of(FREEZE.page_id, "browser") is None
    assert session.service.moment_of("", "libreoffice-calc") is None
    session.gate.close()
    session.gate.open()
    assert session.service.moment_of(FREEZE.page_id, "libreoffice-calc") is None


@pytest.mark.parametrize("open_library", [no_library, FakeLibrary])
@pytest.mark.parametrize("for_model", [True, False])
async def test_without_a_page_a_model_can_still_be_asked(session: Session, *, for_model: bool) -> None:
    session.service.ask("help me")
    await session.until(session.found)
    moment = present(session.service.moment_of("", "libreoffice-calc"))
    assert (moment.pages, moment.context.words) == ((), "help me")
    assert moment.elements == ((VIEW,) if for_model else ())
    assert session.screens.reads == for_model


async def test_the_ring_follows_the_steps_of_an_answer_in_place_of_the_page_s(session: Session) -> None:
    session.screens.elements = (VIEW, OK)
    await session.ring_first_step()
    session.service.follow(paged(), (HelpStep(text="Look."),), None)
    assert session.rings == [("o1", 1, VIEW.box)]
    steps = (HelpStep(text="Click OK.", controls=("OK",)), HelpStep(text="Open View.", controls=("View",)))
    session.service.follow(paged(), steps, OK.box)
    assert session.rings[1:] == [("o1", 1, None), ("o1", 0, OK.box)]
    session.press("OK")
    await session.until(lambda: session.rings[-1] == ("o1", 1, VIEW.box))
    session.service.end_pointing("o1")
    assert session.rings[-1][2] is None


async def test_after_a_menu_was_opened_the_ring_is_not_on_a_title_beside_it(session: Session) -> None:
    title = replace(VIEW, name="Freeze Rows and Columns", box=VIEW.box._replace(x=400))
    session.screens.elements = (VIEW, title)
    await session.ring_first_step()
    session.press("View")
    await session.until(lambda: session.screens.reads == 2)
    await asyncio.sleep(0.05)
    assert session.rings[1:] == [("o1", 1, None)]
    session.screens.elements = (VIEW, title, FREEZE_ITEM)
    session.show_menu()
    await session.until(lambda: session.rings[-1][2] == FREEZE_ITEM.box)


async def test_a_ring_in_a_menu_goes_with_the_menu(session: Session) -> None:
    """What was found in an open menu is looked for anew once the page is accepted: the menu may have closed since."""
    session.screens.elements = (VIEW, FREEZE_ITEM)
    await session.search()
    session.screens.elements = (VIEW,)
    await session.accept_and_begin()
    await session.until(lambda: session.rings)
    assert session.rings == [("o1", 1, VIEW.box)]
    session.screens.elements = (VIEW, FREEZE_ITEM)
    session.show_menu()
    await session.until(lambda: session.rings[-1][2] == FREEZE_ITEM.box)
    session.screens.elements = (VIEW,)
    session.show_menu(gone=True)
    assert session.rings[-1][2] is None
    await session.until(lambda: session.rings[-1][2] == VIEW.box)


async def test_in_a_dialog_the_ring_is_on_what_is_there_of_a_later_step(session: Session) -> None:
    """What led to it is done; in another window that has none of the next control the ring waits (the control)."""
    await session.ring_first_step()
    session.screens.elements = (OK,)
    session.focus(geometry=Box(5, 5, 50, 50))
    await session.until(lambda: session.rings[-1][2] is None)
    session.focus(geometry=Box(6, 6, 60, 60), dialog=True)
    await session.until(lambda: session.rings[-1] == ("o1", 2, OK.box))
    session.screens.elements = (VIEW,)
    session.focus()
    await session.until(lambda: session.rings[-1] == ("o1", 1, VIEW.box))


@pytest.mark.parametrize(("pressed", "title"), [(False, "Freeze Rows and Columns"), (True, "How many?")])
async def test_a_dialog_that_the_step_opens_is_not_to_be_closed(session: Session, title: str, *, pressed: bool) -> None:
    """Its title says so, or the press before it; nothing is ringed in it. The control is every other dialog here."""
    await session.ring_first_step()
    if pressed:
        session.press("Freeze Rows and Columns")
    session.screens.elements = (CANCEL,)
    session.focus(geometry=Box(6, 6, 60, 60), dialog=True, title=title)
    await session.until(lambda: session.screens.reads == 2 + pressed)
    await asyncio.sleep(0.05)
    assert session.rings[-1][2] is None
    assert PointedAt.WAY_OUT not in session.about


@pytest.mark.parametrize(("role", "is_done"), [(ControlRole.MENU, True), (ControlRole.MENU_ITEM, False)])
async def test_a_step_that_ends_in_a_menu_is_done_when_that_opens(
    session: Session, role: ControlRole, *, is_done: bool
) -> None:
    """The control is an entry: what comes beside it, such as a tip, ends nothing."""
    await session.ring_first_step()
    session.screens.elements = (VIEW, replace(FREEZE_ITEM, role=role))
    session.show_menu()
    session.press("View")
    await session.until(lambda: session.rings[-1] == ("o1", 1, FREEZE_ITEM.box))
    session.show_menu()
    await asyncio.sleep(0.05)
    assert (session.rings[-1][1] > 1) is is_done


async def test_in_a_dialog_found_by_the_search_the_steps_of_the_page_are_not_passed_over(session: Session) -> None:
    """They are not missing, only behind it: the ring is on what closes it."""
    session.screens.elements = (CANCEL,)
    session.focus("soffice", geometry=Box(6, 6, 60, 60), dialog=True)
    await session.search()
    assert session.found()[0].steps_fit == (0, 1, 2)
    session.accept(paged())
    await session.until(lambda: session.rings == [("o1", 0, CANCEL.box)])


async def test_a_closed_card_ends_the_ring_and_another_card_does_not(session: Session) -> None:
    await session.ring_first_step()
    session.service.end_pointing("o2")
    assert session.rings[-1][2] == VIEW.box
    session.service.end_pointing("o1")
    assert session.rings[-1][2] is None
    session.press("View")
    await asyncio.sleep(0.02)
    assert len(session.rings) == 2


async def test_a_window_that_may_not_be_read_yet_is_requested_again(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.help.pointing.AGAIN_S", 0.01)
    session.screens.refusals = 4
    await session.ring_first_step()
    assert session.rings[0] == ("o1", 1, VIEW.box)
    assert session.screens.reads == 5


async def test_what_was_asked_for_is_pointed_at_without_an_answer(session: Session) -> None:
    """Its card is open from the start."""
    session.service.ask("")
    await session.until(session.found)
    session.service.observe([paged(asked=True)])
    assert session.rings == []  # the card comes first
    await session.until(lambda: session.rings)


@pytest.mark.parametrize("library", [FakeLibrary()])
async def test_a_library_made_since_the_start_is_found_by_who_asks(session: Session) -> None:
    session.service.ask("")
    await session.until(session.found)
    session.library.pages = (FREEZE,)
    session.service.ask("")
    await session.until(lambda: session.has(2))
    assert [row.trouble for row in session.found()] == ["no_library", None]
    assert [row.on for row in session.records if isinstance(row, Sense)] == [True]


async def test_what_a_search_started_from_is_forgotten_after_a_minute(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Titles and messages are in memory for a minute; just before, they still are."""
    session.press("View")
    await session.search()
    began_ns, now_ns = session.clock.now_ns(), session.clock.now_ns
    monkeypatch.setattr(session.clock, "now_ns", lambda: now_ns() + MOMENT_NS - (now_ns() - began_ns) - NS_PER_S)
    assert session.service.moment_of(FREEZE.page_id, "libreoffice-calc") is not None
    monkeypatch.setattr(session.clock, "now_ns", lambda: now_ns() + MOMENT_NS)
    session.service.observe([])
    assert not session.service._moments
    assert session.service.moment_of(FREEZE.page_id, "libreoffice-calc") is None


@pytest.mark.parametrize("key", [KeyClass.CHARACTER, None])
async def test_a_step_of_the_person_s_own_is_done_by_a_click_or_by_typing_in_the_program(
    session: Session, key: KeyClass | None
) -> None:
    """Not by what is done in windows of ours, nor by a button, a menu, or a key that only goes with others."""
    await session.search()
    session.accept(paged())
    await session.until(lambda: session.about == [PointedAt.YOURS])
    session.key(KeyClass.CHARACTER, own=True)
    session.key(KeyClass.MODIFIER)
    for role in (ControlRole.BUTTON, ControlRole.MENU_ITEM):
        session.click()
        session.press("Bold", role)
    session.click()
    session.show_menu()
    session.click()
    session.click(EventKind.BUTTON_DOWN)  # and drags
    await asyncio.sleep(0.05)
    assert set(session.about) == {PointedAt.YOURS}
    session.press("A4", ControlRole.CELL)
    session.key(key) if key is not None else session.click()
    await session.until(lambda: session.rings[-1] == ("o1", 1, VIEW.box))


async def test_a_menu_of_the_next_step_that_stands_open_ends_the_person_s_own_step(session: Session) -> None:
    await session.search()
    session.accept(paged())
    await session.until(lambda: session.about == [PointedAt.YOURS])
    session.screens.elements = (VIEW, FREEZE_ITEM)
    session.show_menu()
    await session.until(lambda: session.rings[-1] == ("o1", 1, FREEZE_ITEM.box))


async def test_in_another_window_nothing_is_said_of_the_person_s_own_step(session: Session) -> None:
    await session.search()
    session.accept(paged())
    await session.until(lambda: session.about == [PointedAt.YOURS])
    session.focus("browser")
    assert session.about[1:] == [PointedAt.STEP]
    session.click()
    session.focus()
    assert session.about[2:] == [PointedAt.YOURS]
    await asyncio.sleep(0.05)
    assert session.about[3:] == []


async def test_in_a_dialog_with_the_next_control_the_person_s_own_step_comes_first(session: Session) -> None:
    await session.search()
    session.screens.elements = (VIEW, CANCEL)
    session.focus(geometry=Box(6, 6, 60, 60), dialog=True)
    session.accept(paged())
    await session.until(lambda: session.about == [PointedAt.YOURS])
    session.click()
    await session.until(lambda: session.rings[-1] == ("o1", 1, VIEW.box))


async def test_behind_the_last_step_it_is_done_and_nothing_is_ringed_any_more(session: Session) -> None:
    await session.ring_first_step()
    session.press("Freeze Rows and Columns")
    session.press("OK")
    assert (session.rings[-1], session.about[-1]) == (("o1", 3, None), PointedAt.DONE)
    rings = len(session.rings)
    session.show_menu()
    session.focus()
    session.press("View")
    session.service.end_pointing("o1")
    await asyncio.sleep(0.02)
    assert len(session.rings) == rings


COMMAND = replace(FREEZE, title="Bold", steps=(HelpStep(text="Format > Bold", controls=("Format", "Bold")),))
FORMAT = replace(VIEW, name="Format")
BOLD = Element(role=ControlRole.TOGGLE, box=Box(9, 60, 20, 20), name="Bold", state=ControlState.OFF)
BOLD_ITEM = replace(FREEZE_ITEM, name="Bold", state=ControlState.OFF)


async def ring_command(session: Session, page: HelpPage = COMMAND, menu: Element = FORMAT) -> None:
    session.library.pages, session.screens.elements = (page,), (menu,)
    await session.search()
    session.accept(paged())
    await session.until(lambda: session.rings == [("o1", 0, menu.box)])


@pytest.mark.parametrize("key", [KeyClass.SHORTCUT, KeyClass.FUNCTION])
async def test_what_a_shortcut_has_toggled_is_not_ringed_again(
    session: Session, monkeypatch: pytest.MonkeyPatch, key: KeyClass
) -> None:
    """The menu was looked into before, so that the state at the beginning is known."""
    monkeypatch.setattr("daemon.help.pointing.KEYS_S", 0.01)
    await ring_command(session)
    session.key(key)  # nothing is known of a state yet
    session.screens.elements = (FORMAT, BOLD_ITEM)
    session.show_menu()
    await session.until(lambda: session.rings[-1][2] == BOLD_ITEM.box)
    session.screens.elements = (FORMAT, BOLD)
    session.show_menu(gone=True)
    await session.until(lambda: session.rings[-1][2] == FORMAT.box)
    reads = session.screens.reads
    session.key(key)
    await session.until(lambda: session.screens.reads == reads + 1)
    session.screens.elements = (FORMAT, replace(BOLD, state=ControlState.ON))
    session.key(key)
    await session.until(lambda: session.about[-1] is PointedAt.DONE)
    assert session.rings[-1] == ("o1", 1, None)


async def test_a_command_by_its_keys_is_done(session: Session) -> None:
    undo = HelpStep(text="Edit > Undo", controls=("Format", "Undo"))
    await ring_command(session, replace(COMMAND, steps=(undo,)))
    session.key(KeyClass.COPY)
    assert session.rings[-1][2] == FORMAT.box
    session.key(KeyClass.UNDO)
    assert (session.rings[-1], session.about[-1]) == (("o1", 1, None), PointedAt.DONE)


async def test_a_menu_that_is_closed_without_a_choice_is_ringed_again_from_its_title_on(session: Session) -> None:
    """While it stands open, its title is ringed no more."""
    await ring_command(session)
    session.screens.elements = (FORMAT, BOLD_ITEM)
    session.screens.waits = True
    session.show_menu()
    assert session.rings[-1] == ("o1", 0, None)
    session.press("Format")
    session.screens.release()
    session.screens.waits = False
    await session.until(lambda: session.rings[-1][2] == BOLD_ITEM.box)
    session.screens.elements = (FORMAT,)
    session.show_menu(gone=True)
    assert session.rings[-1][2] is None
    await session.until(lambda: session.rings[-1][2] == FORMAT.box)


@pytest.mark.parametrize("title", ["Bold", "Another"])
async def test_a_dialog_of_the_command_s_name_ends_its_step_however_it_was_opened(session: Session, title: str) -> None:
    """Nothing in it is to be closed; a dialog of another name is (the control)."""
    await ring_command(session)
    session.screens.elements = (CANCEL,)
    session.focus(geometry=Box(6, 6, 60, 60), dialog=True, title=title)
    await session.until(lambda: session.about[-1] is not PointedAt.STEP)
    assert session.about[-1] is (PointedAt.DONE if title == "Bold" else PointedAt.WAY_OUT)


@pytest.mark.parametrize("asked", [True, False])
async def test_what_is_set_already_when_somebody_asks_is_done_and_not_ringed(session: Session, *, asked: bool) -> None:
    """An offer may be accepted much later, so it goes by what is found when its menu is open (the control)."""
    session.library.pages = (replace(COMMAND, title="Show it bold"),)
    session.screens.elements = (FORMAT, replace(BOLD, state=ControlState.ON))
    if asked:
        session.service.ask("bold")
        await session.until(session.found)
        session.service.observe([paged(asked=True)])
    else:
        await session.search()
        session.accept(paged())
    await session.until(lambda: session.rings)
    done, ring = ("o1", 1, None), ("o1", 0, FORMAT.box)
    assert (session.rings, session.about) == (([done], [PointedAt.DONE]) if asked else ([ring], [PointedAt.STEP]))


async def test_what_a_menu_marks_as_it_opens_is_no_use_of_it(session: Session) -> None:
    """Menus of GTK 4 say "toggled" then; what is clicked on, or a key toggles, is one."""
    button = replace(FORMAT, role=ControlRole.BUTTON)
    await ring_command(session, menu=button)
    session.click(EventKind.BUTTON_DOWN, button.box.x + 5, button.box.y + 5)
    session.press("Bold", ControlRole.MENU_ITEM, "toggled")
    session.screens.elements = (button, BOLD_ITEM)
    session.show_menu()
    await session.until(lambda: session.rings[-1] == ("o1", 0, BOLD_ITEM.box))
    session.click(EventKind.BUTTON_DOWN, BOLD_ITEM.box.x + 5, BOLD_ITEM.box.y + 5)
    session.press("Bold", ControlRole.MENU_ITEM, "toggled")
    await session.until(lambda: session.about[-1] is PointedAt.DONE)


async def test_a_look_at_an_open_menu_that_was_cut_off_is_made_again(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the button that opened it would be ringed, and a click on it closes the menu."""
    monkeypatch.setattr("daemon.help.pointing.AGAIN_S", 0.01)
    button = replace(FORMAT, role=ControlRole.BUTTON)
    await ring_command(session, menu=button)
    session.screens.complete = False
    session.show_menu()
    assert session.rings[-1] == ("o1", 0, None)
    await session.until(lambda: session.screens.reads >= 4)
    assert session.rings[-1] == ("o1", 0, None)
    session.screens.elements = (button, BOLD_ITEM)
    await session.until(lambda: session.rings[-1][2] == BOLD_ITEM.box)


@pytest.mark.parametrize(("says", "is_late"), [(False, False), (True, False), (False, True)])
async def test_a_click_on_what_is_ringed_is_its_use_where_the_program_does_not_say_so(
    session: Session, monkeypatch: pytest.MonkeyPatch, *, says: bool, is_late: bool
) -> None:
    """Once only where it does; a click beside it, or on the menu that leads to it, is none (the controls).

    A click that is told late was made before its menu went.
    """
    monkeypatch.setattr("daemon.help.pointing.PRESSED_S", 0.02)
    await ring_command(session, replace(COMMAND, steps=COMMAND.steps * 2))
    session.click(EventKind.BUTTON_DOWN, FORMAT.box.x + 5, FORMAT.box.y + 5)
    await asyncio.sleep(0.05)
    assert session.rings[-1] == ("o1", 0, FORMAT.box)
    session.screens.elements = (FORMAT, replace(BOLD_ITEM, state=ControlState.PLAIN))
    session.show_menu()
    await session.until(lambda: session.rings[-1][2] == BOLD_ITEM.box)
    session.click(EventKind.BUTTON_DOWN, BOLD_ITEM.box.x - 5, BOLD_ITEM.box.y)
    await asyncio.sleep(0.05)
    assert session.rings[-1] == ("o1", 0, BOLD_ITEM.box)
    session.screens.elements = (FORMAT,)
    at_ns = session.clock.now_ns()
    if is_late:
        session.show_menu(gone=True)
        await session.until(lambda: session.rings[-1] == ("o1", 0, FORMAT.box))
    session.click(EventKind.BUTTON_DOWN, BOLD_ITEM.box.x + 5, BOLD_ITEM.box.y + 5, at_ns)
    if says:
        session.press("Bold", ControlRole.MENU_ITEM)
    if not is_late:
        session.show_menu(gone=True)
    await session.until(lambda: session.rings[-1] == ("o1", 1, FORMAT.box))
    await asyncio.sleep(0.05)
    assert session.rings[-1] == ("o1", 1, FORMAT.box)
