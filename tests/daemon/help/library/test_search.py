"""The search: pages of the program first, general ones where none fits, the same answer each time, from any thread."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.help.context import CAME_BACK, HelpContext
from daemon.help.library import HelpLibrary, ranking
from daemon.help.library.documentation import Documentation, own_documentation
from daemon.help.library.general import general_pages
from daemon.help.library.index import LibraryIndex
from daemon.help.library.ranking import synonyms_of, terms_of
from daemon.help.programs import program_of, programs_read_for
from daemon.help.sought import SoughtHelp
from storage.db.connection import open_readonly, open_writable
from storage.db.schemas import STATE
from storage.errors import BadFile, EnvironmentFault
from storage.files import library_file
from storage.messages import EVIDENCE
from storage.ports import WHAT_FOR
from tests.fakes.help.documentation import index_of, write_documentation
from tests.fakes.narrowing import present


@pytest.fixture
def library(tmp_path: Path) -> HelpLibrary:
    index_of(tmp_path, write_documentation(tmp_path / "pages"))
    return HelpLibrary.open(tmp_path)


def titles(library: HelpLibrary, **fields: object) -> list[str]:
    context = HelpContext(app="painter", **fields)  # type: ignore[arg-type]  # fields by name
    return [match.page.title for match in library.search(context)]


BESIDE = {
    "freeze.md": "# Freezing rows as headers\n\n1. Choose **View > Freeze Rows**.\n",
    "protect.md": (
        "# Protecting cells\nkeywords: cell protection, format cells\n\n"
        "Cells of a row are locked in Format Cells.\n\n"
        "1. Choose **Format > Cells > Cell Protection**.\n2. Tick **Protected**.\n"
    ),
    "split.md": "# Splitting the window\n\n1. Choose **View > Split Window**.\n",
    "border.md": "# Borders\n\n1. Choose **Format > Cells > Borders**.\n",
    **{
        f"{name}.md": f"# {name.title()}\n\n1. Choose **Tools > {name}**.\n" for name in ("zoom", "brush", "pen", "ink")
    },
}
TROUBLE = HelpContext(
    app="painter",
    controls=("Format Cells", "Cell Protection", "Protected", "Cell Protection", "Format Cells"),
    evidence=("dialog_loop", "back_and_forth"),
)


@pytest.mark.parametrize("beside", [None, 1.0], ids=["words", "control"])
def test_who_types_what_a_page_is_called_gets_it_whatever_was_seen_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beside: float | None
) -> None:
    """Right after trouble in another dialog; without words, that trouble finds its page.

    Control: where what was seen counts beside such words as without them, its page comes first.
    """
    (tmp_path / "pages").mkdir()
    for name, text in BESIDE.items():
        (tmp_path / "pages" / name).write_text(text, encoding="utf-8")
    index_of(tmp_path, own_documentation(tmp_path / "pages", "painter"))
    if beside is not None:
        monkeypatch.setattr(ranking, "_BESIDE_WORDS", beside)

    def first(words: str) -> str:
        with HelpLibrary.open(tmp_path) as library:
            return library.search_program(replace(TROUBLE, words=words), 1, least=0.0)[0].page.title

    assert first("") == "Protecting cells"
    assert first("freeze the first row") == ("Freezing rows as headers" if beside is None else "Protecting cells")
    assert first("stop a row from being changed") == "Protecting cells"  # one word of several names no page


@pytest.mark.parametrize(
    ("app", "is_learned", "first"),
    [
        ("libreoffice-writer", True, "Changing Page Orientation"),
        ("libreoffice-writer", False, "Printer settings"),
        ("painter", True, "Printer settings"),
    ],
    ids=["learned", "control", "another program"],
)
def test_a_page_that_is_sought_is_found_without_a_word_in_common(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, app: str, first: str, *, is_learned: bool
) -> None:
    """The pages of the painter have the same titles."""
    (tmp_path / "pages").mkdir()
    for name, text in {
        "sideways.md": "# Changing Page Orientation\n\n1. Choose **Sheet > Turn**.\n",
        "printer.md": "# Printer settings\n\n1. Choose **Devices > Printer Settings > Copies**.\n",
        "ink.md": "# Ink\n\n1. Choose **Devices > Ink**.\n",
    }.items():
        (tmp_path / "pages" / name).write_text(text, encoding="utf-8")
    index_of(tmp_path, own_documentation(tmp_path / "pages", app))
    if not is_learned:
        monkeypatch.setattr(SoughtHelp, "pages", lambda *_: {})
    context = HelpContext(
        app=app,
        dialog="Printer Properties",
        controls=("File", "Printer Settings...", "Properties...", "Orientation", "Landscape", "OK"),
    )
    with HelpLibrary.open(tmp_path) as library:
        assert library.search_program(context, 1, least=0.0)[0].page.title == first


def test_the_names_of_controls_find_their_page(library: HelpLibrary) -> None:
    assert titles(library, controls=("Tools", "Rotate"))[0] == "Rotating a picture"


def test_a_match_holds_steps_source_program_and_a_probability(library: HelpLibrary) -> None:
    match = library.search(HelpContext(app="Painter-2.1", words="freeze rows"))[0]
    assert (match.page.app, match.page.source, match.page.general) == ("Painter-2.1", "pages", False)
    assert match.page.steps[1].controls == ("View", "Freeze Rows")
    assert 0 < match.score < 1
    again = library.page(match.page.page_id)
    assert again is not None
    assert again.steps == match.page.steps


def test_scores_fall_and_the_limit_holds(library: HelpLibrary) -> None:
    found = library.search_program(HelpContext(app="painter", words="rows window picture"), 2, least=0.0)
    assert len(found) == 2
    assert found[0].score >= found[1].score


def test_pages_of_another_program_are_never_found(library: HelpLibrary) -> None:
    found = library.search(HelpContext(app="other", words="freeze rows", evidence=("undo_bursts",)))
    assert found
    assert all(match.page.general for match in found)


def test_without_an_index_general_pages_are_found_and_named_as_general(tmp_path: Path) -> None:
    with HelpLibrary.open(tmp_path) as library:
        found = library.search(HelpContext(app="mousepad", words="my file cannot be saved"))
        assert not library.indexed
    assert found[0].page.page_id == "general/file_not_saved"
    assert found[0].page.general


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("freeze the first row", False),
        ("insert text", False),
        ("freeze", True),
        ("freezing", True),
        ("undo", True),
        ("undo history", True),
        ("copy and paste", True),
    ],
)
def test_one_word_among_others_finds_no_general_page(tmp_path: Path, words: str, *, found: bool) -> None:
    """Frozen windows are no help with frozen rows; the only word that was typed counts."""
    with HelpLibrary.open(tmp_path) as library:
        assert bool(library.search(HelpContext(app="mousepad", words=words))) is found
        on_screen = library.search(HelpContext(app="mousepad", errors=(words,)))
        assert bool(on_screen) is (words in {"undo history", "copy and paste"})


def test_the_library_says_about_which_programs_anything_is_indexed(library: HelpLibrary, tmp_path: Path) -> None:
    assert library.covers("Painter-2.1")
    assert not library.covers("other")
    assert not library.covers("")
    with HelpLibrary.open(tmp_path / "none") as empty:
        assert not empty.covers("painter")


@pytest.mark.parametrize(
    ("evidence", "page_id"),
    [
        ("undo_bursts", "general/undo_history"),
        ("menu_wandering", "general/find_command"),
        ("field_returns", "general/entry_refused"),
        ("hover_without_act", "general/find_command"),
        ("trouble_pattern", "general/repeated_by_hand"),
        ("same_views", "general/find_passage"),
    ],
)
def test_evidence_alone_finds_a_general_page(tmp_path: Path, evidence: str, page_id: str) -> None:
    with HelpLibrary.open(tmp_path) as library:
        found = library.search(HelpContext(app="mousepad", evidence=(evidence,)), limit=15)
    assert page_id in [match.page.page_id for match in found]


def test_who_asks_without_a_word_gets_a_general_page_in_any_case(tmp_path: Path) -> None:
    """Not where words were typed that no page has, nor where nobody asked: an offer says nothing that nobody needs."""
    typed = HelpContext(app="mousepad", words="xyzzy plugh")
    with HelpLibrary.open(tmp_path) as library:
        asked = library.search_general(HelpContext(app="mousepad"), asked=True)
        assert [match.page.page_id for match in asked] == ["general/find_command"]
        assert library.search_general(HelpContext(app="mousepad")) == ()
        assert library.search_general(typed, asked=True) == ()
        stuck = library.search_general(HelpContext(app="mousepad", evidence=("undo_bursts",)), asked=True)
        assert stuck[0].page.page_id == "general/undo_history"


def test_nothing_is_found_where_nothing_fits(tmp_path: Path) -> None:
    with HelpLibrary.open(tmp_path) as library:
        assert library.search(HelpContext(app="mousepad", words="xyzzy")) == ()
        assert library.page("general/none") is None


def test_general_pages_are_whole() -> None:
    pages = general_pages()
    assert len(pages) == 17, "docs/help.md says how many"
    for page in pages:
        assert 3 <= len(page.page.steps) <= 7
        assert page.page.general
        assert page.keywords
        assert set(page.evidence) <= EVIDENCE.keys() | {CAME_BACK}


def test_each_kind_of_evidence_has_a_general_page_or_says_nothing_of_the_trouble() -> None:
    covered = {code for page in general_pages() for code in page.evidence}
    assert EVIDENCE.keys() - covered == {"comparing", "flow", "model_judgement"}
    by_words_alone = {page.page.page_id for page in general_pages() if not page.evidence}
    assert by_words_alone == {"general/copy_paste", "general/file_not_saved"}


@pytest.mark.parametrize(
    ("evidence", "first"),
    [
        (("dead_clicks",), "greyed_out"),
        (("menu_wandering",), "find_command"),
        (("dialog_loop", "menu_wandering"), "setting_elsewhere"),
        (("came_back", "dialog_loop"), "dialog_comes_back"),
        (("undo_bursts",), "undo_history"),
        (("value_flip_flop",), "entry_refused"),
        (("long_pause",), "find_command"),
        (("trouble_pattern",), "undo_history"),
        (("same_place",), "select_exactly"),
    ],
)
def test_of_general_pages_the_one_made_for_the_evidence_comes_first(
    tmp_path: Path, evidence: tuple[str, ...], first: str
) -> None:
    with HelpLibrary.open(tmp_path) as library:
        assert library.search(HelpContext(app="mousepad", evidence=evidence))[0].page.page_id == f"general/{first}"


@pytest.mark.parametrize("text", ['" OR 1 --', "NEAR(a b)", "title : x", "*", "^a", "''", "a\0b", "-", "{body} : x"])
def test_text_from_the_screen_is_never_syntax(library: HelpLibrary, text: str) -> None:
    context = HelpContext(app="painter", words=text, dialog=text, controls=(text,), messages=(text,), title=text)
    assert isinstance(library.search(context), tuple)


def test_a_flood_of_text_is_cut(library: HelpLibrary) -> None:
    flood = " ".join(f"word{number}" for number in range(5_000))
    context = HelpContext(app="painter", words=flood, messages=(flood,) * 5, controls=(flood,) * 50)
    assert isinstance(library.search(context), tuple)
    assert len(terms_of((flood,))) == 40


def test_a_foreign_database_is_refused(tmp_path: Path) -> None:
    open_writable(library_file(tmp_path), STATE, wal=False).close()
    with pytest.raises(BadFile, match="no index of documentation"):
        HelpLibrary.open(tmp_path)


def test_an_index_that_is_made_anew_counts_from_the_next_search_on(tmp_path: Path) -> None:
    context = HelpContext(app="painter", words="freeze the rows; copy and paste")
    documentation = write_documentation(tmp_path / "pages")
    file = library_file(tmp_path)
    with HelpLibrary.open(tmp_path) as library:
        assert library.search(context)[0].page.general
        file.touch()
        assert library.search(context)[0].page.general
        index_of(tmp_path, documentation)
        assert library.search(context)[0].page.title == "Freezing rows"
        file.unlink()
        assert library.search(context)[0].page.general
        assert library.documentation() == ()
        index_of(tmp_path, documentation)
        assert library.search(context)[0].page.title == "Freezing rows"
        file.unlink()
        file.write_bytes(b"no database" * 100)
        assert library.search(context)[0].page.general


WRITE = """
import os, sys
from pathlib import Path
from daemon.help.library.index import LibraryIndex
index = LibraryIndex.open(Path(sys.argv[1]))
index._connection.execute("PRAGMA cache_spill = 10")
index._connection.execute("PRAGMA cache_size = 10")
index._connection.execute("BEGIN")
index._connection.execute("DELETE FROM pages")
index._connection.execute("DELETE FROM documentation")
index._connection.executemany(
    "INSERT INTO links (page, target) VALUES (?, ?)", ((page, "x" * 500) for page in range(2000))
)
os._exit(0)
"""


@pytest.mark.parametrize("opened", [True, False])
def test_what_a_killed_command_had_begun_to_write_is_undone(tmp_path: Path, *, opened: bool) -> None:
    """Part of it is in the file already. Control: who only reads cannot read it before that."""
    index_of(tmp_path, write_documentation(tmp_path / "pages"))
    context = HelpContext(app="painter", words="freeze the rows")
    library = HelpLibrary.open(tmp_path) if opened else None
    subprocess.run([sys.executable, "-c", WRITE, str(library_file(tmp_path))], check=True)
    with pytest.raises(BadFile):
        open_readonly(library_file(tmp_path))
    with library or HelpLibrary.open(tmp_path) as again:
        assert again.search(context)[0].page.title == "Freezing rows"


@pytest.mark.parametrize("spills", [False, True])
def test_who_indexes_locks_nobody_out_before_its_commit(tmp_path: Path, *, spills: bool) -> None:
    """However much it writes. Control: if SQLite may spill its cache into the file, a search waits in vain."""
    index_of(tmp_path, write_documentation(tmp_path / "pages"))
    context = HelpContext(app="painter", words="freeze the rows")
    with LibraryIndex.open(library_file(tmp_path)) as index, HelpLibrary.open(tmp_path) as library:
        if spills:
            index._connection.execute("PRAGMA cache_spill = ON")
        library._database.conn.execute("PRAGMA busy_timeout = 0")  # type: ignore[union-attr]  # it is open
        index._connection.execute("BEGIN")
        index._connection.executemany(
            "INSERT INTO links (page, target) VALUES (?, ?)", ((page, "x" * 1000) for page in range(10_000))
        )
        if spills:
            with pytest.raises(EnvironmentFault):
                library.search(context)
        else:
            assert library.search(context)[0].page.title == "Freezing rows"
        index._connection.rollback()


def test_other_words_for_the_same_find_a_page(library: HelpLibrary) -> None:
    assert titles(library, words="trim the borders off")[0] == "Cropping with"


def test_typed_words_outweigh_what_was_seen(tmp_path: Path) -> None:
    seen = ("same_place", "repeat_clicks")
    with HelpLibrary.open(tmp_path) as library:
        named = library.search_general(HelpContext(app="mousepad", evidence=seen, words="find a command"), 1)
        assert named[0].page.page_id == "general/find_command"
        level = library.search_general(HelpContext(app="mousepad", evidence=seen, words="every"), 2)
        assert {match.page.page_id for match in level} == {"general/find_replace", "general/repeated_by_hand"}
        reversed_ = library.search_general(HelpContext(app="mousepad", evidence=("back_and_forth",), words="every"), 1)
        assert reversed_[0].page.page_id == "general/find_replace"


def test_a_general_page_is_searched_for_with_each_word_once(tmp_path: Path) -> None:
    """A word that is a keyword in two forms is still one word: "saving" and "save"."""
    with HelpLibrary.open(tmp_path) as library:
        assert library.search(HelpContext(app="mousepad", words="save rows")) == ()


def test_a_question_of_the_program_is_no_trouble(tmp_path: Path) -> None:
    """Clicks without a response, a minute after a question about pasting; the control: an error about it."""
    text = "You are pasting data into cells that already contain data. Do you really want to overwrite them?"
    asked = HelpContext(app="calc", messages=(text,), evidence=("dead_clicks", "flow"))
    with HelpLibrary.open(tmp_path) as library:
        assert library.search_general(asked)[0].page.page_id == "general/greyed_out"
        assert library.search_general(replace(asked, errors=(text,)))[0].page.page_id == "general/copy_paste"


@pytest.mark.parametrize(
    ("context", "is_there"),
    [
        (HelpContext(app="mousepad", errors=("This message is a warning",), evidence=("dialog_loop",)), False),
        (HelpContext(app="mousepad", evidence=(CAME_BACK,)), True),
        (HelpContext(app="mousepad", words="the dialog keeps coming"), True),
    ],
)
def test_that_something_comes_back_is_told_where_it_did_or_to_who_says_so(
    tmp_path: Path, context: HelpContext, is_there: bool
) -> None:
    with HelpLibrary.open(tmp_path) as library:
        found = {match.page.page_id for match in library.search_general(context, 99)}
    assert ("general/dialog_comes_back" in found) is is_there


def test_the_question_in_place_of_a_page_is_known_and_never_found(tmp_path: Path) -> None:
    with HelpLibrary.open(tmp_path) as library:
        assert present(library.page(WHAT_FOR)).steps == ()
        found = library.search_general(HelpContext(app="mousepad", words="what are you looking for"), 99)
        assert WHAT_FOR not in {match.page.page_id for match in found}


def test_pages_about_dialogs_name_what_stands_in_a_dialog() -> None:
    """Menus cannot be reached from there."""
    controls = {
        page.page.page_id: {name for step in page.page.steps for name in step.controls} for page in general_pages()
    }
    assert {"Help", "Cancel", "Close"} <= controls["general/dialog_comes_back"]
    assert {"Search", "Find", "Replace"} <= controls["general/find_replace"]


def test_searches_from_many_threads_give_the_same(library: HelpLibrary) -> None:
    context = HelpContext(app="painter", words="crop the picture", controls=("Image",))
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: library.search(context), range(40)))
    assert all(each == found[0] for each in found)


def test_a_closed_library_finds_general_pages_alone(library: HelpLibrary) -> None:
    library.close()
    library.close()
    assert all(match.page.general for match in library.search(HelpContext(app="painter", words="crop")))
    assert library.documentation() == ()


def test_an_index_that_is_only_just_being_made_is_none_yet(tmp_path: Path) -> None:
    """Its file is there before its tables are."""
    library_file(tmp_path).touch()
    with HelpLibrary.open(tmp_path) as library:
        assert not library.indexed


def test_pages_are_compared_even_if_no_search_finds_them(library: HelpLibrary) -> None:
    ids = [
        match.page.page_id
        for match in library.search_program(HelpContext(app="painter", words="rows crop"), 9, least=0)
    ]
    assert library.compare(HelpContext(app="painter", words="crop"), [*ids, "none"])[0] in ids
    assert len(library.compare(HelpContext(app="painter", words="xyzzy"), ids)) == len(ids)


def test_names_of_programs_lose_version_and_domain() -> None:
    names = ["Gimp-2.10", "org.gnome.Meld", "libreoffice-calc", "Mousepad", "python3.11", "soffice", ""]
    expected = ["gimp", "meld", "libreoffice-calc", "mousepad", "python", "libreoffice", ""]
    assert [program_of(name) for name in names] == expected


def test_programs_of_a_suite_read_its_shared_pages() -> None:
    assert programs_read_for("libreoffice-calc") == ("libreoffice-calc", "libreoffice")
    assert programs_read_for("libreoffice-draw") == ("libreoffice-draw", "libreoffice-impress", "libreoffice")


def test_words_that_mean_the_same_are_other_words() -> None:
    assert "crop" in synonyms_of(("trim",))
    assert "trim" not in synonyms_of(("trim",))


MANUAL = """.TH PAINTER 1
.SH NAME
painter \\- paints in layers
.SH TROUBLE
Open the settings dialog with \\fBTools > Layers\\fR. Then choose a layer.
"""


def test_a_moment_brings_no_manual_page(tmp_path: Path) -> None:
    """It says how a program is started; words that are typed find it, and a page of the help stays found."""
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "painter.1").write_text(MANUAL, encoding="utf-8")
    manual = Documentation(
        name="man/painter",
        app="painter",
        folder=tmp_path / "pages",
        label="painter manual page",
        files=("painter.1",),
        language="en",
    )
    index_of(tmp_path, manual)
    moment = HelpContext(app="painter", controls=("Layers", "Tools", "Layers"), evidence=("dialog_loop",))
    with HelpLibrary.open(tmp_path) as library:
        assert library.search_program(moment, 3) == ()
        found = library.search_words(moment, "choose a layer", 3)
        assert [match.page.page_id for match in found] == ["man/painter/painter"]
