"""The evening review: once a day, at a break, a few moments of that day, each with the question "were you stuck?".

Where help was offered the question is whether that was help; "that was nothing" counts as "I was fine" does, as "wrong"
counts on the card: an offer there was not worth its interruption.

Off unless the person turned it on. It takes the way of a study's question to the screen, and its answers that of what
is said in the timeline. It does not come while somebody takes part in a study, whose own questions it would mix with
and whose silent arm it would give away, nor on a quiet first day. A day that was begun to be asked about is not asked
about again, whatever came of it.
"""

import asyncio
import datetime as dt
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from daemon.history.program_names import program_name
from storage.clock import NS_PER_S, Clock, local_time
from storage.enrolment import QuestionItem
from storage.errors import BadFile
from storage.messages import EVIDENCE
from storage.plain_text import printable
from storage.ports import REVIEW_PREFIX, ReviewQuestion
from storage.records import EarlierReport, Estimate
from storage.session.log import SessionReader
from storage.settings import InterfaceSettings
from storage.timeline import Moment, MomentKind
from storage.translation import current_language, translatable

logger = logging.getLogger(__name__)

APP_LIMIT, CUE_LIMIT = 28, 50
"""Characters of a program's name, and of what happened: a question is one line or two."""

PICTURE_WIDTH = 640
"""Pixels of a recorded picture: it is shown as wide as the card, also on a screen of twice as many."""

MOST = 5
"""Moments that are asked about."""

APART_NS = 600 * NS_PER_S
"""How far apart they are at least."""

AROUND_NS = 60 * NS_PER_S
"""How much before and after a window belongs to its moment: nobody remembers 24 seconds."""

EXPIRES_S = 600.0
"""How long the card stays unanswered."""

QUESTION = translatable("{begin} to {end}, in {app}: were you stuck?")
QUESTION_WITH_CUE = translatable("{begin} to {end}, in {app} ({what}): were you stuck?")
QUESTION_OF_OFFER = translatable("{begin}, in {app} ({what}): how was the help offered?")
NOT_REMEMBERED: Mapping[str, bool | None] = {translatable("I do not remember"): None}
CHOICES: Mapping[str, bool | None] = {
    translatable("I was stuck"): True,
    translatable("I was fine"): False,
    **NOT_REMEMBERED,
}
CHOICES_OF_OFFER: Mapping[str, bool | None] = {
    translatable("That was help"): True,
    translatable("That was nothing"): False,
    translatable("I was fine"): False,
}
"""What each says of need; put into the language of the interface when they are asked."""

_UNANSWERED = ("", "ignored", "withdrawn")
"""Answers to an offer that perhaps nobody saw: whether it was help, nobody may remember."""


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A moment that is asked about, what its choices say of need, and the report that an answer makes of it."""

    item: ReviewQuestion
    needed: tuple[bool | None, ...]
    report: EarlierReport


class EveningReview:
    """Decides when the review comes and what it asks. Used in the core's thread; sessions are read in another."""

    def __init__(
        self,
        settings: InterfaceSettings,
        sessions_dir: Path,
        clock: Clock,
        *,
        show: Callable[[str, Sequence[QuestionItem]], None],
        close: Callable[[str], None],
        report: Callable[[EarlierReport], None],
    ) -> None:
        """Prepare; `show` and `close` put the card on the screen and take it down, `report` notes an answer."""
        self._settings = settings
        self._sessions_dir = sessions_dir
        self._clock = clock
        self._show = show
        self._close = close
        self._report = report
        self._ready: tuple[dt.date, list[ReviewItem]] | None = None
        self._reading: asyncio.Task[None] | None = None
        self._shown: dict[str, list[ReviewItem]] = {}

    def look(self, reviewed: Callable[[], str], save: Callable[[str], None]) -> None:
        """Show the review if it is due; called at a break.

        `reviewed` gives the day of the last review, `save` stores it before the card appears.
        """
        now = local_time(self._clock.wall_ns())
        if not self._settings.evening_review or now.hour < self._settings.evening_review_hour:
            return
        day = now.date()
        if self._ready is None or self._ready[0] != day:
            if self._reading is None and reviewed() != day.isoformat():
                self._reading = asyncio.get_running_loop().create_task(self._read(day))
            return
        items = self._ready[1]
        if items:
            self._ready = day, []
            save(day.isoformat())
            self._ask(day, items)

    def answer(self, question_id: str, choices: Mapping[str, int]) -> bool:
        """Note the answers, few or all; False where the question is none of ours."""
        if not question_id.startswith(REVIEW_PREFIX):
            return False
        for asked in self._shown.pop(question_id, []):
            needed = dict(enumerate(asked.needed)).get(choices.get(asked.item.code, -1))
            if needed is not None:
                self._report(replace(asked.report, needed=needed))
        return True

    def forget(self) -> None:
        """Take the card down and drop what was read: something is being forgotten, and it may be about that."""
        self.stop()
        self._ready, shown, self._shown = None, self._shown, {}
        for question_id in shown:
            self._close(question_id)

    def stop(self) -> None:
        """End what is being read."""
        if self._reading is not None:
            self._reading.cancel()

    def _ask(self, day: dt.date, items: list[ReviewItem]) -> None:
        question_id = f"{REVIEW_PREFIX}{day.isoformat()}"
        self._shown = {question_id: items}
        self._show(question_id, [asked.item for asked in items])
        asyncio.get_running_loop().call_later(EXPIRES_S, self._expire, question_id)

    def _expire(self, question_id: str) -> None:
        if self._shown.pop(question_id, None) is not None:
            self._close(question_id)

    async def _read(self, day: dt.date) -> None:
        try:
            items = await asyncio.to_thread(review_items, self._sessions_dir, day, self._clock.wall_ns())
        except BadFile as fault:
            logger.warning("there is no review of today: %s", fault.what)
            items = []
        finally:
            self._reading = None
        self._ready = day, items


def review_items(sessions_dir: Path, day: dt.date, now_wall_ns: int) -> list[ReviewItem]:
    """Return what is asked about a day, in the order of time.

    Raises:
        BadFile: a session that was read a moment ago cannot be read any more.
    """
    from daemon.history.timeline.days import needs_between, read_day, read_picture

    found, _ = read_day(sessions_dir, day, now_s=now_wall_ns / NS_PER_S, name_of=program_name)
    items = []
    language = current_language()
    chosen = choose_moments(found.moments)
    for number, moment in enumerate(chosen):
        start_ns, end_ns = max(0, moment.start_ns - AROUND_NS), moment.end_ns + AROUND_NS
        needs = needs_between(sessions_dir, moment.session, start_ns, end_ns)
        begin, end = local_time(moment.begin_wall_ns - AROUND_NS), local_time(moment.end_wall_ns + AROUND_NS)
        place = {"begin": f"{begin:%H:%M}", "end": f"{end:%H:%M}", "app": printable(moment.named)[:APP_LIMIT]}
        offer = next((other for other in found.moments if _is_offer_of(moment, other)), None)
        what = printable(offer.title)[:CUE_LIMIT] if offer else _strongest_sign(sessions_dir, moment)
        question = QUESTION_OF_OFFER if offer else QUESTION_WITH_CUE if what else QUESTION
        choices = choices_about(offer)
        picture = read_picture(sessions_dir, moment, PICTURE_WIDTH)
        items.append(
            ReviewItem(
                ReviewQuestion(
                    code=f"m{number}",
                    text=language.say(question, place | {"what": what}),
                    choices=tuple(language.find(choice) for choice in choices),
                    picture=picture,
                    session=moment.session,
                    begin_wall_ns=moment.begin_wall_ns,
                ),
                tuple(choices.values()),
                EarlierReport(session=moment.session, start_ns=start_ns, end_ns=end_ns, needed=False, needs=needs),
            )
        )
    return items


def choices_about(offer: Moment | None) -> Mapping[str, bool | None]:
    """Return what can be said of a moment, and of the offer made then."""
    if offer is None:
        return CHOICES
    return {**CHOICES_OF_OFFER, **NOT_REMEMBERED} if offer.answer in _UNANSWERED else CHOICES_OF_OFFER


def _is_offer_of(moment: Moment, other: Moment) -> bool:
    return other.kind is MomentKind.OFFER and not other.asked and _gap_ns(moment, other) <= AROUND_NS


def _strongest_sign(sessions_dir: Path, moment: Moment) -> str:
    """Return what was seen when need was highest, which brings the moment back to mind; empty for nothing."""
    with SessionReader(sessions_dir / moment.session) as reader:
        for row in reader.rows((Estimate.KIND,)):
            if moment.start_ns <= row.at_ns <= moment.end_ns and isinstance(row, Estimate):
                labels = [EVIDENCE[sign.code].label for sign in row.evidence if sign.code in EVIDENCE]
                if labels and row.help_need == moment.help_need:
                    return current_language().find(labels[0])[:CUE_LIMIT]
    return ""


def choose_moments(moments: Sequence[Moment]) -> list[Moment]:
    """Return the moments of highest estimated need about which nothing was said, well apart, in the order of time."""
    said = [moment for moment in moments if _is_said(moment)]
    chosen: list[Moment] = []
    work = [
        moment for moment in moments if moment.kind is MomentKind.WORK and moment.help_need is not None and moment.app
    ]
    for moment in sorted(work, key=lambda moment: (-(moment.help_need or 0.0), moment.begin_wall_ns)):
        if len(chosen) == MOST:
            break
        is_apart = all(_gap_ns(moment, other) >= APART_NS for other in chosen)
        if is_apart and all(_gap_ns(moment, other) >= AROUND_NS for other in said):
            chosen.append(moment)
    return sorted(chosen, key=lambda moment: moment.begin_wall_ns)


_UNSAID = (*_UNANSWERED, "accepted", "snoozed")


def _is_said(moment: Moment) -> bool:
    """Tell whether the person has said something of it: a report, or an answer that is more than to look at it."""
    answered = moment.kind is MomentKind.OFFER and moment.answer not in _UNSAID
    return moment.kind is MomentKind.REPORT or answered


def _gap_ns(moment: Moment, other: Moment) -> int:
    return max(0, other.begin_wall_ns - moment.end_wall_ns, moment.begin_wall_ns - other.end_wall_ns)
