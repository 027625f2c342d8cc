"""Every candidate, calibrated and written to a file, says there what it said in training."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from detectors.embedded import load_model
from lab.measure import metrics
from lab.training.candidates import (
    DEMO_WEIGHT_SHARE,
    FAR,
    SENSED_SHARE,
    TROUBLE_STATES,
    WHOLE_SHARE,
    Blend,
    Features,
    FittedModel,
    Floats,
    Scaling,
    Scores,
    add_trouble_odds,
    learners,
    training_set_of,
)
from lab.training.command import calibrated_predictions
from lab.training.dataset import NAMES, STATES
from lab.training.detector_metrics import PERCENTS, choose_thresholds, measure_detector, rows_by_ending, with_cut
from lab.training.model import (
    OOD_MARGIN,
    RAISES,
    TILES_SEEN,
    Calibration,
    Line,
    Model,
    calibrate,
    cross_fitted_need,
    need_line,
    write_onnx,
)
from storage.records import State
from tests.fakes.lab.desk_sessions import desk_samples
from tests.fakes.lab.samples import samples_from, window

LEARNERS = learners(quick=True)
BLEND = "blend"
CALIBRATION = Calibration(
    temperature=1.7, with_tiles=Line(slope=0.8, offset=-0.4), without_tiles=Line(slope=1.1, offset=-1.5), ood_limit=0.3
)


@cache
def fit(name: str) -> tuple[Scaling, FittedModel]:
    seen = desk_samples()
    scaling = Scaling.of(seen.features)
    if name == BLEND:
        return scaling, Blend([fit(member)[1] for member in LEARNERS])
    return scaling, LEARNERS[name](training_set_of(seen, scaling), 1)


def predict(model: Model, features: Features) -> tuple[Floats, Floats, Floats]:
    scores = model.fitted.scores(features, model.scaling.scaled(features))
    states = model.calibration.states(scores.states)
    need = model.calibration.need(scores.need, features[:, NAMES.index(TILES_SEEN)] > 0)
    return states, need, model.scaling.ood_score(features)


@pytest.mark.parametrize("name", [*LEARNERS, BLEND])
def test_the_file_says_what_the_model_says(name: str, tmp_path: Path) -> None:
    seen = desk_samples()
    scaling, fitted = fit(name)
    model = Model(scaling=scaling, fitted=fitted, calibration=CALIBRATION)
    path = tmp_path / "model.onnx"
    path.write_bytes(write_onnx(model, version="1", trained="", thresholds={100: 1.0}))
    graph, facts = load_model(path)
    assert facts.features == NAMES
    assert facts.raises == RAISES
    assert facts.ood_limit == pytest.approx(0.3)
    rng = np.random.default_rng(0)
    noise = (seen.features[:200] * rng.lognormal(0, 3, (200, len(NAMES))) - 1).astype(np.float32)
    cuts = np.quantile(seen.features, np.linspace(0, 1, 49), axis=0, method="lower")
    sighted = seen.features[:300].copy()
    sighted[:, NAMES.index(TILES_SEEN)] = 1.0
    for rows in (seen.features[:300], sighted, noise, cuts):
        reported = graph.run(rows)
        states, need, ood_score = predict(model, rows)
        assert reported[0] == pytest.approx(states, abs=1e-4)
        assert reported[1][:, 0] == pytest.approx(need, abs=1e-4)
        assert reported[2][:, 0] == pytest.approx(ood_score, abs=1e-4)
        assert reported[0].sum(axis=1) == pytest.approx(1.0, abs=1e-5)


def test_states_of_trouble_speak_for_need() -> None:
    states = np.zeros((3, len(STATES)))
    states[1, TROUBLE_STATES[0]], states[2, list(TROUBLE_STATES)] = 2.0, -1000.0
    found = add_trouble_odds(Scores(states, np.zeros(3)))
    assert found.need[0] == pytest.approx(np.log(3 / 6))
    assert found.need[2] < found.need[0] < found.need[1]
    assert np.isfinite(found.need).all()
    assert (found.states == states).all()


@pytest.mark.parametrize("name", [*LEARNERS, BLEND])
def test_every_candidate_learns(name: str) -> None:
    seen = desk_samples()
    scaling, fitted = fit(name)
    scores = fitted.scores(seen.features, scaling.scaled(seen.features))
    predicted = calibrated_predictions(seen, CALIBRATION, scores)
    found = measure_detector(seen, predicted, choose_thresholds(seen, predicted.need))
    assert found.clip_accuracy > 0.7
    assert found.auc[100] > 0.85


def test_weights_make_units_states_and_need_count_alike() -> None:
    seen = desk_samples()
    lesson = training_set_of(seen, Scaling.of(seen.features))
    clips = seen.clip
    assert lesson.need_weights[clips].sum() == pytest.approx(lesson.need_weights[~clips].sum())
    assert np.average(seen.need, weights=lesson.need_weights) == pytest.approx(0.5)
    by_state = [lesson.state_weights[clips & (seen.state == state)].sum() for state in range(len(STATES))]
    assert by_state == pytest.approx([by_state[0]] * len(STATES))
    assert (lesson.state_weights[seen.state < 0] == 0).all()
    performing = lesson.state_weights[clips & (seen.state == STATES.index(State.PERFORMING_ACTIONS))]
    kinds = seen.behavior[clips & (seen.state == STATES.index(State.PERFORMING_ACTIONS))]
    shares = [performing[kinds == kind].sum() for kind in np.unique(kinds)]
    assert shares == pytest.approx([shares[0]] * len(shares))
    hard, soft = (lesson.need_weights[clips & (seen.behavior == name)].sum() for name in ("expert", "write_prose"))
    assert hard == pytest.approx(2 * soft)


def test_sessions_with_all_senses_weigh_more_and_a_behavior_in_several_tasks_is_one() -> None:
    """Three quarters of the weight are theirs, however few they are; a task in a behavior's name divides nothing."""
    seen = desk_samples()
    sensed = replace(seen.sessions[0], tiles=True, controls=True)
    mixed = replace(seen, sessions=(sensed, *seen.sessions[1:]))
    scaling = Scaling.of(seen.features)
    lesson, versions = (training_set_of(replace(mixed, plain=plain), scaling) for plain in (mixed.plain, mixed.clip))
    assert versions.need_weights[mixed.clip].sum() / versions.need_weights.sum() == pytest.approx(WHOLE_SHARE)
    for weights in (lesson.need_weights, lesson.state_weights):
        assert weights[mixed.both_senses].sum() / weights.sum() == pytest.approx(SENSED_SHARE)
    numbered = replace(mixed, behavior=np.array([f"{name}:{at % 3}" for at, name in enumerate(mixed.behavior)]))
    assert training_set_of(numbered, scaling).need_weights == pytest.approx(lesson.need_weights)
    other = replace(mixed, behavior=np.array([f"{name} {at % 3}" for at, name in enumerate(mixed.behavior)]))
    assert training_set_of(other, scaling).need_weights != pytest.approx(lesson.need_weights)


def test_calibration_undoes_what_skewed_the_scores() -> None:
    """Overconfident states are cooled, and need is calibrated at the base rate though its scores were stretched."""
    seen = desk_samples()
    rng = np.random.default_rng(1)
    evidence = np.where(seen.need, 1.0, -1.0) + rng.normal(size=len(seen))
    truth = np.eye(len(STATES))[np.maximum(seen.state, 0)]
    logits = 1.5 * truth + rng.normal(size=truth.shape)
    skewed = Scores(5.0 * logits, 4.0 * evidence + 3.0)
    found = calibrate(seen, skewed, rng.random(len(seen)))
    live = ~seen.clip
    predicted = calibrated_predictions(seen, found, skewed)
    assert predicted.probability is not None
    weights = metrics.prevalence_weights(seen.need[live], 0.2)
    assert metrics.ece(seen.need[live], predicted.probability[live], weights) < 0.05
    raw = 1 / (1 + np.exp(-skewed.need[live]))
    assert metrics.ece(seen.need[live], raw, weights) > 0.15
    assert found.temperature == pytest.approx(5.0 / 1.5, rel=0.5)
    assert found.ood_limit == pytest.approx(OOD_MARGIN, abs=0.05)
    assert found.states(np.array([[10_000.0, 0.0]])).tolist() == [[1.0, 0.0]]


def test_a_fold_has_no_part_in_its_own_calibration() -> None:
    """Whatever the labels of a fold, its log-odds stay as the others make them, and those of the others change."""
    seen = desk_samples()
    rng = np.random.default_rng(1)
    scores = Scores(np.zeros((len(seen), len(STATES))), np.where(seen.need, 1.0, -1.0) + rng.normal(size=len(seen)))
    fold = seen.session % 3
    found = cross_fitted_need(seen, scores, fold)
    others = cross_fitted_need(replace(seen, need=np.where(fold == 0, ~seen.need, seen.need)), scores, fold)
    assert (found[fold == 0] == others[fold == 0]).all()
    assert (found[fold != 0] != others[fold != 0]).all()
    assert np.corrcoef(found, scores.need)[0, 1] > 0.99


def test_demos_and_scenes_have_their_share_of_the_scale_however_few_they_are() -> None:
    """A score that is trouble there and calm in many other sessions is worth more with them than by count alone."""
    samples = samples_from([[row for at in range(20) for row in window(at, (at % 2 == 1,) * 4)] for _ in range(40)])
    told = np.where(samples.session < 38, 0.2, 3.0)  # how far scores tell need from calm: hardly in the first ones
    scores = told * (samples.need - 0.5) + np.random.default_rng(1).normal(size=len(samples))

    def at_need(programs: tuple[str, str]) -> float:
        sessions = tuple(replace(session, program=programs[session.person >= 38]) for session in samples.sessions)
        return float(need_line(replace(samples, sessions=sessions), scores).at(np.array([1.5]))[0])

    alone = at_need(("calc-tasks", "calc-tasks"))
    assert at_need(("calc-tasks", "calc-scene")) > alone + 0.2
    assert at_need(("calc-demo", "calc-scene")) == pytest.approx(alone)  # all of one kind: as ever


def test_demos_and_scenes_have_their_share_of_what_is_learned() -> None:
    """However many behaviors they bring; among older sessions and those with tasks nothing else changes."""
    seen = desk_samples()
    sensed = [replace(facts, tiles=True, controls=True) for facts in seen.sessions]
    demo, *others = sensed
    mixed = replace(seen, sessions=(replace(demo, program="calc-demo"), *others[:-1], seen.sessions[-1]))
    lesson = training_set_of(mixed, Scaling.of(seen.features))
    for weights in (lesson.need_weights, lesson.state_weights):
        assert weights[mixed.from_demos].sum() / weights.sum() == pytest.approx(SENSED_SHARE * DEMO_WEIGHT_SHARE)
        assert weights[mixed.both_senses].sum() / weights.sum() == pytest.approx(SENSED_SHARE)
    alone = training_set_of(replace(seen, sessions=tuple(sensed)), Scaling.of(seen.features))
    plain = training_set_of(seen, Scaling.of(seen.features))
    assert alone.need_weights == pytest.approx(plain.need_weights)


def test_unlikeness_is_nothing_inside_the_range_and_grows_outside() -> None:
    """Training samples are like themselves; what lies far outside is not, up to a cap a feature."""
    seen = desk_samples()
    scaling = Scaling.of(seen.features)
    inside = scaling.ood_score(seen.features)
    assert np.median(inside) < 0.01
    strange = seen.features.copy()
    strange[:, : len(NAMES) // 2] = strange[:, : len(NAMES) // 2] * 50 + 500
    assert scaling.ood_score(strange).min() > np.quantile(inside, 0.995)
    assert scaling.ood_score(strange).max() <= FAR


def test_thresholds_hold_their_rate_at_every_prefix() -> None:
    """Each prefix has its own, and what is above it among those without need is at most the rate."""
    seen = desk_samples()
    need = np.random.default_rng(2).normal(size=len(seen)) + seen.need
    thresholds = choose_thresholds(seen, need, 0.1)
    for ending, rows in rows_by_ending(seen).items():
        assert metrics.rates_at(seen.need[rows], need[rows], with_cut(thresholds)[ending])[1] <= 0.1
    assert len({thresholds[percent] for percent in PERCENTS}) == 4
