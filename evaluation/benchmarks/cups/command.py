"""`kairos bench cups`: what programmers do, and which suggestions they will not want, judged from a tool's telemetry.

How a programmer is scored while left out is `evaluation.benchmarks.cups.protocol`; here are the rows beside it, the
intervals (resampling programmers) and the bars. The bottom quarter is held by a threshold taken from the other
programmers, as it would have to be in life, so the share held is a figure of its own, with a bar: holding less would
keep more.
"""

import argparse
import json
from dataclasses import asdict, dataclass

import numpy as np

from evaluation.benchmarks.cups import rows as cups_rows
from evaluation.benchmarks.cups.features import NAMES, features
from evaluation.benchmarks.cups.protocol import (
    HOLD_FORESTS,
    KNOWN_BEFORE,
    SCORED,
    SEEDS,
    STATE_FORESTS,
    Fold,
    Forest,
    all_cores,
    area,
    hits,
    leave_one_out,
)
from evaluation.benchmarks.cups.rows import Holding, State, Telling
from evaluation.benchmarks.cups.study import REMEDY, Cups, read
from evaluation.measure import metrics
from evaluation.measure.criteria import AcceptanceCriterion, at_least, print_bars, with_interval
from evaluation.measure.machine import machine
from evaluation.measure.metrics import Bools, Floats, Ints
from storage.errors import BadFile

QUARTER = 0.25
AUC_AT_LEAST = 0.74
KEPT_AT_LEAST = 0.90
HELD_AT_LEAST = 0.20

_SEED = 20261121
_PROGRAMMERS = 4
"""So many are the fewest that can be left out one by one and split in three."""

_OURS = "event, measurements and past"
_NOTES = (
    "which displays count is only known afterwards: those whose very next event is that they were accepted or rejected",
    "states are what programmers said while watching their own recording; events they were unsure of are dropped",
    "this is another tool and another room than a desktop: it shows what such signs can carry, not how Kairos fares",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
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
class Result:
    """All that is printed."""

    suggestions: int
    accepted: float
    holding: list[Holding]
    labelled: int
    telling: list[Telling]
    states: list[State]
    chosen: list[Chosen]
    rounds: list[Round]
    bars: list[AcceptanceCriterion]


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos bench cups`."""
    result = measure(read(arguments.path), workers=all_cores())
    if arguments.json:
        variants = {"variants_scored": len(SCORED), "variants": SCORED, "known_before": KNOWN_BEFORE, "notes": _NOTES}
        print(json.dumps({**asdict(result), **variants, "machine": machine()}))
    else:
        _print(result)
    return 0 if all(bar.ok for bar in result.bars) else 1


def measure(cups: Cups, *, workers: int) -> Result:
    """Score every programmer while left out, and hold the result against the bars."""
    decided, labelled, programmers, accepted = cups.decided, cups.labelled, cups.programmers, cups.accepted
    if len(np.unique(programmers[decided])) < _PROGRAMMERS or len(np.unique(accepted)) < 2:  # noqa: PLR2004  # both kinds
        raise BadFile("too few programmers to leave one out and choose among the others", remedy=REMEDY)
    seen = features(cups.events)
    held_by, worked = programmers[decided], programmers[labelled]
    folds = leave_one_out(
        seen[decided], accepted.astype(np.int64), held_by, forests=HOLD_FORESTS, figure=area, workers=workers
    )
    scores, held = bottom_quarter(folds, held_by)
    names = cups.states
    truth = np.array([names.index(cups.events[n].labeled_state) for n in labelled], np.int64)
    told = leave_one_out(seen[labelled], truth, worked, forests=STATE_FORESTS, figure=hits, workers=workers)
    guesses = np.zeros((len(SEEDS), len(truth)), np.int64)
    for fold in told:
        guesses[:, worked == fold.programmer] = fold.scores.argmax(axis=2)
    ours = cups_rows.holding(_OURS, accepted, scores, held, held_by)
    telling = cups_rows.telling(_OURS, truth, guesses, worked)
    return Result(
        suggestions=len(decided),
        accepted=float(accepted.mean()),
        holding=[*_beside(seen[decided], accepted, held_by), ours],
        labelled=len(labelled),
        telling=[cups_rows.telling("always the others' commonest", truth, commonest(truth, worked), worked), telling],
        states=cups_rows.by_state(names, truth, guesses),
        chosen=[
            Chosen(programmer=one.programmer, hold=one.forest, states=other.forest)
            for one, other in zip(folds, told, strict=True)
        ],
        rounds=[
            Round(
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


def bottom_quarter(folds: list[Fold], programmers: Ints) -> tuple[Floats, Bools]:
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


def _beside(seen: Floats, accepted: Bools, programmers: Ints) -> list[Holding]:
    """Return the trivial rows, and the tool's own confidence held against the others' lowest quarter."""
    nothing = np.zeros((1, len(accepted)))
    chance = np.random.default_rng(_SEED).random((len(SEEDS), len(accepted)))
    confidence = seen[:, NAMES.index("confidence")]
    low = np.zeros(len(accepted), bool)
    for programmer in np.unique(programmers):
        own = programmers == programmer
        low[own] = confidence[own] < np.quantile(confidence[~own], QUARTER)
    rows = (
        ("show everything", nothing, nothing > 0),
        ("hold a quarter by chance", chance, chance < QUARTER),
        ("the tool's own confidence", confidence[None], low[None]),
    )
    return [cups_rows.holding(who, accepted, scores, held, programmers) for who, scores, held in rows]


def _print(result: Result) -> None:
    print(
        f"hold the bottom quarter of {result.suggestions} shown suggestions ({result.accepted:.1%} were accepted), one "
        "programmer left out at a time (in brackets: 95 % from resampling programmers)"
    )
    wide = max(len(who) for who in (*(row.who for row in result.holding), *(row.who for row in result.telling)))
    print(f"  {'':<{wide}}  AUC               held              held, yet wanted  wanted and kept")
    for row in result.holding:
        figures = (row.auc, row.held, row.accepted_of_held, row.accepted_kept)
        print(f"  {row.who:<{wide}}  {'  '.join(with_interval(figure) for figure in figures)}")
    print(f"\ntell {len(result.states)} states of {result.labelled} labelled events")
    print(f"  {'':<{wide}}  accuracy          macro F1          balanced accuracy")
    for line in result.telling:
        told = (line.accuracy, line.macro_f1, line.balanced_accuracy)
        print(f"  {line.who:<{wide}}  {'  '.join(with_interval(figure) for figure in told)}")
    print("\n  events  recall  F1")
    for state in result.states:
        print(f"  {state.events:>6}  {state.recall:>6.3f}  {state.f1:.3f}  {state.state}")
    print(f"\nvariants ever scored on these labels: {len(SCORED)}")
    for variant in SCORED:
        print(f"  {variant}")
    for note in (KNOWN_BEFORE, *_NOTES):
        print(f"note: {note}")
    print()
    print_bars(result.bars)
