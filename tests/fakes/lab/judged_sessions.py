"""A small labelled session with offers and input, for what judges offers."""

from lab.benchmarks.policy.trace import ShownOffer
from lab.benchmarks.policy.truth import InputTimes, Truth, episodes_of
from lab.simulation.recording.labels import Label
from storage.clock import NS_PER_S
from storage.records import Box, Decision, EventKind, Focus, InputEvent, KeyClass, Record, Verdict
from tests.fakes.lab.packs import label

S = NS_PER_S


def shown(at_s: float) -> ShownOffer:
    decision = Decision(verdict=Verdict.OFFER, gate="all", reason="at_break")
    at_ns = round(at_s * S)
    return ShownOffer(at_ns=at_ns, gone_ns=at_ns + 45 * S, app="desk", help_need=0.9, decision=decision)


def key(at_s: float, late_s: float = 0.0) -> InputEvent:
    """Return a key that the core hears of `late_s` later."""
    t_ns = round(at_s * S)
    return InputEvent(t_ns=t_ns, at_ns=t_ns + round(late_s * S), kind=EventKind.KEY, key_class=KeyClass.CHARACTER)


def button(at_s: float, kind: EventKind) -> InputEvent:
    return InputEvent(t_ns=round(at_s * S), at_ns=round(at_s * S), kind=kind, button="left", x=1, y=1)


def focus(at_s: float, app: str) -> Focus:
    at_ns = round(at_s * S)
    return Focus(t_ns=at_ns, at_ns=at_ns, app=app, window=1, title_digest="", geometry=Box(0, 0, 9, 9))


LABELS = (
    label(0, 50),
    label(51, 90, need_s=60),
    label(93, 120, need_s=93),
    label(150, 180, hard_negative=True),
    label(200, 260, need_s=220),
)


def truth(*rows: Record, labels: tuple[Label, ...] = LABELS) -> Truth:
    return Truth(labels, episodes_of(labels, 8.0), InputTimes(rows))
