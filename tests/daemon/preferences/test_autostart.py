"""Autostart: off until chosen, an entry of one's own above that of a package, and a file made by hand left alone."""

import json
from pathlib import Path

import pytest

from daemon.cli.main import main
from daemon.preferences.autostart import autostart_file, entry_text, read_autostart, set_autostart
from storage.errors import UsageError
from storage.preferences import AutostartState


@pytest.fixture(autouse=True)
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))
    monkeypatch.setenv("XDG_CONFIG_DIRS", str(tmp_path / "system"))
    folder = tmp_path / "system" / "autostart"
    folder.mkdir(parents=True)
    return folder


def test_off_until_chosen_and_nothing_left_after_it() -> None:
    assert read_autostart().state is AutostartState.OFF
    assert not autostart_file().exists()
    assert set_autostart(on=True).state is AutostartState.ON
    text = autostart_file().read_text()
    assert " run\n" in text.partition("Exec=")[2]
    assert "Hidden=false" in text
    assert set_autostart(on=True).state is AutostartState.ON
    assert set_autostart(on=False).state is AutostartState.OFF
    assert not autostart_file().exists()


def test_an_entry_of_a_package_is_off_until_chosen(system: Path) -> None:
    (system / "kairos.desktop").write_text(entry_text(on=False))
    assert not read_autostart().starts
    assert set_autostart(on=True).starts
    assert not set_autostart(on=False).starts
    assert not autostart_file().exists()


@pytest.mark.parametrize(("line", "starts"), [("", True), ("Hidden=true\n", False)])
def test_a_file_made_by_hand_is_told_and_left_alone(line: str, starts: bool) -> None:
    path = autostart_file()
    path.parent.mkdir(parents=True)
    path.write_text(f"[Desktop Entry]\nType=Application\nName=Mine\nExec=kairos run --verbose\n{line}")
    before = path.read_text()
    found = read_autostart()
    assert (found.state, found.starts, found.file) == (AutostartState.BY_HAND, starts, str(path))
    for on in (True, False):
        with pytest.raises(UsageError, match="was not written by Kairos"):
            set_autostart(on=on)
    assert path.read_text() == before


def test_the_command_says_what_holds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["autostart", "status"]) == 0
    assert capsys.readouterr().out == "Kairos does not start by itself\n"
    assert main(["autostart", "on"]) == 0
    assert str(autostart_file()) in capsys.readouterr().out
    assert main(["autostart", "status", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["state"] == "on"
    assert main(["autostart", "off"]) == 0
    assert not autostart_file().exists()


def test_an_entry_for_all_users_that_is_on_is_switched_off_by_one_of_our_own(system: Path) -> None:
    """Removing our own would not be enough."""
    (system / "kairos.desktop").write_text(entry_text())
    assert read_autostart().starts
    assert not set_autostart(on=False).starts
    assert "Hidden=true" in autostart_file().read_text()
    assert set_autostart(on=True).starts
