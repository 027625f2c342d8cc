"""A help library in memory, pages for it, and the controls of a window."""

from collections.abc import Sequence
from dataclasses import replace

from daemon.help.context import HelpContext, HelpMatch
from daemon.help.ports import Library, RequestElements, TakeElements
from storage.errors import EnvironmentFault
from storage.ports import HelpPage, HelpStep
from storage.records import Box, ControlRole, Element, Elements

FREEZE = HelpPage(
    page_id="calc/freeze",
    title="Freeze the first row",
    steps=(
        HelpStep(text="Select the row below the one to freeze."),
        HelpStep(text="Choose View > Freeze Rows and Columns.", controls=("View", "Freeze Rows and Columns")),
        HelpStep(text="Click OK.", controls=("OK",)),
    ),
    source="LibreOffice Help 7.4",
    app="libreoffice-calc",
)
GENERAL = HelpPage(
    page_id="general/find-command",
    title="Find a command",
    steps=(HelpStep(text="Open the menus one after the other."), HelpStep(text="Look for the word.")),
    source="",
)
VIEW = Element(role=ControlRole.MENU, box=Box(120, 30, 40, 20), name="View")
FREEZE_ITEM = Element(role=ControlRole.MENU_ITEM, box=Box(120, 90, 200, 24), name="Freeze Rows and Columns")
OK = Element(role=ControlRole.BUTTON, box=Box(500, 400, 80, 30), name="OK")


class FakeLibrary:
    """Gives the pages it was made with, and notes what it was searched for."""

    def __init__(self, *pages: HelpPage, general: Sequence[HelpPage] = (), error: Exception | None = None) -> None:
        self.pages = pages
        self.general = general
        self.error = error
        self.contexts: list[HelpContext] = []
        self.closed = 0

    def search(self, context: HelpContext, limit: int = 3, behind: float = 1.0) -> Sequence[HelpMatch]:
        self.contexts.append(context)
        if self.error is not None:
            raise self.error
        return [HelpMatch(page=page, score=0.9 - number / 10) for number, page in enumerate(self.pages)][:limit]

    def search_words(self, context: HelpContext, words: str, limit: int = 3) -> Sequence[HelpMatch]:
        return self.search(replace(context, words=words), limit)

    def language(self, app: str) -> str:
        return "en" if app else ""

    def search_general(self, context: HelpContext, limit: int = 3, *, asked: bool = False) -> Sequence[HelpMatch]:
        return [HelpMatch(page=page, score=0.1) for page in self.general if asked or context.evidence][:limit]

    def page(self, page_id: str) -> HelpPage | None:
        return next((page for page in (*self.pages, *self.general) if page.page_id == page_id), None)

    def close(self) -> None:
        self.closed += 1


def no_library() -> Library:
    raise EnvironmentFault("there is no help library", remedy="kairos library add")


def screen(*elements: Element) -> RequestElements:
    """Return what has these controls read; with none of them nothing can be read."""

    def request(take: TakeElements, *, asked: bool) -> None:  # it always may
        take(Elements(t_ns=1, app="", elements=elements) if elements else None)

    return request
