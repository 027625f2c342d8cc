"""Replays recorded sessions through the same engine, faster than time, and compares or tries another mind.

`--check` feeds the recorded source rows and compares every derived row. With another detector or policy recorded
ticks are skipped and the clock inserts its own; offers that were not made then are counterfactual, and nothing in the
log may answer them. Rows are fed in `seq` order, never sorted.

Answers of models are source rows, so no model is asked again. With another detector they are read and derive nothing:
they were asked for where the recorded detector was in doubt, and their weights go with its estimates.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.config import from_mapping
from daemon.engine.engine import Engine
from detectors import registry as detector_registry
from detectors.protocol import Detector, Images
from policies import registry as policy_registry
from storage.clock import NS_PER_S, SystemClock
from storage.codec import as_dict
from storage.errors import BadFile, UsageError
from storage.records import (
    Decision,
    Estimate,
    Feedback,
    ModelAnswer,
    Offer,
    Prefix,
    Record,
    SessionStart,
    Tick,
    Window,
    is_derived,
)
from storage.session.log import SessionReader
from storage.session.video import SessionImages
from storage.settings import Settings

if TYPE_CHECKING:
    from detectors.mllm.cascade import Combiner

TOLERANCE = 1e-6
SENSED = (Window, Prefix, Estimate)
"""What is not compared when estimates come from the log: it checks the policy alone."""

SAME_MOMENT_NS = NS_PER_S
"""A counterfactual offer about the same topic and application within a second of a recorded one is that offer."""


class RecordedDetector:
    """Gives the estimates of the log back; for checking a policy alone, or where a model is not here."""

    uses_images = False

    def __init__(self, rows: Iterable[Record], name: str, version: str) -> None:
        """Index the recorded estimates by prefix: the first of each, later ones come of models' answers."""
        self.name = name
        self.version = version
        self._estimates: dict[str, Estimate] = {}
        for row in rows:
            if isinstance(row, Estimate):
                self._estimates.setdefault(row.prefix_id, row)

    def estimate(self, prefix: Prefix, images: Images, now_ns: int) -> Estimate:  # noqa: ARG002  # the Protocol
        """Return the recorded estimate.

        Raises:
            BadFile: the log holds none for this prefix, so its rows do not fit together.
        """
        found = self._estimates.get(prefix.prefix_id)
        if found is None:
            raise BadFile(f"the session has no recorded estimate for prefix {prefix.prefix_id}")
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What a replay gave. `identical` is None unless it was a check; `reason` says why a check failed."""

    path: str
    duration_s: float
    estimates: int
    decisions: int
    offers: int
    counterfactual: int
    identical: bool | None
    reason: str | None
    speed_x: float
    rows: list[Record] = field(repr=False)

    def as_json(self) -> dict[str, object]:
        """Return the fields of `kairos replay --json`."""
        names = ("path", "duration_s", "estimates", "decisions", "offers", "counterfactual", "identical", "reason")
        return {name: getattr(self, name) for name in names} | {"speed_x": round(self.speed_x, 1)}


def replay(
    folder: Path,
    *,
    detector: str | None = None,
    policy: str | None = None,
    check: bool = False,
    with_recorded_estimates: bool = False,
) -> Replayed:
    """Replay one session.

    Args:
        folder: the session.
        detector: another detector, by name or `package.module:factory`.
        policy: another policy, likewise.
        check: compare every derived row with the recorded one.
        with_recorded_estimates: take estimates from the log instead of running the detector.

    Raises:
        BadFile: the session cannot be read.
        UsageError: the detector or policy does not exist.
    """
    clock = SystemClock()
    began_ns = clock.now_ns()
    with SessionReader(folder) as reader:
        recorded = list(reader)
    if not recorded or not isinstance(recorded[0], SessionStart):
        raise BadFile(f"{folder} does not begin with the first row of a session")
    start = recorded[0]
    settings = _settings_then(start, folder)
    named = (settings.detector.name, settings.policy.name)
    settings = replace(
        settings,
        detector=replace(settings.detector, name=_spec(settings.detector.name, detector, "detector", folder)),
        policy=replace(settings.policy, name=_spec(settings.policy.name, policy, "policy", folder)),
    )
    mind: Detector = (
        RecordedDetector(recorded, start.detector, start.detector_version)
        if with_recorded_estimates
        else detector_registry.load(settings.detector)
    )
    # A model file that is the one recorded with is no other detector, whatever it is called today.
    recorded_with = (start.detector, start.detector_version, start.detector_hash)
    same_detector = detector in (None, named[0]) or detector_registry.identity(mind) == recorded_with
    same = same_detector and policy in (None, named[1])
    chosen = policy_registry.load(settings.policy, settings.detector.base_rate)
    combiner = _combiner(recorded, settings) if same_detector else None
    reason = None
    if check:
        reason = _build_differs(
            start,
            None if with_recorded_estimates else detector_registry.identity(mind),
            policy_registry.identity(chosen),
            combiner.hash if combiner is not None else None,
        )
    shown = _ShownThen(recorded)
    images = SessionImages(folder, recorded) if mind.uses_images else None
    engine = Engine(
        detector=mind,
        policy=chosen,
        settings=settings,
        images=images,
        is_shown=(lambda _: True) if same else shown.was_shown,
        combine=combiner,
    )
    rows: list[Record] = []
    try:
        if same:
            unchecked = SENSED if with_recorded_estimates else ()
            for step in _steps(recorded):
                got = engine.take(step[0], step[0].at_ns)
                rows.extend(got)
                if check and reason is None:
                    reason = _first_difference(step, got, unchecked)
        else:
            for source in shown.sources(recorded):
                while (due_ns := engine.next_wake_ns) is not None and due_ns <= source.at_ns:
                    rows.extend(engine.take(Tick(), due_ns))
                rows.extend(engine.take(source, source.at_ns))
    finally:
        if images is not None:
            images.close()
    duration_s = (recorded[-1].at_ns - start.at_ns) / NS_PER_S
    wall_s = max(1, clock.now_ns() - began_ns) / NS_PER_S
    offers = [row for row in rows if isinstance(row, Offer)]
    return Replayed(
        path=str(folder),
        duration_s=duration_s,
        estimates=sum(isinstance(row, Estimate) for row in rows),
        decisions=sum(isinstance(row, Decision) for row in rows),
        offers=len(offers),
        counterfactual=sum(offer.counterfactual for offer in offers),
        identical=reason is None if check else None,
        reason=reason,
        speed_x=duration_s / wall_s,
        rows=rows,
    )


class _ShownThen:
    """Which offers a person really saw, and so what recorded feedback may answer."""

    def __init__(self, recorded: Sequence[Record]) -> None:
        self._then = [row for row in recorded if isinstance(row, Offer) and not row.counterfactual]
        self._now: dict[str, str] = {}

    def was_shown(self, offer: Offer) -> bool:
        for then in self._then:
            near = abs(then.shown_at_ns - offer.shown_at_ns) <= SAME_MOMENT_NS
            if near and (then.app, then.topic) == (offer.app, offer.topic):
                self._now[then.offer_id] = offer.offer_id
                return True
        return False

    def sources(self, recorded: Sequence[Record]) -> Iterator[Record]:
        """Yield what was sensed then, without recorded ticks, and feedback only to offers that are shown again."""
        for row in recorded:
            if is_derived(row) or isinstance(row, Tick):
                continue
            if isinstance(row, Feedback):
                if row.offer_id in self._now:
                    yield replace(row, offer_id=self._now[row.offer_id])
                continue
            yield row


def _combiner(recorded: Sequence[Record], settings: Settings) -> "Combiner | None":
    """Return what made estimates of models' answers, where there are any."""
    if not any(isinstance(row, ModelAnswer) for row in recorded):
        return None
    from detectors.mllm.cascade import Combiner  # nobody else needs it

    return Combiner(settings.detector.base_rate)


def _settings_then(start: SessionStart, folder: Path) -> Settings:
    try:
        return from_mapping(start.settings, where=str(folder))
    except UsageError as error:
        raise BadFile(
            f"{folder} was recorded with settings that this build does not know", remedy=error.what
        ) from error


def _spec(then: str, wanted: str | None, what: str, folder: Path) -> str:
    """Return which detector or policy to load; code or a model that only a session names is never loaded."""
    if wanted is None and (":" in then or then.endswith(detector_registry.MODEL_SUFFIX)):
        raise UsageError(
            f"{folder} was recorded with the {what} {then!r}, which is not part of Kairos",
            remedy=f"if you trust it, name it: --{what} {then}",
        )
    return wanted or then


def _steps(recorded: Sequence[Record]) -> Iterator[list[Record]]:
    """Group rows as the engine made them: one source row and what was derived from it."""
    step: list[Record] = []
    for row in recorded:
        if step and not is_derived(row):
            yield step
            step = []
        step.append(row)
    if step:
        yield step


def _build_differs(
    start: SessionStart, detector: tuple[str, str, str] | None, policy: tuple[str, str, str], combiner: str | None
) -> str | None:
    then_detector = (start.detector, start.detector_version, start.detector_hash)
    then_policy = (start.policy, start.policy_version, start.policy_hash)
    for what, then, now in (("detector", then_detector, detector), ("policy", then_policy, policy)):
        if now is not None and then != now:
            return f"recorded with {what} {' '.join(then)}, this build has {' '.join(now)}"
    if combiner is not None and combiner != start.combiner_hash:
        return f"models' answers were combined by {start.combiner_hash or 'nothing'}, this build does it by {combiner}"
    return None


def _first_difference(
    recorded: Sequence[Record], got: Sequence[Record], unchecked: tuple[type[Record], ...]
) -> str | None:
    for then, now in zip(recorded, got, strict=False):
        if then == now or (isinstance(then, unchecked) and type(then) is type(now)):
            continue
        if not (then.KIND == now.KIND and _close(as_dict(then), as_dict(now))):
            return f"row {then.seq}: recorded {then.KIND} differs from the replayed {now.KIND}"
    if len(recorded) != len(got):
        return f"row {recorded[0].seq}: {len(recorded) - 1} derived rows were recorded, replay gives {len(got) - 1}"
    return None


def _close(then: Any, now: Any) -> bool:
    if isinstance(then, float) or isinstance(now, float):
        both = isinstance(then, (int, float)) and isinstance(now, (int, float))
        return both and math.isclose(then, now, rel_tol=0, abs_tol=TOLERANCE)
    if isinstance(then, dict):
        return isinstance(now, dict) and then.keys() == now.keys() and all(_close(then[k], now[k]) for k in then)
    if isinstance(then, (list, tuple)):
        return isinstance(now, (list, tuple)) and len(then) == len(now) and all(map(_close, then, now))
    return bool(then == now)
