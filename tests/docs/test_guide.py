"""The list of contents has every page, and every picture of the guide is shown somewhere and small."""

import re
from fnmatch import fnmatch
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
LIMIT_BYTES = 150_000


def test_every_page_stands_in_the_list_of_contents() -> None:
    """By name or by a pattern; Sphinx says the same, but is not everywhere."""
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    lists = re.findall(r"^```\{toctree\}$(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    lines = [line.strip() for listing in lists for line in listing.splitlines() if line and not line.startswith(":")]
    entries = [re.sub(r"^.*<(.*)>$", r"\1", line) for line in lines]
    assert len(lists) == 4
    pages = {page.stem for page in DOCS.glob("*.md")} - {"index"}
    assert {page for page in pages if not any(fnmatch(page, entry) for entry in entries)} == set()
    assert [entry for entry in entries if "*" not in entry and not (DOCS / f"{entry}.md").exists()] == []


def test_every_picture_of_the_guide_is_shown_and_small() -> None:
    """Each is made by tests/docs/pictures.py; one that no page shows is left over."""
    shown = {
        name
        for page in DOCS.glob("*.md")
        for name in re.findall(r"\(pictures/([^)]+)\)", page.read_text(encoding="utf-8"))
    }
    pictures = list((DOCS / "pictures").iterdir())
    assert {picture.name for picture in pictures} == shown
    assert [picture.name for picture in pictures if picture.stat().st_size > LIMIT_BYTES] == []
