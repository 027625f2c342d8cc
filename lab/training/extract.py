"""Samples of one labelled session: live windows as the engine cuts them, and clips cut at one label.

A live window is what the real `Engine` derives from the session's source rows with a detector and policy that do
nothing; its label is that of the prefix's end. A clip holds the rows inside one label alone, with a fresh memory; its
prefixes end at quarters of its length. Moments without a label are dropped and counted.

A `Variant` gives training a second version of a session: another window length, everybody quicker or slower, or a sense
that was off. Validation and test use `PLAIN`; benchmarks add the versions with fewer senses.

Where a desktop does not tell keys or clicks, the only thing it tells of input is whether there is any: so it is here.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from daemon.capture.scene import intersection
from daemon.engine.engine import Engine
from daemon.engine.window import FRACTIONS
from detectors.features.table import seen, values_of
from detectors.features.tracker import FeatureTracker
from detectors.protocol import Images, make_estimate
from lab.simulation.recording.labels import Label, label_at
from storage.capabilities import Level, unsensed
from storage.clock import NS_PER_S
from storage.records import (
    Box,
    Context,
    ControlAct,
    Decision,
    DesktopSenses,
    DialogSeen,
    DocumentLoaded,
    Estimate,
    EventKind,
    Feedback,
    Focus,
    Frame,
    InputEvent,
    KeyClass,
    MessageSeen,
    Offer,
    Prefix,
    Record,
    Sense,
    State,
    Tick,
    TileDigests,
    Trigger,
    UndoLabel,
    Verdict,
    WindowEvent,
    is_derived,
)
from storage.settings import Settings, WindowSettings

_BY_CONTROLS = (ControlAct, DialogSeen, MessageSeen, DocumentLoaded, UndoLabel, Sense)

_TYPED = frozenset({KeyClass.CHARACTER, KeyClass.BACKSPACE})
_POINTING = frozenset({EventKind.BUTTON_DOWN, EventKind.BUTTON_UP, EventKind.SCROLL, EventKind.MOTION})
_IDLE_NS = NS_PER_S
"""After this long without input a compositor says that nobody is active."""

MIN_CLIP_NS = 4 * NS_PER_S
"""A shorter label gives no clip; GUIDE's shortest segments are about as long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """The planned length of windows, a factor on all times (above 1 is slower), and which senses were on.

    Attributes:
        controls: whether what was recorded of controls is there (the accessibility sense).
        tiles: whether digests of tiles are there (the memory of states).
        places: whether it is known where the pointer was and what changed; without, each window in front counts as one
            of many small equal controls (`daemon.capture.fence.key_grid`).
        frames: whether changes of the screen are there; without, there are no digests of tiles either.
        keys: whether keys are there; "part": only that something was typed or erased, as programs tell it.
        clicks: whether clicks, scrolling, the pointer and pop-ups are there.
        pointer: whether it is told where the pointer is; without, clicks and scrolling have no place, and neither
            motion nor pop-ups are there, as under sway with the service for input.
    """

    planned_s: float = WindowSettings().planned_s
    tempo: float = 1.0
    controls: bool = True
    tiles: bool = True
    places: bool = True
    frames: bool = True
    keys: Level = Level.FULL
    clicks: bool = True
    pointer: bool = True

    @property
    def levels(self) -> dict[str, str]:
        """Return what a desktop like this does not tell in full, as `DesktopSenses` does."""
        lacking = (
            () if self.frames else ("frames",),
            () if self.clicks else ("clicks", "scrolls", "pointer", "popups"),
        )
        found = {name: Level.NONE.value for names in lacking for name in names}
        if self.clicks and not self.pointer:
            found |= {"clicks": "part", "scrolls": "part", "popups": "part", "pointer": "none"}
        return found if self.keys is Level.FULL else {**found, "keys": self.keys.value}

    def has(self, row: Record) -> bool:
        """Return whether a row is sensed and by one of the senses that are on."""
        if isinstance(row, InputEvent):
            if row.kind is EventKind.KEY:
                return self.keys is Level.FULL or (self.keys is Level.PART and row.key_class in _TYPED)
            if row.kind is EventKind.MOTION and not self.pointer:
                return False
            return self.clicks or row.kind not in _POINTING
        lacking = (
            *(() if self.controls else _BY_CONTROLS),
            *(() if self.tiles and self.frames else (TileDigests,)),
            *(() if self.frames else (Frame,)),
        )
        has_pointer = self.clicks and self.pointer
        hidden = isinstance(row, WindowEvent) and row.popup and not has_pointer
        hidden = hidden or (isinstance(row, ControlAct) and row.what == "pressed" and not self.pointer)
        return is_sensed(row) and not hidden and not isinstance(row, lacking)

    def sensed(self, rows: Sequence[Record]) -> list[Record]:
        """Return the rows of a session as this would have sensed them."""
        rows = rows if self.places else list(_without_places(rows))
        if not self.levels:
            return [row for row in rows if self.has(row)]
        told: Iterable[Record] = rows if self.clicks else _without_repeats(rows)
        told = told if self.pointer else (_placeless(row) for row in told)
        first = DesktopSenses(desktop="", levels=self.levels, at_ns=rows[0].at_ns)
        return [first, *(row for row in _with_presence(told) if self.has(row))]


PLAIN = Variant()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One prefix with its label.

    Attributes:
        group: number of the window or clip within the session and variant.
        clip: whether it was cut at a label.
        label_ns: when its label began.
        truncated: whether the window closed early.
    """

    features: Mapping[str, float]
    group: int
    clip: bool
    fraction: float
    truncated: bool
    start_ns: int
    end_ns: int
    label_ns: int
    state: State | None
    need: bool
    behavior: str
    hard_negative: bool
    held_out: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """Samples of a session, and how many prefixes had no label."""

    samples: tuple[Sample, ...]
    unlabelled: int


def _without_places(rows: Iterable[Record]) -> Iterator[Record]:
    """Yield rows as capture leaves them where every window in front shows many small equal controls."""
    front: Box | None = None
    for row in rows:
        if isinstance(row, Focus):
            front = row.geometry
        if isinstance(row, InputEvent):
            yield replace(row, x=None, y=None)
        elif isinstance(row, Frame) and front is not None:
            changed = (front if intersection(box, front) is not None else box for box in row.changed)
            yield replace(row, changed=tuple(dict.fromkeys(changed)), digest=f"{row.digest} {row.seq}")
        elif not isinstance(row, ControlAct | TileDigests):
            yield row


def _placeless(row: Record) -> Record:
    return replace(row, x=None, y=None) if isinstance(row, InputEvent) else row


def _without_repeats(rows: Iterable[Record]) -> Iterator[Record]:
    """Yield rows without presses of the control that had the last act: without the click, nothing tells of these."""
    before: tuple[str, str] | None = None
    for row in rows:
        if isinstance(row, ControlAct):
            control = (row.role, row.name_digest)
            if row.what == "pressed" and control == before:
                continue
            before = control
        yield row


def _with_presence(rows: Iterable[Record]) -> Iterator[Record]:
    """Yield rows with whether anybody is active, as compositors say it."""
    active_ns: int | None = None
    for row in rows:
        if active_ns is not None and row.at_ns > active_ns + _IDLE_NS:
            idle_ns, active_ns = active_ns + _IDLE_NS, None
            yield InputEvent(t_ns=idle_ns, at_ns=idle_ns, kind=EventKind.IDLE)
        if isinstance(row, InputEvent) and not row.own:
            if active_ns is None:
                yield InputEvent(t_ns=row.at_ns, at_ns=row.at_ns, kind=EventKind.ACTIVE)
            active_ns = row.at_ns
        yield row


def extract(rows: Sequence[Record], labels: Sequence[Label], variant: Variant = PLAIN) -> Extracted:
    """Return live windows and clips of one session."""
    sources = [_stretched(row, variant.tempo) for row in variant.sensed(rows)]
    labels = [_stretched_label(label, variant.tempo) for label in labels]
    prefixes = list(live_prefixes(sources, variant.planned_s))
    live = [(prefix, label_at(labels, prefix.end_ns)) for prefix in prefixes]
    samples = [_live_sample(prefix, label) for prefix, label in live if label is not None]
    missing = unsensed(variant.levels)
    clips = [sample for number, label in enumerate(labels) for sample in _clip(sources, label, number, missing)]
    return Extracted(samples=(*samples, *clips), unlabelled=len(live) - len(samples))


def live_prefixes(sources: Iterable[Record], planned_s: float) -> Iterator[Prefix]:
    """Yield every prefix that the engine derives from what was sensed; ticks are its own."""
    settings = Settings(window=WindowSettings(planned_s=planned_s))
    engine = Engine(detector=Idle(), policy=Idle(), settings=settings)
    for source in sources:
        for rows in engine.take_with_ticks(source, source.at_ns):
            yield from (row for row in rows if isinstance(row, Prefix))


def clip_features(sources: Sequence[Record], start_ns: int, end_ns: int) -> list[tuple[float, int, dict[str, float]]]:
    """Return fraction, end and features of the four prefixes of a clip, from a tracker that knows only the clip.

    The last focus before it is repeated at the clip's start, so that the application is known, and whether controls are
    understood.
    """
    tracker = FeatureTracker()
    before = [row for row in sources if isinstance(row, Focus) and row.at_ns < start_ns and row.app and not row.own]
    senses = [row for row in sources if isinstance(row, Sense) and row.at_ns < start_ns]
    if senses:
        tracker.take(senses[-1])
    if before:
        tracker.take(replace(before[-1], t_ns=start_ns, at_ns=start_ns))
    tracker.open_window(start_ns)
    inside = iter([row for row in sources if start_ns <= row.at_ns <= end_ns])
    ahead = next(inside, None)
    found = []
    for fraction in FRACTIONS:
        until_ns = start_ns + round((end_ns - start_ns) * fraction)
        while ahead is not None and (ahead.at_ns < until_ns or fraction == FRACTIONS[-1]):
            tracker.take(ahead)
            ahead = next(inside, None)
        found.append((fraction, until_ns, tracker.values(until_ns)))
    return found


def _clip(sources: Sequence[Record], label: Label, number: int, missing: Collection[str]) -> Iterator[Sample]:
    if label.end_ns - label.start_ns < MIN_CLIP_NS:
        return
    for fraction, end_ns, features in clip_features(sources, label.start_ns, label.end_ns):
        about = {"group": number, "clip": True, "truncated": False, "start_ns": label.start_ns}
        yield _labelled(label, features={**features, **seen(missing)}, fraction=fraction, end_ns=end_ns, **about)


def _live_sample(prefix: Prefix, label: Label) -> Sample:
    names = ("fraction", "truncated", "start_ns", "end_ns")
    about = {name: getattr(prefix, name) for name in names}
    return _labelled(label, features=values_of(prefix), group=prefix.window_id, clip=False, **about)


def _labelled(label: Label, *, end_ns: int, **about: Any) -> Sample:
    names = ("state", "behavior", "hard_negative", "held_out")
    labelled = {name: getattr(label, name) for name in names}
    return Sample(end_ns=end_ns, label_ns=label.start_ns, need=label.needs_help(end_ns), **labelled, **about)


def is_sensed(row: Record) -> bool:
    """Whether a row was sensed: not derived, no recorded tick, no answer to an offer, since none is made here."""
    return not (is_derived(row) or isinstance(row, (Tick, Feedback)))


def _stretched(row: Record, tempo: float) -> Record:
    if tempo == 1.0:
        return row
    times = {"at_ns": round(row.at_ns * tempo)}
    if hasattr(row, "t_ns"):
        times["t_ns"] = round(row.t_ns * tempo)
    return replace(row, **times)


def _stretched_label(label: Label, tempo: float) -> Label:
    if tempo == 1.0:
        return label
    need_from_ns = None if label.need_from_ns is None else round(label.need_from_ns * tempo)
    start_ns, end_ns = round(label.start_ns * tempo), round(label.end_ns * tempo)
    return replace(label, start_ns=start_ns, end_ns=end_ns, need_from_ns=need_from_ns)


class Idle:
    """A detector that always abstains and a policy that never offers: the engine still derives windows and prefixes."""

    name, version, uses_images = "idle", "1", False

    def __init__(self) -> None:
        self._level = dict.fromkeys((state.value for state in State), 1.0 / len(State))
        self._hold = Decision(verdict=Verdict.HOLD, gate="idle", reason="idle")

    def estimate(self, prefix: Prefix, images: Images, now_ns: int) -> Estimate:  # noqa: ARG002  # the Protocol
        """Abstain."""
        return make_estimate(self, prefix, now_ns, state_probs=self._level, help_need=0.0, abstained=True)

    def start(self, saved: Mapping[str, object], elapsed_ns: int, now_ns: int) -> None:
        """Start without state."""

    def decide(
        self,
        state: None,
        trigger: Trigger,  # noqa: ARG002  # same
        context: Context,  # noqa: ARG002  # same
        now_ns: int,  # noqa: ARG002  # same
    ) -> tuple[None, Decision]:
        """Hold."""
        return state, self._hold

    def learn(self, state: None, feedback: Feedback, offer: Offer, now_ns: int) -> None:
        """Ignore it; no offer is ever made."""

    def save(self, state: None, now_ns: int) -> dict[str, Any]:  # noqa: ARG002  # same
        """Save nothing."""
        return {}
