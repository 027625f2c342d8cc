"""Import of lists of records: read as a stream, so that a long or hostile one takes no memory."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from daemon.capture.keys import GRID_NS, with_coarse_keys
from daemon.replay.imports.derive import import_list
from storage.clock import NS_PER_S
from storage.db.codec import canonical
from storage.errors import BadFile
from storage.records import Box, EventKind, Frame, InputEvent, KeyClass, SessionStart
from storage.session.log import SessionReader
from storage.session.transfer.import_session import read_record_list
from storage.settings import Settings
from tests.fakes.sessions.session_sample import rows, start_row


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "list.jsonl"


def test_a_list_is_read_line_by_line(path: Path) -> None:
    """The records before a bad line come out before it is reached, so none of them is kept."""
    good = rows()
    path.write_text("\n".join([*map(canonical, good), "{}"]))
    found = read_record_list(path)
    assert [canonical(next(found)) for _ in good] == list(map(canonical, good))
    with pytest.raises(BadFile, match="line 15"):
        next(found)


@pytest.mark.parametrize("seq", [0, 1])
def test_first_rows_one_after_the_other_are_no_session(tmp_path: Path, seq: int, path: Path) -> None:
    """Each may hold two megabytes of anything; a list has one at most, whole session or not."""
    path.write_text("\n".join([canonical(start_row(seq=seq))] * 2))
    with pytest.raises(BadFile):
        import_list(path, tmp_path / "sessions", Settings())
    assert isinstance(next(read_record_list(path)), SessionStart)
    assert list((tmp_path / "sessions").glob("*")) == []


@pytest.mark.parametrize("seq", [0, 1])
@pytest.mark.parametrize(
    ("hostile", "reason"),
    [
        ({"t_ns": 2**62}, "had not come"),
        ({"t_ns": -1}, "impossible"),
        ({"at_ns": 2**63 - 1}, "impossible"),
        ({"count": -5}, "impossible"),
        ({"count": 2**62}, "impossible"),
        ({"path": -5}, "impossible"),
    ],
)
def test_records_of_the_future_and_negative_counts_are_refused(
    tmp_path: Path, seq: int, hostile: dict[str, Any], reason: str, path: Path
) -> None:
    """No capture sees what is still to happen, or less than nothing; features of either are no numbers."""
    event = InputEvent(t_ns=0, kind=EventKind.KEY, key_class=KeyClass.UNDO)
    good = [replace(event, at_ns=at_ns, t_ns=at_ns) for at_ns in range(101 * NS_PER_S, 161 * NS_PER_S, NS_PER_S)]
    good = [replace(row, seq=seq and n) for n, row in enumerate(good, start=2)]
    for rows_of_list in (good, [replace(row, **hostile) for row in good]):
        path.write_text("\n".join(map(canonical, [start_row(seq=seq), *rows_of_list])))
        if rows_of_list is good:
            assert import_list(path, tmp_path / "sessions", Settings()).is_dir()
        else:
            with pytest.raises(BadFile, match=reason):
                import_list(path, tmp_path / "sessions", Settings())


@pytest.mark.parametrize(
    "hostile", [{"size": (0, 9)}, {"changed": (Box(0, 0, -5, 5),)}, {"covered": (Box(0, 0, 5, -5),)}]
)
def test_a_screen_without_a_size_is_refused(tmp_path: Path, hostile: dict[str, Any], path: Path) -> None:
    """A share of it is no number."""
    frame = Frame(t_ns=1, monitor="m", size=(9, 9), digest="d", changed=(Box(0, 0, 5, 5),))
    path.write_text(canonical(frame))
    assert import_list(path, tmp_path / "sessions", Settings()).is_dir()
    path.write_text(canonical(replace(frame, **hostile)))
    with pytest.raises(BadFile, match="without a size"):
        import_list(path, tmp_path / "sessions", Settings())


def test_a_text_that_is_no_unicode_is_refused(tmp_path: Path, path: Path) -> None:
    good = canonical(start_row()).encode()
    path.write_bytes(good.replace(b'"platform":"test"', b'"platform":"\xff"'))
    with pytest.raises(BadFile, match="line 1"):
        import_list(path, tmp_path / "sessions", Settings())


def _keys(folder: Path) -> list[InputEvent]:
    with SessionReader(folder) as reader:
        return [row for row in reader if isinstance(row, InputEvent) and row.kind is EventKind.KEY]


def test_keys_of_a_list_are_rounded_as_live_ones_are(tmp_path: Path, path: Path) -> None:
    """In `t_ns` and in when they are taken in; a whole session, the control, is imported as it is."""
    exact = [101 * NS_PER_S + n * 30_000_001 for n in range(20)]
    events = [InputEvent(t_ns=t_ns, at_ns=t_ns, kind=EventKind.KEY, key_class=KeyClass.CHARACTER) for t_ns in exact]
    path.write_text("\n".join(map(canonical, [start_row(seq=0), *events])))
    keys = _keys(import_list(path, tmp_path / "sessions", Settings()))
    assert [(key.t_ns, key.count) for key in keys] == [(key.t_ns, key.count) for key in _live(events)]
    assert len(keys) < len(events)
    assert [at_ns for key in keys if (at_ns := key.at_ns) % GRID_NS] == []
    assert [key.at_ns for key in keys] == sorted(key.at_ns for key in keys)
    whole = [start_row(seq=1), *(replace(event, seq=n) for n, event in enumerate(events, start=2))]
    path.write_text("\n".join(map(canonical, whole)))
    assert [key.t_ns for key in _keys(import_list(path, tmp_path / "sessions", Settings()))] == exact


def _live(events: list[InputEvent]) -> list[InputEvent]:
    return [record for record in with_coarse_keys(events) if isinstance(record, InputEvent)]


def test_a_list_with_times_of_a_live_session_keeps_them(tmp_path: Path, path: Path) -> None:
    key = InputEvent(t_ns=GRID_NS, at_ns=2 * GRID_NS + 7, kind=EventKind.KEY, key_class=KeyClass.UNDO)
    path.write_text(canonical(key))
    (found,) = _keys(import_list(path, tmp_path / "sessions", Settings()))
    assert (found.t_ns, found.at_ns) == (key.t_ns, key.at_ns)
