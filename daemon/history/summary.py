"""Gathers what a recorded session holds, for people and scripts: facts, offers, estimates and decisions, in wall time.

Reads only. Text that came from the screen's applications is printed without control characters (`printable`): a name
in a foreign session must not be able to write to the terminal.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from daemon.models.usage import ModelUsage, render_usage, usage_by_tier
from storage.clock import NS_PER_S
from storage.codec import plain
from storage.messages import EVIDENCE, REASONS
from storage.records import (
    Anchor,
    Decision,
    Estimate,
    Feedback,
    Frame,
    InputEvent,
    ModelAnswer,
    Offer,
    Record,
    SessionEnd,
    SessionStart,
    Verdict,
    Withdrawal,
)
from storage.session.heartbeat import is_recording
from storage.session.log import SessionReader

MAX_SHOWN = 200
LAST_S = 4_102_444_800.0
"""The year 2100."""


class WallClock:
    """Turns session time into wall-clock time, by the anchors that lie in a session."""

    def __init__(self, start: SessionStart) -> None:
        """Begin with the anchor of the first row."""
        self._at_ns = [start.at_ns]
        self._offset_ns = [start.wall_ns - start.at_ns]

    def add(self, anchor: Anchor) -> None:
        """Take in a later anchor; it holds from its own time on."""
        self._at_ns.append(anchor.at_ns)
        self._offset_ns.append(anchor.wall_ns - anchor.at_ns)

    def seconds(self, at_ns: int) -> float:
        """Return seconds since the epoch, to the millisecond."""
        place = max(0, bisect_right(self._at_ns, at_ns) - 1)
        return round((at_ns + self._offset_ns[place]) / NS_PER_S, 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSummary:
    """What stands in a session besides its rows of input and frames."""

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

    def as_json(self) -> dict[str, object]:
        """Return the object of `kairos sessions show --json`."""
        start = self.start
        return {
            "session": self.folder.name,
            "path": str(self.folder),
            "at": self.at,
            "duration_s": self.duration_s,
            "ended": self.ended,
            "still_recording": self.still_recording,
            "recording": start.recording,
            "imported_from": start.imported_from,
            "kairos_version": start.kairos_version,
            "detector": f"{start.detector} {start.detector_version}",
            "policy": f"{start.policy} {start.policy_version}",
            "settings": start.settings,
            "frames": self.frames,
            "events": self.events,
            "offers": self.offers,
            "estimates": self.estimates,
            "decisions": self.decisions,
            "model_answers": self.model_answers,
            "models": [asdict(price) for price in self.models],
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
        answers: list[ModelAnswer] = []
        frames = events = 0
        last: Record = start
        ended: str | None = None
        for row in reader:
            last = row
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
                    offers[row.offer_id] = _at(row, clock) | offer_words(row) | {"answer": None, "answered_at": None}
                case Estimate():
                    state = max(row.state_probs, key=row.state_probs.__getitem__, default=None)
                    estimates.append(_at(row, clock) | {"state": state})
                case Decision():
                    decisions.append(_at(row, clock))
                case ModelAnswer():
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
        model_answers=[_at(answer, clock) for answer in answers],
        models=usage_by_tier(answers),
    )


def told(facts: SessionSummary) -> Iterator[str]:
    """Yield lines that tell a session to somebody who knows nothing of records."""
    yield f"Session {facts.folder.name}"
    yield f"  began       {moment(facts.at)}, lasted {span(facts.duration_s)}, {_ending(facts)}"
    kept = "pictures were kept" if facts.start.recording else "no pictures were kept"
    yield f"  watched     {facts.frames} screen changes, {facts.events} input events; {kept}"
    if facts.start.imported_from is not None:
        yield f"  imported    from {printable(facts.start.imported_from)}"
    judges = (facts.start.detector, facts.start.detector_version, facts.start.policy, facts.start.policy_version)
    detector, detector_version, policy, policy_version = map(printable, judges)
    yield f"  judged by   detector {detector} {detector_version}, policy {policy} {policy_version}"
    for line in render_usage(facts.models):
        yield f"  asked       {line}"
    yield ""
    yield from _told_offers(facts.offers)
    yield ""
    yield from _told_reasons(facts)


def _told_offers(offers: Sequence[dict[str, Any]]) -> Iterator[str]:
    if not offers:
        yield "No help was offered."
        return
    yield f"Help was offered {times(len(offers))}:"
    for offer in offers:
        answer = offer["answer"] or "no answer"
        extra = " (would have been shown; nobody saw it)" if offer["counterfactual"] else ""
        yield f"  {clock_time(offer['at'])}  {offer['title']}  in {printable(offer['app'])}: {answer}{extra}"
        yield f"            {offer['why']}"


def _told_reasons(facts: SessionSummary) -> Iterator[str]:
    highest = max((estimate["help_need"] for estimate in facts.estimates), default=None)
    if highest is None:
        yield "Help need was not estimated."
    else:
        yield f"Help need was estimated {times(len(facts.estimates))}; the highest probability was {highest:.2f}."
    held = Counter(row["reason"] for row in facts.decisions if row["verdict"] != Verdict.OFFER.value)
    if not held:
        return
    yield f"The policy decided {times(len(facts.decisions))}. Why it did not offer help:"
    for reason, count in held.most_common():
        words = REASONS.get(reason, printable(reason)).removeprefix("No offer: ")
        yield f"  {count:5d} x  {words}"


def moment(at: float) -> str:
    """Return a wall-clock moment as a person here writes it."""
    return f"{_local(at):%Y-%m-%d %H:%M:%S}"


def clock_time(at: float) -> str:
    """Return the time of day of a wall-clock moment."""
    return f"{_local(at):%H:%M:%S}"


def span(seconds: float) -> str:
    """Return a length of time in the two largest units that matter."""
    whole = round(seconds)
    if whole < 60:  # noqa: PLR2004  # seconds in a minute
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    hours, minutes_left = divmod(minutes, 60)
    return f"{hours} h {minutes_left} min" if hours else f"{minutes} min {rest} s"


def times(count: int) -> str:
    """Return how often, in words where there are any."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def printable(text: str) -> str:
    """Return text without anything a terminal would act on, and not too much of it."""
    return "".join(sign if sign.isprintable() else "?" for sign in text[:MAX_SHOWN])


def offer_words(offer: Offer) -> dict[str, str]:
    """Return title and reason as the card words them; a code that has no words stands for itself."""
    words = EVIDENCE.get(offer.topic)
    numbers = next((evidence.numbers for evidence in offer.evidence if evidence.code == offer.topic), {})
    if words is None:
        return {"title": printable(offer.topic), "why": ""}
    try:
        return {"title": words.title, "why": words.reason.format(**numbers)}
    except (KeyError, ValueError, IndexError):  # a session from elsewhere may lack a number
        return {"title": words.title, "why": ""}


def _local(at: float) -> datetime:
    """Return a moment in local time; one that a foreign session made up is held within the years there are."""
    return datetime.fromtimestamp(min(max(0.0, at), LAST_S), tz=UTC).astimezone()


def _ending(facts: SessionSummary) -> str:
    if facts.ended is not None:
        return f"ended in order ({printable(facts.ended)})"
    return "is still being recorded" if facts.still_recording else "was cut off"


def _at(row: Record, clock: WallClock) -> dict[str, Any]:
    return {"at": clock.seconds(row.at_ns)} | plain(row)
