"""Predicts what programmers do and which suggestions they will not want, from a tool's telemetry (CUPS study).

`protocol` scores a programmer while left out; here are the figures, the reference rows, the intervals (resampling
programmers, each with all seeds) and the criteria. Scores come once a seed; every figure is the mean over the seeds.
The bottom quarter is held back by a threshold taken from the other programmers, as it would have to be in life, so the
share held is a figure of its own, with a criterion: holding less would keep more.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from daemon.figures import resampling
from daemon.figures.intervals import Interval
from daemon.figures.resampling import Bools, Floats, Ints
from lab.benchmarks.cups.features import NAMES, features
from lab.benchmarks.cups.protocol import (
    HOLD_FORESTS,
    KNOWN_BEFORE,
    SCORED,
    SEEDS,
    STATE_FORESTS,
    Forest,
    ProgrammerFold,
    all_cores,
    area,
    hits,
    leave_one_out,
)
from lab.benchmarks.cups.study import REMEDY, Cups, read
from lab.measure import metrics
from lab.measure.benchmark import Report
from lab.measure.criteria import AcceptanceCriterion, at_least
from storage.errors import BadFile

QUARTER = 0.25
AUC_AT_LEAST = 0.74
KEPT_AT_LEAST = 0.90
HELD_AT_LEAST = 0.20

_SEED = 20261121
_MIN_PROGRAMMERS = 4
"""So many are the fewest that can be left out one by one and split in three."""

_OURS = "event, measurements and past"
_NOTES = (
    "which displays count is only known afterwards: those whose very next event is that they were accepted or rejected",
    "states are what programmers said while watching their own recording; events they were unsure of are dropped",
    "this is another tool and another room than a desktop: it shows what such signs can carry, not how Kairos fares",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldFigures:
    """One way to hold suggestions back: how well it ranks, how much it holds, and what that costs.

    `accepted_of_held` is the share of held suggestions that were in fact accepted, 0 where none is held.
    """

    who: str
    auc: Interval
    held: Interval
    accepted_of_held: Interval
    accepted_kept: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class StateFigures:
    """One way to predict states."""

    who: str
    accuracy: Interval
    macro_f1: Interval
    balanced_accuracy: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class OneState:
    """Figures of one state, over all seeds."""

    state: str
    events: int
    recall: float
    f1: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedRound:
    """One seed."""

    seed: int
    auc: float
    held: float
    accepted_kept: float
    state_accuracy: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What was chosen while one programmer was left out."""

    programmer: int
    hold: Forest
    states: Forest


@dataclass(frozen=True, slots=True, kw_only=True)
class CupsResult:
    """All figures of a run, as they are in the JSON object."""

    suggestions: int
    accepted: float
    holding: list[HoldFigures]
    labelled: int
    telling: list[StateFigures]
    states: list[OneState]
    chosen: list[Chosen]
    rounds: list[SeedRound]
    bars: list[AcceptanceCriterion]


def measure(folder: Path) -> Report:
    """Score the data set in a folder, on all cores."""
    return report_of(score(read(folder), workers=all_cores()))


def report_of(result: CupsResult) -> Report:
    """Return the report of a result."""
    variants = {"variants_scored": len(SCORED), "variants": SCORED, "known_before": KNOWN_BEFORE, "notes": _NOTES}
    fields = {**asdict(result), **variants}
    return Report(criteria=result.bars, rounds=fields["rounds"], fields=fields, text=_lines(result))


def score(cups: Cups, *, workers: int) -> CupsResult:
    """Score every programmer while left out, and compare the result with its limits."""
    decided, labelled, programmers, accepted = cups.decided, cups.labelled, cups.programmers, cups.accepted
    if len(np.unique(programmers[decided])) < _MIN_PROGRAMMERS or len(np.unique(accepted)) < 2:  # noqa: PLR2004  # both kinds
        raise BadFile("too few programmers to leave one out and choose among the others", remedy=REMEDY)
    rows = features(cups.events)
    of_decided, of_labelled = programmers[decided], programmers[labelled]
    folds = leave_one_out(
        rows[decided], accepted.astype(np.int64), of_decided, forests=HOLD_FORESTS, figure=area, workers=workers
    )
    scores, held = bottom_quarter(folds, of_decided)
    names = cups.states
    truth = np.array([names.index(cups.events[n].labeled_state) for n in labelled], np.int64)
    state_folds = leave_one_out(rows[labelled], truth, of_labelled, forests=STATE_FORESTS, figure=hits, workers=workers)
    guesses = np.zeros((len(SEEDS), len(truth)), np.int64)
    for fold in state_folds:
        guesses[:, of_labelled == fold.programmer] = fold.scores.argmax(axis=2)
    ours = hold_figures(_OURS, accepted, scores, held, of_decided)
    always_commonest = commonest(truth, of_labelled)
    return CupsResult(
        suggestions=len(decided),
        accepted=float(accepted.mean()),
        holding=[*_references(rows[decided], accepted, of_decided), ours],
        labelled=len(labelled),
        telling=[
            state_figures("always the others' commonest", truth, always_commonest, of_labelled),
            state_figures(_OURS, truth, guesses, of_labelled),
        ],
        states=by_state(names, truth, guesses),
        chosen=[
            Chosen(programmer=one.programmer, hold=one.forest, states=other.forest)
            for one, other in zip(folds, state_folds, strict=True)
        ],
        rounds=[
            SeedRound(
                seed=seed,
                auc=round(metrics.auc(accepted, scores[n]), 4),
                held=round(float(held[n].mean()), 4),
                accepted_kept=round(float((~held[n])[accepted].mean()), 4),
                state_accuracy=round(float((guesses[n] == truth).mean()), 4),
            )
            for n, seed in enumerate(SEEDS)
        ],
        bars=[
            at_least("hold_auc", ours.auc.value, AUC_AT_LEAST, f"AUC, mean of {len(SEEDS)} seeds"),
            at_least("accepted_kept", ours.accepted_kept.value, KEPT_AT_LEAST, "of accepted suggestions"),
            at_least("held_share", ours.held.value, HELD_AT_LEAST, "of all suggestions"),
        ],
    )


def bottom_quarter(folds: list[ProgrammerFold], programmers: Ints) -> tuple[Floats, Bools]:
    """Return scores, and what lies below the others' lowest quarter; a row for each seed."""
    scores = np.zeros((len(SEEDS), len(programmers)))
    held = np.zeros(scores.shape, bool)
    for fold in folds:
        rows = programmers == fold.programmer
        scores[:, rows] = fold.scores[:, :, 1]
        held[:, rows] = scores[:, rows] < np.quantile(fold.others[:, 1], QUARTER)
    return scores, held


def commonest(truth: Ints, programmers: Ints) -> Ints:
    """Return the commonest state of the others, for every event; one row."""
    guesses = np.zeros((1, len(truth)), np.int64)
    for programmer in np.unique(programmers):
        own = programmers == programmer
        guesses[0, own] = np.bincount(truth[~own]).argmax()
    return guesses


def hold_figures(who: str, accepted: Bools, scores: Floats, held: Bools, programmers: Ints) -> HoldFigures:
    """Return the figures of scores and choices, both with a row for each seed."""

    def of_held(rows: Ints) -> float:
        return float((held[:, rows] & accepted[rows]).sum() / max(1, held[:, rows].sum()))

    def kept(rows: Ints) -> float:
        return float((~held[:, rows] & accepted[rows]).sum() / max(1, len(held) * accepted[rows].sum()))

    return HoldFigures(
        who=who,
        auc=_interval(
            programmers, lambda rows: np.mean([metrics.auc(accepted[rows], of_seed[rows]) for of_seed in scores])
        ),
        held=_interval(programmers, lambda rows: held[:, rows].mean()),
        accepted_of_held=_interval(programmers, of_held),
        accepted_kept=_interval(programmers, kept),
    )


def state_figures(who: str, truth: Ints, guesses: Ints, programmers: Ints) -> StateFigures:
    """Return the figures of guesses, a row for each seed."""
    classes = int(max(truth.max(), guesses.max())) + 1

    def mean_of(figure: Callable[[Ints], float]) -> Interval:
        return _interval(
            programmers,
            lambda rows: np.mean(
                [figure(metrics.confusion(truth[rows], of_seed[rows], classes)) for of_seed in guesses]
            ),
        )

    return StateFigures(
        who=who,
        accuracy=mean_of(metrics.accuracy),
        macro_f1=mean_of(metrics.macro_f1),
        balanced_accuracy=mean_of(lambda table: float(metrics.recalls(table)[table.sum(axis=1) > 0].mean())),
    )


def by_state(names: tuple[str, ...], truth: Ints, guesses: Ints) -> list[OneState]:
    """Return the figures of each state, commonest first."""
    table = metrics.confusion(np.tile(truth, len(guesses)), guesses.ravel(), len(names))
    found, events = np.diag(table), table.sum(axis=1)
    f1 = 2 * found / np.maximum(1, events + table.sum(axis=0))
    return [
        OneState(
            state=names[n],
            events=int(events[n]) // len(guesses),
            recall=round(float(found[n] / max(1, events[n])), 3),
            f1=round(float(f1[n]), 3),
        )
        for n in np.argsort(-events, kind="stable")
    ]


def _interval(programmers: Ints, figure: Callable[[Ints], float | np.floating]) -> Interval:
    rng = np.random.default_rng(_SEED)
    return resampling.bootstrap(programmers, lambda rows: float(figure(rows)), rng=rng)


def _references(rows: Floats, accepted: Bools, programmers: Ints) -> list[HoldFigures]:
    """Return the trivial rows, and the tool's own confidence below the others' lowest quarter."""
    nothing = np.zeros((1, len(accepted)))
    chance = np.random.default_rng(_SEED).random((len(SEEDS), len(accepted)))
    confidence = rows[:, NAMES.index("confidence")]
    low = np.zeros(len(accepted), bool)
    for programmer in np.unique(programmers):
        own = programmers == programmer
        low[own] = confidence[own] < np.quantile(confidence[~own], QUARTER)
    references = (
        ("show everything", nothing, nothing > 0),
        ("hold a quarter by chance", chance, chance < QUARTER),
        ("the tool's own confidence", confidence[None], low[None]),
    )
    return [hold_figures(who, accepted, scores, held, programmers) for who, scores, held in references]


def _lines(result: CupsResult) -> list[str]:
    width = max(len(who) for who in (*(one.who for one in result.holding), *(one.who for one in result.telling)))
    holding = (
        f"  {one.who:<{width}}  {one.auc}  {one.held}  {one.accepted_of_held}  {one.accepted_kept}"
        for one in result.holding
    )
    return [
        (
            f"hold the bottom quarter of {result.suggestions} shown suggestions ({result.accepted:.1%} were accepted), "
            "one programmer left out at a time (in brackets: 95 % from resampling programmers)"
        ),
        f"  {'':<{width}}  AUC               held              held, yet wanted  wanted and kept",
        *holding,
        "",
        f"tell {len(result.states)} states of {result.labelled} labelled events",
        f"  {'':<{width}}  accuracy          macro F1          balanced accuracy",
        *(f"  {one.who:<{width}}  {one.accuracy}  {one.macro_f1}  {one.balanced_accuracy}" for one in result.telling),
        "",
        "  events  recall  F1",
        *(f"  {one.events:>6}  {one.recall:>6.3f}  {one.f1:.3f}  {one.state}" for one in result.states),
        "",
        f"variants ever scored on these labels: {len(SCORED)}",
        *(f"  {variant}" for variant in SCORED),
        *(f"note: {note}" for note in (KNOWN_BEFORE, *_NOTES)),
    ]
