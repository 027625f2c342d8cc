"""The evening review: at most five moments of the day, once, and answers that go the way of what the timeline notes."""

import asyncio
import datetime as dt
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.runtime import evening_review as review_module
from daemon.runtime.evening_review import APART_NS, MOST, EveningReview, choose_moments, review_items
from storage import testing
from storage.clock import MINUTE_NS, NS_PER_S, ManualClock, local_time
from storage.enrolment import QuestionItem
from storage.ports import REVIEW_PREFIX
from storage.records import EarlierReport, Estimate, Offer, SessionStart
from storage.session.log import create_session
from storage.settings import InterfaceSettings
from storage.timeline import Moment, MomentKind
from storage.translation import current_language
from tests.fakes.commands.background import in_loop
from tests.fakes.narrowing import as_a
from tests.fakes.sessions.derived_session import rows_of_here
from ui.translation.language import speak
from ui.views.question import TEXT_LIMIT

EVENING = dt.datetime(2026, 9, 21, 18, 30).astimezone()
WALL_NS = round(EVENING.timestamp()) * NS_PER_S


def work(minute: int, need: float) -> Moment:
    begin_ns = minute * MINUTE_NS
    return Moment(
        moment_id=f"s/w{minute}",
        kind=MomentKind.WORK,
        session="s",
        begin_wall_ns=begin_ns,
        end_wall_ns=begin_ns + 24 * NS_PER_S,
        start_ns=begin_ns,
        end_ns=begin_ns + 24 * NS_PER_S,
        app="gimp",
        help_need=need,
    )


def minutes(moments: Sequence[Moment]) -> list[int]:
    return [moment.begin_wall_ns // MINUTE_NS for moment in moments]


def test_the_highest_estimates_are_asked_about_well_apart() -> None:
    day = [work(minute, need) for minute, need in ((0, 0.2), (30, 0.9), (32, 0.8), (60, 0.5), (90, 0.4), (120, 0.3))]
    assert minutes(choose_moments(day)) == [0, 30, 60, 90, 120]
    crowd = [work(15 * n, n / 100) for n in range(20)]
    assert minutes(choose_moments(crowd)) == [15 * n for n in range(15, 20)]
    assert len(choose_moments(crowd)) == MOST
    assert choose_moments([replace(work(0, 0.5), help_need=None), replace(work(0, 0.5), app="")]) == []
    assert APART_NS == 10 * MINUTE_NS


def test_what_was_said_already_is_not_asked_again() -> None:
    said = replace(work(30, 0.0), kind=MomentKind.REPORT, needed=True)
    offer = replace(work(60, 0.7), kind=MomentKind.OFFER, answer="dismissed")
    unanswered = replace(work(90, 0.7), kind=MomentKind.OFFER, answer="ignored")
    day = [work(30, 0.9), work(60, 0.8), work(90, 0.7)]
    assert minutes(choose_moments([*day, said, offer, unanswered])) == [90]
    assert minutes(choose_moments(day)) == [30, 60, 90]


def test_nobody_has_to_remember_an_offer_that_perhaps_nobody_saw() -> None:
    for answer, is_unsure in (("", True), ("ignored", True), ("withdrawn", True), ("accepted", False)):
        offer = replace(work(0, 0.7), kind=MomentKind.OFFER, answer=answer)
        assert ("I do not remember" in review_module.choices_about(offer)) is is_unsure


def test_a_question_says_what_happened(day: Path) -> None:
    """What an offer named then; without one the sign that was seen; and nothing where there was none."""
    (first, *_) = review_items(day, EVENING.date(), WALL_NS)
    (folder,) = day.iterdir()
    assert "(You used undo " in first.item.text or "(Undoing again and again)" in first.item.text
    shutil.rmtree(folder)
    without = [row for row in rows_of_here(session_id=folder.name) if not isinstance(row, Offer)]
    for keeps_signs, cue in ((True, " (Undoing again and again): "), (False, "r: ")):
        rows = [replace(row, evidence=()) if isinstance(row, Estimate) and not keeps_signs else row for row in without]
        shutil.rmtree(folder, ignore_errors=True)
        again = create_session(day, WALL_NS - 3600 * NS_PER_S)
        first_row = replace(as_a(SessionStart, rows[0]), session_id=again.name, wall_ns=WALL_NS - 3600 * NS_PER_S)
        testing.write_session(again, [first_row, *rows[1:]])
        (found, *_) = review_items(day, EVENING.date(), WALL_NS)
        assert cue in found.item.text
        assert len(found.item.text) <= 120
        folder = again


def test_a_question_brings_the_picture_of_its_moment(day: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing was recorded there is none."""
    assert {asked.item.picture for asked in review_items(day, EVENING.date(), WALL_NS)} == {None}
    looked: list[Moment] = []

    def read_picture(_: Path, moment: Moment, most: int) -> tuple[int, int, bytes]:
        looked.append(moment)
        return (most, 1, b"")

    monkeypatch.setattr("daemon.history.timeline.days.read_picture", read_picture)
    found = review_items(day, EVENING.date(), WALL_NS)
    assert [asked.item.picture for asked in found] == [(review_module.PICTURE_WIDTH, 1, b"")] * len(looked)
    assert [moment.session for moment in looked] == [asked.report.session for asked in found]


class Core:
    """What the review calls: a screen, a state and the reports."""

    def __init__(self, base: Path, clock: ManualClock, **settings: object) -> None:
        self.shown: list[tuple[str, tuple[QuestionItem, ...]]] = []
        self.closed: list[str] = []
        self.reports: list[EarlierReport] = []
        self.saved = ""
        chosen = InterfaceSettings(**{"evening_review": True, **settings})  # type: ignore[arg-type]  # fields by name
        self.review = EveningReview(
            chosen,
            base,
            clock,
            show=lambda question_id, items: self.shown.append((question_id, tuple(items))),
            close=self.closed.append,
            report=self.reports.append,
        )

    async def look(self, times: int = 2) -> None:
        for _ in range(times):
            self.review.look(lambda: self.saved, self._save)
            reading = self.review._reading
            if reading is not None:
                await reading

    def _save(self, day: str) -> None:
        assert self.shown == []  # before the card appears
        self.saved = day


@pytest.fixture
def day(tmp_path: Path) -> Path:
    wall_ns = WALL_NS - 3600 * NS_PER_S
    folder = create_session(tmp_path, wall_ns)
    testing.write_session(folder, rows_of_here(session_id=folder.name, wall_ns=wall_ns))
    return tmp_path


def clock_at(wall_ns: int) -> ManualClock:
    return ManualClock(now_ns=1, wall_ns=wall_ns)


@pytest.mark.usefixtures("qapp")  # German comes from Qt
def test_an_offer_is_asked_about_by_what_it_was(day: Path) -> None:
    """Also one that was looked at; control: without an offer the question is whether somebody was stuck."""
    items = review_items(day, EVENING.date(), WALL_NS)
    offered, *_ = (asked for asked in items if "help offered" in asked.item.text)
    assert offered.item.choices[:3] == ("That was help", "That was nothing", "I was fine")
    assert offered.needed[:3] == (True, False, False)
    longest = {"begin": "23:59", "app": "n" * review_module.APP_LIMIT, "what": "w" * review_module.CUE_LIMIT}
    for code in ("en", "de"):
        speak(code)
        assert len(current_language().say(review_module.QUESTION_OF_OFFER, longest)) <= TEXT_LIMIT
    speak("en")
    moments = [work(60, 0.8), replace(work(60, 0.7), kind=MomentKind.OFFER, answer="accepted")]
    assert minutes(choose_moments(moments)) == [60]
    others = [asked for asked in items if asked is not offered]
    assert {asked.item.choices[0] for asked in others} <= {"I was stuck", "That was help"}


def test_it_comes_once_and_its_answers_are_reports(day: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        core = Core(day, clock_at(WALL_NS))
        await core.look(4)
        ((question_id, items),) = core.shown
        assert question_id == f"{REVIEW_PREFIX}2026-09-21"
        assert core.saved == "2026-09-21"
        assert items[0].text.endswith("how was the help offered?")
        assert len(items[0].text) <= 120
        assert core.review.answer(question_id, {items[0].code: 0})
        (report,) = core.reports
        assert report.needed
        assert report.needs
        assert core.review.answer(question_id, {items[0].code: 1})
        assert not core.review.answer("of a study", {})
        assert len(core.reports) == 1

    asyncio.run(run())

    async def unanswered() -> None:
        monkeypatch.setattr(review_module, "EXPIRES_S", 0.01)
        core = Core(day, clock_at(WALL_NS))
        await core.look()
        async with asyncio.timeout(10):
            while not core.closed:  # noqa: ASYNC110  # the stand-in for a core has no event
                await asyncio.sleep(0.005)
        assert core.closed == [core.shown[0][0]]
        again = Core(day, clock_at(WALL_NS))
        again.saved = "2026-09-21"
        await again.look(4)
        assert again.shown == []

    asyncio.run(unanswered())


@pytest.mark.parametrize("looks", [1, 2])
@in_loop
async def test_what_is_being_forgotten_is_asked_about_no_more(day: Path, looks: int) -> None:
    core = Core(day, clock_at(WALL_NS))
    await core.look(looks)
    shown = [question_id for question_id, _ in core.shown]
    assert len(shown) == looks - 1
    core.review.forget()
    assert core.closed == shown
    for question_id, items in core.shown:
        assert core.review.answer(question_id, {item.code: 0 for item in items})
    assert core.reports == []
    shutil.rmtree(day)
    await core.look(4)
    assert len(core.shown) == len(shown)


@pytest.mark.parametrize("choice", [1, 2])
@in_loop
async def test_other_answers_say_what_they_say(day: Path, choice: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(review_module, "_is_offer_of", lambda *_: False)
    core = Core(day, clock_at(WALL_NS))
    await core.look()
    question_id, items = core.shown[0]
    core.review.answer(question_id, {items[0].code: choice})
    remembers = choice < items[0].choices.index("I do not remember")
    assert [report.needed for report in core.reports] == ([False] if remembers else [])
    declined = Core(day, clock_at(WALL_NS))
    await declined.look()
    declined.review.answer(question_id, {})
    assert declined.reports == []


@pytest.mark.parametrize(("settings", "hour"), [({"evening_review": False}, 18), ({"evening_review_hour": 20}, 18)])
@in_loop
async def test_it_does_not_come_unasked_or_too_early(day: Path, settings: dict[str, object], hour: int) -> None:
    assert local_time(WALL_NS).hour == hour
    assert not InterfaceSettings().evening_review
    core = Core(day, clock_at(WALL_NS), **settings)
    await core.look(4)
    assert core.shown == []


def test_a_day_without_work_brings_nothing(tmp_path: Path) -> None:
    """No card with no question on it."""
    assert review_items(tmp_path, local_time(WALL_NS).date(), WALL_NS) == []
