"""Whose rows are made, and what may be in them; a row with its time."""

from collections.abc import Iterable
from dataclasses import dataclass

from participant.documents.plan import MAX_DAYS, Sent
from participant.documents.rows import Row
from policies.sampling import LAST_DATE, MAX_OFFSET_S
from storage.enrolment import Enrolment
from storage.records import SessionStart, StudyStart


@dataclass(frozen=True, slots=True, kw_only=True)
class Participation:
    """Whose rows these are: study, participant, arm, seed of all lots (None: any), and the switches of the consent."""

    study: str
    participant: str
    arm: str
    sends: frozenset[Sent]
    seed: int | None = None

    @classmethod
    def of(cls, enrolment: Enrolment, arm: str, sends: Iterable[Sent]) -> "Participation":
        """Return that of an enrolment, for an arm and the switches that are on."""
        return cls(
            study=enrolment.study,
            participant=enrolment.participant,
            arm=arm,
            sends=frozenset(sends),
            seed=enrolment.seed,
        )

    def owns(self, start: SessionStart, study: StudyStart) -> bool:
        """Tell whether a session was recorded here, in this study; an imported one was not."""
        return (
            start.imported_from is None
            and (study.study, study.participant) == (self.study, self.participant)
            and self.seed in (None, study.seed)
            and 0 < study.days <= MAX_DAYS
            and 0 <= study.first_date <= LAST_DATE
            and abs(study.utc_offset_s) <= MAX_OFFSET_S
        )


@dataclass(frozen=True, slots=True)
class TimedRow:
    """A row, and the wall-clock time that it is about: of the decision, of when a question was due, of a day's end."""

    row: Row
    wall_ns: int
