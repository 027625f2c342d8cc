"""The one straight path: record -> window -> prefix -> detector -> policy -> offer, live and in replay alike.

Deterministic and synchronous: what it derives depends only on the records it took in, in their order, and on their
`at_ns`. It reads no clock and starts no timer; `next_wake_ns` says when it wants a `Tick`.
"""

import hashlib
import math
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from daemon.engine.context import ContextFold
from daemon.engine.window import PrefixBounds, RollingWindow
from detectors.features.tracker import FeatureTracker
from detectors.protocol import Detector, Images
from policies.protocol import Policy
from storage.clock import NS_PER_S
from storage.codec import encode
from storage.records import (
    ClosedBy,
    Decision,
    Environment,
    Estimate,
    Feedback,
    FeedbackKind,
    Focus,
    Frame,
    InputEvent,
    ModelAnswer,
    ModelTier,
    Offer,
    Prefix,
    Record,
    SessionEnd,
    SessionStart,
    State,
    Switch,
    Tick,
    Trigger,
    Verdict,
    Wake,
    Withdrawal,
)
from storage.settings import Settings

ESTIMATES_KEPT = 64
"""Estimates that a decision can still name: two minutes and more of work."""

Combine = Callable[[Estimate, Sequence[ModelAnswer]], Estimate | None]
"""Makes one estimate of a detector's and the answers of models about the same prefix; None where they say nothing.

A pure function: a replay runs it again and compares."""


class NoImages:
    """Pictures were not kept."""

    def jpeg(self, frame_seq: int) -> bytes | None:  # noqa: ARG002  # the Protocol's signature
        """Return None for every frame."""
        return None


class Engine:
    """Takes records in and derives windows, prefixes, estimates, decisions, offers and their ends."""

    def __init__(
        self,
        *,
        detector: Detector,
        policy: Policy[Any],
        settings: Settings,
        images: Images | None = None,
        is_shown: Callable[[Offer], bool] = lambda _: True,
        combine: Combine | None = None,
    ) -> None:
        """Assemble one session's engine.

        Args:
            detector: estimates help need from a prefix.
            policy: decides when to speak.
            settings: those in force in this session.
            images: pictures of frames, for detectors that look at them.
            is_shown: whether an offer really reaches a person. In replay an offer that was not shown then is
                counterfactual: nothing answers it, and nothing is learned from it.
            combine: what to make of models' answers; without it they are facts for the log alone.
        """
        self._detector = detector
        self._policy = policy
        self._images = images or NoImages()
        self._is_shown = is_shown
        self._combine = combine
        self._visible_ns = round(settings.interface.offer_visible_s * NS_PER_S)
        self._window = RollingWindow(settings.window)
        self._features = FeatureTracker()
        self._context = ContextFold()
        self._state: Any = None
        self._seq = 0
        self._sources = hashlib.blake2b(digest_size=8)
        self._now_ns = 0
        self._rows: list[Record] = []
        self._policy_tick_ns: int | None = None
        self._estimates: OrderedDict[str, Estimate] = OrderedDict()
        self._newest: Estimate | None = None
        self._answers: dict[ModelTier, ModelAnswer] = {}
        self._showing: Offer | None = None
        self._offers = 0

    @property
    def next_wake_ns(self) -> int | None:
        """When a `Tick` is wanted; None if only a record can change anything."""
        expires_ns = self._showing.expires_at_ns if self._showing else None
        due = [t for t in (self._window.due_ns, self._policy_tick_ns, expires_ns) if t is not None]
        return min(due, default=None)

    @property
    def showing(self) -> Offer | None:
        """The offer on screen, if any."""
        return self._showing

    def saved_policy(self) -> dict[str, object]:
        """Return what the policy wants to keep beyond this session."""
        return dict(self._policy.save(self._state, self._now_ns))

    def take(self, record: Record, at_ns: int) -> list[Record]:
        """Take one source record in at `at_ns`; return it numbered, followed by what is derived from it.

        The first record must be a `SessionStart`; `at_ns` never decreases.
        """
        self._now_ns = max(at_ns, self._now_ns)
        self._rows = []
        source = self._append(record)
        self._sources.update(encode(source))
        if isinstance(source, SessionStart):
            saved = source.policy_state
            elapsed_ns = saved.get("elapsed_ns", 0)
            kept = saved.get("saved", {})
            self._state = self._policy.start(
                kept if isinstance(kept, dict) else {}, elapsed_ns if isinstance(elapsed_ns, int) else 0, self._now_ns
            )
        self._pass_time()
        self._apply(source)
        return self._rows

    def _append(self, record: Record) -> Record:
        self._seq += 1
        numbered = replace(record, seq=self._seq, at_ns=self._now_ns)
        self._rows.append(numbered)
        return numbered

    # ------------------------------------------------------------ time

    def _pass_time(self) -> None:
        """Do what fell due since the last record: an offer's expiry, ends of prefixes and windows."""
        if self._showing and self._showing.expires_at_ns <= self._now_ns:
            self._expire(self._showing)
        while (bounds := self._window.next_prefix(self._now_ns)) is not None:
            self._estimate_prefix(bounds)
            closed = self._window.close_full()
            if closed is not None:
                self._append(closed)
                self._begin_window(closed.end_ns)

    def _expire(self, offer: Offer) -> None:
        self._showing = None
        if offer.counterfactual:
            self._append(Withdrawal(offer_id=offer.offer_id, reason="expired"))
            return
        ignored = self._append(Feedback(offer_id=offer.offer_id, kind=FeedbackKind.IGNORED, by="expiry"))
        self._learn(ignored, offer)

    # ------------------------------------------------------------ records

    def _apply(self, source: Record) -> None:
        if not isinstance(source, Focus):  # a window closes with the features of the application it was over
            self._context.add(source)
            self._features.take(source)
        match source:
            case Focus():
                self._apply_focus(source)
            case Frame():
                self._window.add_frame(source.seq, self._now_ns)
            case InputEvent():
                self._apply_input(source)
            case Feedback():
                self._apply_feedback(source)
            case ModelAnswer():
                self._apply_answer(source)
            case Switch() | Environment():
                if self._context.stopped:  # by a switch; when the environment changes then, no window is open any more
                    self._close_early(ClosedBy.PAUSE)
                self._decide(source)
            case Tick() if self._policy_tick_ns is not None and self._policy_tick_ns <= self._now_ns:
                self._decide(source)
            case Wake():
                self._close_early(ClosedBy.WAKE)
            case SessionEnd():
                self._close_early(ClosedBy.STOP)
                self._withdraw("stopped")
            case _:
                pass  # facts for the log alone: anchors, drops, problems, elements

    def _apply_input(self, event: InputEvent) -> None:
        if event.own or self._context.stopped:
            return
        if not self._window.is_open:
            self._window.open(self._now_ns, self._context.app)
            self._begin_window(self._now_ns)
        self._window.add_input(event.count, self._now_ns)

    def _apply_feedback(self, feedback: Feedback) -> None:
        if self._showing and self._showing.offer_id == feedback.offer_id:
            offer, self._showing = self._showing, None
            self._learn(feedback, offer)

    def _apply_answer(self, answer: ModelAnswer) -> None:
        """Estimate the newest prefix again, with what a model said of it; an answer about any other is too late."""
        if self._newest is None or self._newest.prefix_id != answer.prefix_id or self._combine is None:
            return
        self._answers[answer.rung] = answer
        estimate = self._combine(self._newest, tuple(self._answers.values()))
        if estimate is not None:
            self._decide_by(replace(estimate, made_at_ns=self._now_ns, ready_at_ns=self._now_ns))

    def _apply_focus(self, focus: Focus) -> None:
        """Close the window when another application comes to the front; then let the policy see the change."""
        before = self._context.app
        self._context.add(focus)
        switched = self._context.app != before
        if switched:
            was_open = self._window.is_open
            self._close_early(ClosedBy.APP_SWITCH)
            if was_open:
                self._window.open(self._now_ns, self._context.app)
        self._features.take(focus)
        if switched:
            self._begin_window(self._now_ns)
            self._decide(focus)

    # ------------------------------------------------------------ window, prefix, estimate

    def _begin_window(self, start_ns: int) -> None:
        if self._window.is_open:
            self._features.open_window(start_ns)

    def _close_early(self, by: ClosedBy) -> None:
        closed = self._window.close_early(self._now_ns, by)
        if closed is not None:
            bounds, window = closed
            self._estimate_prefix(bounds, decide=by is ClosedBy.APP_SWITCH)
            self._append(window)
        self._newest = None  # what models say of it now is said of something that is over

    def _estimate_prefix(self, bounds: PrefixBounds, *, decide: bool = True) -> None:
        percent = round(bounds.fraction * 100)
        prefix = Prefix(
            prefix_id=f"w{bounds.window_id}/{percent}{'t' if bounds.truncated else ''}",
            window_id=bounds.window_id,
            fraction=bounds.fraction,
            start_ns=bounds.start_ns,
            end_ns=bounds.end_ns,
            slots=bounds.slots,
            features=self._features.values(bounds.end_ns),
            truncated=bounds.truncated,
            app=bounds.app,
            sources=self._sources.hexdigest(),
        )
        self._append(prefix)
        self._answers.clear()
        estimate = _sound(self._detector.estimate(prefix, self._images, self._now_ns))
        if decide:
            self._newest = estimate
            self._decide_by(estimate)
        else:
            self._append(estimate)

    def _decide_by(self, estimate: Estimate) -> None:
        """Let the policy see an estimate; a second one of the same prefix takes the place of the first."""
        numbered = self._append(_sound(estimate))
        if isinstance(numbered, Estimate):
            self._estimates[numbered.prefix_id] = numbered
            while len(self._estimates) > ESTIMATES_KEPT:
                self._estimates.popitem(last=False)
            self._decide(numbered)

    # ------------------------------------------------------------ policy and offers

    def _decide(self, trigger: Trigger) -> None:
        context = self._context.context(self._now_ns, self._showing)
        self._state, decision = self._policy.decide(self._state, trigger, context, self._now_ns)
        decision = _finite(decision)
        self._policy_tick_ns = decision.next_tick_ns
        numbered = self._append(decision)
        if decision.withdraw:
            self._withdraw(decision.reason)
        if decision.verdict is Verdict.OFFER and isinstance(numbered, Decision):
            about = self._estimate_for(decision)
            if about is not None:
                self._offer(numbered, about)

    def _estimate_for(self, decision: Decision) -> Estimate | None:
        """Return the estimate that a decision names, or the newest one where a policy names none."""
        named = [self._estimates[prefix_id] for prefix_id in decision.prefix_ids if prefix_id in self._estimates]
        newest = next(reversed(self._estimates.values()), None)
        return named[-1] if named else newest

    def _offer(self, decision: Decision, estimate: Estimate) -> None:
        self._offers += 1
        offer = Offer(
            offer_id=f"o{self._offers}",
            decision_seq=decision.seq,
            prefix_id=estimate.prefix_id,
            app=self._context.app,
            topic=decision.topic or "",
            state=State(max(estimate.state_probs, key=estimate.state_probs.__getitem__)),
            help_need=estimate.help_need,
            evidence=estimate.evidence,
            help=estimate.help,
            shown_at_ns=self._now_ns,
            expires_at_ns=self._now_ns + self._visible_ns,
        )
        if not self._is_shown(offer):
            offer = replace(offer, counterfactual=True)
        self._append(offer)
        self._showing = offer

    def _withdraw(self, reason: str) -> None:
        if self._showing is not None:
            offer, self._showing = self._showing, None
            self._append(Withdrawal(offer_id=offer.offer_id, reason=reason))

    def _learn(self, feedback: Record, offer: Offer) -> None:
        if isinstance(feedback, Feedback):
            self._state = self._policy.learn(self._state, feedback, offer, self._now_ns)


def _sound(estimate: Estimate) -> Estimate:
    """Return the estimate, or one without an opinion if a detector brought along gave numbers that are none."""
    probabilities = (estimate.help_need, *estimate.state_probs.values())
    counts = (number for evidence in estimate.evidence for number in evidence.numbers.values())
    whole = set(estimate.state_probs) == set(State) and all(map(math.isfinite, counts))
    if whole and all(0.0 <= number <= 1.0 for number in probabilities):
        return estimate
    level: dict[str, float] = dict.fromkeys(State, 1 / len(State))
    return replace(estimate, state_probs=level, help_need=0.0, evidence=(), abstained=True, error="no_probability")


def _finite(decision: Decision) -> Decision:
    """Return the decision without numbers that are none, which could not be logged."""
    if all(map(math.isfinite, (decision.propensity, *decision.numbers.values()))):
        return decision
    numbers = {name: number for name, number in decision.numbers.items() if math.isfinite(number)}
    propensity = decision.propensity if math.isfinite(decision.propensity) else 0.0
    return replace(decision, numbers=numbers, propensity=propensity)
