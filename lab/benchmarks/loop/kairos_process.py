"""Kairos as it is, but for its library: what is asked brings the page of that title, so the loop is judged alone.

Called with a file of pages, one to note in what is pointed at, and whether nothing shall be ticked off, then as
`kairos` is. Walks may cost more in sum than in an hour of work, since tasks follow each other; they come no faster.
"""

import functools
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

import daemon.help.library
from daemon.capture.accessibility import sense
from daemon.capture.accessibility.sense import ControlSense
from daemon.capture.accessibility.walk_rate import WALK_GAP_NS, WalkRate
from daemon.cli.main import main
from daemon.help.context import HelpContext, HelpMatch
from daemon.help.guide import Guide
from daemon.help.pointing import Pointing
from storage.clock import NS_PER_S
from storage.ports import HelpPage, PointedAt
from storage.records import Box

_GENEROUS = (WALK_GAP_NS, 40, 600 * NS_PER_S)
"""Time between walks as ever, walks a minute, and their CPU time."""


class TaskLibrary:
    """Finds a page by its title."""

    def __init__(self, file: Path) -> None:
        self._pages = {page.title: page for page in msgspec.json.decode(file.read_bytes(), type=list[HelpPage])}

    def search(self, context: HelpContext, _limit: int = 3) -> Sequence[HelpMatch]:
        """Return the page whose title was typed."""
        return self.search_words(context, context.words)

    def search_words(self, _context: HelpContext, words: str, _limit: int = 3) -> Sequence[HelpMatch]:
        """Return the page of this title."""
        page = self._pages.get(words)
        return [HelpMatch(page=page, score=1.0)] if page is not None else []

    def search_general(self, *_: object, **_words: object) -> Sequence[HelpMatch]:
        """Return nothing."""
        return ()

    def page(self, page_id: str) -> HelpPage | None:
        """Return a page by its id."""
        return next((page for page in self._pages.values() if page.page_id == page_id), None)

    def close(self) -> None:
        """Close nothing."""


def _note_to(file: Path, show: Any, followed: Any, box: Box | None, about: PointedAt = PointedAt.STEP) -> None:
    """Write down what is pointed at, and show it."""
    with file.open("a") as lines:
        lines.write(json.dumps({"step": followed.step, "box": box, "about": about}) + "\n")
    show(followed, box, about)


def _prepare(pages: Path, noted: Path, *, broken: bool) -> None:
    """Put the pages in place of the library; of this process nothing else is needed."""
    patched: list[tuple[Any, str, object]] = [
        (daemon.help.library.HelpLibrary, "open", lambda *_: TaskLibrary(pages)),
        (ControlSense, "request_commands", lambda _, take, *_app: take(None)),  # a task is for what its page says
        (sense, "WalkRate", lambda *limits, **kept: WalkRate(*(limits or _GENEROUS), **kept)),
    ]
    show = Pointing._ring  # noqa: SLF001  # where all that is pointed at passes

    def ring(pointing: Pointing, *said: Any) -> None:
        _note_to(noted, functools.partial(show, pointing), *said)

    patched.append((Pointing, "_ring", ring))
    if broken:
        patched += [(Guide, name, lambda *_: False) for name in ("act", "press", "see", "finish")]
    for owner, name, value in patched:
        setattr(owner, name, value)


if __name__ == "__main__":
    _prepare(Path(sys.argv[1]), Path(sys.argv[2]), broken=sys.argv[3] == str(True))
    sys.exit(main(sys.argv[4:]))
