"""Fakes and builders that tests of several rooms share: detectors, policies, and records with plain defaults."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from detectors.protocol import Images
from storage.clock import NS_PER_S
from storage.records import (
    Context,
    Decision,
    Estimate,
    Evidence,
    Feedback,
    Offer,
    Prefix,
    State,
    Trigger,
    Verdict,
)
from storage.settings import DetectorSettings, PolicySettings

UNDO = Evidence("undo_bursts", {"count": 6.0, "tries": 2.0, "span_s": 12.0})


class NoPictures:
    """Keeps no picture."""

    def jpeg(self, frame_seq: int) -> bytes | None:
        """Return nothing."""
        return None


class FakeDetector:
    """Gives the help needs it was created with, one per prefix, and the last one for ever."""

    name = "fake"
    version = "1"
    uses_images = False

    def __init__(self, *needs: float) -> None:
        self._needs = needs or (0.05,)
        self.prefixes: list[Prefix] = []

    def estimate(self, prefix: Prefix, images: Images, now_ns: int) -> Estimate:
        """Return an estimate with the next help need."""
        need = self._needs[min(len(self.prefixes), len(self._needs) - 1)]
        self.prefixes.append(prefix)
        return estimate_of(
            need,
            prefix_id=prefix.prefix_id,
            window_id=prefix.window_id,
            fraction=prefix.fraction,
            app=prefix.app,
            made_at_ns=now_ns,
            ready_at_ns=now_ns,
        )


class FakePolicy:
    """Offers at every estimate at or above a help need, and stores every call."""

    name = "fake"
    version = "1"

    def __init__(self, need: float = 0.5) -> None:
        self._need = need
        self.asked: list[tuple[Trigger, Context, int]] = []
        self.answers: list[Feedback] = []

    def start(self, saved: Mapping[str, object], elapsed_ns: int, now_ns: int) -> None:
        """Start without memory."""

    def decide(self, state: None, trigger: Trigger, context: Context, now_ns: int) -> tuple[None, Decision]:
        """Offer if the estimate is high enough and nothing is on the screen."""
        self.asked.append((trigger, context, now_ns))
        speaks = isinstance(trigger, Estimate) and trigger.help_need >= self._need and context.showing is None
        verdict = Verdict.OFFER if speaks else Verdict.HOLD
        return None, Decision(verdict=verdict, gate="fake", reason="at_break", topic="undo_bursts")

    def learn(self, state: None, feedback: Feedback, offer: Offer, now_ns: int) -> None:
        """Remember the answer."""
        self.answers.append(feedback)

    def save(self, state: None, now_ns: int) -> dict[str, object]:
        """Keep nothing."""
        return {}


def fake_detector(settings: DetectorSettings) -> FakeDetector:
    """Make a detector, as `--detector tests.fakes.detectors.fake_detectors:fake_detector` would."""
    return FakeDetector(settings.base_rate)


def fake_policy(settings: PolicySettings, base_rate: float) -> FakePolicy:
    """Make a policy, as `--policy tests.fakes.detectors.fake_detectors:fake_policy` would."""
    return FakePolicy()


def broken_factory(*arguments: object) -> object:
    """Make something that is neither a detector nor a policy."""
    return object()


def unready_factory(*arguments: object) -> object:
    """Miss a file that only somebody else's package could bring."""
    raise FileNotFoundError("weights.bin")


def estimate_of(help_need: float, **changes: Any) -> Estimate:
    """Return an estimate with this help need, about undo bursts in "editor"."""
    estimate = Estimate(
        prefix_id="w1/100",
        window_id=1,
        fraction=1.0,
        detector="fake",
        detector_version="1",
        state_probs={state.value: 1.0 if state is State.FRUSTRATION else 0.0 for state in State},
        help_need=help_need,
        evidence=(UNDO,),
        made_at_ns=0,
        ready_at_ns=0,
        confidence_source="evidence",
        app="editor",
    )
    return replace(estimate, **changes)


def context_of(**changes: Any) -> Context:
    """Return a context in which everything allows an offer, once the quiet start is over and input has paused."""
    context = Context(
        consent=True,
        paused=False,
        excluded=False,
        app="editor",
        focus_since_ns=0,
        session_start_ns=0,
        last_input_ns=0,
        buttons_down=False,
        in_word=False,
        dragging=False,
        full_screen=False,
        locked=False,
        do_not_disturb=False,
        call=False,
        showing=None,
    )
    return replace(context, **changes)


def offer_of(shown_s: float, **changes: Any) -> Offer:
    """Return an offer about undo bursts in "editor", shown at this time."""
    offer = Offer(
        offer_id="o1",
        decision_seq=1,
        prefix_id="w1/100",
        app="editor",
        topic="undo_bursts",
        state=State.FRUSTRATION,
        help_need=0.95,
        evidence=(UNDO,),
        help=None,
        shown_at_ns=round(shown_s * NS_PER_S),
        expires_at_ns=round((shown_s + 45.0) * NS_PER_S),
    )
    return replace(offer, **changes)


def doubtful_detector(settings: DetectorSettings) -> FakeDetector:
    """Make a detector that is always in doubt, as `--detector ...fake_detectors:doubtful_detector` would."""
    return FakeDetector(0.3)
