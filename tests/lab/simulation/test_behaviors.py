"""Every behavior ends on time, fails when and only when it says so, and the catalogue keeps what it promises."""

import statistics
from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

from lab.simulation.behaviors import registry
from lab.simulation.behaviors.behavior import Behavior, Need
from lab.simulation.behaviors.improvised import BEHAVIORS as IMPROVISED
from lab.simulation.persona import PEOPLE, persona_of
from lab.simulation.recording.labels import FAILURES
from storage.clock import NS_PER_S
from storage.records import State
from tests.fakes.lab.program import MEDIAN, FakeHands, FakeHelpers, FakeProgram, fake_scene

OVERTIME_S = 25.0
"""A last step, a dialog to leave, a look: what may still come after the time is over."""

EVERY = sorted(registry.BEHAVIORS.values(), key=lambda behavior: behavior.name)
TROUBLE = [behavior for behavior in EVERY if behavior.need is Need.AFTER_FAILURES]
CALM = [behavior for behavior in EVERY if behavior.need is not Need.AFTER_FAILURES]


def name_of(behavior: Behavior) -> str:
    """Return what a test is called after."""
    return behavior.name


def play(behavior: Behavior, seed: int, *, seconds: float = 30.0, person: int | None = None) -> list[float]:
    """Act a behavior out with the fakes; return the seconds at which tries failed, and last when it ended."""
    persona = MEDIAN if person is None else persona_of(person)
    scene = fake_scene(seed, persona=persona, menu_windows=bool(seed % 2))
    scene.user.begin(seconds)
    behavior.act(scene)
    assert isinstance(scene.program, FakeProgram)
    assert not scene.program.dialog_open
    return [at_ns / NS_PER_S for at_ns in (*scene.user.failures_ns, scene.user.clock.now_ns())]


@pytest.mark.parametrize("behavior", EVERY, ids=name_of)
def test_a_behavior_lasts_about_as_long_as_it_is_told(behavior: Behavior) -> None:
    """Neither does it stop at once nor does it go on for ever, whoever acts it."""
    for person in range(0, PEOPLE, 9):
        for seconds in behavior.seconds:
            ended = play(behavior, person + 1, seconds=seconds, person=person)[-1]
            assert 0.6 * seconds < ended < seconds + OVERTIME_S


@pytest.mark.parametrize("behavior", TROUBLE, ids=name_of)
def test_the_second_failure_in_trouble_comes_in_good_time(behavior: Behavior) -> None:
    """For a median person mostly within 20 s, typically after 5 to 16; and help is needed for a while after that."""
    onsets = []
    for seed in range(20):
        *failures, ended = play(behavior, seed)
        assert len(failures) >= FAILURES
        assert failures[FAILURES - 1] < ended - 1.0
        onsets.append(failures[FAILURES - 1])
    assert 5.0 <= statistics.median(onsets) <= 16.0
    assert sum(onset <= 20.0 for onset in onsets) >= 18


@pytest.mark.parametrize("behavior", CALM, ids=name_of)
def test_nothing_fails_outside_trouble(behavior: Behavior) -> None:
    """No behavior without failures in its need ever notes one."""
    assert len(play(behavior, 3)) == 1


@pytest.mark.parametrize("behavior", EVERY, ids=name_of)
def test_a_behavior_varies_with_the_seed(behavior: Behavior) -> None:
    """The same seed does the same, another does something else."""
    if behavior.name == "gone_away":
        pytest.skip("who is away does nothing that could vary")
    assert play(behavior, 5) == play(behavior, 5)
    assert play(behavior, 5) != play(behavior, 7)


def test_the_hash_of_the_catalogue_is_that_of_its_code(tmp_path: Path) -> None:
    """Any other line or file name changes it; what lies beside the code does not."""
    code = Path(registry.__file__).parents[1]
    copytree(code, tmp_path / "copy", ignore=ignore_patterns("__pycache__"))
    assert registry.simulation_code_hash(tmp_path / "copy") == registry.simulation_code_hash()
    (tmp_path / "copy" / "notes.txt").touch()
    assert registry.simulation_code_hash(tmp_path / "copy") == registry.simulation_code_hash()
    (tmp_path / "copy" / "programs" / "drawing.py").rename(tmp_path / "copy" / "programs" / "canvas.py")
    renamed = registry.simulation_code_hash(tmp_path / "copy")
    with (tmp_path / "copy" / "behaviors" / "hard_negatives.py").open("a") as file:
        file.write("#\n")
    assert len({registry.simulation_code_hash(), renamed, registry.simulation_code_hash(tmp_path / "copy")}) == 3


@pytest.mark.parametrize("state", State)
def test_each_state_has_behaviors_for_training_and_held_out_ones(state: State) -> None:
    """Four for training and two held out, hard negatives not counted, and the need that belongs to the state."""
    plain = [behavior for behavior in registry.of_state(state) if not behavior.hard_negative]
    assert sum(not behavior.held_out for behavior in plain) >= 4
    assert sum(behavior.held_out for behavior in plain) >= 2
    needs = {State.FRUSTRATION: Need.AFTER_FAILURES, State.DEBUGGING: Need.AFTER_FAILURES}
    needs[State.SEEKING_EXTERNAL_HELP] = Need.FROM_START
    assert {behavior.need for behavior in plain} == {needs.get(state, Need.NEVER)}


def test_behaviors_are_told_apart_by_name_and_script() -> None:
    """No two share a name or a script, so nothing held out is trained on under another name."""
    assert len({behavior.act for behavior in EVERY}) == len(EVERY)
    assert all(name == behavior.name for name, behavior in registry.BEHAVIORS.items())
    assert set(registry.training()).isdisjoint(registry.held_out())
    assert len(registry.training()) + len(registry.held_out()) == len(EVERY)


def test_hard_negatives_need_no_help() -> None:
    """They stand in states without trouble, at least four are held out, and one person is away."""
    traps = [behavior for behavior in EVERY if behavior.hard_negative]
    assert {behavior.need for behavior in traps} == {Need.NEVER}
    assert not {State.FRUSTRATION, State.DEBUGGING} & {behavior.state for behavior in traps}
    assert sum(behavior.held_out for behavior in traps) >= 4
    assert [behavior.name for behavior in registry.of_state(None)] == ["gone_away"]


def test_who_needs_help_could_be_served() -> None:
    """Where help is needed the behavior says which; elsewhere it says none."""
    for behavior in EVERY:
        assert (behavior.help is None) == (behavior.need is Need.NEVER)
        assert behavior.intent


def test_an_undo_is_no_mark_of_trouble() -> None:
    """Undo comes up in several calm states and is missing from some trouble: no single cue tells them apart."""
    undone: Counter[bool] = Counter()
    for behavior in EVERY:
        scene = fake_scene(11)
        scene.user.begin(60.0)
        behavior.act(scene)
        assert isinstance(scene.program, FakeProgram)
        undone[behavior in TROUBLE] += scene.program.calls["undo"] > 0
    assert undone[False] >= 8
    assert undone[True] < len(TROUBLE)


def test_temper_shows_in_trouble() -> None:
    """A hot temper clicks more often in the same time than a calm one."""
    clicks = {}
    for temper in (0.0, 1.0):
        scene = fake_scene(2, persona=replace(MEDIAN, temper=temper))
        scene.user.begin(60.0)
        registry.BEHAVIORS["rage_clicks"].act(scene)
        assert isinstance(scene.user.hands, FakeHands)
        clicks[temper] = sum(kind == "button" for _, kind in scene.user.hands.log.lines)  # type: ignore[attr-defined]  # the fake log
    assert clicks[1.0] > 1.2 * clicks[0.0]


def mix_of(behavior: Behavior, seed: int) -> dict[str, float]:
    """Return the shares of the kinds of acts in one occurrence: what the program, the helpers and the hands did."""
    scene = fake_scene(seed)
    scene.user.begin(45.0)
    behavior.act(scene)
    assert isinstance(scene.program, FakeProgram)
    assert isinstance(scene.helpers, FakeHelpers)
    done = scene.program.calls + scene.helpers.calls
    done += Counter(kind for _, kind in scene.user.log.lines)  # type: ignore[attr-defined]  # the fake log
    return {kind: count / done.total() for kind, count in done.items()}


def apart(one: dict[str, float], other: dict[str, float]) -> float:
    """Return how far two mixes are apart: 0 the same shares, 1 nothing in common."""
    return sum(abs(one.get(kind, 0.0) - other.get(kind, 0.0)) for kind in one | other) / 2


def spread(behavior: Behavior) -> float:
    """Return how far two occurrences of a behavior are apart, at the median."""
    mixes = [mix_of(behavior, seed) for seed in range(10)]
    return statistics.median(apart(one, other) for one, other in combinations(mixes, 2))


def test_improvised_behaviors_are_for_training_and_in_every_state() -> None:
    """None is held out; each state has four or more beside its hard negatives, of which there are four or more."""
    assert not [behavior for behavior in IMPROVISED if behavior.held_out]
    plain = Counter(behavior.state for behavior in IMPROVISED if not behavior.hard_negative)
    assert all(plain[state] >= 4 for state in State)
    assert sum(behavior.hard_negative for behavior in IMPROVISED) >= 4


def test_two_occurrences_of_what_is_improvised_differ_in_their_mix() -> None:
    """At the median they share less of what is done than those of the other training scripts do."""
    scripted = [behavior for behavior in registry.training() if behavior not in IMPROVISED and behavior.state]
    improvised_apart = statistics.median(spread(behavior) for behavior in IMPROVISED)
    assert improvised_apart > 0.2
    assert improvised_apart > 1.8 * statistics.median(spread(behavior) for behavior in scripted)
