"""`kairos train`: from packed sessions to a calibrated model file and its card, choosing by folds alone.

Every candidate scores what each fold hid from it. By those scores one is chosen, calibrated and given its thresholds,
then trained again on everything and written. The test split is never opened here: `kairos bench detector` scores it.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evaluation.measure.metrics import shifted
from evaluation.measure.output import CARD, check_model_file
from evaluation.simulation.session_plan import Split
from evaluation.training.candidates import (
    CANDIDATES,
    Blend,
    Floats,
    Learner,
    Scaling,
    Scores,
    add_trouble_odds,
    learners,
    mean_scores,
    training_set_of,
)
from evaluation.training.card import card
from evaluation.training.dataset import STATES, Samples, data_hash, load_samples
from evaluation.training.detector_metrics import (
    NEED_SHARE,
    DetectorMetrics,
    Ending,
    Predictions,
    baseline_metrics,
    choose_strict_thresholds,
    choose_thresholds,
    measure_detector,
)
from evaluation.training.extract import PLAIN, Variant
from evaluation.training.model import (
    BASE_RATE,
    Calibration,
    CalmScores,
    Model,
    calibrate,
    cross_fitted_need,
    write_onnx,
)
from evaluation.training.people import CalmPrefixes, read_people
from evaluation.training.splits import Fold, check, folds
from storage.clock import SystemClock

VARIANTS = (
    PLAIN,
    Variant(planned_s=18.0, controls=False),
    Variant(planned_s=32.0, tempo=1.25),
    Variant(tempo=0.8, controls=False, tiles=False),
)
"""How training sees each session, with all senses and with fewer; folds are scored on the plain one."""

SMALL = 2000
"""With fewer plain samples the candidates are small: there is too little data to compare large ones."""

EXPERIMENT_LOG = Path(__file__).with_name("data") / "experiment_log.md"
"""Settings that were compared before; the card includes them."""

_SEED = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateResult:
    """A candidate on the folds: calibration, thresholds for the model file, and metrics.

    `figures` are at one threshold for all programs, to compare candidates; `shipped` at `thresholds`.
    """

    calibration: Calibration
    thresholds: Mapping[Ending, float]
    figures: DetectorMetrics
    shipped: DetectorMetrics

    @property
    def merit(self) -> float:
        """What candidates are chosen by: states on clips, and recall of need at 5 % false positives, early and late."""
        found = self.figures
        return (found.clip_accuracy + found.clip_macro_f1 + found.recall[100] + found.recall[25]) / 4


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos train`."""
    out: Path = arguments.out
    check_model_file(out)
    # First of all, so that a wrong folder is known before minutes of training.
    people = None if arguments.people is None else read_people(arguments.people, report=_print_progress)
    samples = load_samples(arguments.data, Split.TRAIN, variants=VARIANTS, report=_print_progress)
    check(samples)
    plain = samples.where(samples.plain)
    parts = list(folds(samples))
    known = learners(quick=len(plain) < SMALL)
    hidden = score_folds(samples, parts, known)
    results = {name: evaluate_candidate(plain, hidden, members) for name, members in CANDIDATES.items()}
    chosen = max(results, key=lambda name: results[name].merit)
    best = results[chosen]
    _print_progress(f"chosen: {chosen}; training it on everything")
    data = data_hash(arguments.data)
    date = datetime.fromtimestamp(SystemClock().wall_ns() / 1e9, UTC).date().isoformat()
    model = fit_final(samples, [known[member] for member in CANDIDATES[chosen]], best.calibration)
    thresholds, recordings = best.thresholds, 0
    if people is not None:
        model, thresholds = scaled_to_people(model, plain, hidden, CANDIDATES[chosen], people)
        recordings = people.recordings
    facts = {"date": date, "data": data, "simulated": True, "model": chosen, "recordings_of_people": recordings}
    write = partial(write_onnx, model, trained=json.dumps(facts), thresholds=thresholds)
    version = f"{date}-{data[:6]}-{hashlib.sha256(write(version='')).hexdigest()[:6]}"
    content = write(version=version)
    out.write_bytes(content)
    compared = baseline_metrics(plain, hidden.unseen) | {name: result.figures for name, result in results.items()}
    log = EXPERIMENT_LOG.read_text(encoding="utf-8")
    card_file = out.with_name(CARD)
    text = card(
        plain,
        parts,
        compared,
        best.shipped,
        chosen=chosen,
        version=version,
        data_hash=data,
        recordings_of_people=recordings,
        experiment_log=log,
    )
    card_file.write_text(text, encoding="utf-8")
    result = {
        "model": str(out),
        "version": version,
        "card": str(card_file),
        "bytes": len(content),
        "chosen": chosen,
        "samples": len(plain),
        "candidates": {name: asdict(metrics) for name, metrics in compared.items()},
    }
    print(json.dumps(result) if arguments.json else f"{out} ({len(content) / 1e6:.2f} MB): {chosen}; read {card_file}")
    return 0


@dataclass(frozen=True, slots=True)
class FoldScores:
    """Each learner's scores of every plain sample while its fold hides it, and the sample's out-of-distribution score.

    `fold` numbers the folds; `unseen` marks samples of behaviors that their fold hid too.
    """

    scores: Mapping[str, Scores]
    ood_score: Floats
    fold: NDArray[np.int64]
    unseen: NDArray[np.bool_]


def score_folds(samples: Samples, parts: Sequence[Fold], known: Mapping[str, Learner]) -> FoldScores:
    """Train every learner on every fold and score what was hidden from it."""
    many = len(samples)
    scores = {name: Scores(np.zeros((many, len(STATES))), np.zeros(many)) for name in known}
    ood_score, fold, unseen = np.zeros(many), np.zeros(many, np.int64), np.zeros(many, np.bool_)
    for number, part in enumerate(parts):
        learned_from, features = samples.where(part.learn), samples.features[part.score]
        scaling = Scaling.of(learned_from.features)
        training_set, scaled = training_set_of(learned_from, scaling), scaling.scaled(features)
        ood_score[part.score] = scaling.ood_score(features)
        fold[part.score], unseen[part.score] = number, part.unseen[part.score]
        for name, learner in known.items():
            _print_progress(f"without {part.name}: {name}")
            found = learner(training_set, _SEED).scores(features, scaled)
            scores[name].states[part.score], scores[name].need[part.score] = found.states, found.need
    plain = samples.plain
    plain_scores = {name: Scores(both.states[plain], both.need[plain]) for name, both in scores.items()}
    return FoldScores(plain_scores, ood_score[plain], fold[plain], unseen[plain])


def evaluate_candidate(plain: Samples, hidden: FoldScores, members: Sequence[str]) -> CandidateResult:
    """Return the result of a candidate on the plain samples, all of which were hidden from it.

    Probabilities in its metrics are calibrated on the other folds; calibration and thresholds are for the model.
    """
    scores = add_trouble_odds(mean_scores([hidden.scores[member] for member in members]))
    calibration = calibrate(plain, scores, hidden.ood_score)
    predictions = calibrated_predictions(calibration, scores)
    unfitted = shifted(cross_fitted_need(plain, scores, hidden.fold), BASE_RATE, NEED_SHARE)
    cross_fitted = replace(predictions, probability=unfitted)
    thresholds = choose_strict_thresholds(plain, predictions.need)
    common_thresholds = choose_thresholds(plain, predictions.need)
    return CandidateResult(
        calibration=calibration,
        thresholds=thresholds,
        figures=measure_detector(plain, cross_fitted, common_thresholds, hidden.unseen),
        shipped=measure_detector(plain, cross_fitted, thresholds, hidden.unseen),
    )


def calibrated_predictions(calibration: Calibration, scores: Scores) -> Predictions:
    """Return states, calibrated log-odds and probabilities of scores."""
    log_odds: Floats = calibration.need(scores.need)
    return Predictions(
        state=scores.states.argmax(axis=1), need=log_odds, probability=shifted(log_odds, BASE_RATE, NEED_SHARE)
    )


def fit_final(samples: Samples, chosen: Sequence[Learner], calibration: Calibration) -> Model:
    """Return the chosen candidate trained on everything, with the calibration of the folds."""
    scaling = Scaling.of(samples.features)
    training_set = training_set_of(samples, scaling)
    fitted = Blend([learn(training_set, _SEED) for learn in chosen])
    return Model(scaling=scaling, fitted=fitted, calibration=calibration)


def scaled_to_people(
    model: Model, plain: Samples, hidden: FoldScores, members: Sequence[str], people: CalmPrefixes
) -> tuple[Model, Mapping[Ending, float]]:
    """Return the model with a calibration in which people's recordings count too, and its thresholds.

    No weight changes. People's prefixes are scored by the finished model, which learned nothing from them, the samples
    as on the folds.
    """
    scores = add_trouble_odds(mean_scores([hidden.scores[member] for member in members]))
    features = people.features
    calm = CalmScores(
        need=model.fitted.scores(features, model.scaling.scaled(features)).need,
        weights=people.weights,
        familiar_below=people.familiar_below(model.scaling.ood_score(features)),
    )
    calibration = calibrate(plain, scores, hidden.ood_score, calm)
    thresholds = choose_strict_thresholds(plain, calibration.need(scores.need))
    return replace(model, calibration=calibration), thresholds


def _print_progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
