"""`kairos library`: what each action prints, and with which status it ends."""

from collections.abc import Callable
from pathlib import Path

import pytest

from daemon.cli.library import register
from daemon.help.library import checked_wall_ns, documentation
from storage.files import library_file
from tests.fakes.commands.command_line import Answer, run_command
from tests.fakes.help.documentation import PAGES, write_documentation

Kairos = Callable[..., Answer]


@pytest.fixture
def kairos(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Kairos:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(documentation, "_DATA", tmp_path / "share")
    monkeypatch.setattr(documentation, "find_documentation", lambda: ())
    monkeypatch.setattr(documentation, "missing_packages", lambda: ())
    return lambda *words: run_command(register, capsys, "library", *words)


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    write_documentation(tmp_path / "pages")
    return tmp_path / "pages"


def test_a_folder_is_added_listed_searched_and_removed(kairos: Kairos, pages: Path) -> None:
    added = kairos("add", str(pages), "--app", "painter", "--json")
    assert (added.code, added.json["documentation"][0]["pages"]) == (0, len(PAGES))
    assert [package["app"] for package in kairos("list", "--json").json["documentation"]] == ["painter"]
    assert f"{len(PAGES)} pages about painter" in kairos("list").out
    found = kairos("search", "freeze", "rows", "--app", "painter", "--json")
    assert found.json["matches"][0]["title"] == "Freezing rows"
    assert found.json["matches"][0]["steps"][1]["controls"] == ["View", "Freeze Rows"]
    assert kairos("remove", str(pages), "--json").json == {"removed": 1}
    assert kairos("list", "--json").json["documentation"] == []


def test_every_action_can_be_done_twice(kairos: Kairos, pages: Path) -> None:
    first, second = (kairos("add", str(pages), "--json").json["documentation"][0] for _ in range(2))
    assert (first["read"], second["read"], first["pages"]) == (len(PAGES), 0, second["pages"])
    assert [kairos("remove", str(pages), "--json").json["removed"] for _ in range(2)] == [1, 0]
    assert [kairos("remove", "--all", "--json").json["removed"] for _ in range(2)] == [1, 0]
    assert not library_file().exists()


def test_progress_goes_to_stderr_and_skipped_files_are_named(kairos: Kairos, pages: Path) -> None:
    (pages / "bad\x1b[31m.html").write_text("<h1>empty</h1>", encoding="utf-8")
    answer = kairos("add", str(pages))
    assert "files" in answer.err
    assert "skipped bad?[31m.html: it holds no text" in answer.out
    assert "\x1b" not in answer.out


def test_a_search_says_where_nothing_is_indexed_about_the_program(kairos: Kairos, pages: Path) -> None:
    """And how to change that; pages that help with something else do not come."""
    nothing = kairos("search", "freeze", "first", "row", "--app", "painter")
    assert (nothing.code, nothing.out.strip()) == (1, "Nothing is indexed about painter yet: kairos library add")
    kairos("add", str(pages), "--app", "painter")
    assert "indexed about" not in kairos("search", "freeze", "rows", "--app", "painter").out
    other = kairos("search", "freeze", "first", "row", "--app", "o\x1bther")
    assert "Nothing is indexed about o?ther: kairos library add FOLDER --app NAME" in other.out
    facts = kairos("search", "copy", "and", "paste", "--app", "other", "--json").json
    assert (facts["covered"], facts["matches"][0]["general"]) == (False, True)


def test_a_damaged_index_is_built_anew_with_folders_of_ones_own(kairos: Kairos, pages: Path) -> None:
    """Control: a search of the damaged one fails."""
    kairos("add", str(pages), "--app", "painter")
    content = bytearray(library_file().read_bytes())
    content[-3 * 4096 :] = b"\xff" * (3 * 4096)
    library_file().write_bytes(content)
    assert kairos("search", "freeze", "rows", "--app", "painter").code == 4
    answer = kairos("add")
    assert (answer.code, "was damaged and is built anew" in answer.err) == (0, True)
    assert kairos("search", "freeze", "rows", "--app", "painter").code == 0


def test_a_folder_that_is_not_there_is_wrong_usage(kairos: Kairos, tmp_path: Path) -> None:
    answer = kairos("add", str(tmp_path / "none"))
    assert (answer.code, "is not a folder" in answer.err) == (2, True)
    assert kairos("add", "--app", "x").code == 2
    assert "FOLDER is empty" in kairos("add", "").err
    assert kairos("remove").code == 2
    assert kairos("search", "x", "--limit", "0").code == 2


def test_a_folder_without_pages_is_said_to_hold_none(kairos: Kairos, tmp_path: Path) -> None:
    """It names what is read; a folder with pages says nothing of that."""
    (tmp_path / "empty").mkdir()
    answer = kairos("add", str(tmp_path / "empty"))
    assert (answer.code, "no page was found in it" in answer.out) == (4, True)


def test_without_an_index_there_is_general_advice(kairos: Kairos) -> None:
    answer = kairos("search", "file", "cannot", "be", "saved")
    assert answer.code == 0
    assert answer.out.startswith("A file cannot be saved  (general")
    assert kairos("search", "xyzzy").code == 1
    assert "Name the program with --app" in kairos("search", "xyzzy").out
    assert "kairos library add" in kairos("list").out


def test_a_package_that_would_add_help_is_named(kairos: Kairos, monkeypatch: pytest.MonkeyPatch) -> None:
    package = documentation.KNOWN_PACKAGES[0]
    monkeypatch.setattr(documentation, "missing_packages", lambda: (package,))
    answer = kairos("add", "--json")
    assert answer.json["packages"] == ["libreoffice-help-en-us"]
    assert "sudo apt install libreoffice-help-en-us" in answer.err


def test_when_installed_programs_were_looked_at_is_noted(kairos: Kairos, pages: Path) -> None:
    """Adding a folder of one's own says nothing of them."""
    assert kairos("add", str(pages)).code == 0
    assert checked_wall_ns() is None
    assert kairos("add").code == 0
    assert checked_wall_ns() is not None


def test_what_is_no_longer_installed_is_removed(kairos: Kairos, pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = documentation.Documentation(name="painter", app="painter", folder=pages, label="Painter Help")
    monkeypatch.setattr(documentation, "find_documentation", lambda: (installed,))
    kairos("add")
    monkeypatch.setattr(documentation, "find_documentation", lambda: ())
    answer = kairos("add")
    assert "Painter Help: removed, since its documentation is no longer installed" in answer.out
    assert kairos("list", "--json").json["documentation"] == []
