"""Folds the rows of one session into the moments of the timeline; goes on where it stopped as rows are added.

From the screen come names of programs, and what an offer quotes where the recording holds its words. Titles of windows
are never read.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from daemon.history.decisions import (
    WAITING,
    DecisionRun,
    is_held_back,
    is_unshown,
    mask_lots,
    run_of,
    sentence_of,
)
from daemon.history.summary import NAMED_KINDS, RecordedNames, WallClock, offer_words
from storage.clock import NS_PER_S
from storage.plain_text import printable
from storage.records import (
    Anchor,
    Decision,
    EarlierReport,
    Estimate,
    Feedback,
    Goal,
    GoalKind,
    HelpAnswer,
    HelpFound,
    NeedReport,
    Offer,
    Record,
    ReportedBy,
    SessionEnd,
    SessionStart,
    StudyStart,
    Switch,
    SwitchName,
    Verdict,
    Window,
    Withdrawal,
)
from storage.settings import WindowSettings
from storage.timeline import Moment, MomentKind
from storage.translation import current_language, translatable

KINDS = tuple(
    kind.KIND
    for kind in (
        Anchor,
        Decision,
        EarlierReport,
        Estimate,
        Feedback,
        Goal,
        HelpAnswer,
        HelpFound,
        NeedReport,
        Offer,
        SessionEnd,
        StudyStart,
        Switch,
        Window,
        Withdrawal,
    )
)
"""Rows that moments are made of, besides the first one."""

TASKS = (GoalKind.DOCUMENT, GoalKind.DIALOG)
"""What tells one task in a program from the next; single controls come and go within one."""

ASKED_SHOWS = translatable("The card that you asked for is on the screen.")
"""In place of the reason that an offer is."""

ANSWERED = translatable("An answer with {steps:step|steps} was shown.")
NOT_ANSWERED = translatable("Nothing was found.")
NOT_SEARCHED = {
    "no_window": translatable("Nothing could be searched: no window was in use."),
    "no_library": translatable("Nothing could be searched: neither commands nor documentation were at hand."),
    "no_pages": translatable("Nothing could be searched: the program told no commands, and no page here is about it."),
    "failed": translatable("The search failed."),
}
"""By the code of what went wrong."""
MODEL_ANSWERED = translatable("A model answered.")

OFF_SWITCHES = (SwitchName.PAUSED, SwitchName.PRIVATE, SwitchName.EXCLUDED)
"""Switches that stop watching while they are on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimatePart(Record):
    """What moments are made of in an `Estimate`: a day has thousands, most of each is not shown."""

    KIND: ClassVar[str] = Estimate.KIND
    window_id: int
    fraction: float
    state_probs: Mapping[str, float]
    help_need: float
    app: str
    abstained: bool = False
    error: str | None = None


PARTS: tuple[type[Record], ...] = (EstimatePart, Decision)
"""What a day is read as: decisions whole, without the checks of rows from elsewhere."""


class MomentFold:
    """The moments of one session so far."""

    def __init__(
        self,
        start: SessionStart,
        *,
        studies: Collection[str] = (),
        now_s: float = 0.0,
        name_of: Callable[[str], str] = lambda _: "",
    ) -> None:
        """Begin with the first row; lots of these studies are not to be shown at `now_s` (`mask_lots`).

        `name_of` says what people call a program.
        """
        self.session = start.session_id
        self.earlier: list[EarlierReport] = []
        """What the session holds about others."""

        self.seq = start.seq
        """The number of the last row that was added."""

        self._clock = WallClock(start)
        self._recording = start.recording
        self._planned_ns = _planned_ns(start.settings)
        self._studies, self._now_s = studies, now_s
        self._study, self._masked_until = "", 0.0
        self._moments: dict[str, dict[str, Any]] = {}  # their fields: a moment is made anew where it is wanted
        self._newest: dict[str, Mapping[str, float]] = {}  # the probabilities of the states, by moment
        self._ranks: dict[str, int] = {}
        self._changed: dict[str, None] = {}
        self._window = ""
        self._offers: dict[str, str] = {}
        self._asked: dict[str, str] = {}  # without what a model has answered
        self._on: dict[SwitchName, str] = {}
        self._off_ns = self._watched_again_ns = -1
        self._unseen: Estimate | EstimatePart | None = None
        self._names = RecordedNames()
        self._name_of = name_of
        self._tasks: dict[str, str] = {}
        self._why = self._answer = ""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of rows to add: words are looked for only where there can be any."""
        return (*KINDS, *NAMED_KINDS) if self._recording else KINDS

    @property
    def moments(self) -> list[Moment]:
        """All moments so far."""
        return [self._made(name) for name in self._moments]

    def take_changed(self) -> list[Moment]:
        """Return the moments that are new or have changed since the last call."""
        changed = [self._made(name) for name in self._changed]
        self._changed.clear()
        return changed

    def _made(self, name: str) -> Moment:
        fields, probs = self._moments[name], self._newest.get(name, {})
        state = max(probs, key=probs.__getitem__, default="")
        return Moment(**{**fields, "state": state, "why": printable(fields["why"])})

    def take_earlier(self) -> list[EarlierReport]:
        """Return what the session says about others, since the last call."""
        found, self.earlier = self.earlier, []
        return found

    def wall_ns(self, at_ns: int) -> int:
        """Return the wall-clock time of a session time."""
        return round(self._clock.seconds(at_ns) * NS_PER_S)

    def add(self, row: Record) -> None:
        """Add the next row."""
        self.seq = row.seq
        match row:
            case EstimatePart() | Estimate():
                self._add_estimate(row)
            case Decision():
                self._add_decision(row)
            case HelpFound() if row.asked:
                said = ANSWERED if row.page_id else NOT_SEARCHED.get(row.trouble or "", NOT_ANSWERED)
                self._answer = current_language().say(said, {"steps": row.steps})
            case HelpAnswer() if row.first_ns and (moment_id := self._asked.pop(row.offer_id, "")):
                said = current_language().say(MODEL_ANSWERED, {})
                self._change(moment_id, detail=" ".join(filter(None, (self._moments[moment_id]["detail"], said))))
            case Window():
                self._add_window(row)
            case Offer():
                self._add_offer(row)
            case Feedback() | Withdrawal():
                self._add_answer(row)
            case Switch() if row.name in OFF_SWITCHES:
                self._add_switch(row)
            case NeedReport() if row.by is ReportedBy.SAID:
                self._add_report(row)
            case _:
                self._add_other(row)

    def _add_other(self, row: Record) -> None:
        match row:
            case EarlierReport():
                self.earlier.append(row)
            case Anchor():
                self._clock.add(row)
            case StudyStart():
                self._study, self._masked_until = row.study, row.masked_until_wall_ns / NS_PER_S
            case SessionEnd():
                for moment_id in self._on.values():
                    self._end_at(moment_id, row.at_ns)
                    self._watched_again_ns = row.at_ns  # its last window comes behind it
                self._on.clear()
            case Goal():
                if row.kind in TASKS or not row.digest:
                    self._tasks[row.app] = printable(self._names.word(row.digest))
            case _:
                self._names.add(row)

    # ------------------------------------------------------------ work

    def _add_estimate(self, row: Estimate | EstimatePart, *, seen: bool = False) -> None:
        moment_id = f"{self.session}/w{row.window_id}"
        self._window = moment_id
        known = self._moments.get(moment_id)
        is_unseen = known is None and not seen and bool(self._on or row.at_ns == self._watched_again_ns)
        self._unseen = row if is_unseen else None
        if is_unseen:
            return  # if it opened and closed while nothing was watched, no work was seen in it
        if known is None:
            start_ns = max(0, row.at_ns - round(row.fraction * self._planned_ns))
            known = self._begin(
                moment_id,
                MomentKind.WORK,
                start_ns,
                row.at_ns,
                app=printable(row.app),
                task=self._tasks.get(row.app, ""),
            )
        end_ns = known["end_ns"] = max(known["end_ns"], row.at_ns)
        known["end_wall_ns"] = known["begin_wall_ns"] + end_ns - known["start_ns"]
        known["estimates"] += 1
        if not row.abstained and row.error is None:
            known["help_need"] = max(row.help_need, known["help_need"] or 0.0)
            self._newest[moment_id] = row.state_probs
        self._changed[moment_id] = None

    def _add_decision(self, row: Decision) -> None:
        """Give the window the reason that says most: of an offer, else of one held back, else the newest."""
        found = self._shown_run(row) if self._study else row
        self._why = sentence_of(found) if found is not None else ""
        if found is not None and found.reason == "showing" and self._is_asked_open():
            self._why = ASKED_SHOWS
        known = self._moments.get(self._window)
        if known is None or found is None or row.at_ns > known["end_ns"] + self._planned_ns:
            return
        is_offer, held_back = found.verdict == Verdict.OFFER, is_held_back(found) or is_unshown(found)
        if known["help_need"] is None and (is_offer or held_back or found.reason in WAITING):
            return  # it was decided on what was estimated before: a row without an estimate speaks of no need
        rank = 2 if is_offer else 1 if held_back else 0
        if rank >= self._ranks.get(self._window, 0):
            self._ranks[self._window] = rank
            if known["why"] != self._why:
                known["why"] = self._why
                self._changed[self._window] = None

    def _is_asked_open(self) -> bool:
        return any(self._moments[moment_id]["help_need"] is None for moment_id in self._offers.values())

    def _shown_run(self, row: Decision) -> DecisionRun | None:
        """Return a decision in a study as it may be shown; None while the study hides its lots."""
        run = run_of(row, self.session, self._clock.seconds(row.at_ns))
        run = replace(run, study=self._study, masked_until=self._masked_until)
        return next(iter(mask_lots([run], self._studies, self._now_s)), None)

    def _add_window(self, row: Window) -> None:
        moment_id = f"{self.session}/w{row.window_id}"
        if self._unseen is not None and row.start_ns < self._off_ns:
            self._add_estimate(self._unseen, seen=True)
        if moment_id not in self._moments:
            return
        begin_wall_ns = self.wall_ns(row.start_ns)
        self._change(
            moment_id,
            start_ns=row.start_ns,
            end_ns=row.end_ns,
            begin_wall_ns=begin_wall_ns,
            end_wall_ns=begin_wall_ns + row.end_ns - row.start_ns,  # also where the clock was set meanwhile
            frame=row.frames[-1] if self._recording and row.frames else 0,
        )

    # ------------------------------------------------------------ offers, switches, reports

    def _add_offer(self, row: Offer) -> None:
        if row.counterfactual:
            return
        moment_id = f"{self.session}/o{row.seq}"
        self._offers[row.offer_id] = moment_id
        if row.asked:
            self._asked[row.offer_id] = moment_id
        words = offer_words(row, self._names.of(row), current_language())
        self._begin(
            moment_id,
            MomentKind.OFFER,
            row.at_ns,
            row.at_ns,
            app=printable(row.app),
            help_need=None if row.asked else row.help_need,
            why="" if row.asked else self._why,
            title=words["title"],
            detail=self._answer if row.asked else words["why"],
        )

    def _add_answer(self, row: Feedback | Withdrawal) -> None:
        moment_id = self._offers.pop(row.offer_id, None)
        if moment_id is not None:
            answer = row.kind.value if isinstance(row, Feedback) else "withdrawn"
            self._change(moment_id, answer=answer)
            self._end_at(moment_id, row.at_ns)

    def _add_switch(self, row: Switch) -> None:
        known = self._on.pop(row.name, None)
        if known is not None:
            self._end_at(known, row.at_ns)
            self._watched_again_ns = row.at_ns
        if row.on:
            self._off_ns = self._off_ns if self._on else row.at_ns
            moment_id = f"{self.session}/s{row.seq}"
            self._on[row.name] = moment_id
            self._begin(moment_id, MomentKind.OFF, row.at_ns, row.at_ns, title=row.name.value)

    def _add_report(self, row: NeedReport) -> None:
        moment_id = f"{self.session}/r{row.seq}"
        self._begin(moment_id, MomentKind.REPORT, row.start_ns, row.end_ns, needed=row.needed)

    def report_of(self, session: str, report: EarlierReport, seq: int) -> Moment:
        """Return as a moment of this session what another one says of it."""
        moment_id = f"{session}/r{seq}"
        fields = self._fields(moment_id, MomentKind.REPORT, report.start_ns, report.end_ns)
        return Moment(**fields, needed=report.needed)

    # ------------------------------------------------------------ one moment

    def _fields(self, moment_id: str, kind: MomentKind, start_ns: int, end_ns: int) -> dict[str, Any]:
        return {
            "moment_id": moment_id,
            "kind": kind,
            "session": self.session,
            "begin_wall_ns": self.wall_ns(start_ns),
            "end_wall_ns": self.wall_ns(end_ns),
            "start_ns": start_ns,
            "end_ns": end_ns,
        }

    def _begin(
        self, moment_id: str, kind: MomentKind, start_ns: int, end_ns: int, *, app: str = "", **fields: object
    ) -> dict[str, Any]:
        program = self._name_of(app) if app else ""
        begun = {"help_need": None, "estimates": 0, "why": "", "app": app, "program": program, **fields}
        self._moments[moment_id] = self._fields(moment_id, kind, start_ns, end_ns) | begun
        self._changed[moment_id] = None
        return self._moments[moment_id]

    def _change(self, moment_id: str, **changes: object) -> None:
        self._moments[moment_id].update(changes)
        self._changed[moment_id] = None

    def _end_at(self, moment_id: str, at_ns: int) -> None:
        known = self._moments[moment_id]
        length_ns = max(0, at_ns - known["start_ns"])  # not by the wall clock, which may have been set meanwhile
        end_ns = known["start_ns"] + length_ns
        self._change(moment_id, end_ns=end_ns, end_wall_ns=known["begin_wall_ns"] + length_ns)


def _planned_ns(settings: Mapping[str, Mapping[str, object]]) -> int:
    """Return how long windows of a session were planned to be."""
    planned_s = settings.get("window", {}).get("planned_s")
    return round((planned_s if isinstance(planned_s, (int, float)) else WindowSettings().planned_s) * NS_PER_S)
