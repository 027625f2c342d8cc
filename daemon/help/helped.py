"""Which answers have helped in a program: they come first there next time.

What is kept is a digest of each, and nothing of the words that were asked. The key lies beside the digests, so who can
read them can try names and tell which commands helped.
"""

import secrets
from collections.abc import Callable
from hashlib import blake2b

from daemon.help.candidates import COMMAND_ID
from storage.clock import Clock
from storage.ports import HelpPage
from storage.state.store import Helped

WEIGHT = 1.5
"""What an answer that has helped counts for beside the others."""

MAX_ANSWERS = 200
_KEY_BYTES, _DIGEST_BYTES = 16, 8


class HelpfulAnswers:
    """Noted in the core's thread, and read in the search thread."""

    def __init__(self, known: Helped, save: Callable[[Helped], None], clock: Clock) -> None:
        """Begin with what is known; `save` stores what changes."""
        self._known = known if known.key else Helped(key=secrets.token_hex(_KEY_BYTES))
        self._preferred = frozenset(row[:2] for row in self._known.answers)
        self._save = save
        self._clock = clock

    def note(self, page: HelpPage, app: str, *, helped: bool) -> None:
        """Note that an answer helped, which makes it the newest, or that it did not."""
        answer = app, self._digest(page, app)
        others = tuple(row for row in self._known.answers if row[:2] != answer)
        first_ns = next((row[2] for row in self._known.answers if row[:2] == answer), self._clock.wall_ns())
        answers = (*others, (*answer, first_ns)) if helped else others
        if answers == self._known.answers:
            return
        self._known = Helped(key=self._known.key, answers=answers[-MAX_ANSWERS:])
        self._preferred = frozenset(row[:2] for row in self._known.answers)
        self._save(self._known)

    def weight(self, page: HelpPage, app: str) -> float:
        """Return what an answer counts for beside the others."""
        return WEIGHT if self._preferred and (app, self._digest(page, app)) in self._preferred else 1.0

    def _digest(self, page: HelpPage, app: str) -> str:
        """Return what tells an answer from others: ids of commands are of one session, their paths are not."""
        of: tuple[str, ...] = (page.page_id,)
        if page.page_id.startswith(COMMAND_ID):
            (step,) = page.steps
            of = step.controls or (step.text,)
        return blake2b(
            "\n".join((app, *of)).encode(), key=bytes.fromhex(self._known.key), digest_size=_DIGEST_BYTES
        ).hexdigest()
