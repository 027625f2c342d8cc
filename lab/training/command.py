"""`kairos train`: from packed sessions to a calibrated model file and its card, choosing by folds alone.

Every candidate scores what each fold hid from it. By those scores one is chosen, calibrated and given its thresholds,
then trained again on everything and written. The test split is never opened here: `kairos bench detector` scores it.
"""

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import product
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from detectors.mllm.cascade import log_odds
from lab.measure.benchmark import CARD, check_model_file
from lab.measure.metrics import shifted
from lab.simulation.persona import Split
from lab.training.candidates import (
    CANDIDATES,
    Blend,
    FittedModel,
    Floats,
    Learner,
    Scaling,
    Scores,
    add_trouble_odds,
    learners,
    mean_scores,
    training_set_of,
)
from lab.training.card import card
from lab.training.dataset import INPUTS, STATES, Samples, data_hash, inputs_of, load_samples
from lab.training.detector_metrics import (
    NEED_SHARE,
    DetectorMetrics,
    Predictions,
    baseline_metrics,
    choose_thresholds,
    measure_detector,
)
from lab.training.extract import PLAIN, Variant
from lab.training.model import (
    BASE_RATE,
    TILES_SEEN,
    Calibration,
    CalmScores,
    Model,
    blank_line,
    calibrate,
    cross_fitted_need,
    familiar_limit,
    line_with_people,
    missing_in,
    need_line,
    write_onnx,
)
from lab.training.people import CalmPrefixes, read_people
from lab.training.splits import Fold, check, folds
from storage.capabilities import Level
from storage.clock import SystemClock
from storage.settings import DetectorSettings

_ON_AND_OFF = (True, False)
_LACKING = (
    *(
        Variant(controls=controls, frames=frames, keys=keys, clicks=clicks)
        for controls, frames, keys, clicks in product(_ON_AND_OFF, _ON_AND_OFF, (Level.FULL, Level.NONE), _ON_AND_OFF)
        if (frames or keys is Level.FULL or clicks or controls)
        and not (controls and frames and keys is Level.FULL and clicks)
    ),
    Variant(keys=Level.PART, clicks=False),
    Variant(keys=Level.PART, clicks=False, frames=False),
    *(Variant(pointer=False, controls=controls) for controls in (True, True, True, False)),
    Variant(pointer=False, frames=False),
    Variant(controls=False),
    *(Variant(controls=False, tiles=False),) * 2,
)
"""What a session may lack: each of four senses, alone and together; on Wayland with letters alone, as programs tell
them; and what older sessions and people's recordings lack.
"""
VARIANTS = (PLAIN,)
DEALT = tuple(
    variant
    for number, one in enumerate(_LACKING)
    for variant in (
        replace(one, planned_s=18.0),
        replace(_LACKING[(number + len(_LACKING) // 2) % len(_LACKING)], tempo=0.8),
    )
)
"""How training sees each session: as it was recorded, and twice with fewer senses, in turn."""

NOISE = 0.02
"""By so much merits move with the seed."""

SMALL = 2000
"""With fewer plain samples the candidates are small: there is too little data to compare large ones."""

EXPERIMENT_LOG = Path(__file__).with_name("data") / "experiment_log.md"
"""Settings that were compared before; the card includes them."""

_SEED = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateResult:
    """A candidate on the folds: its calibration, and metrics at one threshold for all programs."""

    calibration: Calibration
    figures: DetectorMetrics

    @property
    def merit(self) -> float:
        """What candidates are chosen by, every part weighing the same.

        States on clips; recall of need at 5 % false positives, early and late; and how need is ranked in hidden
        scripts, which are what is hard. States of hidden scripts do not count: some states have one or two in all.
        """
        found, unseen = self.figures, self.figures.unseen
        parts = [found.clip_accuracy, found.clip_macro_f1, found.recall[100], found.recall[25]]
        if unseen is not None:
            parts.append(unseen.auc)
        return sum(parts) / len(parts)


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos train`."""
    out: Path = arguments.out
    check_model_file(out)
    # First of all, so that a wrong folder is known before minutes of training.
    people = None if arguments.people is None else read_people(arguments.people, report=_print_progress)
    samples = load_samples(arguments.data, Split.TRAIN, variants=VARIANTS, dealt=DEALT, report=_print_progress)
    check(samples)
    parts = list(folds(samples))
    quick = int(samples.plain.sum()) < SMALL
    known = learners(quick=quick)
    scored = score_folds(samples, parts, tuple(known), quick=quick)
    plain, blank = (samples.where(rows) for rows in (samples.plain, samples.blank))
    hidden, blank_hidden = (scored.where(rows) for rows in (samples.plain, samples.blank))
    older, older_hidden = plain.where(~plain.both_senses), hidden.where(~plain.both_senses)
    mixed = 0 < len(older) < len(plain)
    if mixed:
        hidden, plain = hidden.where(plain.both_senses), plain.where(plain.both_senses)
    results = {name: evaluate_candidate(plain, hidden, members) for name, members in CANDIDATES.items()}
    chosen = choose({name: result.merit for name, result in results.items()})
    best = results[chosen]
    _print_progress(f"chosen: {chosen}; training it on everything")
    data = data_hash(arguments.data)
    date = datetime.fromtimestamp(SystemClock().wall_ns() / 1e9, UTC).date().isoformat()
    members = CANDIDATES[chosen]
    without, without_hidden = (older, older_hidden) if mixed else (plain, hidden)
    without_scores = fold_scores_of(without_hidden, members)
    calibration = replace(
        best.calibration,
        without_tiles=need_line(without, without_scores.need),
        blank=blank_line(blank, fold_scores_of(blank_hidden, members).need),
    )
    model = fit_final(samples, [known[member] for member in members], calibration)
    recordings = 0
    if people is not None:
        model = scaled_to_people(model, without, without_scores, hidden.ood_score, people)
        recordings = people.recordings
    predictions = calibrated_predictions(plain, model.calibration, fold_scores_of(hidden, members))
    thresholds = choose_thresholds(plain, predictions.need)
    facts = {"date": date, "data": data, "simulated": True, "model": chosen, "recordings_of_people": recordings}
    write = partial(write_onnx, model, trained=json.dumps(facts), thresholds=thresholds, names=INPUTS)
    version = f"{date}-{data[:6]}-{hashlib.sha256(write(version='')).hexdigest()[:6]}"
    content = write(version=version)
    out.write_bytes(content)
    if arguments.folds is not None:
        write_folds(arguments.folds, samples, scored, parts, members, calibration=calibration)
    compared = baseline_metrics(plain, hidden.unseen) | {name: result.figures for name, result in results.items()}
    if mixed:
        compared[f"{chosen}, gestures alone"] = evaluate_candidate(older, older_hidden, CANDIDATES[chosen]).figures
    log = EXPERIMENT_LOG.read_text(encoding="utf-8")
    card_file = out.with_name(CARD)
    text = card(
        plain,
        parts,
        compared,
        chosen=chosen,
        version=version,
        data_hash=data,
        recordings_of_people=recordings,
        experiment_log=log,
        modes=(blank, calibrated_predictions(blank, model.calibration, fold_scores_of(blank_hidden, members)).need),
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


def choose(merits: Mapping[str, float]) -> str:
    """Return the candidate to ship: the best by merit, or the best mean of models that is as good within `NOISE`.

    A mean errs less on programs that no fold has shown, and merits so close are a matter of the seed.
    """
    enough = max(merits.values()) - NOISE
    return max((name for name in merits if merits[name] >= enough), key=lambda name: (_is_mean(name), merits[name]))


def _is_mean(name: str) -> bool:
    return len(CANDIDATES[name]) > 1


@dataclass(frozen=True, slots=True)
class FoldScores:
    """Each learner's scores of samples while their fold hides them, and the samples' out-of-distribution score.

    `fold` numbers the folds; `unseen` marks samples of behaviors that their fold hid too; `models` are what each fold
    learned, with its scaling.
    """

    scores: Mapping[str, Scores]
    ood_score: Floats
    fold: NDArray[np.int64]
    unseen: NDArray[np.bool_]
    models: Sequence[tuple[Scaling, Mapping[str, FittedModel]]]

    def where(self, chosen: NDArray[np.bool_]) -> "FoldScores":
        """Return those of some of the samples."""
        scores = {name: Scores(both.states[chosen], both.need[chosen]) for name, both in self.scores.items()}
        return FoldScores(scores, self.ood_score[chosen], self.fold[chosen], self.unseen[chosen], self.models)


def score_folds(samples: Samples, parts: Sequence[Fold], names: Sequence[str], *, quick: bool = False) -> FoldScores:
    """Train the learners of these names on every fold and score what was hidden from them, several folds at once.

    What no fold scores has a score of 0.
    """
    many = len(samples)
    scores = {name: Scores(np.zeros((many, len(STATES))), np.zeros(many)) for name in names}
    ood_score, fold, unseen = np.zeros(many), np.zeros(many, np.int64), np.zeros(many, np.bool_)
    inputs = samples.as_inputs()
    jobs = [_FoldJob(samples=inputs, part=part, names=tuple(names), quick=quick) for part in parts]
    workers = 1 if quick else min(os.cpu_count() or 1, len(parts))
    if workers == 1:
        models = _score_all(map(_scores_of, jobs), parts, scores, ood_score)
    else:
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            models = _score_all(pool.map(_scores_of, jobs), parts, scores, ood_score)
    for number, part in enumerate(parts):
        fold[part.score], unseen[part.score] = number, part.unseen[part.score]
    return FoldScores(scores, ood_score, fold, unseen, models)


@dataclass(frozen=True, slots=True, kw_only=True)
class _FoldJob:
    """One fold's work for a process of its own."""

    samples: Samples
    part: Fold
    names: tuple[str, ...]
    quick: bool


def _score_all(
    found: Iterable["_FoldResult"], parts: Sequence[Fold], scores: Mapping[str, Scores], ood_score: Floats
) -> list[tuple[Scaling, Mapping[str, FittedModel]]]:
    """Put each fold's scores in their places, as they come, and return the models."""
    models = []
    for part, (own, own_ood_score, scaling, fitted) in zip(parts, found, strict=True):
        models.append((scaling, fitted))
        ood_score[part.score] = own_ood_score
        for name, one in own.items():
            scores[name].states[part.score], scores[name].need[part.score] = one.states, one.need
        _print_progress(f"scored without {part.name}")
    return models


_FoldResult = tuple[Mapping[str, Scores], Floats, Scaling, Mapping[str, FittedModel]]


def _scores_of(job: _FoldJob) -> _FoldResult:
    """Return each learner's scores of what the fold hides, out-of-distribution scores, and what was learned."""
    learned_from, features = job.samples.where(job.part.learn), job.samples.features[job.part.score]
    scaling, known = Scaling.of(learned_from.features), learners(quick=job.quick)
    training_set, scaled = training_set_of(learned_from, scaling), scaling.scaled(features)
    fitted = {name: known[name](training_set, _SEED) for name in job.names}
    scores = {name: one.scores(features, scaled) for name, one in fitted.items()}
    return scores, scaling.ood_score(features), scaling, fitted


def evaluate_candidate(plain: Samples, hidden: FoldScores, members: Sequence[str]) -> CandidateResult:
    """Return the result of a candidate on the plain samples, all of which were hidden from it.

    Probabilities in its metrics are calibrated on the other folds; its calibration is for the model.
    """
    scores = fold_scores_of(hidden, members)
    calibration = calibrate(plain, scores, hidden.ood_score)
    predictions = calibrated_predictions(plain, calibration, scores)
    unfitted = shifted(cross_fitted_need(plain, scores, hidden.fold), BASE_RATE, NEED_SHARE)
    cross_fitted = replace(predictions, probability=unfitted)
    thresholds = choose_thresholds(plain, predictions.need)
    return CandidateResult(
        calibration=calibration,
        figures=measure_detector(plain, cross_fitted, thresholds, hidden.unseen),
    )


def calibrated_predictions(samples: Samples, calibration: Calibration, scores: Scores) -> Predictions:
    """Return states, calibrated log-odds and probabilities of scores of these samples."""
    log_odds: Floats = calibration.need(scores.need, samples.feature(TILES_SEEN) > 0, missing_in(samples))
    return Predictions(
        state=scores.states.argmax(axis=1), need=log_odds, probability=shifted(log_odds, BASE_RATE, NEED_SHARE)
    )


def fit_final(samples: Samples, chosen: Sequence[Learner], calibration: Calibration) -> Model:
    """Return the chosen candidate trained on everything, with the calibration of the folds."""
    inputs = samples.as_inputs()
    scaling = Scaling.of(inputs.features)
    training_set = training_set_of(inputs, scaling)
    fitted = Blend([learn(training_set, _SEED) for learn in chosen])
    return Model(scaling=scaling, fitted=fitted, calibration=calibration)


def scaled_to_people(model: Model, samples: Samples, scores: Scores, ood_score: Floats, people: CalmPrefixes) -> Model:
    """Return the model with a calibration for which people's recordings count too, where they can say something.

    No weight changes. People's prefixes are scored by the finished model, which learned nothing from them, the samples
    as on the folds. No recording has digests of the screen's tiles, so only the line without them comes down, until
    hardly any of people's familiar prefixes would bring an offer at a desk; there need is understated on simulated
    sessions.

    Args:
        model: what was trained.
        samples: those without tiles, or all where there are none without.
        scores: of these on the folds.
        ood_score: of the samples that calibration was fitted on, on the folds.
        people: calm prefixes.
    """
    features = inputs_of(people.features)
    unlike = model.scaling.ood_score(features)
    calm = CalmScores(
        need=model.fitted.scores(features, model.scaling.scaled(features)).need,
        weights=people.weights,
        familiar_below=people.familiar_below(unlike),
    )
    line, limit = line_with_people(samples, scores.need, calm), familiar_limit(ood_score, calm)
    at_a_desk = line.at(calm.need) + log_odds(DetectorSettings().base_rate) - log_odds(BASE_RATE)
    at_a_desk[unlike > limit] = -np.inf  # the detector abstains there
    lowered = line.lowered(people.excess(at_a_desk))
    return replace(model, calibration=replace(model.calibration, without_tiles=lowered, ood_limit=limit))


def write_folds(
    folder: Path,
    samples: Samples,
    scored: FoldScores,
    parts: Sequence[Fold],
    members: Sequence[str],
    *,
    calibration: Calibration,
) -> None:
    """Write what each fold learned, with a scale by the other folds, to measure work in programs that it hid."""
    folder.mkdir(parents=True, exist_ok=True)
    scores = fold_scores_of(scored, members)
    scale_by = samples.plain & (samples.both_senses == samples.both_senses.any())
    for number, (part, (scaling, fitted)) in enumerate(zip(parts, scored.models, strict=True)):
        others = scale_by & (scored.fold != number)
        own = replace(calibration, with_tiles=need_line(samples.where(others), scores.need[others]))
        model = Model(scaling=scaling, fitted=Blend([fitted[member] for member in members]), calibration=own)
        hidden = sorted(np.unique(samples.program[part.score]).tolist()) if "program" in part.hides else []
        facts = json.dumps({"hides": hidden, "simulated": True})
        content = write_onnx(model, version="folds", trained=facts, thresholds={}, names=INPUTS)
        (folder / f"fold-{number}.onnx").write_bytes(content)


def fold_scores_of(hidden: FoldScores, members: Sequence[str]) -> Scores:
    """Return the scores of a candidate of these learners on the folds."""
    return add_trouble_odds(mean_scores([hidden.scores[member] for member in members]))


def _print_progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
