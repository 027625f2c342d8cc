"""`kairos forget` without a running Kairos: what it asks, prints and deletes, and with which status it ends."""

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from daemon.cli.purge import register
from daemon.purge.purge import begin, is_pending
from daemon.purge.span import everything, last
from daemon.runtime.instance import only_instance
from storage.clock import NS_PER_S, ManualClock
from storage.files import sessions_folder, state_file
from storage.session.log import DATABASE, list_sessions
from tests.fakes.accessibility.remembered import MARKERS, NOW_WALL_NS, Remembered, files_with
from tests.fakes.commands.command_line import Answer, run_command

Purge = Callable[..., Answer]


@pytest.fixture
def purge(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Purge:
    """Return a function that runs `kairos forget ...` at the moment up to which is remembered, however late it is."""
    monkeypatch.setattr("daemon.cli.purge.SystemClock", lambda: ManualClock(wall_ns=NOW_WALL_NS))
    return lambda *words: run_command(register, capsys, "forget", *words)


def since_cut(remembered: Remembered) -> str:
    return f"{remembered.last_s}s"


def left() -> set[str]:
    return {name for name, marker in MARKERS.items() if files_with(marker)}


def test_the_last_minutes_are_deleted_and_what_is_out_of_reach_is_said(remembered: Remembered, purge: Purge) -> None:
    answer = purge("--last", since_cut(remembered), "--yes")
    assert answer.code == 0
    assert "  to be deleted: 1 session, the end of 1 more, 2 requests to models" in answer.err
    assert "  deleted: 1 session, the end of 1 more, 2 requests to models" in answer.out
    assert "Out of reach: exports" in answer.out
    assert "Kept: your consent and settings" in answer.out
    assert left() == set()


@pytest.mark.parametrize(("typed", "status"), [("y\n", 0), ("n\n", 1), ("", 1)])
def test_it_asks_first(
    remembered: Remembered, purge: Purge, monkeypatch: pytest.MonkeyPatch, typed: str, status: int
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    answer = purge("--last", since_cut(remembered))
    assert answer.code == status
    assert "Delete it for good?" in answer.err
    assert (left() == set()) is (status == 0)


@pytest.mark.parametrize(
    "words",
    [
        ("--last", "soon"),
        ("--last", "0m"),
        ("--last", "999999999d"),
        ("--day", "yesterday"),
        ("--day", "2026-02-30"),
        ("--last", "10m"),  # nobody can be asked
    ],
)
def test_what_is_no_time_is_refused(
    remembered: Remembered, purge: Purge, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    assert purge(*words).code == 2
    assert remembered.inside.exists()
    assert not is_pending(state_file())


def test_a_span_has_to_be_named(purge: Purge) -> None:
    """There is no default for deleting, and no two spans at once."""
    for words in ((), ("--last", "10m", "--all")):
        with pytest.raises(SystemExit) as ended:
            purge(*words)
        assert ended.value.code == 2


def test_a_purge_that_ended_with_the_daemon_is_finished_here(remembered: Remembered, purge: Purge) -> None:
    begin(everything(), sessions_folder(), state_file())
    assert purge("--all", "--yes", "--json").json["sessions_deleted"] == 3


def test_while_another_holds_the_data_folder_nothing_is_deleted(remembered: Remembered, purge: Purge) -> None:
    """One that does not answer yet, such as one that is starting."""
    with only_instance():
        assert purge("--all", "--yes").code == 3
    assert remembered.inside.exists()


@pytest.mark.usefixtures("remembered")
def test_where_no_folder_of_that_name_is_nothing_is_deleted(purge: Purge, tmp_path: Path) -> None:
    """Who mistypes it must not believe that the sessions are gone."""
    answer = purge("--all", "--yes", "--sessions", str(tmp_path / "mistyped"))
    assert (answer.code, answer.out) == (2, "")
    assert "mistyped is not a folder" in answer.err
    assert left() == set(MARKERS)


def test_json_is_one_object_with_all_that_was_done(remembered: Remembered, purge: Purge) -> None:
    words = ("--last", since_cut(remembered), "--json")
    planned = purge(*words, "--dry-run").json
    assert left() == set(MARKERS)
    done = purge(*words, "--yes").json
    assert left() == set()
    assert (planned["dry_run"], done["dry_run"]) == (True, False)
    for facts in (planned, done):
        assert (facts["deleted"], facts["cut"]) == ([remembered.inside.name], [remembered.cut.name])
        assert (facts["sessions_deleted"], facts["sessions_cut"], facts["requests_deleted"]) == (1, 1, 2)
        assert (facts["scope"], facts["to"], facts["learned_put_back"], facts["problems"]) == ("last", None, True, [])
        assert facts["from"] == pytest.approx(remembered.cut_wall_ns / NS_PER_S, abs=60)


def test_a_day_and_everything(remembered: Remembered, purge: Purge) -> None:
    assert purge("--day", "2020-02-29", "--yes", "--json").json["sessions_deleted"] == 0
    assert len(list_sessions(sessions_folder())) == 3
    assert purge("--day", "2020-02-29", "--dry-run").code == 0
    assert purge("--all", "--yes", "--json").json["from"] is None
    assert list_sessions(sessions_folder()) == []
    assert "Everything" in purge("--all", "--yes").out


def test_a_damaged_session_gives_the_status_of_a_bad_file(remembered: Remembered, purge: Purge) -> None:
    (remembered.before / DATABASE).write_bytes(b"no database")
    answer = purge("--last", since_cut(remembered), "--yes", "--json")
    assert answer.code == 4
    assert remembered.before.name in answer.json["problems"][0]
    assert left() == set()


def test_a_purge_that_was_cut_off_before_is_finished_first(remembered: Remembered, purge: Purge) -> None:
    begin(last(remembered.last_s, remembered.now_wall_ns), sessions_folder(), state_file())
    assert purge("--day", "2020-02-29", "--yes").code == 0
    assert left() == set()
    assert not is_pending(state_file())
