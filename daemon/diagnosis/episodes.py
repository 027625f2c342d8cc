"""Finds the episodes of likely trouble in one session, in one pass over its rows; only open episodes are held.

An episode runs from the first estimate of help need at or above the threshold of the session's detector to the last one
before a whole window (24 s) without any, in one application and its help; an offer counts like such an estimate. What
came last before its end is known a little later: with the person's next input, the answer to the offer, or the end of
the session. Order in time is no cause, and nothing here says so.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from daemon.history.summary import WallClock
from daemon.history.trajectory.steps import KINDS as STEP_KINDS
from daemon.history.trajectory.steps import FoundStep, StepFolder
from detectors.acts import is_help_app, stops_observation
from detectors.need_threshold import NeedThreshold, need_threshold
from storage.clock import NS_PER_S
from storage.plain_text import quotable
from storage.records import (
    Anchor,
    ControlAct,
    DialogSeen,
    Estimate,
    Feedback,
    FeedbackKind,
    Focus,
    InputEvent,
    KeyClass,
    Offer,
    Record,
    SessionEnd,
    SessionStart,
    Window,
    Withdrawal,
    phase_of,
)

KINDS = tuple(
    {
        *(kind for kind in STEP_KINDS if kind not in ("frame", "elements")),
        *(kind.KIND for kind in (Anchor, DialogSeen, Estimate, Feedback, Offer, Window, Withdrawal)),
    }
)
"""Rows that episodes are made of: none with a picture, none with features."""

DEFAULT_WINDOW_S, LEAST_WINDOW_S, MOST_WINDOW_S = 24.0, 1.0, 3600.0
LEFT_NS = 300 * NS_PER_S
"""Without input for this long somebody has left."""

MAX_STEPS = 12
"""How many steps of an episode are kept: the last ones."""

MAX_EPISODES = 5000
"""More than a day can hold; a foreign log must not fill the memory."""

MAX_APPS = 500
MAX_NAME, MAX_CODE = 60, 60
SIMULATED = "simulated"
"""The platform of sessions that a program made."""

NAMELESS = "trouble_pattern"
_ISOLATES = "\u2068\u2069"  # for sentences; here names stand alone
CALM = frozenset({"flow", "progress_watching", "back_and_forth", "comparing"})
"""Evidence that is no sign of trouble."""

GOES_ON = frozenset({"time", "size", "zone"})
"""Reasons for which a session ends while its person works on; the next one begins at once."""


class Ending(StrEnum):
    """What came last before an episode's end."""

    OFFER_ACCEPTED = "offer_accepted"
    HELP_SOUGHT = "help_sought"
    WORK_WENT_ON = "work_went_on"
    LEFT = "left"
    STOPPED = "stopped"


class PlaceKind(StrEnum):
    """What names a place, from the closest to the widest."""

    CONTROL = "control"
    DIALOG = "dialog"
    WINDOW = "window"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where an episode was: a control, else a dialog, else a window. `name` is there in recordings alone.

    Without a name there is the session's own digest, which means nothing in another session.
    """

    kind: PlaceKind = PlaceKind.UNKNOWN
    role: str = ""
    name: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortStep:
    """What was done, `at_s` seconds from the onset on: a verb, how often, and the control if its name is recorded."""

    at_s: float
    verb: str
    detail: str = ""
    count: int = 1
    role: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """One episode; `onset` is in seconds since the epoch.

    Attributes:
        onset: when the first estimate counted.
        length_s: from there to the last one; 0 for a single one.
        app: the application.
        evidence: the evidence code that was heaviest most often.
        place: where.
        ending: what came last before its end.
        estimates: how many estimates counted.
        offers: how many offers were made in it.
        need: the highest help need.
        steps: what was done last in it.
    """

    onset: float
    length_s: float
    app: str
    evidence: str
    place: Place
    ending: Ending
    estimates: int
    offers: int
    need: float
    steps: tuple[ShortStep, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionDiagnosis:
    """What one session holds.

    Attributes:
        session: the folder's name.
        began: seconds since the epoch.
        ended: seconds since the epoch.
        recording: whether names could be recorded.
        controls: whether any control was understood.
        imported: whether it comes from elsewhere.
        simulated: whether nobody worked in it.
        shipped: whether the thresholds are those of the shipped detector; else one half.
        windows: how many windows were judged.
        input_s: seconds with input by application: from one input to the next, at most a window.
        episodes: in the order of their onset.
        phases_s: seconds of work in each phase, by the likeliest state of each estimate.
    """

    session: str
    began: float
    ended: float
    recording: bool
    controls: bool
    imported: bool
    simulated: bool
    shipped: bool
    windows: int
    input_s: Mapping[str, float]
    episodes: tuple[Episode, ...]
    phases_s: Mapping[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class _Open:
    """An episode whose end is not known yet."""

    app: str
    onset_ns: int
    end_ns: int
    input_ns: int
    window_digest: str
    codes: Counter[str] = field(default_factory=Counter)
    controls: Counter[Place] = field(default_factory=Counter)
    dialog: Place | None = None
    unanswered: set[str] = field(default_factory=set)
    offer_ids: set[str] = field(default_factory=set)
    estimates: int = 0
    need: float = 0.0
    accepted_ns: int = -1
    help_ns: int = -1
    next: Ending | None = None


def diagnose_rows(start: SessionStart, rows: Iterable[Record], session: str) -> SessionDiagnosis:
    """Return what a session holds, given its first row and those of `KINDS` behind it."""
    folder = EpisodeFolder(start)
    for row in rows:
        folder.add(row)
    return folder.finish(session)


def thresholds_of(start: SessionStart) -> NeedThreshold:
    """Return the thresholds of a session's detector."""
    return need_threshold(start.detector, start.detector_version, start.settings.get("detector", {}).get("base_rate"))


class EpisodeFolder:
    """Folds the rows of one session into episodes."""

    def __init__(self, start: SessionStart) -> None:
        """Begin with the first row."""
        self._start = start
        self._thresholds = thresholds_of(start)
        self._clock = WallClock(start)
        self._window_ns = round(_window_s(start) * NS_PER_S)
        self._steps = StepFolder()
        self._recent_steps: deque[FoundStep] = deque(maxlen=4 * MAX_STEPS)
        self._recent_places: deque[tuple[int, str, Place]] = deque(maxlen=200)
        self._open: list[_Open] = []
        self._done: list[Episode] = []
        self._app = ""
        self._digest = ""
        self._input_ns: int | None = None
        self._input: defaultdict[str, float] = defaultdict(float)
        self._windows = 0
        self._phases: defaultdict[str, float] = defaultdict(float)
        self._judged = (-1, 0.0)
        self._controls = False
        self._now_ns = start.at_ns

    def add(self, row: Record) -> None:
        """Take a row."""
        self._now_ns = max(self._now_ns, row.at_ns)
        self._recent_steps.extend(self._steps.add(row))
        match row:
            case Anchor():
                self._clock.add(row)
            case Window():
                self._windows += 1
            case Estimate():
                self._estimate(row)
            case Offer():
                self._offer(row)
            case Feedback() | Withdrawal():
                self._answered(row)
            case InputEvent() if not row.own:
                self._person(row)
            case Focus() if not row.own:
                self._focus(row)
            case ControlAct() | DialogSeen():
                self._place(row)
            case SessionEnd():
                self._stop(row.at_ns, Ending.WORK_WENT_ON if row.reason in GOES_ON else Ending.STOPPED)
            case _ if stops_observation(row):
                self._stop(row.at_ns, Ending.STOPPED)
            case _:
                pass

    def finish(self, session: str) -> SessionDiagnosis:
        """Return what was found; a session that was cut off has stopped with its last row."""
        self._recent_steps.extend(self._steps.cut())
        self._stop(self._now_ns, Ending.STOPPED)
        return SessionDiagnosis(
            session=session,
            began=self._clock.seconds(self._start.at_ns),
            ended=self._clock.seconds(self._now_ns),
            recording=self._start.recording,
            controls=self._controls,
            imported=self._start.imported_from is not None,
            simulated=self._start.platform == SIMULATED,
            shipped=bool(self._thresholds.by_ending),
            windows=self._windows,
            input_s={app: round(seconds, 1) for app, seconds in sorted(self._input.items())},
            episodes=tuple(sorted(self._done, key=lambda one: one.onset)),
            phases_s={phase: round(seconds, 1) for phase, seconds in sorted(self._phases.items())},
        )

    # ------------------------------------------------------------ what counts

    def _estimate(self, one: Estimate) -> None:
        if one.abstained or one.error is not None:
            return
        self._count_phase(one)
        if not self._thresholds.is_reached(one, own=one.detector == self._start.detector):
            return
        episode = self._episode(one.app, one.at_ns)
        if episode is None:
            return
        episode.estimates += 1
        episode.need = max(episode.need, one.help_need)
        episode.codes[next((each.code for each in one.evidence if each.code not in CALM), NAMELESS)] += 1

    def _count_phase(self, one: Estimate) -> None:
        window, fraction = self._judged
        before = fraction if window == one.window_id else 0.0
        self._judged = one.window_id, max(before, one.fraction)
        phase = phase_of(max(one.state_probs, key=one.state_probs.__getitem__, default=""))
        if phase is not None:
            self._phases[phase.value] += max(0.0, one.fraction - before) * self._window_ns / NS_PER_S

    def _offer(self, offer: Offer) -> None:
        episode = self._episode(offer.app, offer.at_ns)
        if episode is None:
            return
        episode.offer_ids.add(offer.offer_id)
        episode.unanswered.add(offer.offer_id)
        episode.need = max(episode.need, offer.help_need)
        if not episode.codes:
            code = next((each.code for each in offer.evidence if each.code not in CALM), offer.topic or NAMELESS)
            episode.codes[code] += 1

    def _episode(self, app: str, at_ns: int) -> _Open | None:
        """Return the open episode that a sign of trouble belongs to, lengthened by it, or a new one."""
        joined = [
            open_episode
            for open_episode in self._open
            if open_episode.next is None
            and at_ns - open_episode.end_ns <= self._window_ns
            and (open_episode.app == app or is_help_app(app))
        ]
        own = [open_episode for open_episode in joined if open_episode.app == app]
        if joined:
            found = (own or joined)[-1]
            found.end_ns = max(found.end_ns, at_ns)
            return found
        if len(self._done) + len(self._open) >= MAX_EPISODES:
            return None
        last_ns = at_ns if self._input_ns is None else self._input_ns
        opened = _Open(app=app, onset_ns=at_ns, end_ns=at_ns, input_ns=last_ns, window_digest=self._digest)
        for seen_ns, seen_app, place in self._recent_places:
            if seen_app == app and seen_ns >= at_ns - self._window_ns:
                self._add_place(opened, place)
        self._open.append(opened)
        return opened

    def _place(self, row: ControlAct | DialogSeen) -> None:
        self._controls = True
        if isinstance(row, ControlAct):
            name, digest, kind = row.name, row.name_digest, PlaceKind.CONTROL
        else:
            name, digest, kind = row.title or row.text, row.title_digest, PlaceKind.DIALOG
        shown = _shown(name) if name and self._start.recording else ""
        place = Place(kind=kind, role=row.role.value, name=shown, digest="" if shown else digest[:MAX_NAME])
        self._recent_places.append((row.at_ns, row.app, place))
        for opened in self._open:
            if opened.app == row.app and opened.next is None and row.at_ns <= opened.end_ns + self._window_ns:
                self._add_place(opened, place)

    @staticmethod
    def _add_place(episode: _Open, place: Place) -> None:
        if place.kind is PlaceKind.CONTROL:
            episode.controls[place] += 1
        else:
            episode.dialog = place

    # ------------------------------------------------------------ how it ends

    def _person(self, event: InputEvent) -> None:
        at_ns = event.at_ns
        if self._input_ns is not None:
            app = self._app if self._app in self._input or len(self._input) < MAX_APPS else ""
            self._input[app] += min(max(0, at_ns - self._input_ns), self._window_ns) / NS_PER_S
        self._input_ns = at_ns
        if not self._open:
            return
        for opened in self._open:
            if event.key_class is KeyClass.HELP:
                opened.help_ns = at_ns
            if opened.next is not None:
                continue
            if at_ns - opened.input_ns >= LEFT_NS:
                opened.next = Ending.LEFT
            elif at_ns > opened.end_ns + self._window_ns:
                opened.next = Ending.WORK_WENT_ON
            else:
                opened.input_ns = at_ns
        self._settle()

    def _focus(self, focus: Focus) -> None:
        if is_help_app(focus.app) and not is_help_app(self._app):
            for opened in self._open:
                if opened.next is None and not is_help_app(opened.app):
                    opened.help_ns = focus.at_ns
        self._app, self._digest = focus.app[:MAX_NAME], focus.title_digest[:MAX_NAME]

    def _answered(self, answer: Feedback | Withdrawal) -> None:
        for opened in self._open:
            if answer.offer_id in opened.offer_ids:
                opened.unanswered.discard(answer.offer_id)
                if isinstance(answer, Feedback) and answer.kind is FeedbackKind.ACCEPTED:
                    opened.accepted_ns = answer.at_ns
        self._settle()

    def _stop(self, at_ns: int, ending: Ending) -> None:
        for opened in self._open:
            opened.unanswered.clear()
            if opened.next is None:
                opened.next = Ending.LEFT if at_ns - opened.input_ns >= LEFT_NS else ending
        self._settle()
        self._input_ns = None

    def _settle(self) -> None:
        known = [opened for opened in self._open if opened.next is not None and not opened.unanswered]
        if known:
            self._open = [opened for opened in self._open if opened not in known]
            self._done += [self._whole(opened) for opened in known]

    def _whole(self, one: _Open) -> Episode:
        return Episode(
            onset=self._clock.seconds(one.onset_ns),
            length_s=round((one.end_ns - one.onset_ns) / NS_PER_S, 1),
            app=one.app[:MAX_NAME],
            evidence=one.codes.most_common(1)[0][0][:MAX_CODE] if one.codes else NAMELESS,
            place=_place_of(one),
            ending=self._ending(one),
            estimates=one.estimates,
            offers=len(one.offer_ids),
            need=round(one.need, 3),
            steps=self._steps_of(one),
        )

    def _ending(self, one: _Open) -> Ending:
        """Return what came last: help or an accepted offer within a window of the end, else what followed."""
        since_ns = one.end_ns - self._window_ns
        accepted, sought = one.accepted_ns >= since_ns, one.help_ns >= since_ns
        if one.accepted_ns >= 0 and accepted and (not sought or one.accepted_ns >= one.help_ns):
            return Ending.OFFER_ACCEPTED
        if one.help_ns >= 0 and sought:
            return Ending.HELP_SOUGHT
        return one.next or Ending.STOPPED

    def _steps_of(self, one: _Open) -> tuple[ShortStep, ...]:
        since_ns = one.onset_ns - self._window_ns
        inside = [step for step in self._recent_steps if since_ns <= step.first_ns <= one.end_ns]
        return tuple(_short(step, one.onset_ns) for step in inside[-MAX_STEPS:])


def _window_s(start: SessionStart) -> float:
    """Return the length of a window in the session; that of the default where a foreign session has an odd one."""
    planned = start.settings.get("window", {}).get("planned_s")
    if isinstance(planned, (int, float)) and LEAST_WINDOW_S <= planned <= MOST_WINDOW_S:
        return float(planned)
    return DEFAULT_WINDOW_S


def _place_of(one: _Open) -> Place:
    """Return the control touched most often, else the last dialog, else the window at the onset."""
    if one.controls:
        return one.controls.most_common(1)[0][0]
    if one.dialog is not None:
        return one.dialog
    if one.window_digest:
        return Place(kind=PlaceKind.WINDOW, digest=one.window_digest)
    return Place()


def _short(found: FoundStep, onset_ns: int) -> ShortStep:
    args, target = found.step.action.args, found.step.target
    count = args.get("count", args.get("steps", 1))
    detail = next((str(args[key]) for key in ("key", "way", "app", "seconds") if key in args), "")
    return ShortStep(
        at_s=round((found.first_ns - onset_ns) / NS_PER_S, 1),
        verb=found.step.action.verb,
        detail=detail[:MAX_NAME],
        count=int(count),
        role=(target.role if target is not None else None) or "",
        name=_shown(target.name) if target is not None and target.name else "",
    )


def _shown(name: str) -> str:
    """Return a control's name as it is kept, with what differs between equal controls masked."""
    return quotable(name, MAX_NAME).strip(_ISOLATES)
