"""Recordings of people set a model's scale and the limit of the familiar, and no weight."""

from pathlib import Path

import numpy as np
import pytest

from lab.people.layouts import APPS, Layout
from lab.training.candidates import Scaling, learners, training_set_of
from lab.training.command import scaled_to_people
from lab.training.dataset import NAMES
from lab.training.model import CalmScores, Model, calibrate, familiar_limit, line_with_people, need_line
from lab.training.people import OFFERED, CalmPrefixes, read_people
from tests.fakes.lab.desk_sessions import desk_samples
from tests.fakes.lab.samples import samples_from, window

HEADER = "record timestamp,client timestamp,button,state,x,y\n"


def mouse(seconds: int) -> str:
    rows = []
    for at in range(2, seconds, 2):
        x, y = 100 + 37 * at % 900, 80 + 53 * at % 600
        rows += [f"0,{at - 0.5},NoButton,Move,{x},{y}\n", f"0,{at},Left,Pressed,{x},{y}\n"]
        rows.append(f"0,{at + 0.1},Left,Released,{x},{y}\n")
    return HEADER + "".join(rows)


def test_prefixes_of_each_recording_are_read_under_both_names(tmp_path: Path) -> None:
    user = tmp_path / "balabit" / "user1"
    user.mkdir(parents=True)
    (user / "a.csv").write_text(mouse(100))
    said: list[str] = []
    one = read_people(tmp_path, workers=1, report=said.append)
    (user / "b.csv").write_text(mouse(200))
    both = read_people(tmp_path, workers=1, report=said.append)
    assert one.features.shape[1] == len(NAMES)
    assert len(one.features) >= 8 * len(APPS)
    assert len(one.features) % len(APPS) == 0
    assert len(both.features) > 2.5 * len(one.features)
    assert (both.features[:, NAMES.index("clicks")] > 0).any()
    assert both.weights.sum() == pytest.approx(1.0)
    assert said == ["reading 1 recordings of people", "reading 2 recordings of people"]


def test_what_is_familiar_is_set_by_a_persons_own_input_alone() -> None:
    layout = np.array(
        [list(Layout).index(each_layout) for each_layout in (Layout.BALABIT, Layout.ESSAYS, Layout.MINIWOB)]
    )
    prefixes = CalmPrefixes(features=np.zeros((3, len(NAMES)), np.float32), layout=layout, recordings=3)
    assert prefixes.familiar_below(np.array([0.5, 0.75, 9.0])) == 0.75
    web = CalmPrefixes(features=np.zeros((1, len(NAMES)), np.float32), layout=layout[2:], recordings=1)
    assert web.familiar_below(np.array([9.0])) == 0.0


def test_need_comes_down_by_what_the_worst_data_set_exceeds() -> None:
    """Hardly any calm prefix of any data set may bring an offer; where none does nothing comes down."""
    layout = np.repeat([list(Layout).index(essay) for essay in (Layout.ESSAYS, Layout.MINIWOB)], 1000)
    prefixes = CalmPrefixes(features=np.zeros((2000, len(NAMES)), np.float32), layout=layout, recordings=2)
    offered = float(np.log(OFFERED / (1.0 - OFFERED)))
    need = np.full(2000, offered - 1.0)
    assert prefixes.excess(need) == 0.0
    need[1000:1002] = offered + 2.0  # 0.2 % of the web tasks
    assert prefixes.excess(need) == 0.0
    need[1000:1020] = offered + 2.0  # 2 % of them, 1 % of all
    assert prefixes.excess(need) == pytest.approx(2.0)
    need[need > offered] -= prefixes.excess(need) + 1e-6
    assert prefixes.excess(need) == 0.0
    need[:20] = -np.inf  # the detector abstains there
    assert prefixes.excess(need) == 0.0


def test_people_who_score_high_lower_the_scale_and_who_score_low_do_not_raise_it_far() -> None:
    samples = samples_from([[*window(at, (at % 2 == 1,) * 4)] for at in range(8)])
    rng = np.random.default_rng(1)
    scores = samples.need * 2.0 - 1.0 + rng.normal(size=len(samples))
    ood = np.linspace(0.0, 1.0, len(samples))

    def at(people: CalmScores | None, score: float) -> float:
        line = need_line(samples, scores) if people is None else line_with_people(samples, scores, people)
        return float(line.at(np.array([score]))[0])

    def people(score: float, familiar: float = 0.0) -> CalmScores:
        return CalmScores(need=np.full(50, score), weights=np.full(50, 0.02), familiar_below=familiar)

    assert at(people(1.5), 1.5) < at(None, 1.5) - 0.3
    assert at(people(1.5), 1.5) < at(people(-2.0), 1.5)
    assert at(people(1.5), 1.0) < at(people(1.5), 2.0), "the ranking stays"
    assert familiar_limit(ood, people(0.0)) == pytest.approx(1.0, abs=0.05)
    assert familiar_limit(ood, people(0.0, 1.5)) == 1.5


def test_people_lower_the_line_without_tiles_alone() -> None:
    """No recording of theirs has digests of the screen, so they say nothing of the scale with these."""
    seen = desk_samples()
    inputs = seen.as_inputs()
    scaling = Scaling.of(inputs.features)
    fitted = learners(quick=True)["linear"](training_set_of(inputs, scaling), 1)
    scores = fitted.scores(inputs.features, scaling.scaled(inputs.features))
    ood = scaling.ood_score(inputs.features)
    model = Model(scaling=scaling, fitted=fitted, calibration=calibrate(seen, scores, ood))
    shouting = seen.where(seen.need).features
    people = CalmPrefixes(features=shouting, layout=np.zeros(len(shouting), np.int64), recordings=1)
    found = scaled_to_people(model, seen, scores, ood, people).calibration
    assert found.with_tiles == model.calibration.with_tiles
    loud = np.quantile(scores.need[seen.need], [0.5])
    assert found.without_tiles.at(loud) < model.calibration.without_tiles.at(loud) - 1.0
