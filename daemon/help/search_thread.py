"""The thread "help": opens the library, searches it, and compares what it found with the controls on the screen.

One search at a time, for the newest moment alone. A search that a person asked for is not pushed out by another. What
answers the words that somebody is typing is looked for in between, the newest words alone.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from traceback import extract_tb

from daemon.help.answers import TypedAnswers
from daemon.help.candidates import Weight, all_alike
from daemon.help.commands.command import RequestCommands, TakeCommands, no_commands
from daemon.help.content import FittingPage, choose_page, fit_candidates, fit_chosen
from daemon.help.context import HelpContext, HelpMatch, HelpMoment
from daemon.help.ports import Library, OpenLibrary, RequestElements
from daemon.help.unasked import (
    CANDIDATES,
    LEAST_BEHIND,
    QUESTION,
    asks_what_for,
    is_question_better,
    wanted_command,
    weigh,
)
from storage.clock import NS_PER_S, Clock
from storage.errors import KairosError
from storage.ports import HelpCandidate, HelpCandidates, HelpPage
from storage.records import Elements, Focus

logger = logging.getLogger(__name__)

ELEMENTS_S = 0.6
"""How long it waits for the controls of a window; a walk of an office program takes a third of a second."""

ELEMENTS_KEPT_NS = 6 * NS_PER_S
"""How long the controls of a window are used again where it may not be read anew so soon."""

COMMANDS_S, COMMANDS_TYPING_S, COMMANDS_UNASKED_S = 4.0, 0.05, 1.0
"""How long it waits for the commands of a program: for somebody who asked, who still types, and who did not ask."""

PAGES = 3
"""Pages of which one is chosen."""

MAX_FAILURES = 3
"""After so many failed searches in a row the library is given up."""

NO_LIBRARY, FAILED = "no_library", "failed"
"""Codes of `HelpFound.trouble`, beside those notes that say why nothing could be searched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A search: for what, of which prefix, with which window in front, since when, and at which epoch of the gate.

    `guess` is what the names of what was touched say the person is about. Of typed words `chosen` is the page that they
    took of those found before; `rings`: they want to be shown where its controls are; `in_front`: it is about the
    program of that window.
    """

    context: HelpContext
    prefix_id: str
    window_id: int
    window: Focus | None
    asked: bool
    guess: str = ""
    requested_ns: int
    epoch: int
    chosen: str = ""
    rings: bool = True
    in_front: bool = True

    @property
    def place(self) -> tuple[object, ...]:
        """What tells the window in front from others, and from itself in another size or place."""
        window = self.window
        return () if window is None else (window.app, window.window, window.title_digest, window.geometry)


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedSearch:
    """A search while somebody types: `take` gets what was found, in the search thread."""

    context: HelpContext
    take: Callable[[HelpCandidates], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search gave: the page that fits, what else a model may know, or a code of why there was no search.

    `asked` is all that answers typed words.
    """

    moment: HelpMoment
    fitting: FittingPage | None = None
    trouble: str | None = None
    asked: HelpCandidates | None = None


class SearchThread:
    """Searches in a thread of its own. `found` is called there."""

    def __init__(
        self,
        open_library: OpenLibrary,
        request_elements: RequestElements,
        clock: Clock,
        *,
        on_library: Callable[[bool], None],
        on_found: Callable[[Search, Found], None],
        for_model: bool = False,
        request_commands: RequestCommands = no_commands,
        weight_of: Weight = all_alike,
    ) -> None:
        """Prepare; nothing is opened before `start`.

        Args:
            open_library: opens the library.
            request_elements: has the controls of the active window read.
            clock: session time.
            on_library: takes whether there is a library, when that changes.
            on_found: takes each search with what it gave.
            for_model: whether the controls are also read where somebody asked and no page was found.
            request_commands: has the commands of a program read.
            weight_of: what an answer counts for beside the others.
        """
        self._open_library = open_library
        self._request_elements = request_elements
        self._clock = clock
        self._on_library = on_library
        self._on_found = on_found
        self._for_model = for_model
        self._ready = threading.Condition()
        self._next: Search | None = None
        self._typed: TypedSearch | None = None
        self._typed_last: TypedSearch | None = None
        self._weight_of = weight_of
        self._answers = TypedAnswers(request_commands, self._search_typed_again, weight_of)
        self._closing = False
        self._library: Library | None = None
        self._failures = 0
        self._cleared = 0
        self._elements: tuple[int, tuple[object, ...], Elements] | None = None
        self._thread = threading.Thread(target=self._run, name="help", daemon=True)

    def start(self) -> None:
        """Open the library, and search from then on."""
        self._thread.start()

    def request(self, search: Search) -> None:
        """Search as soon as the one under way is done; one that waits makes room."""
        with self._ready:
            if self._next is None or search.asked or not self._next.asked:
                self._next = search
            self._ready.notify()

    def request_typed(self, search: TypedSearch) -> None:
        """Search for the words that somebody has typed so far; those before them are of no use any more."""
        with self._ready:
            self._typed = self._typed_last = search
            self._ready.notify()

    def read_ahead(self, take: TakeCommands, app: str = "") -> None:
        """Have the commands of a program read, for the searches to come; `take` is called with them."""
        self._answers.read_ahead(take, app)

    def _search_typed_again(self) -> None:
        """Search for the newest words again: the commands of the program are known now."""
        with self._ready:
            self._typed = self._typed_last
            self._ready.notify()

    def clear(self) -> None:
        """Forget what waits, and what is on the screen."""
        with self._ready:
            self._next = self._elements = self._typed = self._typed_last = None
            self._cleared += 1
        self._answers.clear()

    def close(self, limit_s: float) -> None:
        """End; the thread is left behind if it is late."""
        with self._ready:
            self._next, self._typed, self._closing = None, None, True
            self._ready.notify()
        if self._thread.ident is not None:
            self._thread.join(limit_s)

    # ------------------------------------------------------------ the thread

    def _run(self) -> None:
        self._open()
        try:
            while (search := self._wait()) is not None:
                if isinstance(search, TypedSearch):
                    self._find_typed(search)
                elif search.asked and search.context.words:
                    self._answer(search)
                else:
                    self._search(search)
        finally:
            if self._library is not None:
                self._library.close()

    def _wait(self) -> Search | TypedSearch | None:
        with self._ready:
            while self._next is None and self._typed is None and not self._closing:
                self._ready.wait()
            if self._next is not None:
                search, self._next = self._next, None
                return search
            typed, self._typed = self._typed, None
            return typed

    def _open(self) -> None:
        """Open the library, if there is one."""
        try:
            self._library = self._open_library()
        except KairosError as error:
            logger.info("no help is searched for: %s", error.what)
            return
        except Exception as error:  # noqa: BLE001  # a stage boundary: without a library offers say less, and come
            _log_failure("opening the help library", error)
            return
        self._on_library(True)

    def _find_typed(self, search: TypedSearch) -> None:
        """Look for what answers the words so far; a failure finds nothing, and who goes on to ask hears of it."""
        try:
            search.take(self._answers.find(search.context, self._library, COMMANDS_TYPING_S))
        except Exception as error:  # noqa: BLE001  # one failed search must not end the thread
            _log_failure("a search while typing", error)

    def _answer(self, search: Search) -> None:
        """Find what answers the words of somebody who asks, and of that what they chose or what is best."""
        if self._library is None:  # it may have been made since
            self._open()
        try:
            asked = self._answers.find(search.context, self._library, COMMANDS_S)
            looks = search.in_front and (bool(asked.candidates) or self._for_model)
            seen = self._elements_for(search) if looks else None
            asked, fitting = fit_candidates(
                asked,
                search.chosen,
                seen.elements if seen is not None else (),
                complete=seen is None or seen.complete,
                in_dialog=search.window is not None and search.window.dialog,
            )
        except Exception as error:  # noqa: BLE001  # one failed search must not end the thread
            self._fail(search, error)
            return
        self._failures = 0
        moment = HelpMoment(
            context=search.context,
            pages=tuple(candidate.page for candidate in asked.candidates),
            elements=seen.elements if seen is not None else (),
            window=search.window,
        )
        trouble = asked.unsearched if fitting is None else None
        self._on_found(search, Found(moment=moment, fitting=fitting, trouble=trouble, asked=asked))

    def _search(self, search: Search) -> None:
        if self._library is None and search.asked:  # it may have been made since
            self._open()
        if self._library is None:
            self._on_found(search, Found(moment=self._moment_of(search), trouble=NO_LIBRARY))
            return
        try:
            matches, general, command = self._candidates(search, self._library)
            looks = self._for_model and search.asked
            seen = self._elements_for(search) if matches or general or command or looks else None
            elements = seen.elements if seen is not None else ()
            fitting = choose_page(
                matches,
                elements,
                complete=seen is None or seen.complete,
                instead=general,
                in_dialog=search.window is not None and search.window.dialog,
            )
            if command is not None:
                fitting = fit_chosen(command, elements)
            elif not search.asked and is_question_better(fitting, search.context):
                fitting = QUESTION
        except Exception as error:  # noqa: BLE001  # one failed search must not end the thread
            self._fail(search, error)
        else:
            self._failures = 0
            moment = HelpMoment(
                context=search.context,
                pages=_pages_of(matches, fitting),
                elements=elements,
                window=search.window,
            )
            self._on_found(search, Found(moment=moment, fitting=fitting))

    def _candidates(
        self, search: Search, library: Library
    ) -> tuple[Sequence[HelpMatch], Sequence[HelpMatch], HelpCandidate | None]:
        """Return what fits a moment: pages, general pages for where none has a control in sight, and a command.

        Who does not know the way, and did not ask, gets no general page: they are asked.
        """
        context = search.context
        known = None if search.asked else self._answers.known(context.app, COMMANDS_UNASKED_S, self._clock.now_ns())
        general = library.search_general(context, PAGES, asked=search.asked)
        if known is None:
            matches, command = library.search(context, PAGES), None
        else:
            matches = weigh(library.search(context, CANDIDATES, LEAST_BEHIND), context, known, PAGES)
            general = weigh(general, context, known, PAGES)
            with self._answers.forgetting():
                wanted = wanted_command(context, known, matches)
            wanted = wanted and self._answers.as_told_now(wanted, context.app, COMMANDS_UNASKED_S)
            command = self._answers.candidate_of(wanted, context.app) if wanted is not None else None
        matches = sorted(matches, key=lambda match: -match.score * self._weight_of(match.page, context.app))
        if not search.asked and asks_what_for(context):
            return [match for match in matches if not match.page.general], (), command
        return matches, general, command

    def _fail(self, search: Search, error: Exception) -> None:
        """Say that a search failed; after several the library is given up."""
        _log_failure("a search for help", error)
        self._failures += 1
        if self._failures >= MAX_FAILURES and self._library is not None:
            self._library.close()
            self._library = None
            self._on_library(False)
        self._on_found(search, Found(moment=self._moment_of(search), trouble=FAILED))

    def _moment_of(self, search: Search) -> HelpMoment:
        """Return what is known without any page."""
        seen = self._elements_for(search) if self._for_model and search.asked else None
        elements = seen.elements if seen is not None else ()
        return HelpMoment(context=search.context, elements=elements, window=search.window)

    def _elements_for(self, search: Search) -> Elements | None:
        """Return the controls on the screen; None where they cannot be had in time."""
        taken = threading.Event()

        def take(elements: Elements | None) -> None:
            """Remember them, late ones too: they stand for the window in the next search."""
            with self._ready:
                if elements is not None and cleared == self._cleared:
                    self._elements = self._clock.now_ns(), search.place, elements
            taken.set()

        with self._ready:
            cleared = self._cleared
        self._request_elements(take, asked=search.asked)
        taken.wait(ELEMENTS_S)
        now_ns = self._clock.now_ns()
        with self._ready:
            if self._elements is None:
                return None
            read_ns, place, known = self._elements
        return known if place == search.place and read_ns >= now_ns - ELEMENTS_KEPT_NS else None


def _pages_of(matches: Sequence[HelpMatch], fitting: FittingPage | None) -> tuple[HelpPage, ...]:
    """Return the pages that were found, and before them the one on the card where it is none of those."""
    pages = tuple(match.page for match in matches)
    return pages if fitting is None or fitting.match.page in pages else (fitting.match.page, *pages)


def _log_failure(what: str, error: Exception) -> None:
    """Log where something failed, but not the error's text, which may quote what was on the screen."""
    place = extract_tb(error.__traceback__)[-1]
    logger.error(
        "%s failed with %s in %s, line %s", what, type(error).__name__, Path(place.filename).name, place.lineno
    )
