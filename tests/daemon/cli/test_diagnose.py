"""`kairos diagnose`: which sessions, what is printed, and where the page goes."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from daemon.cli.diagnose import PAGE_NAME, register
from storage.clock import NS_PER_S, SystemClock
from storage.session.log import DATABASE
from tests.fakes.commands.command_line import Answer, run_command
from tests.fakes.detectors.trouble import DAY_S, NOON_S, episode, write

Diagnose = Callable[..., Answer]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tmp_path / "STATE" / "kairos" / "sessions"


@pytest.fixture
def diagnose(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Diagnose:
    for name in ("STATE", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))

    def run(*arguments: str) -> Answer:
        return run_command(register, capsys, "diagnose", *arguments)

    return run


def test_nothing_recorded_is_no_error(diagnose: Diagnose) -> None:
    """Somebody who has just installed Kairos asks too."""
    answer = diagnose()
    assert answer.code == 0
    assert answer.out.startswith("There are no sessions to look at. Kairos records them while it runs")
    assert diagnose("--json").json["episodes"] == []


def test_three_episodes_are_three_and_the_place_that_comes_back_is_named(diagnose: Diagnose, base: Path) -> None:
    """On two days, at one button."""
    write(base, *episode(60.0), *episode(300.0, name="Font"), day=0)
    write(base, *episode(60.0), day=1)
    found = diagnose("--json").json
    assert len(found["episodes"]) == 3
    assert [spot["recurs"] for spot in found["spots"]] == [False, False]
    write(base, *episode(60.0), day=1.1)
    found = diagnose("--json").json
    recurring = [spot for spot in found["spots"] if spot["recurs"]]
    assert [(spot["app"], spot["place_name"], spot["times"], spot["days"]) for spot in recurring] == [
        ("writer", "the button “Bold”", 3, 2)
    ]
    assert "writer, the button “Bold”: undoing again and again" in diagnose().out


def test_all_sessions_of_this_machine_or_those_named(diagnose: Diagnose, base: Path) -> None:
    """By the beginning of a name; one from elsewhere only where it is named."""
    first = write(base, *episode(60.0))
    write(base, *episode(60.0), day=1)
    foreign = write(base, *episode(60.0), day=2, imported_from="AgentNet")
    assert diagnose("--json").json["sessions"] == 2
    assert diagnose(first.name[:15], "--json").json["sessions"] == 1
    assert diagnose(first.name, str(foreign), "--json").json["sessions"] == 2
    assert diagnose("no-such").code == 4
    assert diagnose("2026").code == 2


def test_the_time_span_is_that_of_last(diagnose: Diagnose, base: Path) -> None:
    """Sessions that went on in it, whole."""
    now_s = SystemClock().wall_ns() / NS_PER_S
    for age_days in (1, 6, 9):
        began_s = now_s - age_days * DAY_S
        folder = write(base, *episode(60.0), day=(began_s - NOON_S) / DAY_S)
        ended_ns = round((began_s + 600) * NS_PER_S)
        os.utime(folder / DATABASE, ns=(ended_ns, ended_ns))
    assert diagnose("--last", "7d", "--json").json["sessions"] == 2
    assert diagnose("--last", "30d", "--json").json["sessions"] == 3
    assert diagnose("--last", "soon").code == 2


def test_a_page_is_written_for_this_user_alone(diagnose: Diagnose, base: Path, tmp_path: Path) -> None:
    """Into a folder that need not be there, or a file; a report is replaced, nothing else is."""
    write(base, *episode(60.0))
    answer = diagnose("--out", str(tmp_path / "new"), "--json")
    page = tmp_path / "new" / PAGE_NAME
    assert answer.json["page"] == str(page)
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    named = tmp_path / "mine.html"
    for _ in range(2):
        assert diagnose("--out", str(named)).code == 0
    assert named.read_text(encoding="utf-8").startswith("<!doctype html>")
    named.write_text("my own notes", encoding="utf-8")
    assert diagnose("--out", str(named)).code == 2
    assert named.read_text(encoding="utf-8") == "my own notes"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["STATE", "mine.html", "new"]


def test_a_session_that_cannot_be_read_ends_nothing_unless_there_is_no_other(diagnose: Diagnose, base: Path) -> None:
    """It is named; with it alone the input is bad."""
    bad = base / "20261101-101010-aaaa"
    bad.mkdir(parents=True)
    (bad / DATABASE).write_bytes(b"garbage")
    answer = diagnose()
    assert answer.code == 4
    assert bad.name in answer.err
    write(base, *episode(60.0))
    answer = diagnose()
    assert answer.code == 0
    assert f"Session {bad.name} was left out" in answer.out


def test_a_page_that_cannot_be_written_is_an_error(diagnose: Diagnose, base: Path, tmp_path: Path) -> None:
    """A link is not followed, a file is no folder."""
    write(base, *episode(60.0))
    (tmp_path / "linked.html").symlink_to(tmp_path / "elsewhere.html")
    assert diagnose("--out", str(tmp_path / "linked.html")).code == 2
    assert not (tmp_path / "elsewhere.html").exists()
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert diagnose("--out", str(tmp_path / "file" / "below")).code == 3
