"""Simulated people as participants: in a data folder of each works what runs on a participant's machine.

Joining, packing, release and outbox are the real ones. They find their files by the environment, so it names the
person's folder while one of them works; the folder of whoever rehearses is never opened.
"""

import datetime as dt
import os
import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from daemon.runtime.study.enrolment import first_study_day
from participant.delivery.outbox import Outbox
from participant.delivery.review import Mode, release_daily
from participant.documents.invitation import Invited
from participant.documents.rows import Row
from participant.membership.folder import ParticipantFolder, joined_folder
from participant.membership.joining import join
from participant.pack import Participation, pack
from storage.clock import NS_PER_S
from storage.enrolment import Enrolment
from storage.files import private_folder, sessions_folder, state_file
from storage.records import Record
from storage.session.log import SessionReader, list_sessions
from storage.state.store import StateStore
from study.rehearsal.compare import rows_of_sessions
from study.rehearsal.journals import Life, write_journal
from study.rehearsal.own_words import OwnWords
from study.rehearsal.person import SimulatedPerson

FIRST_DAY = dt.date(2027, 1, 4)
"""Day 1 of every rehearsal, a Monday."""

WORKS_AT = dt.time(2)
"""When the work of a day is done: the night after, an hour after parcels of the day before may leave."""

SEED_BITS = 63


class RehearsedPerson:
    """One simulated person who takes part."""

    def __init__(self, invited: Invited, home: Path, *, number: int, seed: int, effect: float) -> None:
        """Take an invitation.

        `number`: of the invitation, from 1 on; with `seed` it gives everything that this person does.
        """
        self.invited = invited
        self.number = number
        self.home = private_folder(home)
        self.enrolment: Enrolment | None = None
        self._name = f"{seed} {number}"
        self._person = SimulatedPerson(self._name, effect)
        self.words = OwnWords(self._name, invited.bundle.plan.sends)
        self._life: Life | None = None

    @property
    def id(self) -> str:
        """Their id, which is new in every rehearsal."""
        return self.invited.invitation.participant

    @property
    def folder(self) -> ParticipantFolder:
        """The folder of the joined study."""
        with self.at_home():
            return joined_folder(self.invited.invitation.study)

    @contextmanager
    def at_home(self) -> Iterator[None]:
        """Let the participant's side of Kairos find this person's files."""
        names = ("XDG_STATE_HOME", "XDG_CONFIG_HOME")
        before = {name: os.environ.get(name) for name in names}
        os.environ.update(dict.fromkeys(names, str(self.home)))
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value

    def join(self) -> None:
        """Agree to everything that the study asks for, in time for `FIRST_DAY`."""
        joined = dt.datetime.combine(FIRST_DAY - dt.timedelta(days=2), dt.time(12)).astimezone()
        lots = random.Random(f"{self._name} lots").getrandbits(SEED_BITS)  # noqa: S311  # simulation
        plan = self.invited.bundle.plan
        with self.at_home():
            self.enrolment = join(self.invited, plan.sends, None, _wall_ns(joined), mode=Mode.DAILY, seed=lots)
        if self.enrolment.first_day != FIRST_DAY:
            raise ValueError(f"day 1 is {first_study_day(joined)}, and the rehearsal counts from {FIRST_DAY}")
        self._life = Life(self._person, self.enrolment, self._name)

    def live(self, day: int) -> bool:
        """Live through a day of the study, from 1 on, and write its journal; return whether it was no day off.

        What is said of earlier days may be thought over first, on a day off too.
        """
        if self._life is None:
            raise ValueError("nobody lives through a study before joining it")
        date = FIRST_DAY + dt.timedelta(days=day - 1)
        with self.at_home():
            self.words.think_again(date)
            with StateStore(state_file()) as state:
                session = self._life.session_on(date, state)
            if session is not None:
                self.words.speak_of(session, write_journal(session, sessions_folder()))
        return session is not None

    def pack(self, now_wall_ns: int) -> None:
        """Pack what happened and let go what is due, as `kairos study work` does."""
        folder = self.folder
        with self.at_home():
            pack(folder, now_wall_ns)
            with Outbox(folder.outbox) as outbox:
                release_daily(outbox, now_wall_ns)

    def journals(self) -> Iterator[list[Record]]:
        """Yield the records of every session, read from the disk."""
        with self.at_home():
            folders = list_sessions(sessions_folder())
        for folder in folders:
            with SessionReader(folder) as reader:
                yield list(reader)

    def rows_of(self, journals: Iterable[Sequence[Record]], now_wall_ns: int) -> list[Row]:
        """Return the rows that all journals give when they are read at once; the consent is not among them."""
        if self.enrolment is None:
            return []
        who = Participation(
            study=self.enrolment.study,
            participant=self.id,
            arm=self.invited.arm,
            sends=frozenset(self.invited.bundle.plan.sends),
            seed=self.enrolment.seed,
        )
        return [timed.row for timed in rows_of_sessions(journals, who, now_wall_ns)]


def night_after(day: int) -> int:
    """Return when the work of a day of the study is done, in nanoseconds of the wall clock."""
    return _wall_ns(dt.datetime.combine(FIRST_DAY + dt.timedelta(days=day), WORKS_AT).astimezone())


def _wall_ns(at: dt.datetime) -> int:
    return round(at.timestamp()) * NS_PER_S
