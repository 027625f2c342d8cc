"""What the windows that show recorded work request, and the frozen values they get: Protocols and the rows between.

Standard library and `storage.records` only. `daemon.history.timeline` implements `TimelineRequests`, `ui.timeline` the
`TimelineView`; and it, the tray and `ui.dialogs.forget` call the former. `daemon.history.labelling` implements
`LabelRequests`, `ui.labelling` the `LabelView`. Neither side imports the other. Times of day are wall-clock
nanoseconds. Texts are plain and of limited length; names of programs, and what an offer quotes of the screen, are
untrusted.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from storage.records import SegmentLabel, TaskMark


class MomentKind(StrEnum):
    """What a row of the timeline is: a window of work, an offer, what the person said, or time without watching.

    A stretch is what the view folds windows of work into.
    """

    WORK = "work"
    STRETCH = "stretch"
    OFFER = "offer"
    REPORT = "report"
    OFF = "off"


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A row of the timeline, known by `moment_id`; a later value of the same id replaces it.

    Attributes:
        moment_id: unique over all sessions.
        kind: what it is.
        session: the id of its session.
        begin_wall_ns: when it began.
        end_wall_ns: when it ended, or up to when it is known.
        start_ns: when it began, in the session's time.
        end_ns: when it ended, in the session's time.
        app: the program; empty for none.
        program: that program as people name it; empty where the desktop has no name for it.
        task: what the work was about, where the recording holds its name.
        state: the behavior state of its newest estimate, as its key; empty for none.
        help_need: the highest estimate of help need; None without one.
        estimates: how many there were.
        why: why help was offered or was not, in a sentence; empty where nothing was decided.
        title: what an offer said was seen; of time without watching, the name of the switch.
        detail: the second line of an offer.
        answer: how an offer was answered, as a code of `FeedbackKind`, or "withdrawn"; empty for not yet.
        needed: what the person said about it.
        frame: the number of the row whose picture shows it; 0 where none was stored.
    """

    moment_id: str
    kind: MomentKind
    session: str
    begin_wall_ns: int
    end_wall_ns: int
    start_ns: int
    end_ns: int
    app: str = ""
    program: str = ""
    task: str = ""
    state: str = ""
    help_need: float | None = None
    estimates: int = 0
    why: str = ""
    title: str = ""
    detail: str = ""
    answer: str = ""
    needed: bool | None = None
    frame: int = 0

    @property
    def named(self) -> str:
        """The program by the best name that is known."""
        return self.program or self.app

    @property
    def asked(self) -> bool:
        """Whether it is a card that the person asked for: no estimate belongs to it."""
        return self.kind is MomentKind.OFFER and self.help_need is None


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineDay:
    """A local day, with its moments in the order of their beginning.

    `today` is the day on which it was read. `earlier` and `later` are the nearest days that have a
    session; today counts as one.
    `unreadable` names sessions that could not be read; `left_out` counts moments beyond what one day can show, the
    oldest.
    """

    day: dt.date
    today: dt.date
    begin_wall_ns: int
    end_wall_ns: int
    moments: tuple[Moment, ...]
    earlier: dt.date | None = None
    later: dt.date | None = None
    unreadable: tuple[str, ...] = ()
    left_out: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MomentsChanged:
    """Moments of the running session that are new or have changed, of a day that is shown."""

    day: dt.date
    moments: tuple[Moment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Thumbnail:
    """A small picture of a moment, `rgb` with three bytes a pixel, row by row; empty if it was lost."""

    moment_id: str
    width: int = 0
    height: int = 0
    rgb: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class FullPicture(Thumbnail):
    """The picture of a moment in its full size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentRow:
    """A request to a model: when, where it went, what for, its bytes, how many pictures, outcome and US dollars."""

    number: int
    at_wall_ns: int
    address: str
    model: str
    purpose: str
    size: int
    pictures: int
    outcome: str
    dollars: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFacts:
    """What lies on the disk, in bytes, and how long it stays.

    `rows` is what sessions hold besides pictures. `oldest_wall_ns` is 0 without a session. `free` is None where the
    disk does not say.
    """

    folder: str
    sessions: int
    oldest_wall_ns: int
    rows: int
    pictures: int
    sent: int
    learned: int
    library: int
    free: int | None
    keep_days: int
    keep_gb: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineFacts:
    """What was sent (the newest `sent` of `sent_count` requests), what is stored, and what was learned, in sentences.

    `muted` are the topics about which nothing is offered, because the person wants that.
    `joined_study`: the person takes part in a study, which sends parcels of its own.
    """

    stored: StoredFacts
    sent: tuple[SentRow, ...]
    sent_count: int
    sent_bytes: int
    learned: tuple[str, ...]
    muted: tuple[str, ...] = ()
    joined_study: bool = False
    problems: tuple[str, ...] = ()


class ForgetScope(StrEnum):
    """What is forgotten; the values are those of `kairos forget`, but for the last hour."""

    LAST = "last"
    HOUR = "hour"
    DAY = "day"
    ALL = "all"


FORGET_LAST_S = 600.0
"""How far back `ForgetScope.LAST` goes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetReport:
    """What would be deleted, or was (`done`).

    Attributes:
        scope: what was named.
        begin_wall_ns: from when on it goes, fixed when it was looked at; 0 for everything.
        end_wall_ns: to before when, for `ForgetScope.DAY`; None is up to the moment of the deletion.
        done: whether it is deleted.
        sessions: how many sessions go whole.
        cut: how many lose their end.
        requests: how many requests to models go.
        learned: whether what was learned goes back to what it was before.
        began_after: how many later sessions began with it, and lose that.
        problems: what could not be read and stays.
        out_of_reach: what no deletion can reach.
        kept: what stays.
    """

    scope: ForgetScope
    begin_wall_ns: int
    end_wall_ns: int | None
    done: bool
    sessions: int
    cut: int
    requests: int
    learned: bool
    began_after: int
    problems: tuple[str, ...]
    out_of_reach: tuple[str, ...]
    kept: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineTrouble:
    """Something that was requested could not be done: what happened, and what to do."""

    what: str
    remedy: str = ""


TimelineReply = TimelineDay | MomentsChanged | Thumbnail | FullPicture | TimelineFacts | ForgetReport | TimelineTrouble
"""What the window gets."""


class TimelineView(Protocol):
    """The window, as its reader sees it. Called on the reader's thread; returns at once."""

    def show_reply(self, reply: TimelineReply) -> None:
        """Show what was requested, or what has changed since."""

    def open_window(self) -> None:
        """Bring the window up: somebody asked for it in a terminal."""


class TimelineRequests(Protocol):
    """What the window requests. Every call returns at once; replies come to the view.

    Nothing is read, and nothing held in memory, before `open` and after `close`. Forgetting needs no open window: it is
    also requested from the tray.
    """

    def attach(self, view: TimelineView) -> None:
        """Name the view, once."""

    def open(self) -> None:
        """Begin to answer: the window is there."""

    def close(self) -> None:
        """End, and give everything back: the window was closed."""

    def request_day(self, day: dt.date | None) -> None:
        """Request a day, None for today; from then on changes of it follow by themselves."""

    def request_thumbnails(self, moments: Sequence[Moment]) -> None:
        """Request pictures of these moments, in place of all requested before."""

    def request_picture(self, moment: Moment) -> None:
        """Request the picture of a moment in its full size."""

    def request_facts(self) -> None:
        """Request what was sent, stored and learned."""

    def report(self, session: str, start_ns: int, end_ns: int, *, needed: bool) -> None:
        """Say that help was needed in a stretch of a session, or was not; it comes back as a moment."""

    def forget_learned(self) -> None:
        """Forget what answers have taught, once the running session has ended; `TimelineFacts` follow."""

    def unmute(self, topic: str) -> None:
        """Allow offers about a topic again, once the running session has ended; `TimelineFacts` follow."""

    def preview_forget(self, scope: ForgetScope, day: dt.date | None) -> None:
        """Request what forgetting would delete, a day None for today; nothing is deleted.

        A `ForgetReport` follows, or a `TimelineTrouble`.
        """

    def forget(self, report: ForgetReport) -> None:
        """Delete what a report of `preview_forget` showed; capture stops until that is done.

        What goes is the span of that report, not one that is reckoned from now. Until it is done a second request
        changes nothing. A report that says `done` follows, once, or a `TimelineTrouble` that says why not.
        """


# ---------------------------------------------------------------- labels


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledAct:
    """A step of the recorded work: its verb, how often, and the control's name where the recording has it."""

    start_ns: int
    end_ns: int
    verb: str
    count: int = 0
    target: str = ""
    app: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidWord:
    """A word that was said, or a sentence whose words have no times of their own."""

    start_ns: int
    end_ns: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionToLabel:
    """A recorded session as the window for labels shows it.

    `pictures` are the times of those that were stored, `words` what was said, `tasks` those of a study.
    """

    session: str
    begin_wall_ns: int
    begin_ns: int
    end_ns: int
    pictures: tuple[int, ...]
    acts: tuple[LabelledAct, ...]
    moments: tuple[Moment, ...]
    labels: tuple[SegmentLabel, ...]
    words: tuple[SaidWord, ...] = ()
    tasks: tuple[TaskMark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPicture:
    """The screen at a time of the session, `rgb` with three bytes a pixel; empty where the picture was lost."""

    at_ns: int
    width: int = 0
    height: int = 0
    rgb: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelsKept:
    """All labels of the session, as its folder holds them now; `failed` says that the newest change is not in it."""

    labels: tuple[SegmentLabel, ...]
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelsClosed:
    """What the window shows was forgotten meanwhile, or is about to be: the window goes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechHeard:
    """When somebody spoke in a session of which nothing is written down."""

    spans: tuple[tuple[int, int], ...]


LabelReply = SessionToLabel | SpeechHeard | SessionPicture | LabelsKept | LabelsClosed | TimelineTrouble
"""What the window gets; a `TimelineTrouble` says that something could not be read or kept."""


class LabelView(Protocol):
    """The window, as its reader sees it. Called on the reader's thread; returns at once."""

    def show_reply(self, reply: LabelReply) -> None:
        """Show what was requested."""


class LabelRequests(Protocol):
    """What the window requests. Every call returns at once; replies come to the view."""

    def attach(self, view: LabelView) -> None:
        """Name the view, once."""

    def open(self, session: str) -> None:
        """Begin to answer about a session, named by its id or its folder; a `SessionToLabel` follows."""

    def request_picture(self, at_ns: int, width: int) -> None:
        """Request what was on the screen then, at most so wide, in place of pictures that were not read yet."""

    def put(self, label: SegmentLabel) -> None:
        """Keep a label, in place of the one with its id, on the disk at once."""

    def remove(self, label_id: str) -> None:
        """Delete a label."""

    def close(self) -> None:
        """End once what was put is kept, and give everything back."""
