"""What the benchmark of reading commands makes of its figures; what it measures is measured on a real desktop."""

from dataclasses import replace

import pytest

from lab.benchmarks.reading import benchmark
from lab.benchmarks.reading.benchmark import Reading, criteria_of, line_of, measure
from storage.errors import EnvironmentFault, UsageError

GOOD = Reading(
    program="editor",
    commands=200,
    keys=40,
    unread=1,
    complete=True,
    answered=True,
    wall_s=0.5,
    cpu_s=0.2,
    opened=0,
)


@pytest.mark.parametrize(
    ("bad", "name"),
    [
        (replace(GOOD, cpu_s=0.7), "our_cpu_of_the_most_expensive"),
        (replace(GOOD, wall_s=4.1), "longest"),
        (replace(GOOD, answered=False), "no_answer"),
        (replace(GOOD, opened=1), "menus_opened"),
    ],
)
def test_one_program_that_misses_a_bar_misses_it_for_all(bad: Reading, name: str) -> None:
    assert all(criterion.ok for criterion in criteria_of([GOOD]))
    assert [criterion.name for criterion in criteria_of([GOOD, bad]) if not criterion.ok] == [name]
    assert [criterion.name for criterion in criteria_of([]) if not criterion.ok] == ["programs"]


def test_programs_that_are_not_installed_are_named_and_unknown_ones_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(name: str) -> Reading:
        if name == "kate":
            raise EnvironmentFault("not installed", remedy="", code="program_missing")
        if name == "gimp":
            raise EnvironmentFault("no window", remedy="", code="other")
        return replace(GOOD, program=name)

    monkeypatch.setattr(benchmark, "read", read)
    report = measure(["mousepad", "kate"])
    assert report.notes == ["not installed: kate"]
    assert report.text == [line_of(replace(GOOD, program="mousepad"))]
    with pytest.raises(UsageError):
        measure(["nothing"])
    with pytest.raises(EnvironmentFault):
        measure(["gimp"])


@pytest.mark.display
@pytest.mark.slow
def test_a_real_program_is_read_within_the_bars() -> None:
    report = measure(["mousepad"])
    assert all(criterion.ok for criterion in report.criteria if criterion.name != "our_cpu_of_the_most_expensive")
