"""Markers: facts that can be written where nothing else can."""

import resource
from pathlib import Path

import pytest

from storage.errors import EnvironmentFault
from storage.state.markers import Marker


def test_a_marker_keeps_its_time_until_it_is_cleared(tmp_path: Path) -> None:
    """Presence and time are the fact; only this user can read it, and clearing twice is no fault."""
    marker = Marker(tmp_path / "data" / "paused")
    assert marker.wall_ns() is None
    marker.clear()
    for wall_ns in (1_790_000_000_000_000_000, 0):
        marker.set(wall_ns)
        assert Marker(marker.path).wall_ns() == wall_ns
    assert marker.path.stat().st_mode & 0o777 == 0o600
    marker.clear()
    assert not marker.path.exists()


def test_a_marker_needs_no_space(tmp_path: Path) -> None:
    """It is an empty file, so it is written where not a byte can be."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        Marker(tmp_path / "consent-revoked").set(5_000_000_000)
        with pytest.raises(OSError, match="File too large"):
            (tmp_path / "control").write_bytes(b"x")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert Marker(tmp_path / "consent-revoked").wall_ns() == 5_000_000_000


def test_a_marker_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EnvironmentFault, match="file"):
        Marker(tmp_path / "file" / "paused").set(1)
    with pytest.raises(EnvironmentFault, match="paused cannot be read"):
        Marker(tmp_path / "file" / "paused").wall_ns()
    (tmp_path / "paused").symlink_to(tmp_path / "file")
    with pytest.raises(EnvironmentFault, match="paused cannot be written"):
        Marker(tmp_path / "paused").set(1)
    (tmp_path / "folder").mkdir()
    with pytest.raises(EnvironmentFault, match="folder cannot be removed"):
        Marker(tmp_path / "folder").clear()
