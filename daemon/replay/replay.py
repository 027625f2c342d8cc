"""Replays recorded sessions through the same engine: to compare every row, or to try another detector or policy.

A check feeds the recorded source rows and compares every derived row. With another detector or policy recorded ticks
are skipped and new ones inserted; offers that were not recorded are counterfactual, and no recorded feedback answers
them. Rows are fed in `seq` order, never sorted.

Models' answers are source rows, so no model is queried again. With another detector they derive nothing: they were
requested where the recorded detector was in doubt, and their weights belong to its estimates.
"""

import math
import socket
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.engine.engine import Engine
from detectors import registry as detector_registry
from detectors.protocol import Detector, Images
from policies import registry as policy_registry
from storage.clock import NS_PER_S, SystemClock
from storage.db.codec import as_dict, canonical
from storage.errors import BadFile, UsageError
from storage.records import (
    Answer,
    Decision,
    Estimate,
    Feedback,
    ModelAnswer,
    Offer,
    Prefix,
    Record,
    SessionEnd,
    SessionStart,
    StudyStart,
    Tick,
    Window,
    is_derived,
)
from storage.session.log import NO_BEGINNING, DamagedSession, SessionReader
from storage.session.video import SessionImages
from storage.settings import Settings, recorded_settings
from storage.settings_file import from_mapping

if TYPE_CHECKING:
    from detectors.mllm.cascade import Combiner

TOLERANCE = 1e-5  # another build of a library may change the sixth digit of need
SUM_TOLERANCE = 1e-3  # and so the fourth of what a decision sums up of its log-odds
SENSED = (Window, Prefix, Estimate)
"""Rows that are not compared when estimates come from the log: that checks the policy alone."""

DERIVED_ROWS_FREE = 30_000
DERIVED_ROWS_PER_SOURCE = 20
"""How many rows a replay derives at most: a day of windows, and so many for each source row. Real work gives fewer."""

SAME_OFFER_NS = NS_PER_S
"""A counterfactual offer about the same topic and application within a second of a recorded one is that offer."""


class RecordedDetector:
    """Returns the estimates of the log: to check a policy alone, or where a model file is missing."""

    uses_images = False

    def __init__(self, rows: Iterable[Record], name: str, version: str) -> None:
        """Index the first estimate of each prefix; later ones come from models' answers."""
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
        estimate = self._estimates.get(prefix.prefix_id)
        if estimate is None:
            raise BadFile(f"the session has no recorded estimate for prefix {prefix.prefix_id}")
        return estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayResult:
    """The figures and rows of a replay. `identical` is None unless it was a check; `reason` says why a check failed."""

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
    keep_rows: bool = True,
    how_often: str | None = None,
) -> ReplayResult:
    """Replay one session.

    Args:
        folder: the session.
        detector: another detector, by name or `package.module:factory`.
        policy: another policy, named in the same way.
        check: compare every derived row with the recorded one.
        with_recorded_estimates: take estimates from the log instead of running the detector.
        keep_rows: whether the result holds the rows; without them a long session needs much less memory.
        how_often: another choice of `policy.how_often`.

    Raises:
        BadFile: the session cannot be read, or derives more rows than any work does.
        UsageError: the detector or policy does not exist.
    """
    clock = SystemClock()
    began_ns = clock.now_ns()
    with SessionReader(folder) as reader:
        recorded, start = list(reader), reader.first()
    settings = _recorded_settings(start, folder)
    names = (settings.detector.name, settings.policy.name)
    settings = replace(
        settings,
        detector=replace(settings.detector, name=_plugin_name(names[0], detector, "detector", folder)),
        policy=replace(
            settings.policy,
            name=_plugin_name(names[1], policy, "policy", folder),
            how_often=how_often or settings.policy.how_often,
        ),
    )
    loaded_detector: Detector = (
        RecordedDetector(recorded, start.detector, start.detector_version)
        if with_recorded_estimates
        else detector_registry.load(settings.detector)
    )
    # A model file that is the one recorded with is no other detector, whatever it is called today.
    identity = (start.detector, start.detector_version, start.detector_hash)
    same_detector = detector in (None, names[0]) or detector_registry.identity(loaded_detector) == identity
    same = same_detector and policy in (None, names[1]) and how_often is None
    loaded_policy = policy_registry.load(settings.policy, settings.detector.base_rate)
    combiner = _combiner(recorded, settings) if same_detector else None
    reason = None
    if check:
        reason = _difference_of_builds(
            start,
            None if with_recorded_estimates else detector_registry.identity(loaded_detector),
            policy_registry.identity(loaded_policy),
            combiner.hash if combiner is not None else None,
        )
    recorded_offers = _RecordedOffers(recorded)
    images = SessionImages(folder, recorded) if loaded_detector.uses_images else None
    engine = Engine(
        detector=loaded_detector,
        policy=loaded_policy,
        settings=settings,
        images=images,
        is_shown=(lambda _: True) if same else recorded_offers.was_shown,
        combine=combiner,
    )
    replayed_rows = _ReplayedRows(folder, recorded, keep=keep_rows)
    try:
        if same:
            unchecked = SENSED if with_recorded_estimates else ()
            for step in _steps(recorded):
                replayed = engine.take(step[0], step[0].at_ns)
                replayed_rows.add(replayed)
                if check and reason is None:
                    reason = _first_difference(step, replayed, unchecked)
        else:
            for source in recorded_offers.sources(recorded):
                for step in engine.take_with_ticks(source, source.at_ns):
                    replayed_rows.add(step)
    finally:
        if images is not None:
            images.close()
    duration_s = (recorded[-1].at_ns - start.at_ns) / NS_PER_S
    wall_s = max(1, clock.now_ns() - began_ns) / NS_PER_S
    counts = replayed_rows.counts
    return ReplayResult(
        path=str(folder),
        duration_s=duration_s,
        estimates=counts[Estimate.KIND],
        decisions=counts[Decision.KIND],
        offers=counts[Offer.KIND],
        counterfactual=replayed_rows.counterfactual,
        identical=reason is None if check else None,
        reason=reason,
        speed_x=duration_s / wall_s,
        rows=replayed_rows.kept,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayJob:
    """One replay as a job for `parallel.pool`. Only the path travels: a worker opens the folder itself."""

    folder: str
    detector: str | None = None
    policy: str | None = None
    check: bool = False
    with_recorded_estimates: bool = False
    lines: bool = False
    """Whether the rows are wanted, as text."""

    def __str__(self) -> str:
        """Name the session, for messages."""
        return self.folder


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayOutput:
    """The result without its rows; `lines` holds them as canonical JSON Lines, if requested."""

    result: ReplayResult
    lines: str


def run_job(job: ReplayJob) -> ReplayOutput:
    """Replay the session of a job.

    Raises:
        BadFile: the session cannot be read, or this machine does not see its folder.
        UsageError: the detector or policy does not exist.
    """
    folder = Path(job.folder)
    if not folder.is_dir():
        raise BadFile(
            f"{folder} is not there on {socket.gethostname()}",
            remedy="every worker must see sessions under the same path, by a shared folder for instance",
        )
    result = replay(
        folder,
        detector=job.detector,
        policy=job.policy,
        check=job.check,
        with_recorded_estimates=job.with_recorded_estimates,
        keep_rows=job.lines,
    )
    lines = "".join(canonical(row) + "\n" for row in result.rows) if job.lines else ""
    return ReplayOutput(result=replace(result, rows=[]), lines=lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlyEnd:
    """How a session would have ended at its last row here.

    `rows` are its `SessionEnd` and what is derived from it, `policy` and `questions` what would have been saved then
    (`questions` is None without a study that asks). `memory` is where that policy keeps it. `reason` is why nothing
    could be derived, or None: then `policy` is what the session began with, and `rows` is the end alone.
    """

    rows: tuple[Record, ...]
    policy: Mapping[str, object]
    questions: Mapping[str, object] | None
    memory: str
    reason: str | None


def end_early(folder: Path, kept: Sequence[Record], end: SessionEnd) -> EarlyEnd:
    """Replay the whole steps that are left of a session, and end it behind them.

    Args:
        folder: the session, for its pictures and for messages.
        kept: its rows from the first to the last that stays.
        end: the row that is to end it.

    Raises:
        BadFile: the rows begin no session.
    """
    start = kept[0] if kept else None
    if not isinstance(start, SessionStart):
        raise DamagedSession(folder, NO_BEGINNING)
    images: SessionImages | None = None
    memory = start.policy
    try:
        settings = _recorded_settings(start, folder)
        for what, name in (("policy", settings.policy.name), ("detector", settings.detector.name)):
            _plugin_name(name, None, what, folder)
        policy = policy_registry.load(settings.policy, settings.detector.base_rate)
        memory = policy_registry.memory_of(policy)
        detector: Detector = detector_registry.load(settings.detector)
        images = SessionImages(folder, kept) if detector.uses_images else None
        combiner = _combiner(kept, settings)
        reason = _difference_of_builds(
            start,
            detector_registry.identity(detector),
            policy_registry.identity(policy),
            combiner.hash if combiner is not None else None,
        )
        engine = Engine(detector=detector, policy=policy, settings=settings, images=images, combine=combiner)
        for step in _steps(kept) if reason is None else ():
            reason = _first_difference(step, engine.take(step[0], step[0].at_ns), ())
            if reason is not None:
                break
        if reason is None:
            rows = tuple(engine.take(end, kept[-1].at_ns))
            return EarlyEnd(
                rows=rows,
                policy=engine.saved_policy(),
                questions=engine.saved_questions(),
                memory=memory,
                reason=None,
            )
    except (BadFile, UsageError) as error:
        reason = str(error.what)
    finally:
        if images is not None:
            images.close()
    saved = start.policy_state.get("saved")
    return EarlyEnd(
        rows=(replace(end, seq=kept[-1].seq + 1, at_ns=kept[-1].at_ns),),
        policy=saved if isinstance(saved, dict) else {},
        questions=None,
        memory=memory,
        reason=reason,
    )


class _ReplayedRows:
    """Counts the rows of a replay, and keeps them where they are wanted."""

    def __init__(self, folder: Path, recorded: Sequence[Record], *, keep: bool) -> None:
        self.kept: list[Record] = []
        self.counts: Counter[str] = Counter()
        self.counterfactual = 0
        self._folder = folder
        self._keep = keep
        sources = sum(not is_derived(row) for row in recorded)
        self._left = DERIVED_ROWS_FREE + DERIVED_ROWS_PER_SOURCE * sources
        self._most = self._left

    def add(self, step: Sequence[Record]) -> None:
        """Note the rows of one step.

        Raises:
            BadFile: there are more than any work gives.
        """
        self.counts.update(row.KIND for row in step)
        self.counterfactual += sum(isinstance(row, Offer) and row.counterfactual for row in step)
        self._left -= len(step) - 1
        if self._left < 0:
            raise BadFile(
                f"{self._folder} derives more than {self._most:,} rows, far more than work of this length gives",
                remedy="its times, its settings or the policy are not those of a real session",
            )
        if self._keep:
            self.kept.extend(step)


class _RecordedOffers:
    """The offers that a person really saw, and which replayed offer each corresponds to."""

    def __init__(self, recorded: Sequence[Record]) -> None:
        self._recorded = [row for row in recorded if isinstance(row, Offer) and not row.counterfactual]
        self._replayed_ids: dict[str, str] = {}

    def was_shown(self, offer: Offer) -> bool:
        for recorded in self._recorded:
            near = abs(recorded.shown_at_ns - offer.shown_at_ns) <= SAME_OFFER_NS
            if near and (recorded.app, recorded.topic) == (offer.app, offer.topic):
                self._replayed_ids[recorded.offer_id] = offer.offer_id
                return True
        return False

    def sources(self, rows: Sequence[Record]) -> Iterator[Record]:
        """Yield source rows without recorded ticks, and with feedback only to offers that are shown again.

        Nor are there questions of a study: those that were asked followed other decisions.
        """
        for row in rows:
            if is_derived(row) or isinstance(row, Tick | StudyStart | Answer):
                continue
            if not isinstance(row, Feedback):
                yield row
            elif row.offer_id in self._replayed_ids:
                yield replace(row, offer_id=self._replayed_ids[row.offer_id])


def _combiner(recorded: Sequence[Record], settings: Settings) -> "Combiner | None":
    """Return what combines models' answers with estimates, if the session holds any."""
    if not any(isinstance(row, ModelAnswer) for row in recorded):
        return None
    from detectors.mllm.cascade import Combiner  # loaded only where it is needed

    return Combiner(settings.detector.base_rate)


def _recorded_settings(start: SessionStart, folder: Path) -> Settings:
    try:
        return from_mapping(recorded_settings(start.settings, exclusions=True), where=str(folder))
    except UsageError as error:
        raise BadFile(
            f"{folder} was recorded with settings that this build does not take", remedy=error.what
        ) from error


def _plugin_name(recorded: str, requested: str | None, what: str, folder: Path) -> str:
    """Return which detector or policy to load; code or a model that only a session names is never loaded."""
    if requested is None and (":" in recorded or recorded.endswith(detector_registry.MODEL_SUFFIX)):
        raise UsageError(
            f"{folder} was recorded with the {what} {recorded!r}, which is not part of Kairos",
            remedy=f"if you trust it, name it: --{what} {recorded}",
        )
    return requested or recorded


def _steps(recorded: Sequence[Record]) -> Iterator[list[Record]]:
    """Group rows by step: one source row and the rows derived from it."""
    step: list[Record] = []
    for row in recorded:
        if step and not is_derived(row):
            yield step
            step = []
        step.append(row)
    if step:
        yield step


def _difference_of_builds(
    start: SessionStart, detector: tuple[str, str, str] | None, policy: tuple[str, str, str], combiner: str | None
) -> str | None:
    recorded_detector = (start.detector, start.detector_version, start.detector_hash)
    recorded_policy = (start.policy, start.policy_version, start.policy_hash)
    for what, recorded, now in (("detector", recorded_detector, detector), ("policy", recorded_policy, policy)):
        if now is not None and recorded != now:
            return f"recorded with {what} {' '.join(recorded)}, this build has {' '.join(now)}"
    if combiner is not None and combiner != start.combiner_hash:
        return f"models' answers were combined by {start.combiner_hash or 'nothing'}, this build does it by {combiner}"
    return None


def _first_difference(
    recorded: Sequence[Record], replayed: Sequence[Record], unchecked: tuple[type[Record], ...]
) -> str | None:
    for old, new in zip(recorded, replayed, strict=False):
        if old == new or (isinstance(old, unchecked) and type(old) is type(new)):
            continue
        if not (old.KIND == new.KIND and _is_close(*map(as_dict, _comparable(old, new)))):
            return f"row {old.seq}: recorded {old.KIND} differs from the replayed {new.KIND}"
    if len(recorded) != len(replayed):
        counts = f"{len(recorded) - 1} derived rows were recorded, replay gives {len(replayed) - 1}"
        return f"row {recorded[0].seq}: {counts}"
    return None


def _comparable(old: Record, new: Record) -> tuple[Record, Record]:
    """Return two rows as they are compared: a feature that a prefix does not name is 0.

    Earlier builds named those that are 0 too. What such a row does not name that build did not have: it is left out.
    """
    if isinstance(old, Prefix) and isinstance(new, Prefix):
        known = {**new.features, **old.features} if all(old.features.values()) else old.features
        of_old, of_new = ({name: row.features.get(name, 0.0) for name in known} for row in (old, new))
        return replace(old, features=of_old), replace(new, features=of_new)
    if isinstance(old, Decision) and isinstance(new, Decision) and old.numbers.keys() == new.numbers.keys():
        sums = {"sum": old.numbers["sum"]} if "sum" in old.numbers else {}
        near = all(abs(new.numbers[name] - one) <= SUM_TOLERANCE for name, one in sums.items())
        return old, replace(new, numbers={**new.numbers, **sums}) if near else new
    return old, new


def _is_close(old: Any, new: Any) -> bool:
    if isinstance(old, float) or isinstance(new, float):
        both = isinstance(old, (int, float)) and isinstance(new, (int, float))
        return both and math.isclose(old, new, rel_tol=0, abs_tol=TOLERANCE)
    if isinstance(old, dict):
        return isinstance(new, dict) and old.keys() == new.keys() and all(_is_close(old[k], new[k]) for k in old)
    if isinstance(old, (list, tuple)):
        return isinstance(new, (list, tuple)) and len(old) == len(new) and all(map(_is_close, old, new))
    return bool(old == new)
