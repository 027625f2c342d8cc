"""Predictable detectors and policies, an engine that runs them, and records with plain defaults."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from daemon.engine.engine import Engine
from detectors.protocol import Images, make_estimate
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
    Sighting,
    State,
    Trigger,
    Verdict,
    is_derived,
)
from storage.settings import DetectorSettings, PolicySettings, Settings
from storage.settings_file import settings_hash
from storage.testing import plain

START_NS = 100 * NS_PER_S
UNDO = Evidence("undo_bursts", {"count": 6.0, "tries": 2.0, "span_s": 12.0})
FRUSTRATED = {state.value: float(state is State.FRUSTRATION) for state in State}
RECKONED = PolicySettings(quiet_start_s=0.0, evidence_half_life_s=3.0, benefit_s=90.0)
"""Settings that tests of answers rely on, whatever the defaults are."""


class NoPictures:
    """Keeps no picture."""

    def jpeg(self, frame_seq: int) -> bytes | None:
        return None


class FixedDetector:
    """Sees the same need in every prefix."""

    name = "fixed"
    version = "1"
    uses_images = False

    def __init__(self, help_need: float = 0.9) -> None:
        self.help_need = help_need

    def estimate(self, prefix: Prefix, images: Images, now_ns: int) -> Estimate:
        evidence = (Evidence("undo_burst", {"count": 5.0}),)
        return make_estimate(
            self, prefix, now_ns, state_probs=FRUSTRATED, help_need=self.help_need, evidence=evidence,
            confidence_source="fixed",
        )  # fmt: skip


class EagerPolicy:
    """Offers on the first estimate while nothing is shown, withdraws on a switch, counts what it learned."""

    name = "eager"
    version = "1"

    def start(self, saved: Mapping[str, object], elapsed_ns: int, now_ns: int) -> int:
        answers = saved.get("answers", 0)
        return answers if isinstance(answers, int) else 0

    def decide(self, state: int, trigger: Trigger, context: Context, now_ns: int) -> tuple[int, Decision]:
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
        return state + 1

    def save(self, state: int, now_ns: int) -> dict[str, object]:
        return {"answers": state}


# Factories, as `--detector` and `--policy` name them: tests.fakes.detectors.fake_detectors:NAME


def eager(settings: PolicySettings, base_rate: float) -> EagerPolicy:
    return EagerPolicy()


def certain(settings: DetectorSettings) -> FixedDetector:
    return FixedDetector(0.99)


def doubtful(settings: DetectorSettings) -> FixedDetector:
    return FixedDetector(0.3)


def broken_factory(*arguments: object) -> object:
    return object()


def unready_factory(*arguments: object) -> object:
    """Miss a file that only somebody else's package could bring."""
    raise FileNotFoundError("weights.bin")


def first_row(settings: Settings, *, saved: Mapping[str, object] | None = None, **changes: Any) -> SessionStart:
    fields: dict[str, Any] = {
        "session_id": "20260101-000000-abcd",
        "wall_ns": 1_700_000_000 * NS_PER_S,
        "settings": asdict(settings),
        "settings_hash": settings_hash(settings),
        "detector": "fixed",
        "policy": "eager",
        "policy_state": {"saved": dict(saved or {}), "elapsed_ns": 0},
    }
    return plain(SessionStart, **(fields | changes))


def make_engine(settings: Settings | None = None, **changes: Any) -> Engine:
    settings = settings or Settings()
    parts: dict[str, Any] = {"detector": FixedDetector(), "policy": EagerPolicy()}
    engine = Engine(settings=settings, **(parts | changes))
    engine.take(first_row(settings), START_NS)
    return engine


def replayed(engine: Engine, rows: Iterable[Record]) -> list[Record]:
    return [row for source in rows if not is_derived(source) for row in engine.take(source, source.at_ns)]


def key(at_ns: int, key_class: KeyClass = KeyClass.CHARACTER, *, own: bool = False) -> InputEvent:
    return InputEvent(t_ns=at_ns, kind=EventKind.KEY, key_class=key_class, own=own)


def focus(app: str, at_ns: int, *, own: bool = False, dialog: bool = False) -> Focus:
    return Focus(t_ns=at_ns, app=app, window=1, title_digest="", geometry=Box(0, 0, 800, 600), own=own, dialog=dialog)


def of(rows: list[Record], kind: type) -> list[Any]:
    return [row for row in rows if isinstance(row, kind)]


def estimate_of(help_need: float, **changes: Any) -> Estimate:
    about = {"app": "editor", "detector": "fake", "state_probs": FRUSTRATED, "evidence": (UNDO,)}
    return plain(Estimate, help_need=help_need, **(about | changes))


def context_of(**changes: Any) -> Context:
    """Return a context in which everything allows an offer, once the quiet start is over and input has paused."""
    return plain(Context, **({"app": "editor"} | changes))


def offer_of(shown_s: float = 0.0, **changes: Any) -> Offer:
    about = {"app": "editor", "help_need": 0.95, "evidence": (UNDO,)}
    return plain(Offer, round(shown_s * NS_PER_S), **(about | changes))


def offer_about(seen: Sighting | None = None, topic: str = "trouble_pattern", **numbers: float) -> Offer:
    return offer_of(prefix_id="w1/25", topic=topic, evidence=(Evidence(topic, numbers),), seen=seen)
