"""`kairos train`: from packed sessions to a calibrated model file and its card, choosing by folds alone.

Every candidate scores what each fold hid from it; by those scores one is chosen, calibrated and given its thresholds,
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
from evaluation.simulation.recording.pack import MANIFEST
from evaluation.simulation.session_plan import Split
from evaluation.training.baselines import baseline_figures
from evaluation.training.blends import CANDIDATES, Blend, learners, mean_scores, with_trouble
from evaluation.training.calibrate import BASE_RATE, Calibration, calibrate, need_by_others
from evaluation.training.candidates import Floats, Learner, Scores, lesson_of
from evaluation.training.card import card
from evaluation.training.dataset import STATES, Samples, load
from evaluation.training.export import Model, write_onnx
from evaluation.training.extract import PLAIN, Variant
from evaluation.training.figures import (
    NEED_SHARE,
    Ending,
    Figures,
    Opinion,
    choose_strict_thresholds,
    choose_thresholds,
    figures,
)
from evaluation.training.scaling import Scaling
from evaluation.training.splits import Fold, check, folds
from storage.clock import SystemClock

VARIANTS = (PLAIN, Variant(planned_s=18.0), Variant(planned_s=32.0, tempo=1.25), Variant(tempo=0.8))
"""How training sees each session; folds are scored on the plain one."""

SMALL = 2000
"""With fewer plain samples the candidates are small: there is nothing to tell large ones apart by."""

BESIDE = "event stream (beside, not eligible)"
"""A network that sees the stream itself; an estimate may follow from a prefix's features alone."""

TRIED = Path(__file__).with_name("data") / "experiment_log.md"
"""Settings that were tried, which the card brings along."""

_SEED = 1
_STREAM_EPOCHS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A candidate as the folds saw it: calibration and thresholds by its scores of unseen samples, and figures.

    `figures` are at thresholds with one false-positive rate for all programs, for comparing; `shipped` at `thresholds`.
    """

    calibration: Calibration
    thresholds: Mapping[Ending, float]
    figures: Figures
    shipped: Figures

    @property
    def merit(self) -> float:
        """What candidates are chosen by: states on clips, and need found at 5 % false positives, early and late."""
        found = self.figures
        return (found.clip_accuracy + found.clip_macro_f1 + found.recall[100] + found.recall[25]) / 4


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos train`."""
    out: Path = arguments.out
    check_model_file(out)
    samples = load(arguments.data, Split.TRAIN, variants=VARIANTS, say=_say)
    check(samples)
    plain = samples.where(samples.plain)
    parts = list(folds(samples))
    known = learners(quick=len(plain) < SMALL)
    hidden = score_hidden(samples, parts, known)
    judged = {name: judge(plain, hidden, members) for name, members in CANDIDATES.items()}
    chosen = max(judged, key=lambda name: judged[name].merit)
    if len(plain) >= SMALL:
        streams = replace(hidden, scores={BESIDE: _stream_scores(arguments.data, plain)})
        judged[BESIDE] = judge(plain, streams, (BESIDE,))
    _say(f"chosen: {chosen}; training it on everything")
    data_hash = hashlib.sha256((arguments.data / MANIFEST).read_bytes()).hexdigest()[:12]
    date = datetime.fromtimestamp(SystemClock().wall_ns() / 1e9, UTC).date().isoformat()
    model = finish(samples, [known[member] for member in CANDIDATES[chosen]], judged[chosen].calibration)
    trained = json.dumps({"date": date, "data": data_hash, "simulated": True, "model": chosen})
    write = partial(write_onnx, model, trained=trained, thresholds=judged[chosen].thresholds)
    version = f"{date}-{data_hash[:6]}-{hashlib.sha256(write(version='')).hexdigest()[:6]}"
    content = write(version=version)
    out.write_bytes(content)
    compared = baseline_figures(plain, hidden.unseen) | {name: one.figures for name, one in judged.items()}
    tried = TRIED.read_text(encoding="utf-8")
    beside = out.with_name(CARD)
    shipped = judged[chosen].shipped
    text = card(plain, parts, compared, shipped, chosen=chosen, version=version, data_hash=data_hash, tried=tried)
    beside.write_text(text, encoding="utf-8")
    result = {
        "model": str(out),
        "version": version,
        "card": str(beside),
        "bytes": len(content),
        "chosen": chosen,
        "samples": len(plain),
        "candidates": {name: asdict(one) for name, one in compared.items()},
    }
    print(json.dumps(result) if arguments.json else f"{out} ({len(content) / 1e6:.2f} MB): {chosen}; read {beside}")
    return 0


@dataclass(frozen=True, slots=True)
class Hidden:
    """What each learner says of every plain sample while its fold hides it, and how unlike it is to what it learned.

    `fold` numbers the folds; `unseen` tells which samples are of behaviors that their fold hid too.
    """

    scores: Mapping[str, Scores]
    unlikeness: Floats
    fold: NDArray[np.int64]
    unseen: NDArray[np.bool_]


def score_hidden(samples: Samples, parts: Sequence[Fold], known: Mapping[str, Learner]) -> Hidden:
    """Train every learner on every fold and score what was hidden from it."""
    many = len(samples)
    scores = {name: Scores(np.zeros((many, len(STATES))), np.zeros(many)) for name in known}
    unlikeness, fold, unseen = np.zeros(many), np.zeros(many, np.int64), np.zeros(many, np.bool_)
    for number, part in enumerate(parts):
        seen, features = samples.where(part.learn), samples.features[part.score]
        scaling = Scaling.of(seen.features)
        lesson, scaled = lesson_of(seen, scaling), scaling.scaled(features)
        unlikeness[part.score] = scaling.unlikeness(features)
        fold[part.score], unseen[part.score] = number, part.unseen[part.score]
        for name, learner in known.items():
            _say(f"without {part.name}: {name}")
            found = learner(lesson, _SEED).scores(features, scaled)
            scores[name].states[part.score], scores[name].need[part.score] = found.states, found.need
    plain = samples.plain
    shown = {name: Scores(one.states[plain], one.need[plain]) for name, one in scores.items()}
    return Hidden(shown, unlikeness[plain], fold[plain], unseen[plain])


def judge(plain: Samples, hidden: Hidden, members: Sequence[str]) -> Judged:
    """Return what a candidate makes of the plain samples, all of which were hidden from it.

    Probabilities in its figures are calibrated on the other folds; calibration and thresholds are for the model.
    """
    scores = with_trouble(mean_scores([hidden.scores[member] for member in members]))
    calibration = calibrate(plain, scores, hidden.unlikeness)
    opinion = opinion_of(calibration, scores)
    unfitted = shifted(need_by_others(plain, scores, hidden.fold), BASE_RATE, NEED_SHARE)
    said, thresholds = replace(opinion, probability=unfitted), choose_strict_thresholds(plain, opinion.need)
    return Judged(
        calibration=calibration,
        thresholds=thresholds,
        figures=figures(plain, said, choose_thresholds(plain, opinion.need), hidden.unseen),
        shipped=figures(plain, said, thresholds, hidden.unseen),
    )


def _stream_scores(folder: Path, plain: Samples) -> Scores:
    from evaluation.training.stream import score_streams, streams_in

    _say(BESIDE)
    return score_streams(plain, streams_in(folder, plain), list(folds(plain)), epochs=_STREAM_EPOCHS, seed=_SEED)


def opinion_of(calibration: Calibration, scores: Scores) -> Opinion:
    """Return states, calibrated log-odds and probabilities of scores."""
    log_odds: Floats = calibration.need(scores.need)
    return Opinion(
        state=scores.states.argmax(axis=1), need=log_odds, probability=shifted(log_odds, BASE_RATE, NEED_SHARE)
    )


def finish(samples: Samples, chosen: Sequence[Learner], calibration: Calibration) -> Model:
    """Return the chosen candidate trained on everything, with the calibration of the folds."""
    scaling = Scaling.of(samples.features)
    lesson = lesson_of(samples, scaling)
    return Model(scaling=scaling, fitted=Blend([learn(lesson, _SEED) for learn in chosen]), calibration=calibration)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
