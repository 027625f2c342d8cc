"""Each format: title, steps, controls, keywords and links; and nothing of the markup."""

import gzip

import pytest

from daemon.help.library.pages import PageKind, index_page
from daemon.help.library.readers.formats import is_page, read_page
from daemon.help.library.readers.parsed import ParsedPage
from tests.fakes.help.documentation import DOCBOOK, HTML, MALLARD, MANUAL, MARKDOWN, SPLIT

FREEZE, MERGE, CROP = ("View", "Freeze Rows"), ("File", "New comparison"), ("Image", "Crop")


def read(name: str, text: str) -> ParsedPage:
    return read_page(name, text.encode())


@pytest.mark.parametrize(
    ("name", "text", "title", "controls"),
    [
        ("freeze.html", HTML, "Freezing rows", [(), FREEZE]),
        ("merge.page", MALLARD, "Merging branches", [MERGE, ("Merge All",)]),
        ("crop.docbook", DOCBOOK, "Cropping with", [CROP, ()]),
        ("rotate.md", MARKDOWN, "Rotating a picture", [("Tools", "Rotate"), ()]),
    ],
)
def test_steps_and_their_controls_are_read(name: str, text: str, title: str, controls: list[tuple[str, ...]]) -> None:
    page = index_page(read(name, text))
    assert (page.title, page.kind) == (title, PageKind.HOW_TO)
    assert [step.controls for step in page.steps] == controls


@pytest.mark.parametrize(("name", "text"), [("a.html", HTML), ("a.docbook", DOCBOOK), ("a.md", MARKDOWN)])
def test_no_markup_script_or_declared_text_survives(name: str, text: str) -> None:
    page = index_page(read(name, text))
    everything = " ".join((page.title, page.body, page.headings, *(step.text for step in page.steps)))
    assert not any(bad in everything for bad in ("<", "ENTITY", "Painter", "&"[1:] + "lt;", "class="))
    assert name == "a.md" or "steal" not in everything


def test_a_reference_page_says_first_how_to_get_there() -> None:
    text = "<h1>Zoom</h1><p>Changes the scale.</p><p>Choose <span class='menuitem'>x</span>"
    text += '<span class="menuitem">View - Zoom</span>.</p>'
    page = index_page(read("a.html", text))
    assert (page.kind, [step.controls for step in page.steps]) == (PageKind.REFERENCE, [("View", "Zoom"), ()])


def test_keywords_and_links_are_read() -> None:
    page = read("a.html", HTML)
    assert (page.keywords, page.links) == (("headers, keeping in sight",), ("split.html",))
    assert read("a.md", MARKDOWN).keywords == ("tilt", "horizon")
    assert read("a.page", MALLARD).links == ("freeze",)


def test_of_variants_for_programs_the_own_one_is_read() -> None:
    text = (
        '<h1>A <span class="switchinline"><span class="IMPRESS">slide</span><span id="default1">page</span></span></h1>'
        "<p>x</p>"
    )
    titles = [read_page("a.html", text.encode(), variant).title for variant in ("IMPRESS", "DRAW", "")]
    assert titles == ["A slide", "A page", "A slide / page"]
    same = (
        '<h1><span class="switchinline"><span class="CALC">Up</span><span id="default1">Up</span></span></h1><p>x</p>'
    )
    assert read_page("a.html", same.encode()).title == "Up"


@pytest.mark.parametrize("packed", [False, True])
def test_a_manual_page_is_read_packed_or_not(packed: bool) -> None:
    content = gzip.compress(MANUAL.encode()) if packed else MANUAL.encode()
    page = read_page("paint.1.gz" if packed else "paint.1", content)
    assert page.title == "paint manual"
    assert "paint draws with --fullscreen." in [block.text for block in page.blocks]


@pytest.mark.parametrize(
    ("content", "word"),
    [
        ("<h1>Größe</h1><p>x</p>".encode(), "Größe"),
        (b"\xef\xbb\xbf" + "<h1>Größe</h1><p>x</p>".encode(), "Größe"),
        ('<meta charset="iso-8859-1"><h1>Größe</h1><p>x</p>'.encode("latin-1"), "Größe"),
        ("<h1>Größe</h1><p>x</p>".encode("utf-16"), "Größe"),
        (b"<meta charset=utf-8><h1>Gr\xff\xfe</h1><p>x</p>", "Gr"),
        (b'<meta charset="no-such-code"><h1>Gr\xf6</h1><p>x</p>', "Grö"),
        (b'<meta charset="iso-8859-1"><h1>Don\x92t \x80</h1><p>x</p>', "Don\u2019t €"),
        (b"<h1>Don\x92t \x80</h1><p>x</p>", "Don\u2019t €"),
        ('<meta charset = "x-sjis"><h1>表①㈱</h1><p>x</p>'.encode("cp932"), "表①㈱"),
        ('<meta charset="iso-2022-jp"><h1>表示</h1><p>x</p>'.encode("iso-2022-jp"), "表示"),
        ('<meta charset="gb2312"><h1>冻结嘯€</h1><p>x</p>'.encode("gb18030"), "冻结嘯€"),
        ('<meta charset="ks_c_5601-1987"><h1>똠방각하</h1><p>x</p>'.encode("cp949"), "똠방각하"),
        ('<?xml version="1.0" encoding="windows-1251"?><h1>Строка</h1><p>x</p>'.encode("cp1251"), "Строка"),
        ('<meta charset="utf-16"><h1>Größe</h1><p>x</p>'.encode(), "Größe"),
    ],
)
def test_encodings_are_read_and_damaged_ones_replaced(content: bytes, word: str) -> None:
    assert read_page("a.html", content).title.startswith(word)


def test_a_manual_page_is_read_in_the_encoding_of_its_first_line() -> None:
    """The control: without that line the letters are taken for others."""
    rest = ".TH PROG 1\n.SH ИМЯ\nprog \\- разделитель\n"
    texts = [
        " ".join(block.text for block in read_page("a.1", (first + rest).encode("koi8-r")).blocks)
        for first in ('.\\" -*- coding: koi8-r -*-\n', "'\\\" t -*- mode: nroff; coding: koi8-r -*-\n", "")
    ]
    assert ["разделитель" in text for text in texts] == [True, True, False]


@pytest.mark.parametrize(
    ("folder", "encoding"),
    [
        ("ru/man1", "koi8-r"),
        ("man/ru.CP1251/man1", "cp1251"),
        ("ru_RU.KOI8-R/man1", "koi8-r"),
        ("uk@mark/man1", "koi8-u"),
        ("bg/man8", "cp1251"),
        ("ru/man1", "utf-8"),
        ("de.NO-SUCH/man1", "cp1252"),
    ],
)
def test_a_manual_page_without_that_line_is_read_as_its_folder_says(folder: str, encoding: str) -> None:
    word = "Größe" if encoding == "cp1252" else "разделитель"
    page = read_page(f"{folder}/a.1", f".TH PROG 1\n.SH NAME\nprog \\- {word}\n".encode(encoding))
    assert word in " ".join(block.text for block in page.blocks)


def test_a_path_is_written_with_one_kind_of_arrow() -> None:
    assert index_page(read("a.html", HTML)).steps[1].text == "Choose View > Freeze Rows."
    assert index_page(read("a.html", SPLIT)).steps[0].text == "Use View > Split Window."


def test_chapter_numbers_are_no_part_of_a_title() -> None:
    assert read("a.html", SPLIT).title == "Splitting a window"


def test_only_known_names_are_pages() -> None:
    names = ["a.html", "a.MD", "a.page", "a.docbook", "a.1", "a.1.gz", "a.3pm.gz", "a.js", "a.png", "a.9", "page"]
    assert [is_page(name) for name in names] == [True] * 7 + [False] * 4
