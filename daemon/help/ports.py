"""What a search for help needs from outside: a library, and the controls on the screen."""

from collections.abc import Callable, Sequence
from typing import Protocol

from daemon.help.context import HelpContext, HelpMatch
from storage.ports import HelpPage, PointedAt
from storage.records import Box, Elements


class Library(Protocol):
    """Pages of help. Opened, used and closed in one thread."""

    def search(self, context: HelpContext, limit: int = 3, behind: float = 1.0) -> Sequence[HelpMatch]:
        """Return the pages that fit best, best first; empty where none does.

        Behind one that fits there may be some that fit less: those that help with a probability of at least `behind`.
        """
        ...

    def search_words(self, context: HelpContext, words: str, limit: int = 3) -> Sequence[HelpMatch]:
        """Return the pages of the program that answer typed words, best first; empty where none does."""
        ...

    def language(self, app: str) -> str:
        """Return what most pages of a program are written in, as an ISO 639 code; empty where there are none."""
        ...

    def search_general(self, context: HelpContext, limit: int = 3, *, asked: bool = False) -> Sequence[HelpMatch]:
        """Return the general pages that fit, best first; who asked and typed nothing gets one in any case."""
        ...

    def page(self, page_id: str) -> HelpPage | None:
        """Return a page; None if it is not there any more."""
        ...

    def close(self) -> None:
        """Close it."""
        ...


OpenLibrary = Callable[[], Library]
"""Opens the library.

Raises `EnvironmentFault` or `BadFile` where there is none that can be read."""

TakeElements = Callable[[Elements | None], None]


class RequestElements(Protocol):
    """Has the controls of the active window read."""

    def __call__(self, take: TakeElements, *, asked: bool) -> None:
        """Have `take` called once, from any thread, with None if they cannot be had; `asked`: a person wants it."""
        ...


Point = Callable[[str, int, Box | None, PointedAt], None]
"""Rings the control of a step of an offer's page or what comes before it, or with None takes the ring away.

From any thread."""
