"""Predictable detectors and policies, and the rows to feed an engine with."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from daemon.engine.engine import Engine
from detectors.protocol import Images
from storage.clock import NS_PER_S
from storage.records import (
    Box,
    Context,
    Decision,
    Estimate,
    EventKind,
    Evidence,
    Feedback,
    Focus,
    InputEvent,
    KeyClass,
    Offer,
    Prefix,
    Record,
    SessionStart,
    State,
    Trigger,
    Verdict,
)
from storage.settings import PolicySettings, Settings
from storage.settings_file import settings_hash

START_NS = 100 * NS_PER_S

RECKONED = PolicySettings(
    quiet_start_s=0.0, false_offer_rate=0.05, evidence_half_life_s=3.0, benefit_s=90.0, threshold_min=0.3
)
"""Settings that tests of answers rely on, whatever the defaults are."""


class FixedDetector:
    """Sees the same need in every prefix."""

    name = "fixed"
    version = "1"
    uses_images = False

    def __init__(self, help_need: float = 0.9) -> None:
        self.help_need = help_need

    def estimate(self, prefix: Prefix, images: Images, now_ns: int) -> Estimate:
        """Return the fixed estimate."""
        return Estimate(
            prefix_id=prefix.prefix_id,
            window_id=prefix.window_id,
            fraction=prefix.fraction,
            detector=self.name,
            detector_version=self.version,
            state_probs={state: float(state is State.FRUSTRATION) for state in State},
            help_need=self.help_need,
            evidence=(Evidence("undo_burst", {"count": 5.0}),),
            made_at_ns=now_ns,
            ready_at_ns=now_ns,
            confidence_source="fixed",
            app=prefix.app,
        )


class EagerPolicy:
    """Offers on the first estimate while nothing is shown, withdraws on a switch, counts what it learned."""

    name = "eager"
    version = "1"

    def start(self, saved: Mapping[str, object], elapsed_ns: int, now_ns: int) -> int:
        """Return how many answers were saved."""
        answers = saved.get("answers", 0)
        return answers if isinstance(answers, int) else 0

    def decide(self, state: int, trigger: Trigger, context: Context, now_ns: int) -> tuple[int, Decision]:
        """Offer on an estimate."""
        if context.paused or isinstance(trigger, Focus):
            return state, Decision(
                verdict=Verdict.NEVER, gate="consent", reason="paused", withdraw=context.showing is not None
            )
        if isinstance(trigger, Estimate) and context.showing is None:
            return state, Decision(verdict=Verdict.OFFER, gate="all", reason="at_break", topic="undo_burst")
        return state, Decision(
            verdict=Verdict.HOLD, gate="budget", reason="showing", next_tick_ns=now_ns + 7 * NS_PER_S
        )

    def learn(self, state: int, feedback: Feedback, offer: Offer, now_ns: int) -> int:
        """Count the answer."""
        return state + 1

    def save(self, state: int, now_ns: int) -> dict[str, object]:
        """Return the count."""
        return {"answers": state}


def eager(settings: PolicySettings, base_rate: float) -> EagerPolicy:
    """Make an eager policy, as `--policy tests.fakes.detectors.fake_engine_detectors:eager` does."""
    return EagerPolicy()


def certain(settings: object) -> FixedDetector:
    """Make a detector that is always sure, as `--detector tests.fakes.detectors.fake_engine_detectors:certain` does."""
    return FixedDetector(0.99)


def first_row(settings: Settings, *, saved: Mapping[str, object] | None = None, **changes: Any) -> SessionStart:
    """Return the first row of a session with the detector and policy above."""
    fields: dict[str, Any] = {
        "session_id": "20260101-000000-abcd",
        "kairos_version": "0",
        "wall_ns": 1_700_000_000 * NS_PER_S,
        "settings": asdict(settings),
        "settings_hash": settings_hash(settings),
        "detector": "fixed",
        "detector_version": "1",
        "detector_hash": "",
        "policy": "eager",
        "policy_version": "1",
        "policy_hash": "",
        "policy_state": {"saved": dict(saved or {}), "elapsed_ns": 0},
        "journal": True,
        "recording": False,
        "platform": "test",
    }
    return SessionStart(**(fields | changes))


def make_engine(settings: Settings | None = None, **changes: Any) -> Engine:
    """Return an engine with the detector and policy above that has taken its first row at `START_NS`."""
    settings = settings or Settings()
    parts: dict[str, Any] = {"detector": FixedDetector(), "policy": EagerPolicy()}
    engine = Engine(settings=settings, **(parts | changes))
    engine.take(first_row(settings), START_NS)
    return engine


def key(at_ns: int, key_class: KeyClass = KeyClass.CHARACTER, *, own: bool = False) -> InputEvent:
    """Return a key press."""
    return InputEvent(t_ns=at_ns, kind=EventKind.KEY, key_class=key_class, own=own)


def focus(app: str, at_ns: int, *, own: bool = False, dialog: bool = False) -> Focus:
    """Return a change of focus."""
    return Focus(t_ns=at_ns, app=app, window=1, title_digest="", geometry=Box(0, 0, 800, 600), own=own, dialog=dialog)


def of(rows: list[Record], kind: type) -> list[Any]:
    """Return the rows of one kind."""
    return [row for row in rows if isinstance(row, kind)]
