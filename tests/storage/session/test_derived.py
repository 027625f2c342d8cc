"""Files beside a session's rows: whole or not at all, as old as the session, and none of what others put there."""

import os
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

from storage.files import partial_name
from storage.session.derived import note_copy, read_derived, take_out_of_copies, write_derived
from storage.session.heartbeat import Heartbeat
from storage.session.log import DATABASE, GOALS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / DATABASE).write_bytes(b"rows")
    os.utime(tmp_path / DATABASE, (1_700_000_000, 1_700_000_000))
    return tmp_path


def test_what_is_written_is_read_and_makes_a_session_no_younger(folder: Path) -> None:
    """By its files' times others see how old a session is; too long a file counts as none."""
    assert write_derived(folder, GOALS, b"content")
    assert read_derived(folder, GOALS, 7) == b"content"
    assert read_derived(folder, GOALS, 6) is None
    assert (folder / GOALS).stat().st_mtime == (folder / DATABASE).stat().st_mtime
    assert sorted(path.name for path in folder.iterdir()) == [GOALS, DATABASE]


def test_a_session_that_is_recorded_or_gone_gets_none(folder: Path) -> None:
    """Nor is its folder made again; control: once it has ended it gets one."""
    heartbeat = Heartbeat(folder)
    assert not write_derived(folder, GOALS, b"content")
    heartbeat.close(in_order=True)
    assert write_derived(folder, GOALS, b"content")
    (folder / DATABASE).unlink()
    assert not write_derived(folder, GOALS, b"other")
    assert read_derived(folder, GOALS, 100) == b"content"
    assert not write_derived(folder / "gone", GOALS, b"content")
    assert not (folder / "gone").exists()


def test_links_are_neither_read_nor_written_through(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whoever may write into the folder does not lead us elsewhere."""
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "file"
    elsewhere.write_bytes(b"theirs")
    (folder / GOALS).symlink_to(elsewhere)
    (folder / partial_name(GOALS)).symlink_to(elsewhere)
    assert read_derived(folder, GOALS, 100) is None
    assert write_derived(folder, GOALS, b"ours")
    assert read_derived(folder, GOALS, 100) == b"ours"
    assert elsewhere.read_bytes() == b"theirs"


def test_a_copy_that_no_other_distribution_can_change_is_told_of(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def load() -> None:
        raise ImportError("of another version")

    monkeypatch.setattr(metadata, "entry_points", lambda group: [SimpleNamespace(load=load)])
    note_copy(folder, folder, part="one")
    assert take_out_of_copies([folder]) == ([], [str(folder)])
