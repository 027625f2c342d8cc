"""The figures of a diagnosis: rates by program, what comes back, after what it ended, and what all that rests on."""

from collections import Counter, defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from daemon.diagnosis.episodes import Ending, Episode, Place, SessionDiagnosis
from daemon.diagnosis.sessions import UnreadableSession
from daemon.figures.intervals import Interval, poisson_rate, wilson
from storage.plain_text import local_day

FEW = 5
"""Below so many cases a share is too few to tell."""

RECURS_TIMES, RECURS_DAYS = 3, 2
"""What came so often, on so many days, comes back."""

DETAILED = 200
"""The newest episodes, of which steps are kept: memory must not grow with the weeks."""

LEAST_INPUT_S = 600.0
"""With less input in a program a rate would say nothing."""

_HOUR_S = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedEpisode:
    """An episode and the session that it is in."""

    session: str
    episode: Episode


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramTrouble:
    """One application: `rate` is of episodes an hour of input, None below `LEAST_INPUT_S`; `stuck_s` is in episodes."""

    app: str
    episodes: int
    input_s: float
    stuck_s: float
    rate: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Episodes of one application, evidence code and place; `place` is None where no name joins sessions."""

    app: str
    evidence: str
    place: Place | None
    times: int
    days: int
    first: float
    last: float
    stuck_s: float
    endings: Mapping[str, int]

    @property
    def recurs(self) -> bool:
        """Whether it comes back."""
        return self.times >= RECURS_TIMES and self.days >= RECURS_DAYS


@dataclass(frozen=True, slots=True, kw_only=True)
class StuckPlace:
    """Episodes of one application at one named place, or without a name, whatever the sign; `signs` counts those."""

    app: str
    place: Place | None
    times: int
    days: int
    last: float
    stuck_s: float
    signs: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class EndingShare:
    """How many episodes ended after something; `share` is None where there are too few to tell."""

    ending: Ending
    count: int
    share: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """Everything that a report shows.

    Attributes:
        since: the sessions are those that had not ended by then, in seconds since the epoch; 0 for all.
        until: when it was made.
        sessions: how many were read.
        unreadable: those that could not be.
        began: when the first session began; 0 without any.
        days: on how many days there was a session.
        input_s: seconds with input.
        windows: windows judged.
        shipped: sessions judged by the thresholds that come with the detector; the others by one half.
        recordings: sessions in which names could be recorded.
        controls: sessions in which controls were understood.
        simulated: sessions in which nobody worked.
        rate: episodes an hour of input, over all programs.
        programs: those with most episodes first.
        places: those with most episodes first.
        spots: those with most episodes first, each sign by itself.
        endings: in the order of `Ending`.
        episodes: all, oldest first; only the newest have steps.
        watched: from when to when each session ran.
        phases_s: seconds of work in each phase, most first.
    """

    since: float
    until: float
    sessions: int
    unreadable: tuple[UnreadableSession, ...]
    began: float
    days: int
    input_s: float
    windows: int
    shipped: int
    recordings: int
    controls: int
    simulated: int
    rate: Interval | None
    programs: tuple[ProgramTrouble, ...]
    places: tuple[StuckPlace, ...]
    spots: tuple[Spot, ...]
    endings: tuple[EndingShare, ...]
    episodes: tuple[DatedEpisode, ...]
    watched: tuple[tuple[float, float], ...]
    phases_s: Mapping[str, float]

    @property
    def recurring(self) -> tuple[Spot, ...]:
        """The spots that come back."""
        return tuple(spot for spot in self.spots if spot.recurs)

    @property
    def stuck_s(self) -> float:
        """Seconds spent in episodes."""
        return sum(program.stuck_s for program in self.programs)


@dataclass(slots=True)
class _Tally:
    place: Place | None
    times: int = 0
    days: set[str] = field(default_factory=set)
    first: float = 0.0
    last: float = 0.0
    stuck_s: float = 0.0
    endings: Counter[str] = field(default_factory=Counter)
    signs: Counter[str] = field(default_factory=Counter)

    def add(self, episode: Episode) -> None:
        self.times += 1
        self.days.add(local_day(episode.onset)[0])
        self.first = min(self.first or episode.onset, episode.onset)
        self.last = max(self.last, episode.onset)
        self.stuck_s += episode.length_s
        self.endings[episode.ending.value] += 1
        self.signs[episode.evidence] += 1


class Summary:
    """Adds sessions up."""

    def __init__(self) -> None:
        """Start without any."""
        self._sessions = self._windows = self._shipped = self._recordings = self._controls = self._simulated = 0
        self._unreadable: list[UnreadableSession] = []
        self._began = 0.0
        self._days: set[str] = set()
        self._input_s: defaultdict[str, float] = defaultdict(float)
        self._stuck_s: defaultdict[str, float] = defaultdict(float)
        self._phases_s: dict[str, float] = defaultdict(float)
        self._counts: Counter[str] = Counter()
        self._endings: Counter[Ending] = Counter()
        self._spots: dict[tuple[str, ...], _Tally] = {}
        self._places: dict[tuple[str, ...], _Tally] = {}
        self._watched: list[tuple[float, float]] = []
        self._older: list[DatedEpisode] = []
        self._newest: deque[DatedEpisode] = deque()

    def add(self, found: SessionDiagnosis | UnreadableSession) -> None:
        """Add a session; sessions come oldest first, so that the newest episodes keep their steps."""
        if isinstance(found, UnreadableSession):
            self._unreadable.append(found)
            return
        self._sessions += 1
        self._windows += found.windows
        self._shipped += found.shipped
        self._recordings += found.recording
        self._controls += found.controls
        self._simulated += found.simulated
        self._began = min(self._began or found.began, found.began)
        self._days.add(local_day(found.began)[0])
        self._watched.append((found.began, found.ended))
        for app, seconds in found.input_s.items():
            self._input_s[app] += seconds
        for phase, seconds in found.phases_s.items():
            self._phases_s[phase] += seconds
        for episode in found.episodes:
            self._add_episode(found.session, episode)

    def _add_episode(self, session: str, episode: Episode) -> None:
        self._newest.append(DatedEpisode(session=session, episode=episode))
        if len(self._newest) > DETAILED:
            older = self._newest.popleft()
            self._older.append(replace(older, episode=replace(older.episode, steps=())))
        self._counts[episode.app] += 1
        self._stuck_s[episode.app] += episode.length_s
        self._endings[episode.ending] += 1
        place = episode.place if episode.place.name else None
        named = () if place is None else (place.kind.value, place.role, place.name.casefold())
        self._spots.setdefault((episode.app, episode.evidence, *named), _Tally(place=place)).add(episode)
        self._places.setdefault((episode.app, *named), _Tally(place=place)).add(episode)

    def diagnosis(self, *, since: float, until: float) -> Diagnosis:
        """Return the figures."""
        input_s, episodes = sum(self._input_s.values()), sum(self._counts.values())
        return Diagnosis(
            since=since,
            until=until,
            sessions=self._sessions,
            unreadable=tuple(self._unreadable),
            began=self._began,
            days=len(self._days),
            input_s=round(input_s, 1),
            windows=self._windows,
            shipped=self._shipped,
            recordings=self._recordings,
            controls=self._controls,
            simulated=self._simulated,
            rate=_rate(episodes, input_s),
            programs=self._programs(),
            places=tuple(self._found_places()),
            spots=tuple(self._found_spots()),
            endings=self._shares(),
            episodes=tuple(sorted((*self._older, *self._newest), key=lambda one: one.episode.onset)),
            watched=tuple(self._watched),
            phases_s={
                phase: round(seconds, 1) for phase, seconds in sorted(self._phases_s.items(), key=lambda one: -one[1])
            },
        )

    def _programs(self) -> tuple[ProgramTrouble, ...]:
        found = [
            ProgramTrouble(
                app=app,
                episodes=self._counts[app],
                input_s=round(self._input_s.get(app, 0.0), 1),
                stuck_s=round(self._stuck_s.get(app, 0.0), 1),
                rate=_rate(self._counts[app], self._input_s.get(app, 0.0)),
            )
            for app in {*self._input_s, *self._counts}
        ]
        return tuple(sorted(found, key=lambda one: (-one.episodes, -one.input_s, one.app)))

    def _found_places(self) -> list[StuckPlace]:
        found = [
            StuckPlace(
                app=key[0],
                place=one.place,
                times=one.times,
                days=len(one.days),
                last=one.last,
                stuck_s=round(one.stuck_s, 1),
                signs=dict(one.signs.most_common()),
            )
            for key, one in self._places.items()
        ]
        return sorted(found, key=lambda one: (-one.times, -one.days, -one.last, one.app))

    def _found_spots(self) -> list[Spot]:
        found = [
            Spot(
                app=key[0],
                evidence=key[1],
                place=one.place,
                times=one.times,
                days=len(one.days),
                first=one.first,
                last=one.last,
                stuck_s=round(one.stuck_s, 1),
                endings=dict(one.endings),
            )
            for key, one in self._spots.items()
        ]
        return sorted(found, key=lambda one: (-one.times, -one.days, -one.last, one.app, one.evidence))

    def _shares(self) -> tuple[EndingShare, ...]:
        total = self._endings.total()
        return tuple(
            EndingShare(
                ending=ending,
                count=self._endings[ending],
                share=wilson(self._endings[ending], total) if total >= FEW else None,
            )
            for ending in Ending
        )


def _rate(episodes: int, input_s: float) -> Interval | None:
    return poisson_rate(episodes, input_s / _HOUR_S) if input_s >= LEAST_INPUT_S else None
