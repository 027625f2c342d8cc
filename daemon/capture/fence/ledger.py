"""Keeps for each program what was seen of any of its windows, hidden ones too. Pure.

A program is what shares a connection, a process, a leading window or, with browsers, a class. A window is as excluded
as the process that made its connection, whatever it names, and one that names none as those that started that. What was
excluded by name or shown as private stays so for as long as its window exists.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence

from daemon.capture.fence.traits import WindowTraits, comparable
from daemon.capture.scene import DesktopWindow

Told = tuple[DesktopWindow, WindowTraits]


class ProgramLedger:
    """Which windows belong together, and what is remembered of them."""

    def __init__(self) -> None:
        self._tokens: tuple[tuple[int, tuple[Hashable, ...]], ...] = ()
        self._programs: dict[int, int] = {}
        self._named: set[int] = set()
        self._private: set[int] = set()
        self._settled: dict[int, str] = {}

    def note(self, windows: Sequence[Told], clients: frozenset[int]) -> None:
        """Take in all windows that exist, with their traits; `clients` are those of which anything is kept."""
        self._named &= clients
        self._private &= clients
        for client in self._settled.keys() - clients:
            del self._settled[client]
        tokens = tuple((window.client, tuple(_tokens(window, traits))) for window, traits in windows)
        if tokens != self._tokens:
            self._tokens, self._programs = tokens, _grouped(tokens)
        self._named |= {window.client for window, traits in windows if traits.named}
        self._private |= {window.client for window, traits in windows if traits.stays_private}
        processes = {_process(window) for window, _ in windows if window.client in self._named} - {0}
        self._named |= {window.client for window, _ in windows if not processes.isdisjoint(window.connected)}
        excluded = {self._programs[client] for client in self._named if client in self._programs}
        self._named |= {client for client, program in self._programs.items() if program in excluded}

    def program(self, client: int) -> int:
        """Return the program of a window as a number, the same for all its windows."""
        return self._programs.get(client, client)

    def is_named(self, client: int) -> bool:
        """Return whether a window of its program was excluded by name."""
        return client in self._named

    def is_private(self, client: int) -> bool:
        """Return whether a browser's window was private."""
        return client in self._private

    def settle(self, window: DesktopWindow) -> None:
        """Note that a window has kept its class for long enough."""
        self._settled[window.client] = window.app or ""

    def has_settled(self, window: DesktopWindow) -> bool:
        """Return whether this very window settled with the class it has: minimising it does not make it young again."""
        return bool(window.app) and self._settled.get(window.client) == window.app

    def is_settled(self, window: DesktopWindow) -> bool:
        """Return whether its program has, or had with it, a window of the same class that settled; no class is any."""
        if self.has_settled(window):
            return True
        program = self.program(window.client)
        return any(
            app == (window.app or app) and self._programs.get(client) == program
            for client, app in self._settled.items()
        )


def _tokens(window: DesktopWindow, traits: WindowTraits) -> Iterator[Hashable]:
    yield "connection", window.group
    if _process(window):
        yield "process", _process(window)
    for leader in window.leaders:
        yield "leader", leader
    if traits.browser and window.app:
        yield "class", comparable(window.app)


def _process(window: DesktopWindow) -> int:
    """Return the process of a window; 0 if nobody knows: a sandbox numbers processes anew, and names none here."""
    if window.pid:
        return window.pid if window.program else 0
    return window.connected[0] if window.connected else 0


def _grouped(windows: Iterable[tuple[int, Sequence[Hashable]]]) -> dict[int, int]:
    """Return for each window the number of its program: windows with a token in common have one."""
    parents: dict[Hashable, Hashable] = {}

    def root(token: Hashable) -> Hashable:
        while (above := parents.setdefault(token, token)) != token:
            parents[token] = parents[above]
            token = parents[token]
        return token

    listed = list(windows)
    for _, tokens in listed:
        first = root(tokens[0])
        for token in tokens[1:]:
            parents[root(token)] = first
    numbers: dict[Hashable, int] = {}
    return {client: numbers.setdefault(root(tokens[0]), len(numbers) + 1) for client, tokens in listed}
