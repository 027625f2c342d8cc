"""Import of lists of records: read as a stream, so that a long or hostile one takes no memory."""

from pathlib import Path

import pytest

from daemon.imports.derive import import_list
from storage.codec import canonical
from storage.errors import BadFile
from storage.records import SessionStart
from storage.settings import Settings
from storage.transfer.import_session import read_record_list
from tests.fakes.session_sample import rows, start_row


def test_a_list_is_read_line_by_line(tmp_path: Path) -> None:
    """The records before a bad line come out before it is reached, so none of them is kept."""
    path = tmp_path / "list.jsonl"
    good = rows()
    path.write_text("\n".join([*map(canonical, good), "{}"]))
    found = read_record_list(path)
    assert [canonical(next(found)) for _ in good] == list(map(canonical, good))
    with pytest.raises(BadFile, match="line 15"):
        next(found)


@pytest.mark.parametrize("seq", [0, 1])
def test_first_rows_one_after_the_other_are_no_session(tmp_path: Path, seq: int) -> None:
    """Each may hold two megabytes of anything; a list has one at most, whole session or not."""
    path = tmp_path / "list.jsonl"
    path.write_text("\n".join([canonical(start_row(seq=seq))] * 2))
    with pytest.raises(BadFile):
        import_list(path, tmp_path / "sessions", Settings())
    assert isinstance(next(read_record_list(path)), SessionStart)
    assert list((tmp_path / "sessions").glob("*")) == []
