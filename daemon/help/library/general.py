"""Pages about no program in particular: part of the package, there without any documentation installed."""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from daemon.help.library.pages import index_page
from daemon.help.library.readers.markdown import read_markdown
from storage.ports import WHAT_FOR, HelpPage

SOURCE = "General advice"
_PREFIX = "general/"
FIND_COMMAND = f"{_PREFIX}find_command"
"""The id of the page about finding a command by its name: nothing need be known of what somebody is about."""

WHAT_FOR_PAGE = HelpPage(page_id=WHAT_FOR, title="What are you looking for?", steps=(), source=SOURCE)
"""No page of help, but the question that stands in its place."""

_EVIDENCE = re.compile(r"^evidence:(.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneralPage:
    """A general page, with the words under which it is found and the evidence codes that it fits, weightiest first.

    One without evidence is found by words alone.
    """

    page: HelpPage
    keywords: tuple[str, ...]
    evidence: tuple[str, ...]


@cache
def general_pages() -> tuple[GeneralPage, ...]:
    """Return all general pages, in the order of their ids."""
    folder = files("daemon.help.library") / "data"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".md"))
    return tuple(_read(name[:-3], (folder / name).read_text(encoding="utf-8")) for name in names)


def _read(name: str, text: str) -> GeneralPage:
    found = _EVIDENCE.search(text)
    parsed = read_markdown(_EVIDENCE.sub("", text))
    page = HelpPage(page_id=f"{_PREFIX}{name}", title=parsed.title, steps=index_page(parsed).steps, source=SOURCE)
    codes = found[1].split(",") if found else []
    return GeneralPage(page=page, keywords=parsed.keywords, evidence=tuple(code.strip() for code in codes))
