"""The benchmark of the cascade reckons as the cascade does, and cannot learn from held-out sessions."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

from daemon.cli.main import main
from detectors.mllm.cascade import (
    answer_set_key,
    combine,
    follow_up_value,
    next_tier,
    read_weights,
    shipped_weights,
    usable_answers,
    value_of_information,
    weights_to_json,
)
from lab.benchmarks.cascade import benchmark as bench_cascade
from lab.benchmarks.cascade import fit as cascade_fit
from lab.benchmarks.cascade.benchmark import FITTED, policy_threshold, read_fitted
from lab.benchmarks.cascade.fit import (
    SETS,
    FittedCascade,
    above,
    combined,
    f1,
    fit,
    fit_weights,
    gains_of,
    price_for,
    run,
)
from lab.benchmarks.cascade.score import AT_RANDOM, CASCADE, EMBEDDED, STRONG, strategies
from lab.benchmarks.cascade.table import Table, with_answers
from lab.benchmarks.scripted_models import SURE, Errors
from lab.measure.metrics import prevalence_weights
from policies import registry
from storage.errors import BadFile
from storage.records import ModelAnswer, ModelTier, State, Verdict
from storage.settings import PolicySettings
from tests.fakes.detectors.fake_detectors import context_of, estimate_of
from tests.fakes.lab.cascade_rows import answer_at, estimate_at, state_probabilities

MANY, SESSIONS = 1800, 12
RNG = np.random.default_rng(3)


def made_up() -> Table:
    """Return prefixes whose embedded ratio is a calibrated one: two normals, two spreads apart."""
    need = RNG.random(MANY) < 0.3
    states = RNG.random((MANY, 9)) + 0.01
    return Table(
        session=np.arange(MANY) % SESSIONS,
        window=np.arange(MANY) // SESSIONS // 4,
        fraction=np.array([0.25, 0.5, 0.75, 1.0])[np.arange(MANY) // SESSIONS % 4],
        truncated=np.zeros(MANY, np.bool_),
        need=need,
        state=RNG.integers(-1, 9, MANY),
        ratio=2.0 * (np.where(need, 1.0, -1.0) + RNG.normal(size=MANY)),
        states=states / states.sum(axis=1, keepdims=True),
        pictures=np.full(MANY, 8),
        names=tuple(f"s{number}" for number in range(SESSIONS)),
        hours=2.0,
    )


@pytest.fixture(scope="module")
def table() -> Table:
    """Return made-up prefixes with scripted answers."""
    return with_answers(made_up(), Errors.EACH_PREFIX, 1)


@pytest.fixture(scope="module")
def fitted(table: Table) -> FittedCascade:
    """Return what is learned of them."""
    return fit(table, share=0.25, version="v", made="here")


def answers_at(table: Table, at: int, rungs: tuple[ModelTier, ...]) -> list[ModelAnswer]:
    """Return the records of scripted answers."""
    return [answer_at(table, at, tier) for tier in rungs]


def test_lines_are_logistic_regressions(table: Table) -> None:
    """For each set of answers the line is scikit-learn's, with need and its absence weighing the same."""
    weights = fit_weights(table, version="v", made="here")
    for rungs in SETS:
        words = [np.where(table.yes[rung], 1.0, -1.0) * np.log(SURE / (1 - SURE)) for rung in rungs]
        design = np.stack([np.clip(table.ratio, -6, 6), *words], axis=1)
        theirs = LogisticRegression(C=1e6, tol=1e-8).fit(
            design, table.need, sample_weight=prevalence_weights(table.need, 0.5)
        )
        line = weights.need[answer_set_key(rungs)]
        assert list(line.weights.values()) == pytest.approx(theirs.coef_[0].tolist(), abs=5e-3)
        assert line.bias == pytest.approx(float(theirs.intercept_[0]), abs=5e-3)
        assert line.weights["embedded"] == pytest.approx(1.0, abs=0.2)  # it was calibrated


def test_columns_equal_the_cascade_prefix_by_prefix(table: Table, fitted: FittedCascade) -> None:
    """Gains, who is asked and what comes of it equal `value_of_information`, `next_tier` and `combine`, row by row."""
    weights, bound = fitted.weights, fitted.bound
    gains = gains_of(table, weights, bound)
    made = run(table, weights, gains)
    for at in range(0, MANY, 7):
        estimate = estimate_at(table, at, bound.base_rate)
        local = usable_answers(answers_at(table, at, (ModelTier.LOCAL,)))
        assert gains.local[at] == pytest.approx(
            value_of_information(ModelTier.LOCAL, estimate, {}, bound, weights), abs=1e-5
        )
        assert gains.strong[at] == pytest.approx(
            value_of_information(ModelTier.STRONG, estimate, {}, bound, weights), abs=1e-5
        )
        found = value_of_information(ModelTier.STRONG, estimate, local, bound, weights)
        assert gains.strong_after_local[at] == pytest.approx(found, abs=1e-5)
        assert gains.led[at] == pytest.approx(follow_up_value(estimate, {}, bound, weights), abs=1e-5)
        said: list[ModelAnswer] = []
        while (rung := next_tier(estimate, said, enabled=set(ModelTier), decision=bound, weights=weights)) is not None:
            said += answers_at(table, at, (rung,))
        near = min(abs(one - weights.prices[ModelTier.STRONG]) for one in (found, gains.led[at])) < 1e-4
        assert near or {one.rung for one in said} == {
            rung for rung, asked in ((ModelTier.LOCAL, made.local[at]), (ModelTier.STRONG, made.strong[at])) if asked
        }
        both = combine(estimate, answers_at(table, at, tuple(ModelTier)), bound.base_rate, weights)
        assert both is not None
        said_here = both.help_need >= bound.threshold
        everywhere = combined(table, tuple(ModelTier), weights)[at] + np.log(bound.base_rate / (1 - bound.base_rate))
        assert said_here == (everywhere >= np.log(bound.threshold / (1 - bound.threshold)))


def test_a_gain_is_what_is_won_on_average_and_nothing_far_from_the_bound(table: Table, fitted: FittedCascade) -> None:
    """It is greatest near the bound, nothing where no answer crosses it, and never below nothing."""
    bound, weights = fitted.bound, fitted.weights
    needs = np.linspace(0.001, 0.999, 200)
    gains = [value_of_information(ModelTier.STRONG, estimate_of(float(one)), {}, bound, weights) for one in needs]
    assert min(gains) == 0.0
    assert abs(needs[int(np.argmax(gains))] - bound.threshold) < 0.1
    assert gains[0] == gains[-1] == 0.0
    local = [value_of_information(ModelTier.LOCAL, estimate_of(float(one)), {}, bound, weights) for one in needs]
    assert sum(local) < sum(gains)


def test_the_local_model_is_queried_where_it_decides_about_the_strong_one(fitted: FittedCascade) -> None:
    """Below what its own answer could change it is asked as long as a strong one is on, and not without one."""
    bound, weights = fitted.bound, fitted.weights
    led_alone = [
        estimate_of(float(one))
        for one in np.linspace(0.001, 0.999, 400)
        if value_of_information(ModelTier.LOCAL, estimate_of(float(one)), {}, bound, weights) == 0.0
        and follow_up_value(estimate_of(float(one)), {}, bound, weights) > weights.prices[ModelTier.STRONG]
    ]
    assert led_alone
    for one in led_alone:
        assert next_tier(one, (), enabled=set(ModelTier), decision=bound, weights=weights) is ModelTier.LOCAL
        assert next_tier(one, (), enabled={ModelTier.LOCAL}, decision=bound, weights=weights) is None


def test_the_strong_model_is_queried_as_often_as_allowed(table: Table, fitted: FittedCascade) -> None:
    """Its price is the gain above which the wanted share lies; at no price it is asked wherever it can change much."""
    gains = gains_of(table, fitted.weights, fitted.bound)
    assert run(table, fitted.weights, gains).strong.mean() == pytest.approx(0.25, abs=0.01)
    free = replace(fitted.weights, prices=dict.fromkeys(ModelTier, 0.0))
    assert run(table, free, gains).strong.mean() > 0.25
    assert price_for(gains, 1.0) == 0.0


def test_strategies_are_in_the_order_that_was_put_in(table: Table, fitted: FittedCascade) -> None:
    """The cascade beats the embedded detector and calls by lot, and F1 is scikit-learn's."""
    said = {
        one.name: one.need
        for one in strategies(table, fitted, FittedCascade(weights=shipped_weights(), bound=policy_threshold()))
    }
    scores = {name: f1(table.need, one) for name, one in said.items()}
    assert scores[STRONG] == pytest.approx(f1_score(table.need, said[STRONG]))
    assert scores[CASCADE] > max(scores[EMBEDDED], scores[AT_RANDOM])
    made = run(table, fitted.weights, gains_of(table, fitted.weights, fitted.bound))
    assert scores[CASCADE] == f1(table.need, above(made, fitted.bound))


def test_the_command_judges_on_folds_and_writes_what_it_learned(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """JSON, page and weights; what was written is read back the same."""
    plain = made_up()
    monkeypatch.setattr(bench_cascade, "of_training", lambda folder, say: plain)
    monkeypatch.setattr(bench_cascade, "FOLDS", 2)
    monkeypatch.setattr(cascade_fit, "THRESHOLDS", (0.3, 0.45))
    code = main(["bench", "cascade", "--split", "train", "--out", str(tmp_path), "--json"])
    told: Mapping[str, Any] = json.loads(capsys.readouterr().out)
    assert (code == 0) is all(bar["ok"] for bar in told["bars"])
    assert {bar["name"] for bar in told["bars"]} == {
        f"{what}_{one}" for what in ("f1_kept", "strong_calls") for one in Errors
    }
    assert told["simulated"] is True
    assert told["scripted"]["strong"]["recall"] == 0.85
    page = (tmp_path / "cascade.html").read_text()
    assert "Simulated sessions and scripted models" in page
    assert main(["bench", "cascade", "--fit", str(tmp_path / "weights.json")]) == 0
    weights = read_weights(tmp_path / "weights.json")
    assert weights_to_json(weights) == json.loads((tmp_path / "weights.json").read_text())
    assert read_fitted(tmp_path / FITTED.name).keys() == set(Errors)


def test_held_out_sessions_are_judged_with_what_was_learned_before(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By default, and with the weights that are committed; here on made-up prefixes in their place."""
    asked: list[str] = []

    def held_out(folder: Path, model: Path, split: str, say: object) -> Table:
        asked.append(f"{folder.name} {model.name} {split}")
        return made_up()

    monkeypatch.setattr(bench_cascade, "of_model", held_out)
    code = main(["bench", "cascade"])
    out = capsys.readouterr().out
    assert asked == ["test embedded.onnx test"]
    assert "Simulated sessions and scripted models" in out
    assert "policy's bound" in out
    assert code == int("MISSED" in out.upper())


def test_nothing_is_learned_from_held_out_sessions(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The command refuses, and says why."""
    assert main(["bench", "cascade", "--split", "test", "--fit", str(tmp_path / "x.json")]) == 2
    assert "held-out" in capsys.readouterr().err


def test_an_unwritable_output_is_refused_before_anything_is_learned(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Learning takes minutes; a folder, a file in the way, or one name for both files is wrong at once."""

    def never(folder: Path, say: object) -> Table:
        raise AssertionError

    monkeypatch.setattr(bench_cascade, "of_training", never)
    (tmp_path / "file").touch()
    for option, path in (("--fit", tmp_path), ("--fit", tmp_path / FITTED.name), ("--out", tmp_path / "file")):
        assert main(["bench", "cascade", "--split", "train", option, str(path)]) == 2
        assert str(path) in capsys.readouterr().err


def test_what_is_committed_can_be_read_and_says_how_it_was_made() -> None:
    """Both files name the command; answers point where they should."""
    for weights in (shipped_weights(), *(one.weights for one in read_fitted(FITTED).values())):
        assert "kairos bench cascade --fit" in weights.made
        assert "simulated" in weights.made
        assert "scripted" in weights.made
        assert all(weight > 0.0 for line in weights.need.values() for weight in line.weights.values())
        assert weights.need["strong"].weights[ModelTier.STRONG] > weights.need["local"].weights[ModelTier.LOCAL]


@pytest.mark.parametrize("broken", ["{}", "[]", "none", '{"need": {"local": {"bias": "x"}}}'])
def test_weights_that_are_none_are_refused(tmp_path: Path, broken: str) -> None:
    """With the command that makes some; also where a set of answers or a number is missing."""
    (tmp_path / "w.json").write_text(broken)
    with pytest.raises(BadFile, match="no weights"):
        read_weights(tmp_path / "w.json")
    told = weights_to_json(shipped_weights())
    broken_parts: list[dict[str, object]] = [
        {"need": {}},
        {"states": {"local": {"nobody": 1.0}}},
        {"prices": {"weak": 0.0}},
    ]
    for spoilt in broken_parts:
        (tmp_path / "w.json").write_text(json.dumps({**told, **spoilt}))
        with pytest.raises(BadFile, match="no weights"):
            read_weights(tmp_path / "w.json")


def test_the_bound_of_the_prices_is_that_of_the_policy() -> None:
    """Just above it the policy offers, just below it does not."""
    bound = policy_threshold()
    policy = registry.load(PolicySettings(quiet_start_s=0.0), bound.base_rate)
    for off, verdict in ((0.005, True), (-0.005, False)):
        state = policy.start({}, 0, 0)
        _, decision = policy.decide(state, estimate_of(bound.threshold + off), context_of(), 10**13)
        assert (decision.verdict is Verdict.OFFER) is verdict


def test_states_are_combined_from_the_answers_that_name_one(fitted: FittedCascade) -> None:
    """A sure model turns a doubtful detector; an answer without states leaves them as they were."""
    level = estimate_of(0.3, state_probs=dict.fromkeys((state.value for state in State), 1 / 9))
    states = state_probabilities(State.WAITING)
    answer = ModelAnswer(
        prefix_id="w1/100", window_id=1, rung=ModelTier.STRONG, model="m", asked_at_ns=0, latency_ns=0, help_need=0.9,
        state_probs=states,
    )  # fmt: skip
    turned = combine(level, [answer], 0.05, fitted.weights)
    assert turned is not None
    assert max(turned.state_probs, key=turned.state_probs.__getitem__) == State.WAITING
    assert sum(turned.state_probs.values()) == pytest.approx(1.0, abs=1e-4)
    silent = combine(level, [replace(answer, state_probs={})], 0.05, fitted.weights)
    assert silent is not None
    assert silent.state_probs == level.state_probs
