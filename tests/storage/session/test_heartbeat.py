"""The heartbeat: two times that survive a kill, and a lock that tells whether a session is being recorded."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from storage.errors import EnvironmentFault
from storage.session.heartbeat import HEARTBEAT_FILE, Beat, Heartbeat, is_recording, read_heartbeat


def test_a_time_that_was_set_is_read_at_once(tmp_path: Path) -> None:
    heartbeat = Heartbeat(tmp_path)
    assert read_heartbeat(tmp_path) == Beat(seen_ns=0, taken_ns=0)
    heartbeat.seen(2**62)
    heartbeat.taken(5)
    assert read_heartbeat(tmp_path) == Beat(seen_ns=2**62, taken_ns=5)
    heartbeat.close(in_order=True)


@pytest.mark.parametrize("in_order", [True, False])
def test_only_a_session_that_ended_in_order_has_no_heartbeat(tmp_path: Path, in_order: bool) -> None:
    heartbeat = Heartbeat(tmp_path)
    heartbeat.seen(7)
    assert is_recording(tmp_path)
    heartbeat.close(in_order=in_order)
    heartbeat.seen(8)
    heartbeat.close(in_order=in_order)
    assert not is_recording(tmp_path)
    assert (read_heartbeat(tmp_path) is None) == in_order


def test_a_session_has_one_recorder_at_a_time(tmp_path: Path) -> None:
    heartbeat = Heartbeat(tmp_path)
    heartbeat.seen(9)
    with pytest.raises(EnvironmentFault):
        Heartbeat(tmp_path)
    assert read_heartbeat(tmp_path) == Beat(seen_ns=9, taken_ns=0)
    heartbeat.close(in_order=True)


@pytest.mark.parametrize(
    "make",
    [
        lambda _: None,
        lambda path: path.write_bytes(b"short"),
        lambda path: path.symlink_to("other"),
        os.mkfifo,
        os.mkdir,
    ],
    ids=["missing", "short", "link", "pipe", "folder"],
)
def test_an_unusable_heartbeat_file_is_ignored(tmp_path: Path, make: Callable[[Path], object]) -> None:
    assert not is_recording(tmp_path)
    (tmp_path / "other").write_bytes(bytes(16))
    make(tmp_path / HEARTBEAT_FILE)
    assert read_heartbeat(tmp_path) is None
