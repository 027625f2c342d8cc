"""Scores the cascade of embedded detector, local and strong model beside each of them alone, and what that costs.

Sessions are simulated and both models are scripted (`scripted_models`): what is measured is how well the cascade spends
its calls, and nothing about any real model. On the training split everything is learned on some sessions and scored on
others, in turn, with opinions of an embedded detector that had not seen them. `--fit` writes what was learned on all of
them; the held-out sessions are scored with that, and every access to them is listed in
`training/data/test_set_access_log.md`.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from daemon.figures.resampling import Bools
from daemon.text import print_progress
from detectors.embedded import MODEL, load_model
from detectors.mllm.cascade import (
    SHIPPED_FILE,
    DecisionThreshold,
    Weights,
    log_odds,
    shipped_weights,
    weights_from_json,
    weights_to_json,
)
from lab.benchmarks.cascade.fit import FittedCascade, fit, fit_weights, gains_of, price_for
from lab.benchmarks.cascade.report import CascadeResult, render, render_page
from lab.benchmarks.cascade.score import Scored, Strategy, curve_of, score, states_of, strategies
from lab.benchmarks.cascade.table import Table, of_model, of_training, with_answers
from lab.benchmarks.scripted_models import SCRIPTS, SEED, Errors
from lab.measure.benchmark import Report
from lab.measure.criteria import AcceptanceCriterion, at_least, at_most
from lab.measure.metrics import prevalence_weights
from lab.measure.output import check_folder
from lab.simulation.session_plan import Split
from policies.gates.evidence import bounds_of
from policies.gates.utility import utility_of
from storage.errors import BadFile, UsageError
from storage.records import ModelTier
from storage.settings import DetectorSettings, ModelSettings, PolicySettings, WindowSettings

LOGS = Path(__file__).parents[2] / "logs"
"""The sessions that come with the source, by split; an installed Kairos has none."""

FITTED = Path(__file__).parent / "data" / "cascade_fitted.json"
"""What was learned on the training split, for judging the held-out sessions."""

PAGE = "cascade.html"
SHARE = 0.25
"""Share of prefixes at which the strong model may be queried; the limit is 0.30, to allow for other sessions."""

FOLDS = 6
KEPT, CALLS = 0.95, 0.30
DAY_H = 8.0


def measure(data: Path | None, split_name: str | None, fit_to: Path | None) -> Report | None:
    """Score the cascade on the sessions of a split; with `fit_to` only learn, and write the weights there.

    Raises:
        UsageError: `fit_to` is given for another split than that for training, or names no file.
    """
    split = Split(split_name or (Split.TEST if fit_to is None else Split.TRAIN))
    data = data or LOGS / split.value
    if fit_to is not None:
        if split is not Split.TRAIN:
            raise UsageError("Nothing may be learned from held-out sessions.", remedy="Leave --split, or say train.")
        check_fit(fit_to)
        _fit(of_training(data, print_progress), fit_to, data)
        return None
    in_training = split is Split.TRAIN
    table = of_training(data, print_progress) if in_training else of_model(data, MODEL, split, print_progress)
    result = CascadeResult(
        split=split.value,
        sessions=len(np.unique(table.session)),
        prefixes=len(table),
        hours=table.hours,
        need=float(table.need.mean()),
        variants={
            errors.value: _scored(with_answers(table, errors, SEED), errors, by_folds=in_training) for errors in Errors
        },
    )
    criteria = criteria_of(result)
    scripts = {name: asdict(one) for name, one in SCRIPTS.items()}
    return Report(
        criteria=criteria,
        fields={**asdict(result), "simulated": True, "scripted": scripts},
        text=render(result),
        pages={PAGE: render_page(result, criteria)},
    )


def criteria_of(result: CascadeResult) -> list[AcceptanceCriterion]:
    """Compare the cascade with its limits, in each variant."""
    criteria = []
    for name, one in result.variants.items():
        of_f1 = f"of the strong model's F1, errors by {name}, 95 % from {one.kept.low:.3f}"
        of_calls = f"of its calls, errors by {name}, 95 % to {one.share.high:.3f}"
        criteria.append(at_least(f"f1_kept_{name}", round(one.kept.value, 4), KEPT, of_f1))
        criteria.append(at_most(f"strong_calls_{name}", round(one.share.value, 4), CALLS, of_calls))
    return criteria


def _scored(table: Table, errors: Errors, *, by_folds: bool) -> Scored:
    """Score a table with what was learned before, or fold by fold with what the other folds teach."""
    if not by_folds:
        fitted, default = (
            read_fitted(FITTED)[errors],
            FittedCascade(weights=shipped_weights(), bound=policy_threshold()),
        )
        return score(table, strategies(table, fitted, default), curve_of(table, fitted), states_of(table, fitted))
    folds: list[tuple[Bools, FittedCascade]] = []
    parts: list[tuple[Bools, list[Strategy]]] = []
    for fold in range(FOLDS):
        rows = table.session % FOLDS == fold  # sessions take turns
        if rows.any():
            others = table.where(~rows)
            fitted = fit(others, share=SHARE, version="fold", made="")
            default = FittedCascade(weights=for_the_policy(others, version="fold", made=""), bound=policy_threshold())
            folds.append((rows, fitted))
            parts.append((rows, strategies(table.where(rows), fitted, default)))
    curve = np.sum([rows.mean() * np.array(curve_of(table.where(rows), one)) for rows, one in folds], axis=0)
    states = [(rows.mean(), states_of(table.where(rows), one)) for rows, one in folds]
    named = {name: float(sum(share * one[name] for share, one in states)) for name in states[0][1]}
    return score(table, _joined(table, parts), [(float(x), float(y)) for x, y in curve], named)


def _joined(table: Table, parts: Sequence[tuple[Bools, Sequence[Strategy]]]) -> list[Strategy]:
    """Return strategies on the whole table, put together from those on its folds."""
    found = []
    for number, first in enumerate(parts[0][1]):
        need = np.zeros(len(table), np.bool_)
        queried = {tier: np.zeros(len(table), np.bool_) for tier in first.queried}
        for rows, some in parts:
            need[rows] = some[number].need
            for tier, column in queried.items():
                column[rows] = some[number].queried[tier]
        found.append(Strategy(name=first.name, need=need, queried=queried))
    return found


# ---------------------------------------------------------------- what is learned


def check_fit(out: Path) -> None:
    """Make sure, before minutes of learning, that both files can be written.

    Raises:
        UsageError: it is a folder, or has the name of the file that goes beside it.
        EnvironmentFault: its folder cannot be made or written to.
    """
    if out.is_dir():
        raise UsageError(f"{out} is a folder", remedy=f"name a file: --fit {out / SHIPPED_FILE.name}")
    if out.name == FITTED.name:
        raise UsageError(f"{out} is where the other file goes", remedy=f"name it {SHIPPED_FILE.name}, say")
    check_folder(out.parent)


def _fit(table: Table, out: Path, data: Path) -> None:
    """Write the weights that are shipped_weights, and beside them what the held-out sessions are judged with."""
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
    out.write_text(json.dumps(weights_to_json(weights), indent=1) + "\n", encoding="utf-8")
    beside = out.with_name(FITTED.name)
    fitted = {
        errors.value: {**weights_to_json(one.weights), "bound": asdict(one.bound)} for errors, one in by_variant.items()
    }
    beside.write_text(json.dumps(fitted, indent=1) + "\n", encoding="utf-8")
    print_progress(f"written to {out} (for {SHIPPED_FILE}) and {beside} (for {FITTED})")


def for_the_policy(table: Table, *, version: str, made: str) -> Weights:
    """Return weights with prices for the policy's own bound, at the base rate of the settings.

    A day of eight hours of such work is to keep within the calls a day that the settings allow the strong model.
    """
    weights = fit_weights(table, version=version, made=made)
    bound = policy_threshold()
    gains = gains_of(table, weights, bound)
    a_day = DAY_H * 3600.0 / WindowSettings().planned_s * 4
    share = min(1.0, ModelSettings().calls_per_day / a_day)
    price = price_for(gains, share, prevalence_weights(table.need, bound.base_rate))
    return replace(weights, prices={ModelTier.LOCAL: 0.0, ModelTier.STRONG: round(price, 6)})


def policy_threshold() -> DecisionThreshold:
    """Return where the policy decides as it is set by default."""
    policy, base_rate = PolicySettings(), DetectorSettings().base_rate
    utility = utility_of(0.0, 0.0, policy.acceptance, policy).threshold_at_break
    upper = bounds_of(policy).upper + log_odds(base_rate)
    return DecisionThreshold(threshold=max(utility, 1.0 / (1.0 + float(np.exp(-upper)))), base_rate=base_rate)


def read_fitted(path: Path) -> dict[Errors, FittedCascade]:
    """Read what `--fit` wrote for the held-out sessions.

    Raises:
        BadFile: it is not there, or is something else.
    """
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        return {
            Errors(name): FittedCascade(weights=weights_from_json(one), bound=DecisionThreshold(**one["bound"]))
            for name, one in stored.items()
        }
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadFile(
            f"{path} is not what was learned for the held-out sessions ({type(error).__name__})",
            remedy="make it: kairos bench cascade --split train --fit FILE",
        ) from error
