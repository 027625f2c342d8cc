"""The doctor knows which way Kairos was installed by the marks that installers leave, and how to go on from there."""

import json
from pathlib import Path

import pytest

from daemon.cli.installation import DEBIAN_PREFIX, Way, add_extra, find_installation
from daemon.cli.main import main

ROOT = Path(__file__).resolve().parents[3]
PYTHON = Path("/usr")


def test_the_debian_package_is_known_by_its_place_and_by_dpkg(tmp_path: Path) -> None:
    """Its folder without dpkg's list is an environment that somebody made there."""
    dpkg_list = tmp_path / "kairos-assistant.list"
    other = find_installation(DEBIAN_PREFIX, PYTHON, dpkg_list=dpkg_list, source=tmp_path)
    assert other.way is Way.VENV
    dpkg_list.touch()
    found = find_installation(DEBIAN_PREFIX, PYTHON, dpkg_list=dpkg_list, source=tmp_path)
    assert (found.way, found.place) == (Way.DEB, DEBIAN_PREFIX)
    assert found.remove == "sudo apt remove kairos-assistant"
    assert "cannot take extras" in add_extra(found, "ocr")


@pytest.mark.parametrize(
    ("mark", "way", "upgrade"),
    [
        ("pipx_metadata.json", Way.PIPX, "pipx upgrade kairos-assistant"),
        ("uv-receipt.toml", Way.UV, "uv tool upgrade kairos-assistant"),
        (None, Way.VENV, "python -m pip install --upgrade kairos-assistant"),
    ],
)
def test_an_environment_is_known_by_its_installer_s_mark(
    tmp_path: Path, mark: str | None, way: Way, upgrade: str
) -> None:
    """One without any mark is a virtual environment, to be changed by its own pip."""
    if mark:
        (tmp_path / mark).touch()
    found = find_installation(tmp_path, PYTHON, dpkg_list=tmp_path / "none", source=tmp_path)
    assert (found.way, found.place) == (way, tmp_path)
    assert upgrade in found.upgrade
    assert "kairos-assistant[ocr]" in add_extra(found, "ocr")


def test_a_checkout_is_known_by_the_sources_around_it(tmp_path: Path) -> None:
    """It names the folder of the sources, not that of the environment."""
    found = find_installation(tmp_path, PYTHON, dpkg_list=tmp_path / "none", source=ROOT)
    assert (found.way, found.place) == (Way.CHECKOUT, ROOT)
    assert str(ROOT) in found.mend
    assert str(ROOT) in found.remove


def test_what_lies_in_python_itself_is_no_environment(tmp_path: Path) -> None:
    """There the interpreter is its own base."""
    found = find_installation(tmp_path, tmp_path, dpkg_list=tmp_path / "none", source=tmp_path)
    assert found.way is Way.PYTHON


def test_doctor_says_it_in_words_and_in_json(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """These tests run from a checkout."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    main(["doctor", "--json"])
    facts = json.loads(capsys.readouterr().out)
    assert facts["installation"]["way"] == "checkout"
    assert {"place", "version", "mend", "upgrade", "remove"} <= facts["installation"].keys()
    main(["doctor"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("ok    installation: source checkout, version ")
    assert [line.split(":")[0].strip() for line in lines[1:3]] == ["to upgrade", "to remove"]
