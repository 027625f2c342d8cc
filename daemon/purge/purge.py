"""Forgets a span of time: notes the intent, plans, deletes, and says what was done and what it cannot reach.

`begin` is quick and stands on the disk; `finish` does the work and can be repeated after a kill. No session may be
recorded meanwhile: a running daemon calls it between two sessions, a command holds the lock of the data folder.
"""

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from daemon.purge.intent import ALL, PURGE, PurgeIntent, PurgePlan, clear_intent, read_intent, write_intent
from daemon.purge.span import DAY, LAST, PurgeSpan
from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.files import sessions_folder
from storage.plain_text import printable
from storage.sent.log import open_existing_sent_log
from storage.session.derived import copies_of, take_out_of_copies
from storage.session.log import list_sessions
from storage.state.store import StateStore
from storage.translation import translatable

logger = logging.getLogger(__name__)

MAX_NAMED = 500
MAX_PROBLEMS = 50
MAX_PROBLEM = 400
"""Sessions and problems that a report names, so that it fits into one line over the socket; all of them count."""

NOT_REACHED = (
    "exports, reports and copies of sessions that were made elsewhere, and sessions in a folder that was set before",
    "backups and snapshots of the disk, and blocks that the disk has freed and not overwritten yet",
    "what was sent to models: who runs them has it",
)
"""What no purge can delete."""

STUDY_NOT_REACHED = (
    "what the study that you take part in was sent or has waiting: look with kairos study review, or have all of it"
    " deleted with kairos study leave"
)

KEPT = "your consent and settings, a pause, what models cost by day, and a study that you joined"
"""What stays also where everything is deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeReport:
    """What was deleted, or would be.

    `began_after` began later with what had been learned in the span; they no longer replay to the same decisions.
    `learned` tells whether what was learned was put back to what it was before.
    """

    span: PurgeSpan
    dry_run: bool
    deleted: tuple[str, ...]
    cut: tuple[str, ...]
    began_after: tuple[str, ...]
    requests: int
    learned: bool
    problems: tuple[str, ...]
    not_reached: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """Return the object of `kairos forget --json`."""
        end_ns = self.span.end_wall_ns
        return {
            "scope": self.span.scope,
            "from": None if self.span.scope == ALL else self.span.begin_wall_ns / NS_PER_S,
            "to": None if end_ns is None else end_ns / NS_PER_S,
            "dry_run": self.dry_run,
            "sessions_deleted": len(self.deleted),
            "sessions_cut": len(self.cut),
            "deleted": list(self.deleted[:MAX_NAMED]),
            "cut": list(self.cut[:MAX_NAMED]),
            "began_after": list(self.began_after[:MAX_NAMED]),
            "requests_deleted": self.requests,
            "learned_put_back": self.learned,
            "problems": [problem[:MAX_PROBLEM] for problem in self.problems[:MAX_PROBLEMS]],
            "not_reached": list(self.not_reached),
            "kept": KEPT,
        }


def preview(span: PurgeSpan, sessions_dir: Path, state_file: Path) -> PurgeReport:
    """Return what would be deleted; reads only, also while Kairos runs.

    Raises:
        EnvironmentFault: a database cannot be read.
        BadFile: the database of what outlives sessions is damaged.
    """
    from daemon.purge.plan import plan_purge

    plan = plan_purge(span, sessions_dir, state_file, derives=False)
    going = [sessions_dir / name for name in (*plan.deleted, *plan.cut)]
    copies, places = _copies(copies_of(going, nameless=True)), (sessions_dir, state_file)
    return _report(span, plan, _count_sent(span, plan), plan.problems, places, copies=copies, dry_run=True)


def begin(span: PurgeSpan, sessions_dir: Path, state_file: Path) -> None:
    """Write down that this is to be forgotten; from here on a start finishes it before anything is captured.

    Raises:
        EnvironmentFault: that cannot be written, so nothing is deleted.
    """
    intent = PurgeIntent(
        scope=span.scope,
        begin_wall_ns=span.begin_wall_ns,
        end_wall_ns=span.end_wall_ns,
        sessions_dir=str(sessions_dir.absolute()),
    )
    write_intent(state_file.parent, intent)


def is_begun(span: PurgeSpan, state_file: Path) -> bool:
    """Tell whether just this was begun and is not finished.

    Raises:
        BadFile: the file of the intent is damaged.
    """
    found = read_intent(state_file.parent)
    return found is not None and (found.scope, found.begin_wall_ns) == (span.scope, span.begin_wall_ns)


def is_pending(state_file: Path) -> bool:
    """Tell whether any purge was begun and is not finished; a file that cannot be read counts."""
    return os.path.lexists(state_file.with_name(PURGE))


def finish(state_file: Path) -> PurgeReport | None:
    """Carry out the purge that was begun; return what was done, None if none was begun.

    Raises:
        EnvironmentFault: something cannot be written or removed now; call again later.
        BadFile: the database of what outlives sessions, or the file of the intent, is damaged.
    """
    folder = state_file.parent
    intent = read_intent(folder)
    if intent is None:
        return None
    from daemon.purge.carry_out import carry_out
    from daemon.purge.plan import plan_purge

    span = PurgeSpan(scope=intent.scope, begin_wall_ns=intent.begin_wall_ns, end_wall_ns=intent.end_wall_ns)
    if intent.plan is None:
        intent = replace(intent, plan=plan_purge(span, Path(intent.sessions_dir), state_file))
        write_intent(folder, intent)
    assert intent.plan is not None  # noqa: S101  # made above
    sessions_dir = Path(intent.sessions_dir)
    left = take_out_of_copies(sessions_dir / name for name in intent.plan.deleted)[1]
    done = carry_out(intent, intent.plan, state_file)
    left += take_out_of_copies((sessions_dir / name for name in intent.plan.cut), renews=True)[1]
    copies = _copies(list(dict.fromkeys(left)))
    clear_intent(folder)
    logger.info("a purge is done: %d sessions deleted, %d cut", len(intent.plan.deleted), len(intent.plan.cut))
    places = sessions_dir, state_file
    return _report(span, intent.plan, done.requests, done.problems, places, copies=copies, dry_run=False)


def span_from(request: Mapping[str, object]) -> PurgeSpan | None:
    """Return the span that a request over the control socket names; None if it names none."""
    scope, begin_ns, end_ns = (request.get(name) for name in ("scope", "begin_ns", "end_ns"))
    whole = isinstance(begin_ns, int) and (end_ns is None or isinstance(end_ns, int))
    if not (isinstance(scope, str) and scope in (LAST, DAY, ALL) and whole and isinstance(begin_ns, int)):
        return None
    return PurgeSpan(scope=scope, begin_wall_ns=begin_ns, end_wall_ns=end_ns if isinstance(end_ns, int) else None)


def _report(
    span: PurgeSpan,
    plan: PurgePlan,
    requests: int,
    problems: tuple[str, ...],
    places: tuple[Path, Path],
    *,
    copies: tuple[str, ...],
    dry_run: bool,
) -> PurgeReport:
    sessions_dir, state_file = places
    return PurgeReport(
        span=span,
        dry_run=dry_run,
        deleted=plan.deleted,
        cut=tuple(plan.cut),
        began_after=plan.began_after,
        requests=requests,
        learned=bool(plan.policies) or span.scope == ALL,
        problems=problems,
        not_reached=(
            *copies,
            *_others(sessions_dir),
            *NOT_REACHED,
            *([STUDY_NOT_REACHED] if _takes_part(state_file) else []),
        ),
    )


def _copies(found: list[str]) -> tuple[str, ...]:
    return tuple(
        translatable("{path}: delete it there, or run the export again", path=printable(each)) for each in found
    )


def _others(sessions_dir: Path) -> Iterator[str]:
    """Yield what to do about sessions where they lie if no folder is set: one was set only later."""
    folder = sessions_folder()
    if folder != sessions_dir and list_sessions(folder):
        yield translatable("sessions in {folder}: to forget them too, add --sessions {folder}", folder=folder)


def _takes_part(state_file: Path) -> bool:
    if not state_file.exists():
        return False
    with StateStore(state_file) as state:
        try:
            return state.enrolment() is not None
        except BadFile:
            return True


def _count_sent(span: PurgeSpan, plan: PurgePlan) -> int:
    with suppress(BadFile):  # where it is damaged, carrying it out says so, or removes it
        log = open_existing_sent_log()
        if log is None:
            return 0
        named = {(name, number) for name, cut in plan.cut.items() for number in cut.requests}
        shown = ((span.begin_wall_ns, span.end_wall_ns), *plan.shown)
        with log:
            return log.count_spans(shown, plan.deleted, named)
    return 0
