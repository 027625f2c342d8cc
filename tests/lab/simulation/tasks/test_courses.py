"""People at a task act out their course: the stuck fail again and again, the calm get it done."""

import pytest

from lab.simulation.tasks.acting import stretches_of
from lab.simulation.tasks.plan import COURSES, HARD_NEGATIVES, STATES, TaskStep, is_trouble
from storage.clock import NS_PER_S
from storage.records import State
from tests.fakes.lab.task_program import FakeTaskProgram, fake_task_scene

SEEDS = range(6)


def acted(course: str, seed: int, seconds: float = 60.0) -> tuple[FakeTaskProgram, list[int], float]:
    scene = fake_task_scene(seed)
    (stretch,) = stretches_of([TaskStep(course, "one", seconds, begins=True)], scene)
    start_ns = scene.user.clock.now_ns()
    scene.user.begin(seconds)
    stretch.act()
    assert isinstance(scene.program, FakeTaskProgram)
    return scene.program, scene.user.failures_ns, (scene.user.clock.now_ns() - start_ns) / NS_PER_S


@pytest.mark.parametrize("course", sorted(COURSES))
def test_a_course_ends_about_when_it_should(course: str) -> None:
    for seed in SEEDS:
        _, _, took_s = acted(course, seed)
        assert 55.0 < took_s < 85.0  # one more act at most


@pytest.mark.parametrize("course", sorted(name for name in COURSES if is_trouble(name)))
def test_who_is_stuck_fails_at_least_twice_and_never_succeeds(course: str) -> None:
    """Need begins at the second failure, so there must be one."""
    for seed in SEEDS:
        program, failures, _ = acted(course, seed)
        assert len(failures) >= 2  # the second one is where need begins
        assert not program.calls["one.succeed"]
        assert not program.calls["one.again"]


@pytest.mark.parametrize("course", sorted(name for name in COURSES if not is_trouble(name)))
def test_who_is_calm_fails_once_at_most(course: str) -> None:
    """Without a second failure help is never needed."""
    for seed in SEEDS:
        _, failures, _ = acted(course, seed)
        assert len(failures) <= 1


def test_insisting_is_one_way_and_alternating_several() -> None:
    """What a person tries follows from the course."""
    tried = {
        course: [
            {name for name in program.calls if name.split(".")[-1] in {"dead", "refused", "other", "edit"}}
            for program, _, _ in (acted(course, seed) for seed in SEEDS)
        ]
        for course in ("insists", "alternates", "varies")
    }
    assert all(len(ways) == 1 for ways in tried["insists"])
    assert all(len(ways) > 1 for ways in tried["alternates"])
    assert all(ways == {"one.edit"} for ways in tried["varies"])


def test_who_starts_over_and_who_goes_in_and_out_begin_anew_each_time() -> None:
    """The one fails between a beginning and the next, the other gets it done."""
    for course, done in (("starts_over", {"dead", "refused", "other"}), ("goes_in_and_out", {"succeed"})):
        order = [name.split(".")[-1] for name in acted(course, 1)[0].order if name.startswith("one.")]
        for number, at in enumerate(at for at, what in enumerate(order) if what == "begin"):
            assert number == 0 or order[at - 1] == "leave"
            assert at + 1 == len(order) or order[at + 1] in done


def test_who_looks_elsewhere_does_nothing_there_and_who_does_the_rounds_gets_all_done() -> None:
    looked, rounds = acted("looks_elsewhere", 1)[0].calls, acted("does_the_rounds", 1)[0].calls
    assert looked["two.begin"] == looked["two.leave"] > 0
    assert not any(looked[f"{task}.succeed"] for task in ("one", "two"))
    assert rounds["one.succeed"] > 0 < rounds["two.succeed"]


def test_states_and_look_alikes_cover_each_other() -> None:
    assert set(STATES) == set(COURSES)
    assert {STATES[name] for name in COURSES} == set(State)
    assert set(COURSES) >= HARD_NEGATIVES
    assert not any(is_trouble(name) for name in HARD_NEGATIVES)


def test_what_a_stretch_means_follows_from_course_and_task() -> None:
    scene = fake_task_scene(1)
    steps = [TaskStep(course, "two", 30.0, begins=False) for course in ("insists", "batch", "reads_and_tries")]
    stuck, batch, asks = (stretch.meaning for stretch in stretches_of(steps, scene))
    assert (stuck.state, stuck.need, stuck.help) == (State.FRUSTRATION, "after_failures", "this is how two is done")
    assert (batch.state, batch.need, batch.hard_negative, batch.help) == (State.PERFORMING_ACTIONS, "never", True, None)
    assert (asks.state, asks.need) == (State.SEEKING_EXTERNAL_HELP, "from_start")
    with pytest.raises(LookupError, match="no task"):
        stretches_of([TaskStep("works", "three", 30.0, begins=False)], scene)
