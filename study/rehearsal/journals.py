"""The journals of a simulated person: one session for each day at the desk, written as the daemon writes them.

The engine, the policy, the settings of each phase, the row of the study and the log are the real ones; detector, clock
and person are simulated. As in the daemon, the states of policy and questions go from one session to the next.
"""

import datetime as dt
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from daemon.engine.engine import Engine
from daemon.engine.session_start import first_row
from daemon.runtime.enrolment import study_row, study_settings, with_study_seed
from policies import registry
from storage.clock import NS_PER_S
from storage.enrolment import Enrolment
from storage.paths import make_folder
from storage.records import Record, SessionStart
from storage.session.log import SessionWriter
from storage.settings import Settings, WindowSettings
from study.rehearsal.person import SimulatedPerson, Sitting
from study.rehearsal.sitting import StandIn, Watched, watch

WINDOW_S = 240.0
"""Length of a simulated person's windows, a setting of theirs: four estimates each keep a rehearsal short."""

SETTINGS = Settings(window=WindowSettings(planned_s=WINDOW_S, away_s=30.0))
"""What simulated people have set; all but the windows is as Kairos comes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session that was watched: its name, its first and last moment (wall clock), its rows, and what was behind them.

    `sitting` is in session time, as the rows are.
    """

    name: str
    start_wall_ns: int
    end_wall_ns: int
    rows: Sequence[Record]
    sitting: Sitting


class Life:
    """One person's days in a study, in their order."""

    def __init__(self, person: SimulatedPerson, enrolment: Enrolment, seed: str) -> None:
        """Begin before day 1; `seed` gives what is neither the person's nor the study's, such as names of sessions."""
        self._person = person
        self._enrolment = enrolment
        self._seed = seed
        self._chance = random.Random(f"{seed} sessions")  # noqa: S311  # simulation
        self._policy: Mapping[str, object] = {}
        self._questions: Mapping[str, object] = {}
        self._saved_wall_ns = 0

    def sessions(self, days: int) -> Iterator[Session]:
        """Yield the sessions of the first so many days; none on a day off."""
        for day in range(days):
            found = self.session_on(self._enrolment.first_day + dt.timedelta(days=day))
            if found is not None:
                yield found

    def session_on(self, date: dt.date) -> Session | None:
        """Return the session of a date, each later than the one before; None on a day off."""
        start_ns = self._chance.randrange(10**12, 10**15)
        sitting = self._person.sit_down(date, start_ns, SETTINGS.policy.quiet_start_s)
        if sitting is None:
            return None
        began = dt.datetime.combine(date, dt.time()).astimezone() + dt.timedelta(seconds=sitting.start_s)
        wall_ns = round(began.timestamp() * NS_PER_S)
        name = f"{began:%Y%m%d-%H%M%S}-{self._chance.randrange(2**16):04x}"
        settings = study_settings(SETTINGS, self._enrolment, date)
        detector = StandIn(f"{self._seed} {date}")
        policy = registry.load(settings.policy, settings.detector.base_rate)
        elapsed_ns = wall_ns - self._saved_wall_ns if self._policy else 0
        saved = with_study_seed(self._policy, self._enrolment)
        first = replace(
            _first_row(settings),
            session_id=name,
            wall_ns=wall_ns,
            policy_state={"saved": saved, "elapsed_ns": elapsed_ns},
        )
        watched = watch(
            self._person,
            sitting,
            Engine(detector=detector, policy=policy, settings=settings),
            detector,
            first=first,
            study=study_row(self._enrolment, wall_ns, self._questions, self._saved_wall_ns),
            start_ns=start_ns,
        )
        self._save(watched, wall_ns + watched.end_ns - start_ns)
        return Session(
            name=name, start_wall_ns=wall_ns, end_wall_ns=self._saved_wall_ns, rows=watched.rows, sitting=sitting
        )

    def _save(self, watched: Watched, wall_ns: int) -> None:
        self._policy, self._questions, self._saved_wall_ns = watched.policy, watched.questions, wall_ns


@cache  # most of what it holds is the same in every session of a phase, and it takes milliseconds
def _first_row(settings: Settings) -> SessionStart:
    policy = registry.load(settings.policy, settings.detector.base_rate)
    return first_row(settings=settings, detector=StandIn(""), policy=policy, session_id="", wall_ns=0, recording=False)


def write_journal(session: Session, sessions: Path) -> Path:
    """Write a session as the daemon does, but all rows at once; return its folder.

    Raises:
        EnvironmentFault: it cannot be written.
    """
    folder = make_folder(sessions / session.name)
    writer = SessionWriter(folder)
    try:
        writer.append(session.rows)
    finally:
        writer.close()
    return folder
