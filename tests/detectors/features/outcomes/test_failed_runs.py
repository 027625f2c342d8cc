"""Runs that fail while an error comes back: what counts, what begins anew, and for how long it says something."""

import pytest

from detectors.features.outcomes.errors import LASTS_NS, MAX_ERRORS, MAX_PROGRAMS, RUN_AGAIN_NS, RUN_ECHO_NS, FailedRuns
from detectors.features.table import SENSED
from storage.clock import NS_PER_S
from storage.records import ControlRole, MessageClass, MessageSeen
from tests.fakes.sessions.strokes import Strokes

GAP_NS = 10 * NS_PER_S


def message(t_ns: int, error: str, app: str = "editor", role: ControlRole = ControlRole.OUTPUT) -> MessageSeen:
    about = MessageClass.ERROR if error else MessageClass.SUCCESS
    return MessageSeen(t_ns=t_ns, app=app, role=role, text_digest=error, about=about)


def count(*errors: str, gap_ns: int = GAP_NS, role: ControlRole = ControlRole.OUTPUT) -> float:
    runs = FailedRuns()
    for number, error in enumerate(errors):
        runs.take(message(number * gap_ns, error, role=role))
    return runs.value("editor", len(errors) * gap_ns)


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        (("a",), 0.0),
        (("a", "a"), 2.0),
        (("a", "a", "a"), 3.0),
        (("a", "", "a"), 0.0),
        (("a", "a", ""), 0.0),
        (("a", "b", "c"), 0.0),
        (("a", "a", "b"), 0.0),
        (("a", "b", "a"), 3.0),
    ],
)
def test_runs_count_while_an_error_comes_back_and_none_goes_well(errors: tuple[str, ...], expected: float) -> None:
    """Another error is progress, unless it was there before."""
    assert count(*errors) == expected


def test_what_comes_at_once_is_of_the_same_run_and_what_comes_late_begins_anew() -> None:
    """A build may say it twice; who meets it again after a while has done other things."""
    assert count("a", "a", gap_ns=RUN_ECHO_NS - 1) == 0.0
    runs = FailedRuns()
    runs.take(message(0, "a"))
    runs.take(message(RUN_AGAIN_NS, "a"))
    assert runs.value("editor", RUN_AGAIN_NS) == 0.0


def test_it_counts_in_its_program_and_for_a_while() -> None:
    """Elsewhere nobody runs it, and a minute later the person does something else."""
    runs = FailedRuns()
    for number in range(3):
        runs.take(message(number * GAP_NS, "a"))
    assert runs.value("editor", 2 * GAP_NS + LASTS_NS) == 3.0
    assert runs.value("editor", 2 * GAP_NS + LASTS_NS + 1) == 0.0
    assert runs.value("browser", 2 * GAP_NS) == 0.0


def test_typing_between_the_runs_changes_nothing_and_a_run_that_goes_well_ends_it() -> None:
    s = Strokes().sense().runs("a").runs("a").runs("a")
    assert s.values()["failed_runs"] == 3.0
    assert s.runs().values()["failed_runs"] == 0.0


def test_a_run_that_goes_well_changes_nothing_that_models_have_learned() -> None:
    stories = []
    for about in (None, MessageClass.SUCCESS):
        s = Strokes().sense().touch("run").wait(1.0)
        stories.append((s.says("", about, ControlRole.OUTPUT) if about else s.wait(0.5)).values())
    without, with_success = (
        {name: value for name, value in features.items() if name in SENSED} for features in stories
    )
    assert without == with_success


def test_messages_elsewhere_than_in_an_output_do_not_count() -> None:
    """Whether they are of a run nobody knows."""
    assert count("a", "a", "a", role=ControlRole.ALERT) == 0.0


def test_it_stays_small() -> None:
    runs = FailedRuns()
    for number in range(500):
        runs.take(message(number * GAP_NS, str(number), app=f"app {number % 2 * number}"))
    assert len(runs._failing) <= MAX_PROGRAMS
    assert len(runs._failing["app 0"].errors) == MAX_ERRORS
