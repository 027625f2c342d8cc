"""The database of a killed session, copied without the file that is written ahead of it, says what is missing."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from storage.errors import BadFile
from storage.session.log import DATABASE, SessionReader, SessionWriter
from storage.session.transfer.import_session import import_session
from storage.session.verify import verify
from tests.fakes.sessions.session_sample import rows


def read(folder: Path) -> object:
    with SessionReader(folder) as reader:
        return reader.first()


@pytest.mark.parametrize("ask", [read, verify, lambda folder: import_session(folder, folder.parent / "sessions")])
def test_a_database_without_what_was_written_ahead_says_so(tmp_path: Path, ask: Callable[[Path], object]) -> None:
    """The control: with the other file beside it, what was written is read."""
    running, alone, whole = (tmp_path / name for name in ("running", "alone", "whole"))
    running.mkdir()
    writer = SessionWriter(running)
    try:
        writer.append(rows())
        shutil.copytree(running, whole)
    finally:
        writer.close()
    alone.mkdir()
    shutil.copy(whole / DATABASE, alone)
    ask(whole)
    with pytest.raises(BadFile, match=r"session\.db-wal, which is missing") as caught:
        ask(alone)
    assert "the whole folder" in caught.value.remedy
