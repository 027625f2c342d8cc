"""Which sessions and files are judged, and what is left out."""

import shutil
from pathlib import Path

import pytest

from daemon.diagnosis.model_diagnosis.judge import judge
from daemon.diagnosis.model_diagnosis.run import RunPlan, volume_of_run
from daemon.diagnosis.model_diagnosis.sources import sources_of
from storage.errors import UsageError
from storage.session.heartbeat import Heartbeat
from storage.session.log import DATABASE
from tests.fakes.detectors.trouble import episode, write
from tests.fakes.mllm.diagnosed_work import write_plain

SAMPLE = Path(__file__).parents[4] / "lab" / "sample" / "train-455-0000-mousepad" / "session"
SESSION = "20261121-223623-fde5"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    folder = tmp_path / "sessions"
    shutil.copytree(SAMPLE, folder / SESSION)
    return folder


def test_sessions_are_those_of_this_machine_unless_named(base: Path, tmp_path: Path) -> None:
    imported = write(base, *episode(60.0), imported_from="a data set")
    assert [source.name for source in sources_of([], base)] == [SESSION]
    assert [source.name for source in sources_of([imported.name], base)] == [imported.name]
    later = (base / SESSION / DATABASE).stat().st_mtime + 1.0
    assert list(sources_of([], base, since=later)) == []
    assert list(sources_of([SESSION], base, since=later)) == []


def test_sessions_elsewhere_and_those_being_recorded_are_refused(base: Path, tmp_path: Path) -> None:
    """Answers could not lie in their folder, or the rows would change meanwhile."""
    shutil.copytree(SAMPLE, tmp_path / "elsewhere" / SESSION)
    with pytest.raises(UsageError, match="not among the recorded"):
        list(sources_of([str(tmp_path / "elsewhere" / SESSION)], base))
    heartbeat = Heartbeat(base / SESSION)
    assert list(sources_of([], base)) == []
    with pytest.raises(UsageError, match="being recorded"):
        list(sources_of([SESSION], base))
    heartbeat.close(in_order=True)


def test_a_session_is_of_a_person_and_a_file_of_an_agent_is_not(base: Path, tmp_path: Path) -> None:
    """By that it is decided what may leave; a plain file about a person counts as one."""
    path = write_plain(tmp_path / "agent")
    session, agent = sources_of([SESSION, str(path)], base)
    assert (session.of_person, agent.of_person) == (True, False)
    assert (session.session, agent.session) == ((base / SESSION).absolute(), None)
    path.write_text(path.read_text().replace('"trajectory": 1', '"whose": "person", "trajectory": 1'))
    (person,) = sources_of([str(path)], base)
    assert person.of_person


def test_the_volume_counts_judges_and_goals(base: Path, tmp_path: Path) -> None:
    path = write_plain(tmp_path / "agent")
    sources = list(sources_of([str(path)], base))
    once = volume_of_run(sources, RunPlan())
    assert volume_of_run(sources, RunPlan(judges=(judge,) * 3)).requests == 3 * once.requests
    nameless = list(sources_of([str(write_plain(tmp_path / "other", goal=None))], base))
    assert volume_of_run(nameless, RunPlan()).requests == once.requests + 1
    assert volume_of_run(nameless, RunPlan(goal="Save it")).requests == once.requests
