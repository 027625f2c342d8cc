"""What the benchmark of reading commands makes of its figures; what it measures is measured on a real desktop."""

from dataclasses import replace

import pytest

from lab.benchmarks.reading import benchmark
from lab.benchmarks.reading.benchmark import Reading, criteria_of, line_of, measure
from lab.benchmarks.reading.keystrokes import KeyTimes
from storage.errors import EnvironmentFault, UsageError

GOOD = Reading(
    program="editor", commands=200, keys=40, unread=1, complete=True, answered=True, wall_s=0.5, cpu_s=0.2, opened=0
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


def test_keys_while_a_program_is_read_are_compared_with_those_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of too few keys nothing is said."""
    quick, slow = [10.0] * 90 + [20.0] * 10, [10.0] * 90 + [24.0] * 10
    found = {
        "mousepad": KeyTimes(program="mousepad", reading=quick, resting=quick),
        "gedit": KeyTimes(program="gedit", reading=slow, resting=quick),
        "pluma": KeyTimes(program="pluma", reading=slow[50:], resting=quick[50:]),
    }
    monkeypatch.setattr(benchmark, "type_in", lambda name, _rounds: found[name])
    report = measure(list(found), typing=3)
    assert {criterion.name: criterion.ok for criterion in report.criteria} == {
        "mousepad_keys_while_read": True,
        "gedit_keys_while_read": False,
    }
    assert report.text[1] == "gedit: 100 keys, p95 24.0 ms while it is read, 20.0 ms else (+20%)"


@pytest.mark.display
@pytest.mark.slow
def test_keys_come_to_the_screen_of_a_real_program_that_is_read() -> None:
    (times,) = measure(["mousepad"], typing=1).rounds
    assert len(times["reading"]) == len(times["resting"]) > 0
    assert max(times["resting"]) < 1_000
