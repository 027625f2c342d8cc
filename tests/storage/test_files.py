"""Where things are kept: in the person's own folders, and in nobody else's."""

from pathlib import Path

import pytest

from storage import files
from storage.errors import EnvironmentFault, UsageError
from storage.files import expand_user, sessions_folder


def test_everything_follows_the_base_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    assert files.state_file() == tmp_path / "STATE/kairos/state.db"
    assert files.sessions_folder() == tmp_path / "STATE/kairos/sessions"
    assert files.sessions_folder("/data/here") == Path("/data/here")
    assert files.config_file() == tmp_path / "CONFIG/kairos/settings.toml"
    assert files.runtime_folder() == tmp_path / "run/kairos"
    assert files.lock_file().parent.stat().st_mode & 0o777 == 0o700
    assert files.runtime_folder().stat().st_mode & 0o777 == 0o700


def test_a_relative_base_directory_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The specification calls it invalid; following it would scatter files over the disk."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, "here")
    assert files.state_folder() == tmp_path / ".local/state/kairos"
    assert files.config_file() == tmp_path / ".config/kairos/settings.toml"
    assert files.runtime_folder() == tmp_path / ".local/state/kairos/run"


def test_a_folder_open_to_others_is_made_private_and_an_unusable_one_is_reported(tmp_path: Path) -> None:
    (tmp_path / "ours").mkdir(mode=0o777)
    (tmp_path / "ours").chmod(0o777)
    assert files.private_folder(tmp_path / "ours").stat().st_mode & 0o777 == 0o700
    (tmp_path / "file").write_text("")
    with pytest.raises(EnvironmentFault, match="cannot be used"):
        files.private_folder(tmp_path / "file" / "inside")


def test_a_home_that_is_not_there_is_wrong_usage(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert expand_user("~/x") == tmp_path / "x"
    assert sessions_folder("~/x") == tmp_path / "x"
    for read in (expand_user, sessions_folder):
        with pytest.raises(UsageError, match="no such home folder") as refused:
            read("~nosuchuser/x")
        assert "in full" in refused.value.remedy
