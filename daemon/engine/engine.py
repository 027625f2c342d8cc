"""The one path record -> window -> prefix -> detector -> policy -> offer, the same live and in replay.

Deterministic and synchronous: the output depends only on the records, their order and their `at_ns`. The engine reads
no clock and starts no timer; `next_wake_ns` tells when it needs a `Tick`.
"""

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from daemon.engine.context import ContextFold
from daemon.engine.estimated_need import EstimatedNeed, reported_needs
from daemon.engine.offers import REPLACED, FoundHelp, OfferTracker, expiry_record
from daemon.engine.questions import StudyQuestions
from daemon.engine.sightings import RecentRecords
from daemon.engine.ticks import TickLimit, check_ticks
from daemon.engine.window import PrefixBounds, RollingWindow
from detectors.features.tracker import FeatureTracker
from detectors.protocol import Detector, Images
from policies.gates.breaks import at_break
from policies.gates.content import ContentGate
from policies.protocol import LearnsReports, Policy
from storage.capabilities import unsensed
from storage.clock import NS_PER_S
from storage.db.codec import body_of
from storage.records import (
    ClosedBy,
    Context,
    Decision,
    DesktopSenses,
    EarlierReport,
    Environment,
    Estimate,
    EventKind,
    Feedback,
    Focus,
    Frame,
    HelpFound,
    InputEvent,
    ModelAnswer,
    ModelTier,
    NeedReport,
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
from storage.settings import PolicySettings, Settings

Combine = Callable[[Estimate, Sequence[ModelAnswer]], Estimate | None]
"""Combines a detector's estimate with models' answers about the same prefix; None if the answers hold no information.

Must be pure: a replay runs it again and compares."""


_Row = TypeVar("_Row", bound=Record)


class NoImages:
    """No pictures are stored."""

    def jpeg(self, frame_seq: int) -> bytes | None:  # noqa: ARG002  # the Protocol's signature
        """Return None for every frame."""
        return None


class Engine:
    """Derives windows, prefixes, estimates, decisions, offers and their ends from source records."""

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
        """Create the engine of one session.

        Args:
            detector: estimates help need from a prefix.
            policy: decides when to offer help.
            settings: the settings of this session.
            images: pictures of frames, for detectors that use them.
            is_shown: whether an offer really reaches a person. In replay an offer that was not shown when recorded is
                counterfactual: nothing answers it, and nothing is learned from it.
            combine: combines models' answers with an estimate; without it answers are only logged.
        """
        self._detector = detector
        self._policy = policy
        self._images = images or NoImages()
        self._combine = combine
        self._window = RollingWindow(settings.window)
        self._features = FeatureTracker()
        self._context = ContextFold()
        self._recent = RecentRecords(settings.capture)
        self._help = FoundHelp()
        self._needs_help = False
        self._unsensed: tuple[str, ...] = ()
        self._state: Any = None
        self._seq = 0
        self._sources = hashlib.blake2b(digest_size=8)
        self._now_ns = 0
        self._rows: list[Record] = []
        self._policy_tick_ns: int | None = None
        self._tick_limit = TickLimit()
        self._newest: Estimate | None = None
        self._answers: dict[ModelTier, ModelAnswer] = {}
        self._estimated = EstimatedNeed()
        self._offers = OfferTracker(round(settings.interface.offer_visible_s * NS_PER_S), is_shown)
        self._questions = StudyQuestions(settings.policy, self._append)

    @property
    def next_wake_ns(self) -> int | None:
        """When the next `Tick` is due; None if only a record can change anything."""
        due = (self._window.due_ns, self._policy_tick_ns, self._offers.expires_at_ns, self._questions.next_ns)
        return min((due_ns for due_ns in due if due_ns is not None), default=None)

    @property
    def showing(self) -> Offer | None:
        """The offer on screen, if any."""
        return self._offers.showing

    def at_break(self, settings: PolicySettings) -> bool:
        """Tell whether the person pauses just now, and nothing of ours is on the screen."""
        context = self._current_context()
        free = context.showing is None and not context.asking
        return free and at_break(context, Tick(), settings, self._now_ns)

    def saved_policy(self) -> dict[str, object]:
        """Return the policy's state that outlives this session."""
        return dict(self._policy.save(self._state, self._now_ns))

    def saved_questions(self) -> dict[str, object] | None:
        """Return the state of a study's questions that outlives this session; None without any."""
        return self._questions.saved(self._now_ns)

    def take(self, record: Record, at_ns: int) -> list[Record]:
        """Process one source record at `at_ns`; return it numbered, followed by the rows derived from it.

        The first record must be a `SessionStart`; `at_ns` never decreases.
        """
        self._now_ns = max(at_ns, self._now_ns)
        self._rows = []
        source = self._append(record)
        self._sources.update(body_of(source))  # the writer checks that it can be read again
        if isinstance(source, SessionStart):
            saved = source.policy_state
            elapsed_ns = saved.get("elapsed_ns", 0)
            state = saved.get("saved", {})
            self._state = self._policy.start(
                state if isinstance(state, dict) else {}, elapsed_ns if isinstance(elapsed_ns, int) else 0, self._now_ns
            )
        if isinstance(source, InputEvent):
            self._context.add(source)  # first: a decision that is due must know that the hands are at work again
        self._process_due()
        self._apply(source)
        self._questions.take(source, self._current_context, self._now_ns)
        return self._rows

    def take_with_ticks(self, record: Record, at_ns: int) -> Iterator[list[Record]]:
        """Take the ticks that are due by `at_ns`, then the record; yield the rows of each step. Not for live use.

        Raises:
            BadFile: more ticks are due than any session needs; its times or settings keep the engine busy for ever.
        """
        ticks = 0
        while (due_ns := self.next_wake_ns) is not None and due_ns <= at_ns:
            check_ticks(ticks, f"row {record.seq} ({record.KIND})")
            ticks += 1
            yield self.take(Tick(), due_ns)
        yield self.take(record, at_ns)

    def _append(self, record: _Row) -> _Row:
        self._seq += 1
        numbered = replace(record, seq=self._seq, at_ns=self._now_ns)
        self._rows.append(numbered)
        return numbered

    # ------------------------------------------------------------ time

    def _process_due(self) -> None:
        """Process what fell due since the last record: expiry of an offer, ends of prefixes and windows."""
        expired = self._offers.expire(self._now_ns)
        if expired is not None:
            self._learn(self._append(expiry_record(expired)), expired)
        while (bounds := self._window.next_prefix(self._now_ns)) is not None:
            self._estimate_prefix(bounds)
            closed = self._window.close_full()
            if closed is not None:
                self._append(closed)
                self._begin_window(closed.end_ns)

    # ------------------------------------------------------------ records

    def _apply(self, source: Record) -> None:  # one case for each kind of record
        if not isinstance(source, Focus):  # a window closes with the features of the application it was over
            self._follow(source)
        match source:
            case Focus():
                self._apply_focus(source)
            case InputEvent():
                self._apply_input(source)
            case Feedback() | NeedReport() | EarlierReport():
                self._apply_what_was_said(source)
            case ModelAnswer():
                self._apply_answer(source)
            case HelpFound():
                self._apply_help(source)
            case Switch() | Environment():
                if self._context.stopped:  # stopped by a switch: no window stays open
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
                pass  # only logged: anchors, drops, problems, elements

    def _follow(self, source: Record) -> None:
        if not isinstance(source, InputEvent):  # that was added first
            self._context.add(source)
        self._features.take(source)
        self._recent.add(source, self._context.app, stopped=self._context.stopped)
        self._help.add(source, stopped=self._context.stopped)
        if isinstance(source, DesktopSenses):
            self._unsensed = unsensed(source.levels)
        if isinstance(source, Frame):
            self._window.add_frame(source.seq, self._now_ns)

    def _apply_input(self, event: InputEvent) -> None:
        if event.own or self._context.stopped:
            return
        if not self._window.is_open:
            self._window.open(self._now_ns, self._context.app)
            self._begin_window(self._now_ns)
        self._window.add_input(event.count, self._now_ns)
        if event.kind is EventKind.IDLE and self._policy_tick_ns is not None:
            self._policy_tick_ns = self._now_ns  # the break that is waited for began a while ago

    def _apply_what_was_said(self, said: Feedback | NeedReport | EarlierReport) -> None:
        """Learn from an answer to the offer on screen, or from a report about a time in which need was estimated."""
        if isinstance(said, Feedback):
            offer = self._offers.answer(said)
            if offer is not None:
                self._learn(said, offer)
            return
        if isinstance(said, EarlierReport):
            needs = reported_needs(said)
            said = NeedReport(start_ns=said.start_ns, end_ns=said.end_ns, needed=said.needed)
        else:
            needs = self._estimated.between(said)
        if needs and isinstance(self._policy, LearnsReports):
            self._state = self._policy.learn_report(self._state, said, needs, self._now_ns)

    def _apply_answer(self, answer: ModelAnswer) -> None:
        """Estimate the newest prefix again, with a model's answer; an answer about an older prefix is too late."""
        if self._newest is None or self._newest.prefix_id != answer.prefix_id or self._combine is None:
            return
        self._answers[answer.tier] = answer
        estimate = self._combine(self._newest, tuple(self._answers.values()))
        if estimate is not None:
            self._decide_by(_validated(replace(estimate, made_at_ns=self._now_ns, ready_at_ns=self._now_ns)))

    def _apply_help(self, found: HelpFound) -> None:
        """Show what the person asked for, or let the policy decide if an offer waits for what to say."""
        if self._context.stopped:
            return
        if found.asked:
            if not self._current_context().excluded:
                self._show_asked(found)
        elif self._needs_help and self._offers.showing is None:
            self._decide(found)

    def _apply_focus(self, focus: Focus) -> None:
        """Close the window when another application gets the focus; then let the policy decide."""
        before = self._context.app
        self._context.add(focus)
        self._recent.add(focus, self._context.app, stopped=self._context.stopped)
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
        self._newest = None  # answers about it come too late now

    def _estimate_prefix(self, bounds: PrefixBounds, *, decide: bool = True) -> None:
        percent = round(bounds.fraction * 100)
        prefix = Prefix(
            prefix_id=f"w{bounds.window_id}/{percent}{'t' if bounds.truncated else ''}",
            window_id=bounds.window_id,
            fraction=bounds.fraction,
            start_ns=bounds.start_ns,
            end_ns=bounds.end_ns,
            slots=bounds.slots,
            features={name: value for name, value in self._features.values(bounds.end_ns).items() if value},
            truncated=bounds.truncated,
            app=bounds.app,
            sources=self._sources.hexdigest(),
            unsensed=self._unsensed,
        )
        self._append(prefix)
        self._answers.clear()
        estimate = _validated(self._detector.estimate(prefix, self._images, self._now_ns))
        self._estimated.add(prefix, estimate)
        if decide:
            self._newest = estimate
            self._decide_by(estimate)
        else:
            self._append(estimate)

    def _decide_by(self, estimate: Estimate) -> None:
        numbered = self._append(estimate)
        self._offers.add_estimate(numbered)
        self._help.add_estimate(numbered)
        self._decide(numbered)

    # ------------------------------------------------------------ policy and offers

    def _current_context(self) -> Context:
        return self._context.context(
            self._now_ns,
            self._offers.showing,
            asking=self._questions.asking,
            library=self._help.library,
            help=self._help.current(self._context.app),
        )

    def _decide(self, trigger: Trigger) -> None:
        context = self._current_context()
        self._state, decision = self._policy.decide(self._state, trigger, context, self._now_ns)
        decision = self._tick_limit.apply(_finite(decision), self._now_ns)
        self._policy_tick_ns = decision.next_tick_ns
        self._needs_help = decision.verdict is Verdict.HOLD and decision.gate == ContentGate.name
        numbered = self._append(decision)
        if decision.withdraw:
            self._withdraw(decision.reason)
        offered = False
        if decision.verdict is Verdict.OFFER:
            before = self._offers.showing
            app = self._context.app
            seen = self._recent.find(decision.topic or "", app, self._now_ns)
            offer = self._offers.show(numbered, app, self._now_ns, seen, context.help)
            offered = offer is not None
            if offer is not None:
                if before is not None:
                    self._append(Withdrawal(offer_id=before.offer_id, reason=REPLACED))
                self._append(offer)
        self._questions.decided(numbered, offered=offered, now_ns=self._now_ns)

    def _show_asked(self, found: HelpFound) -> None:
        """Show what was found for somebody who asked: no policy decides, and none learns from it."""
        self._withdraw(REPLACED)
        self._append(self._offers.show_asked(found, self._now_ns))

    def _withdraw(self, reason: str) -> None:
        offer = self._offers.withdraw()
        if offer is not None:
            self._append(Withdrawal(offer_id=offer.offer_id, reason=reason))

    def _learn(self, feedback: Record, offer: Offer) -> None:
        if isinstance(feedback, Feedback) and not offer.asked:
            self._state = self._policy.learn(self._state, feedback, offer, self._now_ns)


def _validated(estimate: Estimate) -> Estimate:
    """Return the estimate, or an abstention if a third-party detector gave invalid numbers."""
    probabilities = (estimate.help_need, *estimate.state_probs.values())
    counts = (number for evidence in estimate.evidence for number in evidence.numbers.values())
    whole = set(estimate.state_probs) == set(State) and all(map(math.isfinite, counts))
    if whole and all(0.0 <= number <= 1.0 for number in probabilities):
        return estimate
    level: dict[str, float] = dict.fromkeys(State, 1 / len(State))
    return replace(estimate, state_probs=level, help_need=0.0, evidence=(), abstained=True, error="no_probability")


def _finite(decision: Decision) -> Decision:
    """Return the decision without infinite numbers and NaN, which cannot be logged."""
    if all(map(math.isfinite, (decision.propensity, *decision.numbers.values()))):
        return decision
    numbers = {name: number for name, number in decision.numbers.items() if math.isfinite(number)}
    propensity = decision.propensity if math.isfinite(decision.propensity) else 0.0
    return replace(decision, numbers=numbers, propensity=propensity)
