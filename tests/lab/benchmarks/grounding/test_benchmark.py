"""What the figures of grounding are judged by, and that a form in a real window is judged by what it prints itself."""

from dataclasses import replace

import pytest

from daemon.cli.main import build_parser
from lab.benchmarks.grounding import subjects as page
from lab.benchmarks.grounding.benchmark import Attempt, Walks, criteria_of, measure, points_hit
from lab.benchmarks.grounding.pictures import LEAST, measure_pictures
from lab.benchmarks.grounding.subjects import SUBJECTS
from storage.errors import EnvironmentFault


def attempts(hits: int, misses: int, *, scale: int = 1, lower: bool | None = None) -> list[Attempt]:
    return [
        Attempt(subject="form", scale=scale, name=f"{number}", hit=number < hits, lower=lower)
        for number in range(hits + misses)
    ]


def walks(p95_ms: float, subject: str = "calc", scale: int = 1) -> Walks:
    return Walks(subject=subject, scale=scale, walks=9, p50_ms=1.0, p95_ms=p95_ms, controls=9)


def failed(found: list[Attempt], timed: list[Walks]) -> set[str]:
    return {criterion.name for criterion in criteria_of(found, timed) if not criterion.ok}


def test_each_criterion_can_be_missed() -> None:
    """Too few controls, too many wrong at one scale, a check that proves nothing, one slow scale."""
    good = [*attempts(195, 5, lower=False), *attempts(195, 5, scale=2)]
    assert failed(good, [walks(250)]) == set()
    assert failed(attempts(199, 0), []) == {"controls"}
    assert failed([*attempts(200, 0), *attempts(180, 20, scale=2)], []) == {"point_in_box_at_scale_2"}
    assert failed(attempts(200, 0, lower=True), []) == {"points_moved_away_that_hit"}
    assert failed(good, [walks(100), walks(251, scale=2), walks(900, "writer")]) == {"calc_walk_p95"}
    assert failed(good, [replace(walks(1), ours_cpu_ms=61)]) == {"calc_ours_over_an_hour"}
    busy = replace(walks(1), ours_cpu_ms=60, program_cpu_ms=31, bus_cpu_ms=30)
    assert failed(good, [busy]) == {"calc_program_and_bus_over_an_hour"}


def test_walks_that_cost_much_are_fewer_in_an_hour() -> None:
    """By what is counted: a count that misses half of it shows as a cost above the limit."""
    good = [*attempts(195, 5, lower=False), *attempts(195, 5, scale=2)]
    assert failed(good, [replace(walks(1), ours_cpu_ms=90, ours_counted_ms=80)]) == set()
    assert failed(good, [replace(walks(1), ours_cpu_ms=90, ours_counted_ms=40)]) == {"calc_ours_over_an_hour"}
    dear = replace(walks(1), program_cpu_ms=200, bus_cpu_ms=20, program_counted_ms=190)
    assert failed(good, [dear]) == set()
    assert failed(good, [replace(dear, program_counted_ms=50)]) == {"calc_program_and_bus_over_an_hour"}


def test_every_control_is_named_once_in_its_program() -> None:
    """Else a hit could be that of another one."""
    for subject in SUBJECTS.values():
        assert len(set(subject.buttons)) == len(subject.buttons)
        assert set(subject.hints) <= set(subject.buttons)
        for names in subject.menus.values():
            assert len(set(names)) == len(names)
    names = [name for _, name in page.CONTROLS]
    assert len(set(names)) == len(names)
    assert all(f'data-name="{name}"' in page.page_html() for name in names)


@pytest.mark.parametrize("scales", ["x", "0", "1,", "5", ""])
def test_scales_that_are_none_are_refused(scales: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With what they may be."""
    with pytest.raises(SystemExit) as ended:
        build_parser().parse_args(["bench", "grounding", "--scales", scales])
    assert ended.value.code == 2
    assert "scales are 1, 2, 3, 4" in capsys.readouterr().err
    assert build_parser().parse_args(["bench", "grounding"]).scales == [1, 2]


@pytest.mark.display
@pytest.mark.slow
@pytest.mark.parametrize("scale", [1, 2])
def test_every_control_of_a_real_form_is_found(scale: int) -> None:
    report = measure(["form"], scales=[scale], walks=2)
    bars = {criterion.name: criterion for criterion in report.criteria}
    assert bars[f"point_in_box_at_scale_{scale}"].value == 1.0
    assert bars["points_moved_away_that_hit"].ok
    assert report.fields["controls"] == 42


def test_the_same_control_at_two_scales_counts_once() -> None:
    """Two hundred different ones are wanted."""
    assert failed([*attempts(150, 0), *attempts(150, 0, scale=2)], []) == {"controls"}


def test_pictures_are_judged_at_each_scale_and_beside_the_control(monkeypatch: pytest.MonkeyPatch) -> None:
    """Points that were moved away must miss; without the extra it says what to install."""
    hits = [True] * 7 + [False] * 3
    attempts = [
        Attempt(subject="form", scale=scale, name=str(number), hit=hit and scale == 1, lower=False)
        for scale in (1, 2)
        for number, hit in enumerate(hits)
    ]
    assert [(bar.value, bar.ok) for bar in points_hit(attempts, "by_picture", LEAST)] == [
        (0.7, True),
        (0.0, False),
        (0.0, True),
    ]
    moved = [Attempt(subject="form", scale=1, name="x", hit=True, lower=True)]
    assert not list(points_hit(moved, "by_picture", LEAST))[-1].ok
    monkeypatch.setattr("lab.benchmarks.grounding.pictures.is_installed", lambda: False)
    with pytest.raises(EnvironmentFault, match="cannot be read off pictures"):
        measure_pictures([1])
