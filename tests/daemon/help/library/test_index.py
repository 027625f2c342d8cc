"""The index: only what has changed is read, a kill loses little, and what is gone is forgotten."""

import ast
import importlib
import os
import signal
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.help.library import HelpLibrary, reading_code
from daemon.help.library import index as index_module
from daemon.help.library.documentation import own_documentation
from daemon.help.library.folders import find_pages
from daemon.help.library.index import LibraryIndex, make_anew_if_damaged
from daemon.help.library.reading_code import reading_digest
from storage.db.connection import open_readonly, open_writable
from storage.db.schemas import STATE
from storage.errors import BadFile, EnvironmentFault
from storage.files import library_file
from tests.fakes.help.documentation import PAGES, index_of, write_documentation


def counts(data: Path) -> dict[str, int]:
    database = open_readonly(library_file(data))
    try:
        tables = ("documentation", "files", "pages", "words", "controls", "links")
        return {name: database.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables}  # noqa: S608  # constants
    finally:
        database.close()


def damage(file: Path) -> None:
    """Overwrite the pages of the full text in a database, the newest first; its beginning stays."""
    content = bytearray(file.read_bytes())
    content[-3 * 4096 :] = b"\xff" * (3 * 4096)
    file.write_bytes(content)


def test_only_what_has_changed_is_read_again_and_what_is_gone_is_forgotten(tmp_path: Path) -> None:
    documentation = write_documentation(tmp_path / "pages")
    index_of(tmp_path, documentation)
    (tmp_path / "pages/rotate.md").write_text("# Turning\n\nDo **Edit > Turn**.\n", encoding="utf-8")
    (tmp_path / "pages/paint.1").unlink()
    report = index_of(tmp_path, documentation)
    assert (report.read, report.unchanged, report.removed, report.pages) == (1, 4, 1, 5)
    database = open_readonly(library_file(tmp_path))
    titles = {title for (title,) in database.execute("SELECT title FROM pages")}
    database.close()
    assert "Turning" in titles
    assert not titles & {"Rotating a picture", "paint manual"}


def test_a_page_that_became_unreadable_is_forgotten_and_named(tmp_path: Path) -> None:
    documentation = write_documentation(tmp_path / "pages")
    index_of(tmp_path, documentation)
    (tmp_path / "pages/split.html").write_text("<h1>Empty</h1>", encoding="utf-8")
    report = index_of(tmp_path, documentation)
    assert report.skipped == [("split.html", "it holds no text")]
    assert index_of(tmp_path, documentation).skipped == report.skipped
    assert counts(tmp_path)["pages"] == len(PAGES) - 1


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    documentation = write_documentation(tmp_path / "pages")
    monkeypatch.setattr(index_module, "_BATCH", 2)
    child = os.fork()
    if child == 0:
        try:
            with LibraryIndex.open(library_file(tmp_path)) as index:
                index.add(documentation, lambda _: os.kill(os.getpid(), signal.SIGKILL))
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL
    assert counts(tmp_path)["pages"] == 2
    report = index_of(tmp_path, documentation)
    assert (report.read, report.unchanged, report.pages) == (len(PAGES) - 2, 2, len(PAGES))


def test_what_other_code_has_read_is_read_anew_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a change of the files; what our code has read already is left, also that of a run that was killed.

    Control: with the same code nothing is read again.
    """
    documentation = write_documentation(tmp_path / "pages")
    monkeypatch.setattr(index_module, "_BATCH", 2)
    monkeypatch.setattr(index_module, "reading_digest", lambda: "an earlier reader")
    index_of(tmp_path, documentation)
    assert index_of(tmp_path, documentation).read == 0
    monkeypatch.undo()
    monkeypatch.setattr(index_module, "_BATCH", 2)

    class Killed(BaseException):
        pass

    def stop(_files: int) -> None:
        raise Killed

    with LibraryIndex.open(library_file(tmp_path)) as index, pytest.raises(Killed):
        index.add(documentation, stop)
    report = index_of(tmp_path, documentation)
    assert (report.read, report.unchanged, report.pages) == (len(PAGES) - 2, 2, len(PAGES))
    assert index_of(tmp_path, documentation).read == 0
    assert counts(tmp_path)["words"] == len(PAGES)


def test_an_index_of_another_format_is_named_and_built_anew(tmp_path: Path) -> None:
    index_of(tmp_path, replace(write_documentation(tmp_path / "pages"), own=True))
    with closing(sqlite3.connect(library_file(tmp_path))) as index:
        index.execute("PRAGMA user_version = 0")
    with pytest.raises(BadFile, match="an earlier Kairos"):
        HelpLibrary.open(tmp_path)
    assert [source.folder for source in make_anew_if_damaged(library_file(tmp_path)) or ()] == [tmp_path / "pages"]
    assert not library_file(tmp_path).exists()


def test_a_change_of_any_code_that_reads_pages_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    found, waiting = set[str](), ["daemon.help.library.index"]
    while waiting:
        name = waiting.pop()
        found.add(name)
        tree = ast.parse(Path(str(importlib.import_module(name).__file__)).read_text(encoding="utf-8"))
        imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        waiting += sorted(module for module in imported - found if module.startswith("daemon.help.library."))
    known = reading_code.sources()
    assert found - {"daemon.help.library.reading_code"} <= known.keys()
    digests = {reading_digest()}
    for name in known:
        monkeypatch.setattr(reading_code, "sources", lambda name=name: known | {name: known[name] + b"#"})
        reading_digest.cache_clear()
        digests.add(reading_digest())
    monkeypatch.undo()
    reading_digest.cache_clear()
    assert len(digests) == len(known) + 1
    assert reading_digest() in digests


def test_nothing_but_files_of_the_folder_is_taken(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (tmp_path / "secret.html").write_text("<h1>Secret</h1><p>text</p>", encoding="utf-8")
    (folder / "inside.html").write_text("<h1>Inside</h1><p>text</p>", encoding="utf-8")
    (folder / "link.html").symlink_to("inside.html")
    (folder / "out.html").symlink_to(tmp_path / "secret.html")
    (folder / "parent").symlink_to(tmp_path)
    (folder / "gone.html").symlink_to("nowhere.html")
    os.mkfifo(folder / "pipe.html")
    (folder / "folder.html").mkdir()
    assert [file.path for file in find_pages(folder)] == ["inside.html", "link.html"]
    assert index_of(tmp_path, own_documentation(folder, "x")).pages == 2


def test_a_name_that_is_not_utf_8_is_skipped_and_the_others_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    for name in (b"good.md", b"\xe4.md"):
        (folder / os.fsdecode(name)).write_text("# Save all\n\n1. Choose File.\n")
    report = index_of(tmp_path, own_documentation(folder, "x"))
    assert [path for path, _ in report.skipped] == ["\\xe4.md"]
    assert report.pages == 1


def test_a_page_swapped_for_a_pipe_or_a_link_out_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (tmp_path / "secret.html").write_text("<h1>Secret</h1><p>text</p>", encoding="utf-8")
    for name in ("a.html", "b.html"):
        (folder / name).write_text("<h1>A</h1><p>text</p>", encoding="utf-8")
    found = list(find_pages(folder))
    (folder / "a.html").unlink()
    os.mkfifo(folder / "a.html")
    (folder / "b.html").unlink()
    (folder / "b.html").symlink_to(tmp_path / "secret.html")
    monkeypatch.setattr(index_module, "find_pages", lambda _: found)
    report = index_of(tmp_path, own_documentation(folder, "x"))
    assert report.skipped == [("a.html", "it is no file"), ("b.html", "it lies outside of the folder")]


def test_a_damaged_index_is_said_with_what_to_do(tmp_path: Path) -> None:
    library_file(tmp_path).write_bytes(b"no database at all" * 100)
    with pytest.raises(BadFile, match="kairos library add"):
        LibraryIndex.open(library_file(tmp_path))
    with pytest.raises(BadFile):
        HelpLibrary.open(tmp_path)


def test_ids_of_own_pages_hold_no_names(tmp_path: Path) -> None:
    index_of(tmp_path, write_documentation(tmp_path / "private-name"))
    database = open_readonly(library_file(tmp_path))
    ids = [page_id for (page_id,) in database.execute("SELECT page_id FROM pages")]
    database.close()
    assert len(set(ids)) == len(PAGES)
    assert not any(name in page_id for page_id in ids for name in ("private", "freeze", "rotate"))


def test_documentation_of_uninstalled_programs_is_removed_and_own_folders_stay(tmp_path: Path) -> None:
    own = write_documentation(tmp_path / "own")
    installed = replace(write_documentation(tmp_path / "pages"), name="painter", own=False, label="Painter Help")
    with LibraryIndex.open(library_file(tmp_path)) as index:
        index.add(own)
        index.add(installed)
        assert index.remove_uninstalled(["painter"]) == ()
        assert index.remove_uninstalled([]) == ("Painter Help",)
    assert counts(tmp_path)["documentation"] == 1
    assert counts(tmp_path)["pages"] == len(PAGES)


def test_a_damaged_index_goes_and_its_own_folders_are_known_still(tmp_path: Path) -> None:
    """Control: an index that is whole stays."""
    index_of(tmp_path, write_documentation(tmp_path / "pages"))
    file = library_file(tmp_path)
    assert make_anew_if_damaged(file) is None
    damage(file)
    own = make_anew_if_damaged(file)
    assert own is not None
    assert [(documentation.app, documentation.folder, documentation.own) for documentation in own] == [
        ("painter", tmp_path / "pages", True)
    ]
    assert not file.exists()


def test_what_is_no_database_at_all_goes_and_a_foreign_one_stays(tmp_path: Path) -> None:
    file = library_file(tmp_path)
    assert make_anew_if_damaged(file) is None
    file.write_bytes(b"no database" * 100)
    assert make_anew_if_damaged(file) == ()
    open_writable(file, STATE, wal=False).close()
    assert make_anew_if_damaged(file) is None
    assert file.exists()


def test_removing_a_folder_removes_all_of_it(tmp_path: Path) -> None:
    documentation = write_documentation(tmp_path / "pages")
    index_of(tmp_path, documentation)
    with LibraryIndex.open(library_file(tmp_path)) as index:
        assert index.remove([documentation.name]) == 1
        assert index.remove([documentation.name]) == 0
    assert set(counts(tmp_path).values()) == {0}


def test_a_folder_can_be_given_to_another_program(tmp_path: Path) -> None:
    write_documentation(tmp_path / "pages")
    index_of(tmp_path, own_documentation(tmp_path / "pages", "painter"))
    report = index_of(tmp_path, own_documentation(tmp_path / "pages", "drawer"))
    assert (report.read, report.app) == (0, "drawer")
    with HelpLibrary.open(tmp_path) as library:
        assert [package.app for package in library.documentation()] == ["drawer"]


def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match="cannot be read"):
        index_of(tmp_path, own_documentation(tmp_path / "none", "x"))
