"""Summarizes a recorded session for people and scripts: offers, estimates, decisions and model usage, in wall time.

Reads only. Text that came from applications on the screen goes through `printable` before it is printed.
"""

from bisect import bisect_right
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from daemon.history.goals import SessionGoal, goal_lines, read_session_goals
from daemon.models.usage import ModelUsage, usage_by_tier
from policies.gates import REASONS
from storage.clock import NS_PER_S
from storage.db.codec import as_dict
from storage.messages import YOU_ASKED, offer_text, topic_label
from storage.plain_text import format_clock, format_count, format_duration, format_time, format_times, printable
from storage.records import (
    Anchor,
    ControlAct,
    Decision,
    DialogSeen,
    DocumentLoaded,
    Estimate,
    Feedback,
    Frame,
    HelpAnswer,
    InputEvent,
    MessageSeen,
    ModelAnswer,
    ModelTier,
    Offer,
    Record,
    SessionEnd,
    SessionStart,
    UndoLabel,
    Verdict,
    Withdrawal,
)
from storage.session.heartbeat import is_recording
from storage.session.log import SessionReader
from storage.translation import ENGLISH, Language

NAMED_KINDS = tuple(kind.KIND for kind in (ControlAct, DialogSeen, MessageSeen, DocumentLoaded, UndoLabel))
MAX_NAMES = 2000


class RecordedNames:
    """Words by digest, folded from the rows of a session in their order; the newest of them stay."""

    def __init__(self) -> None:
        """Start without any."""
        self._words: OrderedDict[str, str] = OrderedDict()

    def add(self, row: Record) -> None:
        """Note the words of a row, if it has any."""
        for digest, words in _words_of(row):
            if digest and words:
                self._words[digest] = words
                self._words.move_to_end(digest)
                if len(self._words) > MAX_NAMES:
                    self._words.popitem(last=False)

    def word(self, digest: str) -> str:
        """Return the words behind a digest; empty where they are not known."""
        return self._words.get(digest, "")

    def of(self, offer: Offer) -> Mapping[str, str]:
        """Return the words that an offer can quote, by their place in its sentences."""
        digests = offer.seen.digests if offer.seen is not None else {}
        return {place: self._words[digest] for place, digest in digests.items() if digest in self._words}


def _words_of(row: Record) -> Iterator[tuple[str, str | None]]:
    match row:
        case ControlAct():
            yield row.name_digest, row.name
        case DialogSeen():
            yield row.title_digest, row.title
            yield row.text_digest, row.text
        case MessageSeen():
            yield row.text_digest, row.text
        case DocumentLoaded():
            yield row.title_digest, row.title
        case UndoLabel():
            yield row.label_digest, row.label
        case _:
            pass


class WallClock:
    """Converts session time to wall-clock time, by the anchors in a session."""

    def __init__(self, start: SessionStart) -> None:
        """Begin with the wall clock of the first row."""
        self._at_ns = [start.at_ns]
        self._offset_ns = [start.wall_ns - start.at_ns]

    def add(self, anchor: Anchor) -> None:
        """Add a later anchor; it holds from its own time on."""
        self._at_ns.append(anchor.at_ns)
        self._offset_ns.append(anchor.wall_ns - anchor.at_ns)

    def seconds(self, at_ns: int) -> float:
        """Return seconds since the epoch, to the millisecond."""
        index = max(0, bisect_right(self._at_ns, at_ns) - 1)
        return round((at_ns + self._offset_ns[index]) / NS_PER_S, 3)


def session_clock(folder: Path) -> WallClock:
    """Return what turns times of a session into those of the wall clock."""
    with SessionReader(folder) as reader:
        clock = WallClock(reader.first())
        for row in reader.rows((Anchor.KIND,)):
            if isinstance(row, Anchor):
                clock.add(row)
    return clock


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSummary:
    """One session: everything but its rows of input and frames, which are counted."""

    folder: Path
    start: SessionStart
    at: float
    duration_s: float
    ended: str | None
    still_recording: bool
    frames: int
    events: int
    offers: list[dict[str, Any]]
    estimates: list[dict[str, Any]]
    decisions: list[dict[str, Any]]
    model_answers: list[dict[str, Any]]
    models: list[ModelUsage]
    goals: tuple[SessionGoal, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return the object of `kairos sessions show --json`."""
        values = {name: getattr(self, name) for name in self.__slots__}
        folder, start = values.pop("folder"), values.pop("start")
        return {
            "session": folder.name,
            "path": str(folder),
            **values,
            "recording": start.recording,
            "imported_from": start.imported_from,
            "kairos_version": start.kairos_version,
            "detector": f"{start.detector} {start.detector_version}",
            "policy": f"{start.policy} {start.policy_version}",
            "settings": start.settings,
            "models": [asdict(usage) for usage in self.models],
            "goals": [asdict(goal) for goal in self.goals],
        }


def summarize(folder: Path) -> SessionSummary:
    """Read a session.

    Raises:
        BadFile: it cannot be read.
    """
    with SessionReader(folder) as reader:
        start = reader.first()
        clock = WallClock(start)
        offers: dict[str, dict[str, Any]] = {}
        estimates: list[dict[str, Any]] = []
        decisions: list[dict[str, Any]] = []
        answers: list[ModelAnswer | HelpAnswer] = []
        frames = events = 0
        last: Record = start
        ended: str | None = None
        names = RecordedNames()
        for row in reader:
            last = row
            names.add(row)
            match row:
                case Anchor():
                    clock.add(row)
                case SessionEnd():
                    ended = row.reason
                case Frame():
                    frames += 1
                case InputEvent():
                    events += row.count
                case Offer():
                    words = offer_words(row, names.of(row))
                    offers[row.offer_id] = _at(row, clock) | words | {"answer": None, "answered_at": None}
                case Estimate():
                    state = max(row.state_probs, key=row.state_probs.__getitem__, default=None)
                    estimates.append(_at(row, clock) | {"state": state})
                case Decision():
                    decisions.append(_at(row, clock))
                case ModelAnswer() | HelpAnswer():
                    answers.append(row)
                case Feedback() | Withdrawal() if row.offer_id in offers:
                    answer = row.kind.value if isinstance(row, Feedback) else "withdrawn"
                    offers[row.offer_id] |= {"answer": answer, "answered_at": clock.seconds(row.at_ns)}
                case _:
                    pass
    return SessionSummary(
        folder=folder,
        start=start,
        at=clock.seconds(start.at_ns),
        duration_s=(last.at_ns - start.at_ns) / NS_PER_S,
        ended=ended,
        still_recording=is_recording(folder),
        frames=frames,
        events=events,
        offers=list(offers.values()),
        estimates=estimates,
        decisions=decisions,
        model_answers=[_at(answer, clock) for answer in answers if isinstance(answer, ModelAnswer)],
        models=usage_by_tier(answers),
        goals=read_session_goals(folder),
    )


def render_summary(summary: SessionSummary) -> Iterator[str]:
    """Yield lines that describe a session to somebody who knows nothing of records."""
    start = summary.start
    yield f"Session {summary.folder.name}"
    for line in goal_lines(summary.goals):
        yield f"  goal        {line}"
    yield f"  began       {format_time(summary.at)}, lasted {format_duration(summary.duration_s)}, {_ending(summary)}"
    pictures = "pictures were recorded" if start.recording else "no pictures were recorded"
    yield f"  watched     {summary.frames} screen changes, {summary.events} input events; {pictures}"
    if start.imported_from is not None:
        yield f"  imported    from {printable(start.imported_from)}"
    detector, policy = f"{start.detector} {start.detector_version}", f"{start.policy} {start.policy_version}"
    yield f"  judged by   detector {printable(detector)}, policy {printable(policy)}"
    for line in render_usage(summary.models):
        yield f"  asked       {line}"
    yield ""
    yield from _render_offers(summary.offers)
    yield ""
    yield from _render_reasons(summary)


def _render_offers(offers: Sequence[dict[str, Any]]) -> Iterator[str]:
    if not offers:
        yield "No help was offered."
        return
    yield f"Help was offered {format_times(len(offers))}:"
    for offer in offers:
        answer = offer["answer"] or "no answer"
        note = " (would have been shown; nobody saw it)" if offer["counterfactual"] else ""
        yield f"  {format_clock(offer['at'])}  {offer['title']}  in {printable(offer['app'])}: {answer}{note}"
        yield f"            {offer['why']}"


def _render_reasons(summary: SessionSummary) -> Iterator[str]:
    highest = max((estimate["help_need"] for estimate in summary.estimates), default=None)
    if highest is None:
        yield "Help need was not estimated."
    else:
        count = format_times(len(summary.estimates))
        yield f"Help need was estimated {count}; the highest probability was {highest:.2f}."
    reasons = Counter(row["reason"] for row in summary.decisions if row["verdict"] != Verdict.OFFER.value)
    if not reasons:
        return
    yield f"The policy decided {format_times(len(summary.decisions))}. Why it did not offer help:"
    for reason, number in reasons.most_common():
        yield f"  {number:5d} x  {REASONS.get(reason, printable(reason)).removeprefix('No offer: ')}"


def _ending(summary: SessionSummary) -> str:
    if summary.ended is not None:
        return f"ended normally ({printable(summary.ended)})"
    return "is still being recorded" if summary.still_recording else "was cut off"


def offer_words(offer: Offer, names: Mapping[str, str], language: Language = ENGLISH) -> dict[str, str]:
    """Return title and reason as the card shows them; for an unknown topic its code, without a reason.

    `names` are words that the session holds. Without consent to the recording there are none, and none is quoted.
    """
    if offer.asked:
        return {"title": language.find(YOU_ASKED), "why": ""}
    if topic_label(offer.topic) is None and (offer.seen is None or not offer.seen.code):
        return {"title": printable(offer.topic), "why": ""}
    text = offer_text(offer, names, language)
    return {"title": printable(text.title), "why": printable(text.reason)}


def _at(row: Record, clock: WallClock) -> dict[str, Any]:
    return {"at": clock.seconds(row.at_ns)} | as_dict(row)


def render_usage(usages: Sequence[ModelUsage]) -> Iterator[str]:
    """Yield a line for each tier."""
    for usage in usages:
        time = f", {usage.latency_s:.1f} s each" if usage.answered else ""
        dollars = f", US$ {usage.dollars:.2f}" if usage.dollars or usage.tier == ModelTier.STRONG else ""
        answers = format_count(usage.answered, "answer")
        yield f"the {usage.tier} model {usage.asked} x, {answers}{time}, {usage.tokens} tokens{dollars}"
