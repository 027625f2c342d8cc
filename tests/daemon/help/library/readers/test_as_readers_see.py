"""Pages as their readers see them: what generators of documentation put around a page is no part of it."""

import pytest

from daemon.help.library.pages import index_page
from daemon.help.library.readers.formats import read_page
from daemon.help.library.readers.parsed import ParsedPage, UnreadablePage

STEPS = "<ol><li>Choose <b>View</b> &gt; <b>Freeze</b>.</li><li>Press <b>OK</b>.</li></ol>"
DOCBOOK_5 = """<?xml version="1.0"?><article xmlns="http://docbook.org/ns/docbook"><info><title>Painter Manual</title>
<copyright><year>2020</year><holder>Us</holder></copyright></info>
<section><info><title>Starting it</title><author>Me</author></info><para>Open the menu.</para></section></article>"""


def read(name: str, text: str) -> ParsedPage:
    return read_page(name, text.encode())


def texts(text: str) -> list[str]:
    return [block.text for block in read("a.html", text).blocks]


@pytest.mark.parametrize("cls", ["headerlink", "hash-link", "header-anchor", "anchor", "x permalink"])
@pytest.mark.parametrize("sign", ["¶", "#", "🔗", "Link to here", "\u200b"])
def test_the_sign_of_a_link_is_no_part_of_a_heading(cls: str, sign: str) -> None:
    link = f'<a class="{cls}" href="#x" title="Permalink">{sign}</a>'
    page = read("a.html", f"<h1>Freeze panes{link}</h1><p>Rows.</p><h2>See also{link}</h2><p>More.</p>")
    assert page.title == "Freeze panes"
    assert [block.text for block in page.blocks] == ["Rows.", "See also", "More."]


@pytest.mark.parametrize("sign", ["¶", " #", " §", "🔗"])
def test_nor_is_it_where_its_class_is_not_known(sign: str) -> None:
    page = read("a.html", f"<h1>Freeze panes<a href='#x'>{sign}</a></h1><p>Rows.</p><h2>C#</h2><p>More.</p>")
    assert page.title == "Freeze panes"
    assert page.blocks[1].text == "C#"


@pytest.mark.parametrize("around", ["main", "article"])
def test_a_title_in_the_head_of_an_article_is_that_of_the_page(around: str) -> None:
    head = "<header><h1>Rotate a picture</h1><p>Updated in May</p></header>"
    page = read("a.html", f"<title>ACME Handbook</title><{around}>{head}<p>Open it.</p></{around}>")
    assert (page.title, [block.text for block in page.blocks]) == ("Rotate a picture", ["Open it."])


def test_a_title_in_the_head_of_a_site_counts_where_there_is_no_other_one() -> None:
    site = "<header><h1>ACME</h1><p>Search</p></header>"
    assert read("a.html", f"{site}<h1>Rotate</h1><p>Open it.</p>").title == "Rotate"
    assert read("a.html", f"<title>Rotate</title>{site}<p>Open it.</p>").title == "Rotate"
    assert read("a.html", f"{site}<p>Open it.</p>").title == "ACME"


@pytest.mark.parametrize("between", ["|", "\N{EM DASH}", "\N{EN DASH}", "·", "-"])
def test_of_the_title_of_a_tab_the_name_of_the_site_goes(between: str) -> None:
    assert read("a.html", f"<title>Sort a column {between} Tool Docs</title><p>Do it.</p>").title == "Sort a column"


@pytest.mark.parametrize("title", ["Untitled", "untitled document", " index ", "Home"])
def test_a_title_that_nobody_gave_is_none(title: str) -> None:
    with pytest.raises(UnreadablePage, match="no title"):
        read("a.html", f"<title>{title}</title><p>Text.</p>")
    assert read("a.html", f"<h1>{title.strip()}</h1><p>Text.</p>").title == title.strip()


def test_a_page_in_a_form_is_read() -> None:
    text = f"<title>Print</title><form action='x.aspx'><div><h1>Print labels</h1><p>Open it.</p>{STEPS}</div></form>"
    page = read("a.html", text)
    assert page.title == "Print labels"
    assert [step.controls for step in index_page(page).steps] == [("View", "Freeze"), ("OK",)]


def test_a_button_in_a_step_is_a_control_and_elsewhere_no_text() -> None:
    page = read("a.html", "<h1>A</h1><button>Copy</button><ol><li>Click <button>Sort</button> now.</li></ol>")
    assert [(block.text, block.paths) for block in page.blocks] == [("Click Sort now.", (("Sort",),))]


def test_what_is_quoted_in_a_tag_may_hold_brackets() -> None:
    text = '<h1>A</h1><p title="File > Export">One.</p><p data-x=\'a<b\'>Two.</p><img alt="x > y" src=a.png>three'
    assert texts(text) == ["One.", "Two.", "three"]
    assert texts('<h1>A</h1><p title="never closed>One.</p><p>Two "quoted" words.</p>') == [
        "One.",
        'Two "quoted" words.',
    ]


def test_controls_that_follow_each_other_are_one_path_and_keep_their_space() -> None:
    """As LibreOffice writes it, whose first control is another one on each system."""
    text = (
        '<h1>A</h1><p>In <span><span class="emph">Tools - Options</span></span><span class="emph"> - Language Settings'
        " - Languages</span>.</p>"
    )
    (block,) = read("a.html", text).blocks
    assert block.text == "In Tools > Options > Language Settings > Languages."
    assert block.paths == (("Tools", "Options", "Language Settings", "Languages"),)
    (block,) = read("a.html", "<h1>A</h1><p>See <b>File</b><b> Edit - Undo </b>now.</p>").blocks
    assert block.text == "See File Edit > Undo now."


def test_a_document_of_docbook_5_has_its_title_in_its_info_and_headings_in_those_of_sections() -> None:
    page = read("a.docbook", DOCBOOK_5)
    assert page.title == "Painter Manual"
    assert [block.text for block in page.blocks] == ["Starting it", "Open the menu."]


def test_a_sequence_of_menus_begins_without_an_arrow() -> None:
    text = "<article><title>A</title><para>Choose <menuchoice><guimenu>Edit</guimenu><guimenuitem>Cut</guimenuitem>"
    (block,) = read("a.docbook", f"{text}</menuchoice>.</para></article>").blocks
    assert (block.text, block.paths) == ("Choose Edit > Cut.", (("Edit", "Cut"),))
