"""Compares what each session of a study left with what the next one began with.

Lots of offers are counted on over sessions, and so are the blocks of random questions. So whole sessions that are not
there, or rows taken from the end of one, leave a gap that is named. A session that was cut off (a crash, a power cut)
may have lost its last rows; lots that are missing behind such a one are counted as lost.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from storage.records import Record, SessionStart
from study.audit.lots import Finding, SessionAudit, audit_session


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyAudit:
    """What was recomputed, session by session in their order; `lost` lots went with sessions that were cut off."""

    sessions: tuple[SessionAudit, ...]
    lost: int

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that does not fit."""
        return tuple(finding for session in self.sessions for finding in session.findings)


def audit_sessions(sessions: Iterable[Sequence[Record]], *, complete: bool = True) -> StudyAudit:
    """Recompute sessions; those of no study are left out.

    Args:
        sessions: the rows of each, in any order.
        complete: whether these are all sessions of their studies, so that what is missing between them is named.
    """
    audits = [found for rows in sessions if (found := audit_session(rows)) is not None]
    audits.sort(key=lambda audit: audit.place.wall_ns)
    if not complete:
        return StudyAudit(sessions=tuple(audits), lost=0)
    last: dict[tuple[str, str, int], SessionAudit] = {}
    linked, lost = list[SessionAudit](), 0
    for audit in audits:
        place = audit.place
        key = (place.study, place.participant, place.seed)
        before = last.get(key)
        gaps = [*_offer_gaps(before, audit), *_block_gaps(before, audit)]
        if before is not None and not before.place.ended:
            lost += sum(gap.missing for gap in gaps)
            gaps = [gap for gap in gaps if not gap.missing]
        named = [Finding(session=audit.session, seq=1, kind=SessionStart.KIND, what=gap.what) for gap in gaps]
        linked.append(replace(audit, findings=(*named, *audit.findings)))
        last[key] = audit
    return StudyAudit(sessions=tuple(linked), lost=lost)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gap:
    """What does not join: in words, and how many lots or blocks are missing; 0 if something was drawn twice."""

    what: str
    missing: int


def _offer_gaps(before: SessionAudit | None, audit: SessionAudit) -> Iterator[_Gap]:
    """Yield what does not fit in the counts of lots of offers."""
    if audit.place.drawn is None or (before is not None and before.place.drawn is None):
        return
    expected = before.place.drawn[1] if before is not None and before.place.drawn is not None else 0
    begins = audit.place.drawn[0]
    if begins > expected:
        lots = f"lot {expected}" if begins == expected + 1 else f"lots {expected} to {begins - 1}"
        yield _Gap(what=f"{lots} of offers, from 0 on, came before it and are in no session", missing=begins - expected)
    elif begins < expected:
        yield _Gap(what=f"{expected} lots of offers were drawn before it, and it counts from {begins}", missing=0)


def _block_gaps(before: SessionAudit | None, audit: SessionAudit) -> Iterator[_Gap]:
    """Yield what does not fit in the blocks of random questions, by day in days since 1970-01-01."""
    if audit.place.blocks is None or (before is not None and before.place.blocks is None):
        return
    expected = before.place.blocks[1] if before is not None and before.place.blocks is not None else {}
    begins = audit.place.blocks[0]
    for date in sorted(expected.keys() | begins.keys()):
        wanted, found = expected.get(date, 0), begins.get(date, 0)
        if found > wanted:
            blocks = ", ".join(str(block) for block in range(wanted, found))
            yield _Gap(
                what=f"the random questions of date {date}, blocks {blocks}, came before it and are in no session",
                missing=found - wanted,
            )
        elif found < wanted:
            yield _Gap(what=f"blocks of date {date} from {found} on were taken up before and come again", missing=0)
