"""Finds what answers typed words: commands of the program, then pages of its documentation.

Lists of commands stay in memory while they are of use, until a pause.
"""

import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from daemon.help import meaning
from daemon.help.candidates import (
    MAX_COMMANDS,
    MAX_PAGES,
    WEIGHED,
    Weight,
    all_alike,
    candidate_of,
    is_answered,
    join,
    name_for_people,
)
from daemon.help.commands.command import CommandList, RequestCommands, TakeCommands, no_commands
from daemon.help.commands.matching import CommandMatch, CommandMatches, forget_names
from daemon.help.commands.words import forget_words
from daemon.help.context import HelpContext, HelpMatch
from daemon.help.ports import Library
from daemon.help.unasked import KnownCommands
from storage.clock import NS_PER_S
from storage.ports import CandidateNote, HelpCandidate, HelpCandidates

KEY_BYTES = 16
KNOWN_S = 0.3
"""How long a newer list is waited for, with what is greyed and checked now, where one is known already."""

UNASKED_NS = 30 * NS_PER_S
"""For how long a list that was read whole is good for what nobody asked for: reading one may take .1 s of CPU."""


class TypedAnswers:
    """Used in the search thread, but for `clear`."""

    def __init__(
        self, request_commands: RequestCommands, on_late: Callable[[], None], weight_of: Weight = all_alike
    ) -> None:
        """Know nothing yet; `on_late` is called where a list has come that was not waited for, in any thread."""
        self._request_commands = request_commands
        self._on_late = on_late
        self._weight_of = weight_of
        self._key = secrets.token_bytes(KEY_BYTES)
        self._lock = threading.Lock()
        self._cleared = 0
        self._lists: dict[str, CommandList | None] = {}
        self._read_ns: dict[str, int] = {}
        self._known: KnownCommands | None = None

    def clear(self) -> None:
        """Forget all lists; those that are on their way are not taken."""
        with self._lock:
            self._cleared += 1
            self._lists.clear()
            self._read_ns.clear()
            self._known = None
        _forget_typed()

    def find(self, context: HelpContext, library: Library | None, wait_s: float) -> HelpCandidates:
        """Return what answers the words of a context; `wait_s` is how long a list of commands is waited for."""
        with self.forgetting():
            return self._find(context, library, wait_s)

    @contextmanager
    def forgetting(self) -> Iterator[None]:
        """Forget the words that are looked up meanwhile where all was to be forgotten meanwhile."""
        with self._lock:
            cleared = self._cleared
        try:
            yield
        finally:
            with self._lock:
                was_cleared = self._cleared != cleared
            if was_cleared:  # while this looked words up
                _forget_typed()

    def _find(self, context: HelpContext, library: Library | None, wait_s: float) -> HelpCandidates:
        words, app = context.words, context.app
        matches, notes = self._match(words, app, wait_s)
        if not context.seen and notes == (CandidateNote.NO_COMMANDS,):
            notes = (CandidateNote.NOT_SEEN,)
        if library is None:
            notes = (*notes, CandidateNote.NO_LIBRARY)
        pages: Sequence[HelpMatch] = ()
        if library is not None and words:
            pages = library.search_words(replace(context, meant=matches.meant), words, WEIGHED)
            if matches.matches and matches.language not in {"", library.language(app)}:
                pages = ()  # in another language than the program: what they lack of the words says nothing
            if not (pages or matches.matches):
                pages = library.search_general(HelpContext(app=app, words=words), MAX_PAGES)
            elif not is_answered(matches, pages):
                matches, pages = replace(matches, matches=()), ()
        candidates = join(matches, pages, words, app, self._key, self._weight_of)
        language = "" if library is None or candidates or not words else library.language(app)
        if not app:
            notes = (CandidateNote.NO_WINDOW,)
        elif library is not None and words and not (candidates or language):
            notes = (*notes, CandidateNote.NO_PAGES)
        return HelpCandidates(
            words=words,
            app=app,
            program=name_for_people(app),
            candidates=candidates,
            unmatched=matches.unmatched,
            notes=notes,
            language=language,
        )

    def _match(self, words: str, app: str, wait_s: float) -> tuple[CommandMatches, tuple[CandidateNote, ...]]:
        """Return the commands that match, and why there may be less than there are."""
        if self._request_commands is no_commands:
            return CommandMatches(), (CandidateNote.NO_CONTROLS,)
        self._request(app, wait_s)
        known, was_read = self._find_known(app)
        if known is None and was_read and wait_s > KNOWN_S:  # its program may have had no time to say anything
            self._request(app, wait_s)
            known, was_read = self._find_known(app)
        if known is None:
            return CommandMatches(), (CandidateNote.NO_COMMANDS if was_read else CandidateNote.READING,)
        matcher = known.matcher  # made when the field opens, before the first letter
        if not words:
            return CommandMatches(), ()
        found = matcher.match(words, 2 * MAX_COMMANDS)
        while not (found.matches or known.commands.complete) and wait_s > KNOWN_S:
            count = len(known.commands.commands)
            self._request(app, wait_s)  # a busy machine reads a part at first
            known = self._find_known(app)[0] or known
            if len(known.commands.commands) <= count:
                break
            found = known.matcher.match(words, 2 * MAX_COMMANDS)
        return found, ()

    def known(self, app: str, wait_s: float, now_ns: int) -> KnownCommands | None:
        """Return the commands of a program, read a while ago at most; None where they are not known."""
        if self._request_commands is no_commands:
            return None
        with self._lock:
            commands, read_ns = self._lists.get(app), self._read_ns.get(app, 0)
        if commands is None or not commands.complete or now_ns - read_ns >= UNASKED_NS:
            self._request(app, wait_s)
        return self._find_known(app)[0]

    def as_told_now(self, match: CommandMatch, app: str, wait_s: float) -> CommandMatch | None:
        """Return a command of a list of a while ago in the state that it has now; None where it is gone."""
        self._request(app, wait_s)
        known = self._find_known(app)[0]
        told = (*known.commands.commands, *known.commands.menus) if known else ()
        return next((replace(match, command=now) for now in told if now.path == match.command.path), None)

    def candidate_of(self, match: CommandMatch, app: str) -> HelpCandidate:
        """Return a command as what the card shows."""
        return candidate_of(match, app, self._key)

    def _find_known(self, app: str) -> tuple[KnownCommands | None, bool]:
        """Return the commands of a program, and whether anything is known of them."""
        with self._lock:
            was_read = app in self._lists
            commands = self._lists.get(app)
            known = self._known
        if commands is None:
            return None, was_read
        if known is None or known.commands is not commands:
            known = KnownCommands(commands)
            with self._lock:
                self._known = known if self._lists.get(app) is commands else None
        return known, was_read

    def read_ahead(self, take: TakeCommands, app: str = "") -> None:
        """Have the list of a program read before anybody asks; `take` is called with it. In any thread."""
        self._request(app, 0.0, take)

    def _request(self, app: str, wait_s: float, also: TakeCommands | None = None) -> None:
        """Have the list brought up to date, and wait for it a while."""
        taken = threading.Event()
        waits = True

        def take(commands: CommandList | None) -> None:
            with self._lock:
                if commands is not None and self._cleared == cleared:
                    self._read_ns[app] = commands.read_ns
                known = self._lists.get(app)
                if known is not None and (
                    commands is None or (known.commands, known.menus) == (commands.commands, commands.menus)
                ):
                    commands = known  # what was made of it is still right, and no list says that there are none
                is_new = self._cleared == cleared and (app not in self._lists or known is not commands)
                if is_new:
                    self._lists[app] = commands
                is_late = is_new and not waits
            taken.set()
            if also is not None:
                also(commands)
            elif is_late:
                self._on_late()

        with self._lock:
            cleared = self._cleared
            known = self._lists.get(app)
            is_known = known is not None and known.complete  # a part is what was read while somebody typed
        self._request_commands(take, app)
        taken.wait(min(wait_s, KNOWN_S) if is_known else wait_s)
        with self._lock:
            waits = False


def _forget_typed() -> None:
    """Forget which words were looked up: some were typed."""
    meaning.forget_words()
    forget_words()
    forget_names()
