"""Plans of tasks: the same seed gives the same one, and trouble comes early, late and never."""

from lab.simulation.persona import Split
from lab.simulation.tasks.plan import COURSES, HELD_OUT, TaskStep, is_trouble, plan_tasks

TASKS = ("one", "two", "three")


def plan(seed: int, split: Split = Split.TRAIN, seconds: float = 600.0) -> list[TaskStep]:
    return plan_tasks(TASKS, seed=f"{seed}-0", person=seed % 30, program="fake", split=split, seconds=seconds)


def onsets(steps: list[TaskStep]) -> list[float]:
    at_s, found = 0.0, []
    for before, step in zip([None, *steps], steps, strict=False):
        if is_trouble(step.course) and (before is None or not is_trouble(before.course)):
            found.append(at_s)
        at_s += step.seconds
    return [start / at_s for start in found]


def test_the_same_seed_gives_the_same_plan_and_another_another() -> None:
    assert plan(3) == plan(3)
    assert plan(3) != plan(4)


def test_trouble_begins_early_late_and_never() -> None:
    plans = [onsets(plan(seed)) for seed in range(300)]
    never = sum(not found for found in plans) / len(plans)
    assert 0.2 < never < 0.4
    thirds = [0, 0, 0]
    for found in plans:
        for share in found:
            thirds[min(2, int(share * 3))] += 1
    assert min(thirds) > 0.6 * max(thirds)  # the end of a session cuts some off


def test_a_plan_fills_its_time_and_no_more() -> None:
    """Stretches take the time that the rests between them leave."""
    for seed in range(50):
        assert 400.0 < sum(step.seconds for step in plan(seed)) <= 600.0  # rests take the rest


def test_training_has_nothing_that_is_held_out_and_tests_have_much_of_it() -> None:
    trained = {step.course for seed in range(60) for step in plan(seed)}
    tested = [step.course for seed in range(60) for step in plan(seed, Split.TEST)]
    assert not trained & HELD_OUT
    assert trained == set(COURSES) - HELD_OUT
    assert sum(course in HELD_OUT for course in tested) / len(tested) > 0.35
