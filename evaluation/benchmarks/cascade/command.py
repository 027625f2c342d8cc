"""`kairos bench cascade`: embedded detector, local and strong model together, beside each alone, and what that costs.

Sessions are simulated and both models are scripted (`scripted_models`): what is measured is how well the cascade spends
its calls, and nothing about any real model. On the training split everything is learned on some sessions and judged on
others, in turn, with opinions of an embedded detector that had not seen them. `--fit` writes what was learned on all of
them; the held-out sessions are judged with that, and every look at them is listed in
`training/data/test_set_access_log.md`.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from detectors.embedded import MODEL, load_model
from detectors.mllm.cascade import SHIPPED, DecisionThreshold, Weights, as_json, log_odds, shipped, weights_from
from evaluation.benchmarks.cascade.fit import Fitted, fit, fit_weights, gains_of, price_for
from evaluation.benchmarks.cascade.page import Result, page, told_result
from evaluation.benchmarks.cascade.score import Judge, Scored, curve_of, judges, score, states_of
from evaluation.benchmarks.cascade.table import Table, of_model, of_training, with_answers
from evaluation.benchmarks.scripted_models import SCRIPTS, SEED, Errors
from evaluation.measure.criteria import AcceptanceCriterion, at_least, at_most, print_bars
from evaluation.measure.machine import machine
from evaluation.measure.metrics import prevalence_weights
from evaluation.measure.output import check_folder
from evaluation.simulation.session_plan import Split
from policies.gates.evidence import bounds_of
from policies.gates.utility import worth_of
from storage.errors import BadFile, UsageError
from storage.records import ModelTier
from storage.settings import DetectorSettings, ModelSettings, PolicySettings, WindowSettings

LOGS = Path(__file__).parents[2] / "logs"
"""The sessions that come with the source, by split; an installed Kairos has none."""

FITTED = Path(__file__).parent / "data" / "cascade_fitted.json"
"""What was learned on the training split, for judging the held-out sessions."""

PAGE = "cascade.html"
SHARE = 0.25
"""So many prefixes the strong model may be asked about where the bar is 0.30; the rest is room for other sessions."""

FOLDS = 6
KEPT, CALLS = 0.95, 0.30
DAY_H = 8.0


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos bench cascade`."""
    split = Split(arguments.split or (Split.TEST if arguments.fit is None else Split.TRAIN))
    data: Path = arguments.data or LOGS / split.value
    if arguments.out is not None:
        check_folder(arguments.out)
    if arguments.fit is not None:
        if split is not Split.TRAIN:
            raise UsageError("Nothing may be learned from held-out sessions.", remedy="Leave --split, or say train.")
        check_fit(arguments.fit)
        return _fit(of_training(data, _say), arguments.fit, data)
    table = of_training(data, _say) if split is Split.TRAIN else of_model(data, MODEL, split, _say)
    result = Result(
        split=split.value,
        sessions=len(np.unique(table.session)),
        prefixes=len(table),
        hours=table.hours,
        need=float(table.need.mean()),
        variants={
            errors.value: _judged(with_answers(table, errors, SEED), errors, by_folds=split is Split.TRAIN)
            for errors in Errors
        },
    )
    bars = bars_of(result)
    if arguments.out is not None:
        (arguments.out / PAGE).write_text(page(result, bars), encoding="utf-8")
        _say(f"written to {arguments.out / PAGE}")
    if arguments.json:
        told = {**asdict(result), "simulated": True, "scripted": {name: asdict(one) for name, one in SCRIPTS.items()}}
        print(json.dumps({**told, "bars": [asdict(bar) for bar in bars], "rounds": [], "machine": machine()}))
    else:
        print("\n".join(told_result(result)), end="\n\n")
        print_bars(bars)
    return 0 if all(bar.ok for bar in bars) else 1


def bars_of(result: Result) -> list[AcceptanceCriterion]:
    """Hold the cascade against its bars, in each variant."""
    bars = []
    for name, one in result.variants.items():
        kept = f"of the strong model's F1, errors by {name}, 95 % from {one.kept.low:.3f}"
        asked = f"of its calls, errors by {name}, 95 % to {one.share.high:.3f}"
        bars.append(at_least(f"f1_kept_{name}", round(one.kept.value, 4), KEPT, kept))
        bars.append(at_most(f"strong_calls_{name}", round(one.share.value, 4), CALLS, asked))
    return bars


def _judged(table: Table, errors: Errors, *, by_folds: bool) -> Scored:
    if not by_folds:
        fitted, as_set = read_fitted(FITTED)[errors], Fitted(weights=shipped(), bound=policy_bound())
        return score(table, judges(table, fitted, as_set), curve_of(table, fitted), states_of(table, fitted))
    parts, said_in = [], []
    for rows in _folds(table):
        one = fit(table.where(~rows), share=SHARE, version="fold", made="")
        as_set = Fitted(weights=for_the_policy(table.where(~rows), version="fold", made=""), bound=policy_bound())
        parts.append((rows, one))
        said_in.append((rows, judges(table.where(rows), one, as_set)))
    said = _joined(table, said_in)
    curves = [(rows.mean(), curve_of(table.where(rows), one)) for rows, one in parts]
    states = [(rows.mean(), states_of(table.where(rows), one)) for rows, one in parts]
    curve = np.sum([share * np.array(points) for share, points in curves], axis=0)
    named = {name: float(sum(share * one[name] for share, one in states)) for name in states[0][1]}
    return score(table, said, [(float(x), float(y)) for x, y in curve], named)


def _folds(table: Table) -> list[Any]:
    """Return the rows of each fold: sessions take turns."""
    return [rows for fold in range(FOLDS) if (rows := table.session % FOLDS == fold).any()]


def _joined(table: Table, parts: Sequence[tuple[Any, Sequence[Judge]]]) -> list[Judge]:
    """Return judges of the whole table, put together from those of its folds."""
    found = []
    for number, first in enumerate(parts[0][1]):
        said = np.zeros(len(table), np.bool_)
        asked = {rung: np.zeros(len(table), np.bool_) for rung in first.asked}
        for rows, some in parts:
            said[rows] = some[number].said
            for rung, column in asked.items():
                column[rows] = some[number].asked[rung]
        found.append(Judge(name=first.name, said=said, asked=asked))
    return found


# ---------------------------------------------------------------- what is learned


def check_fit(out: Path) -> None:
    """Make sure, before minutes of learning, that both files can be written.

    Raises:
        UsageError: it is a folder, or has the name of the file that goes beside it.
        EnvironmentFault: its folder cannot be made or written to.
    """
    if out.is_dir():
        raise UsageError(f"{out} is a folder", remedy=f"name a file: --fit {out / SHIPPED.name}")
    if out.name == FITTED.name:
        raise UsageError(f"{out} is where the other file goes", remedy=f"name it {SHIPPED.name}, say")
    check_folder(out.parent)


def _fit(table: Table, out: Path, data: Path) -> int:
    """Write the weights that are shipped, and beside them what the held-out sessions are judged with."""
    made = (
        f"kairos bench cascade --fit, on {len(np.unique(table.session))} simulated sessions ({data.name}) with "
        f"scripted models (seed {SEED}) and estimates of detectors that had not seen them, made as the embedded "
        f"{load_model(MODEL)[1].version}"
    )
    by_variant = {
        errors: fit(with_answers(table, errors, SEED), share=SHARE, version=f"scripted-{errors}", made=made)
        for errors in Errors
    }
    weights = for_the_policy(with_answers(table, Errors.EACH_PREFIX, SEED), version="scripted-1", made=made)
    out.write_text(json.dumps(as_json(weights), indent=1) + "\n", encoding="utf-8")
    beside = out.with_name(FITTED.name)
    told = {errors.value: {**as_json(one.weights), "bound": asdict(one.bound)} for errors, one in by_variant.items()}
    beside.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    _say(f"written to {out} (for {SHIPPED}) and {beside} (for {FITTED})")
    return 0


def for_the_policy(table: Table, *, version: str, made: str) -> Weights:
    """Return weights with prices for the policy's own bound, at the base rate of the settings.

    A day of eight hours of such work is to keep within the calls a day that the settings allow the strong model.
    """
    weights = fit_weights(table, version=version, made=made)
    bound = policy_bound()
    gains = gains_of(table, weights, bound)
    a_day = DAY_H * 3600.0 / WindowSettings().planned_s * 4
    share = min(1.0, ModelSettings().calls_per_day / a_day)
    price = price_for(gains, share, prevalence_weights(table.need, bound.base_rate))
    return replace(weights, prices={ModelTier.LOCAL: 0.0, ModelTier.STRONG: round(price, 6)})


def policy_bound() -> DecisionThreshold:
    """Return where the policy decides as it is set by default."""
    policy, base_rate = PolicySettings(), DetectorSettings().base_rate
    worth = worth_of(0.0, 0.0, policy.acceptance, policy).threshold_at_break
    upper = bounds_of(policy).upper + log_odds(base_rate)
    return DecisionThreshold(threshold=max(worth, 1.0 / (1.0 + float(np.exp(-upper)))), base_rate=base_rate)


def read_fitted(path: Path) -> dict[Errors, Fitted]:
    """Read what `--fit` wrote for the held-out sessions.

    Raises:
        BadFile: it is not there, or is something else.
    """
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        return {
            Errors(name): Fitted(weights=weights_from(one), bound=DecisionThreshold(**one["bound"]))
            for name, one in told.items()
        }
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadFile(
            f"{path} is not what was learned for the held-out sessions ({type(error).__name__})",
            remedy="make it: kairos bench cascade --split train --fit FILE",
        ) from error


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
