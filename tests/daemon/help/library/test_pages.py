"""What the index holds of a page: steps that say where to go."""

import pytest

from daemon.help.library.pages import index_page
from daemon.help.library.readers.manual import read_manual
from daemon.help.library.readers.markdown import read_markdown
from daemon.help.library.readers.parsed import UnreadablePage


def steps(text: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(step.text, step.controls) for step in index_page(read_markdown(text)).steps]


def test_a_list_that_says_nowhere_to_go_comes_behind_the_sentence_that_does() -> None:
    """As the options of a dialog, on the page about it."""
    page = (
        "# Alignment\n\nAligns.\n\nChoose **Format > Cells**.\n\n1. **Left**: to the left.\n2. **Right**: the other.\n"
    )
    assert [controls for _, controls in steps(page)] == [("Format", "Cells"), ("Left",), ("Right",)]


def test_a_list_that_says_where_to_go_is_all_there_is() -> None:
    """Control: the sentence before it adds nothing. One behind the list is none of the way to it."""
    page = "# Rows\n\nSee **View > Zoom**.\n\n1. Select it.\n2. Choose **Sheet > Rows**.\n"
    assert [controls for _, controls in steps(page)] == [(), ("Sheet", "Rows")]
    page = "# Rows\n\n1. Select it.\n2. Press it.\n\nSee **View > Zoom**.\n"
    assert [controls for _, controls in steps(page)] == [(), ()]


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ("Do one of the following:", None),
        ("Then, do one of the following", None),
        ("Do one of the following: Choose **Edit > Cut**.", "Choose Edit > Cut."),
        ("Try any of these ways: press **Enter**.", "press Enter."),
        ("Choose one of the following colors.", "Choose one of the following colors."),
    ],
)
def test_what_only_says_that_a_choice_follows_is_no_step(item: str, text: str | None) -> None:
    found = [step for step, _ in steps(f"# Page\n\n1. Select it.\n2. {item}\n3. Close it.\n")]
    assert found == ["Select it.", *([text] if text else []), "Close it."]


MANUAL = """.TH PAINT 1
.SH NAME
paint \\- draws pictures
.SH SYNOPSIS
.B paint
[FILE]
.SH DESCRIPTION
Draws what you say.
.SH OPTIONS
.TP
\\-\\-full
Full screen.
.SH USAGE
.TP
\\-\\-quiet
Says less.
"""


def test_name_usage_and_options_of_a_manual_page_are_never_steps_and_still_found() -> None:
    page = index_page(read_manual(MANUAL), manual=True)
    assert [step.text for step in page.steps] == ["Draws what you say."]
    assert "draws pictures" in page.body
    foreign = MANUAL.replace("NAME", "ИМЯ")
    assert index_page(read_manual(foreign), manual=True).steps == page.steps


@pytest.mark.parametrize(
    "title",
    [
        *(
            "License",
            "GNU Free Documentation License",
            "Creative Commons License BY-SA",
            "Copyright",
            "Copyright 2020 Us",
        ),
        *(
            "Legal",
            "Licenses and Legal Information",
            "COPYING IN QUANTITY",
            "How to use this License for your documents",
        ),
    ],
)
def test_a_licence_is_no_help(title: str) -> None:
    with pytest.raises(UnreadablePage, match="it is a licence"):
        index_page(read_markdown(f"# {title}\n\nYou may copy it.\n"))


@pytest.mark.parametrize("title", ["Copying formulas", "Entering a licence key"])
def test_a_page_that_only_names_such_a_word_is_help(title: str) -> None:
    assert index_page(read_markdown(f"# {title}\n\nChoose it.\n")).title == title
