"""`kairos desktop`: the extension is put there after a yes alone, for this version of the shell, and removed whole."""

import json
import sys
from io import StringIO
from pathlib import Path

import pytest

from daemon.capture.wayland.gnome import portal
from daemon.capture.wayland.gnome.installation import UUID
from daemon.cli.main import main
from storage.state.pictures import PicturePermission

_FAKE = """#!/bin/sh
case "$0 $1" in
*gnome-shell*) echo "GNOME Shell {version}" ;;
*"gsettings get") cat {list} ;;
*) printf %s "$4" > {list} ;;
esac
"""


@pytest.fixture
def enabled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file that stands for the list of extensions that are on; the shell is of version 43."""
    names = tmp_path / "enabled"
    names.write_text("@as []")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    write_shell(tmp_path, "43.9")
    return names


def write_shell(folder: Path, version: str) -> None:
    (folder / "bin").mkdir(exist_ok=True)
    for name in ("gnome-shell", "gsettings"):
        (folder / "bin" / name).write_text(_FAKE.format(version=version, list=folder / "enabled"))
        (folder / "bin" / name).chmod(0o755)


@pytest.mark.parametrize(("version", "begins"), [("43.9", "init()"), ("45.1", "import Gio from")])
def test_install_and_remove(tmp_path: Path, enabled: Path, version: str, begins: str) -> None:
    """The shell loads scripts until version 44, then modules; others of the person's stay as they are."""
    write_shell(tmp_path, version)
    enabled.write_text("['other@x']")
    folder = tmp_path / "data" / "gnome-shell" / "extensions" / UUID
    assert main(["desktop", "install", "--yes"]) == 0
    code = (folder / "extension.js").read_text()
    assert begins in code
    assert code.count("class Kairos {") == 1
    assert json.loads((folder / "metadata.json").read_text())["shell-version"] == [version.partition(".")[0]]
    assert (folder.stat().st_mode & 0o777, (folder / "token").stat().st_mode & 0o777) == (0o700, 0o600)
    assert enabled.read_text() == f"['other@x', '{UUID}']"
    first = (folder / "token").read_text()
    assert main(["desktop", "install", "--yes"]) == 0
    assert (folder / "token").read_text() != first
    assert main(["desktop", "remove"]) == 0
    assert (folder.exists(), enabled.read_text()) == (False, "['other@x']")
    assert main(["desktop", "remove"]) == 0


@pytest.mark.parametrize(("answer", "is_there"), [("y\n", True), ("n\n", False), ("", False)])
def test_nothing_is_put_there_without_a_yes(
    tmp_path: Path, enabled: Path, monkeypatch: pytest.MonkeyPatch, answer: str, *, is_there: bool
) -> None:
    asked = StringIO(answer)
    asked.isatty = lambda: bool(answer)  # type: ignore[method-assign]  # an answer comes from a terminal
    monkeypatch.setattr(sys, "stdin", asked)
    assert main(["desktop", "install"]) == (0 if answer else 2)
    assert (tmp_path / "data" / "gnome-shell").exists() is is_there
    assert (UUID in enabled.read_text()) is is_there


def test_it_is_removed_outside_of_gnome_too(
    tmp_path: Path, enabled: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its files go, and what could not be switched off is said; in GNOME a second try does the rest."""
    folder = tmp_path / "data" / "gnome-shell" / "extensions" / UUID
    assert main(["desktop", "install", "--yes"]) == 0
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("PATH", "/nowhere")
        capsys.readouterr()
        assert main(["desktop", "remove"]) == 0
        assert "It could not be switched off" in capsys.readouterr().out
        assert (folder.exists(), UUID in enabled.read_text()) == (False, True)
        assert main(["desktop", "remove", "--json"]) == 0
        assert json.loads(capsys.readouterr().out) == {"removed": False, "switched_off": False}
    assert main(["desktop", "remove"]) == 0
    assert "It was not there." in capsys.readouterr().out
    assert enabled.read_text() == "[]"


def test_files_that_cannot_be_deleted_are_named(
    tmp_path: Path, enabled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "data" / "gnome-shell" / "extensions" / UUID
    folder.parent.mkdir(parents=True)
    folder.write_text("no folder")
    assert main(["desktop", "remove"]) == 3
    assert str(folder) in capsys.readouterr().err
    assert enabled.read_text() == "[]"


def test_elsewhere_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["desktop", "install", "--yes"]) == 3
    assert "this step is for GNOME alone" in capsys.readouterr().err


def test_who_installs_it_again_is_asked_where_gnome_no_longer_knows_the_yes(
    enabled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`kairos doctor` says that this is what to do then."""
    monkeypatch.setattr(portal, "access", lambda *_: portal.PortalAccess.TAKEN_BACK)
    permission = PicturePermission()
    permission.save("yes")
    assert main(["desktop", "install", "--yes"]) == 0
    assert permission.token is None
    assert UUID in enabled.read_text()


def test_who_installs_it_again_is_asked_for_pictures_again_and_who_removes_it_takes_them_back(enabled: Path) -> None:
    """A yes stays a yes, and a no is forgotten."""
    permission = PicturePermission()
    for answer, kept in (("", None), ("yes", "yes")):
        permission.save(answer)
        assert main(["desktop", "install", "--yes"]) == 0
        assert permission.token == kept
    assert main(["desktop", "remove"]) == 0
    assert permission.token is None
    assert enabled.read_text() == "[]"
