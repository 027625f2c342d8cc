"""What the index holds of a page: steps that say where to go."""

from daemon.help.library.pages import index_page
from daemon.help.library.readers.markdown import read_markdown


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
