"""Whether anything excluded is ever stored: a campaign of random acts, and a search of all that a daemon stored.

The search knows nothing of the fence and is by brute force: colours in every decoded picture of video and sent log,
markers of titles in the bytes of every file, classes of programs, keys and clicks in the rows of the session. It also
measures how much of the rest was recorded.
"""

import json
import tempfile
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daemon.capture.scene import contains
from lab.benchmarks.fence.campaign import Account, Clicked, Typed, run_campaign
from lab.benchmarks.fence.cast import (
    DESKS,
    DIM,
    FIRST_ORDINARY,
    Cast,
    Labels,
    Maker,
    Slot,
    SlotKind,
    cast,
    has_browsers,
    labels,
)
from lab.benchmarks.fence.plan import Act, plan
from lab.benchmarks.fence.screen_truth import STRIDE, ScreenSample
from lab.measure.benchmark import AcceptanceCriterion, Report, at_least, at_most
from storage.clock import NS_PER_S, SystemClock
from storage.errors import EnvironmentFault
from storage.plain_text import print_progress
from storage.records import Dropped, EventKind, Focus, Frame, InputEvent, KeyClass, Record, WindowEvent
from storage.session.log import SessionReader, list_sessions
from storage.session.video import split_ref

GRACE_NS = 2 * NS_PER_S
"""What is on the screen counts as recorded if a picture of the next frame period shows it (`capture.passive_fps`)."""

STRAY_PIXELS = 8
"""Pixels of a colour in one picture that are put down to the codec."""

STRAY_DIM_PIXELS = 40
"""Half as bright pixels in one picture that are put down to icons of real programs: one had 13 at most."""

TITLE_BAR_PX = 32
"""So high above a window of a real program its title bar may show its icon, which has colours of its own."""

_SEEN_CELLS = 12
_RECORDED_SHARE = 0.1
_SOLID_CELLS = 24
_LONG_NS = GRACE_NS * 3 // 2
"""What stays on the screen this long without a break must be in a picture of the control."""

_KEY_EARLY_NS, _KEY_LATE_NS = 60_000_000, 90_000_000
_CLICK_NS = 120_000_000
_TRAIL = 4
_NEVER_NS = 1 << 62
_NAMED_NS = 3 * NS_PER_S // 10
"""How much later the campaign knows a window that it opened, also where the program names it late."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """Something excluded that was stored: what, where it was found, whose it is, and the acts before."""

    what: str
    where: str
    slot: str
    kind: str
    t_s: float
    amount: int
    trail: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownPicture:
    """A picture of the video: when it was taken, and its labels by the grid of `screen_truth`."""

    t_ns: int
    grid: Labels


@dataclass(slots=True)
class Share:
    """A part of a whole."""

    part: float = 0.0
    whole: float = 0.0

    def add(self, part: float, whole: float) -> None:
        """Add to both."""
        self.part += part
        self.whole += whole

    @property
    def value(self) -> float:
        """The share; NaN of nothing."""
        return self.part / self.whole if self.whole else float("nan")


@dataclass(slots=True, kw_only=True)
class FenceFindings:
    """What was found."""

    leaks: list[Leak] = field(default_factory=list)
    pictures: int = 0
    sent_pictures: int = 0
    rows: int = 0
    files: int = 0
    recorded: dict[tuple[str, str], Share] = field(default_factory=dict)
    """By kind of window and compositor: how much of the time it could be seen it was recorded."""
    area: dict[tuple[str, str], Share] = field(default_factory=dict)
    """The same, of the area that could be seen."""
    keys: dict[str, Share] = field(default_factory=dict)
    changes: dict[str, Share] = field(default_factory=dict)
    found_colours: set[int] = field(default_factory=set)
    found_titles: set[str] = field(default_factory=set)
    found_keys: Share = field(default_factory=Share)
    expected_colours: set[int] = field(default_factory=set)
    expected_titles: set[str] = field(default_factory=set)


def examine(account: Account) -> FenceFindings:
    """Search what the daemon of a campaign stored."""
    search = _Search(account)
    search.files()
    rows = search.rows()
    shown = search.video(rows)
    search.sent()
    search.input(rows)
    search.coverage(shown)
    search.changes(rows)
    return search.findings


class _Search:
    def __init__(self, account: Account) -> None:
        self.findings = FenceFindings()
        self._account = account
        self._secrets = account.cast.secret_labels
        self._by_itself: Counter[int] = Counter()
        self._begin_ns = account.done[0].start_ns if account.done else 0

    # ------------------------------------------------------------ leaks

    def files(self) -> None:
        """Look for markers of titles in the bytes of every file, in the encodings that programs use."""
        words = {
            encoded: word
            for word in self._account.titles
            for encoded in (word.encode(), word.encode("utf-16-le"), word.encode("utf-16-be"))
        }
        for path in sorted(self._account.folder.rglob("*")):
            if not path.is_file() or path.is_symlink():
                continue
            self.findings.files += 1
            content = path.read_bytes()
            if b"zq" not in content and b"z\0q" not in content:
                continue
            for encoded, word in words.items():
                if encoded in content:
                    self.findings.found_titles.add(word)
                    if word in self._account.secret_titles:
                        self._leak("title", path.name, self._account.titles[word], 0, 1)

    def rows(self) -> list[Record]:
        """Read all rows; look for the names of excluded programs."""
        rows: list[Record] = []
        for session in list_sessions(self._account.sessions):
            with SessionReader(session) as reader:
                rows += reader
        self.findings.rows = len(rows)
        excluded = {slot.app: slot for slot in self._account.cast.slots if slot.kind is SlotKind.EXCLUDED_APP}
        for row in rows:
            if isinstance(row, Focus | WindowEvent) and row.app in excluded:
                self._leak("program", type(row).__name__, excluded[row.app], row.t_ns, 1)
            if isinstance(row, Dropped) and row.what == "input" and row.count % 10:
                self._leak("exact count", "Dropped", None, row.at_ns, row.count)
        return rows

    def video(self, rows: Sequence[Record]) -> list[ShownPicture]:
        """Decode every picture of the video; look for excluded colours."""
        import av

        taken = {row.image_ref: row.t_ns for row in rows if isinstance(row, Frame) and row.image_ref}
        shown: list[ShownPicture] = []
        for path in sorted(self._account.sessions.rglob("*.mp4")):
            last_ns = 0
            starts = [
                t_ns - ms * 1_000_000
                for ref, t_ns in taken.items()
                for file, ms in [split_ref(ref)]
                if file == path.name
            ]
            start_ns = min(starts, default=0)
            with av.open(str(path)) as container:
                for frame in container.decode(video=0):
                    if frame.pts is None or frame.time_base is None:
                        continue
                    ms = round(frame.pts * frame.time_base * 1000)
                    t_ns = taken.get(f"{path.name}@{ms}")
                    last_ns = start_ns + ms * 1_000_000 if t_ns is None else t_ns
                    self.findings.pictures += 1
                    found = labels(np.asarray(frame.to_ndarray(format="rgb24"), np.uint8))
                    self._check_picture(found, "video", last_ns)
                    shown.append(ShownPicture(last_ns, found[STRIDE // 2 :: STRIDE, STRIDE // 2 :: STRIDE].copy()))
        shown.sort(key=lambda one: one.t_ns)
        return shown

    def sent(self) -> None:
        """Look for excluded colours in the pictures that went to the model."""
        import simplejpeg

        from storage.sent.log import SentLog
        from storage.sent.reader import SentLogReader

        path = self._account.folder / "state" / "kairos" / "sent.db"
        if not path.exists():
            return
        digests: set[str] = set()
        clock = SystemClock()
        ahead_ns = clock.wall_ns() - clock.now_ns()
        with SentLog(path) as log:
            reader = SentLogReader(log)
            for number in reader.numbers():
                entry = reader.get(number)
                for digest, jpeg in reader.pictures(number):
                    if digest in digests:
                        continue
                    digests.add(digest)
                    pixels = simplejpeg.decode_jpeg(jpeg, colorspace="RGB")
                    t_ns = entry.at_wall_ns - ahead_ns if entry is not None else 0
                    self._check_picture(labels(pixels), f"sent request {number}", t_ns)
        self.findings.sent_pictures = len(digests)

    def _check_picture(self, found: Labels, where: str, t_ns: int) -> None:
        counts = np.bincount(found[self._is_no_icon(found, t_ns)], minlength=256)
        for label in np.flatnonzero(counts[:FIRST_ORDINARY]):
            whose, limit = int(label), STRAY_PIXELS
            if label > DIM:
                whose, limit = whose - DIM, STRAY_DIM_PIXELS
            if whose not in self._secrets:
                continue
            if t_ns and t_ns < self._opened_ns(self._secrets[whose]):  # panels have icons of such colours themselves
                self._by_itself[int(label)] = max(self._by_itself[int(label)], int(counts[label]))
            elif counts[label] > limit + self._by_itself[int(label)]:
                self.findings.found_colours.add(whose)
                self._leak("pixels", where, self._secrets[whose], t_ns, int(counts[label]))

    def _is_no_icon(self, found: Labels, t_ns: int) -> NDArray[np.bool_]:
        """Return where no title bar of a real program that may be seen was when a picture was taken."""
        cells = np.ones(found.shape, np.bool_)
        for sample in self._account.samples:
            if sample.start_ns <= t_ns + _NAMED_NS and t_ns <= sample.end_ns + GRACE_NS:
                for name, box in sample.places.items():
                    slot = self._account.cast.slot(name.partition("-")[0])
                    if slot.maker is not Maker.CLIENT and not slot.is_excluded:
                        cells[max(0, box.y - TITLE_BAR_PX) : max(0, box.y), max(0, box.x) : max(0, box.x + box.w)] = (
                            False
                        )
        return cells

    def _opened_ns(self, slot: Slot) -> int:
        """Return when a window of a slot, or what shows its colour, could first be seen."""
        acts = (done for done in self._account.done if slot.name in (done.action.slot, done.action.other))
        hangs = (done for done in self._account.done if done.action.act is Act.HANG)  # closes the first excluded one
        return min((done.start_ns for done in (*acts, *hangs)), default=_NEVER_NS)

    def input(self, rows: Sequence[Record]) -> None:
        """Compare keys and clicks with what was typed where."""
        keys = [row for row in rows if isinstance(row, InputEvent) and row.kind is EventKind.KEY]
        times = [row.t_ns for row in keys]
        for typed in self._account.typed:
            wanted = KeyClass.FUNCTION if typed.secret else KeyClass.CHARACTER
            near = keys[
                bisect_left(times, typed.start_ns - _KEY_EARLY_NS) : bisect_right(times, typed.end_ns + _KEY_LATE_NS)
            ]
            count = sum(row.count for row in near if row.key_class is wanted)
            slot = self._account.cast.slot(typed.slot)
            if typed.secret:
                self.findings.found_keys.add(min(count, typed.count), typed.count)
                if slot.kind is not SlotKind.PRIVATE_BROWSER or typed.title:
                    self.findings.expected_titles.add(typed.title)
                if count:
                    self._leak(_of_input("keys", slot), "InputEvent", slot, typed.start_ns, count)
            else:
                how = str(slot.kind) if typed.settled else f"{slot.kind}, typed at once"
                if self._is_part_of_excluded(slot, typed.start_ns, typed.end_ns):
                    how = f"{slot.kind}, with an excluded one in it"  # as closed as that
                share = self.findings.keys.setdefault(how, Share())
                share.add(min(count, typed.count), typed.count)
        self._clicks([row for row in rows if isinstance(row, InputEvent) and row.x is not None])

    def _clicks(self, pointer: Sequence[InputEvent]) -> None:
        """A click on a pixel that showed an excluded colour before and after it was one on an excluded window."""
        starts = [sample.start_ns for sample in self._account.samples]
        for click in self._account.clicked:
            at = bisect_right(starts, click.t_ns) - 1
            around = [self._account.samples[i] for i in (at - 1, at, at + 1) if 0 <= i < len(starts)]
            under = {
                int(sample.grid[min(click.y // STRIDE, sample.grid.shape[0] - 1), click.x // STRIDE])
                for sample in around
            }
            if len(under) != 1 or not under <= self._secrets.keys() or not self._is_on(under, click, around):
                continue
            near = [r for r in pointer if (r.x, r.y) == (click.x, click.y) and abs(r.t_ns - click.t_ns) < _CLICK_NS]
            if near:
                slot = self._secrets[under.pop()]
                self._leak(_of_input("click", slot), "InputEvent", slot, click.t_ns, len(near))

    def _is_on(self, under: Collection[int], click: Clicked, around: Iterable[ScreenSample]) -> bool:
        """Return whether a click was on a window of that colour: panels show it, too, and clicks on them count."""
        names = {self._secrets[label].name for label in under}
        return any(
            contains((box,), click.x, click.y)
            for sample in around
            for name, box in sample.places.items()
            if name.partition("-")[0] in names
        )

    def _leak(self, what: str, where: str, slot: Slot | None, t_ns: int, amount: int) -> None:
        self.findings.leaks.append(
            Leak(
                what=what,
                where=where,
                slot=slot.name if slot else "",
                kind=slot.kind if slot else "",
                t_s=round((t_ns - self._begin_ns) / NS_PER_S, 2) if t_ns else 0.0,
                amount=amount,
                trail=tuple(self._trail(t_ns)) if t_ns else (),
            )
        )

    def _trail(self, t_ns: int) -> Iterator[str]:
        before = [outcome for outcome in self._account.done if outcome.start_ns <= t_ns][-_TRAIL:]
        for outcome in before:
            act = outcome.action
            ago_s = (t_ns - outcome.start_ns) / NS_PER_S
            yield f"#{act.number} {act.act} {act.slot} {act.other}".rstrip() + f" {ago_s:.2f} s before"

    # ------------------------------------------------------------ what should be recorded

    def coverage(self, shown: Sequence[ShownPicture]) -> None:
        """Compare the samples of the raw screen with the pictures that were current then or came soon after."""
        times = [picture.t_ns for picture in shown]
        ordinary = self._account.cast.ordinary_labels
        since_ns: dict[int, int] = {}
        for number, sample in enumerate(self._account.samples):
            counts = np.bincount(sample.grid.reshape(-1), minlength=256)
            for label in self._secrets:
                if counts[label] < _SOLID_CELLS:
                    since_ns.pop(label, None)
                elif sample.end_ns - since_ns.setdefault(label, sample.start_ns) >= _LONG_NS:
                    self.findings.expected_colours.add(label)
            is_stated = self._is_covered_as_stated(sample, counts)
            first = max(0, bisect_right(times, sample.start_ns) - 1)
            current = shown[first : bisect_right(times, sample.end_ns + GRACE_NS)]
            for label, slot in ordinary.items():
                if counts[label] < _SEEN_CELLS or self._is_part_of_excluded(slot, sample.start_ns, sample.end_ns):
                    continue
                there = (sample.grid == label) & self._where(slot, number) & ~is_stated
                if there.sum() >= _SEEN_CELLS:
                    self._add_coverage(slot, label, there, sample, current)

    def _is_covered_as_stated(self, sample: ScreenSample, counts: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return where closed windows are of which a part can be seen: then all of the place is covered."""
        cells = np.zeros(sample.grid.shape, np.bool_)
        for name, box in sample.places.items() if not self._account.cast.control else ():
            slot = self._account.cast.slot(name.partition("-")[0])
            is_closed = slot.is_excluded or slot.maker is Maker.CHROMIUM  # which nothing proves to be ordinary
            label = slot.label if is_closed else slot.secret_label
            if label and counts[label]:
                cells |= sample.inside(box)
        return cells

    def _add_coverage(
        self, slot: Slot, label: int, there: NDArray[np.bool_], sample: ScreenSample, current: Sequence[ShownPicture]
    ) -> None:
        lasted_s, cells = (sample.end_ns - sample.start_ns) / NS_PER_S, int(there.sum())
        best = max((int((picture.grid[there] == label).sum()) for picture in current), default=0)
        key = (str(slot.kind), self._compositor(sample))
        is_recorded = best >= max(1, _RECORDED_SHARE * cells)
        self.findings.recorded.setdefault(key, Share()).add(lasted_s if is_recorded else 0.0, lasted_s)
        self.findings.area.setdefault(key, Share()).add(best * lasted_s, cells * lasted_s)

    def _where(self, slot: Slot, number: int) -> NDArray[np.bool_]:
        """Return where windows of a slot are in a sample: elsewhere its colour is a blend of others."""
        sample = self._account.samples[number]
        cells = np.zeros(sample.grid.shape, np.bool_)
        for later in self._account.samples[number:]:
            if later.start_ns > sample.start_ns + _NAMED_NS:
                break
            for name, box in later.places.items():
                if name == slot.name or name.startswith(f"{slot.name}-"):
                    cells |= sample.inside(box)
        return cells

    def _compositor(self, sample: ScreenSample) -> str:
        mode = "off"
        for t_ns, name in self._account.compositors:
            if t_ns <= sample.start_ns:
                mode = name
        return mode if mode == "off" else "on"

    def _is_part_of_excluded(self, slot: Slot, start_ns: int, end_ns: int) -> bool:
        return any(
            name == slot.name and since_ns <= end_ns and start_ns <= until_ns
            for since_ns, until_ns, name in self._account.embedded
        )

    def changes(self, rows: Sequence[Record]) -> None:
        """A key typed into a browser's page changes a mark: a frame soon after must say that something changed."""
        frames = [row for row in rows if isinstance(row, Frame)]
        times = [frame.t_ns for frame in frames]
        for typed in self._account.typed:
            slot = self._account.cast.slot(typed.slot)
            if slot.kind is not SlotKind.BROWSER or not self._changed_on_screen(typed, slot):
                continue
            after = frames[bisect_left(times, typed.start_ns) : bisect_right(times, typed.end_ns + GRACE_NS)]
            is_seen = any(_overlap(box, typed.box) for frame in after for box in frame.changed)
            self.findings.changes.setdefault(slot.kind, Share()).add(float(is_seen), 1.0)

    def _changed_on_screen(self, typed: Typed, slot: Slot) -> bool:
        """Return whether the raw screen shows that the page answered the keys."""
        near = [
            (sample.grid == slot.label)
            for sample in self._account.samples
            if sample.end_ns >= typed.start_ns and sample.start_ns <= typed.end_ns + NS_PER_S // 2
        ]
        return any((frame != near[0]).sum() >= _SEEN_CELLS for frame in near)


def _of_input(what: str, slot: Slot) -> str:
    """Return what a leak of input is called: nothing proves Chromium's private windows, so their input counts."""
    is_stated = slot.kind is SlotKind.PRIVATE_BROWSER and slot.maker is Maker.CHROMIUM
    return f"{what}, as stated for Chromium" if is_stated else what


def _overlap(first: Sequence[int], second: Sequence[int]) -> bool:
    return all(first[at] < second[at] + second[at + 2] and second[at] < first[at] + first[at + 2] for at in (0, 1))


WHATS = ("pixels", "title", "program", "keys", "click", "exact count")
MAX_VOID = 0.1
MIN_SHARE = 0.9
_PROGRESS = 50
_SHOWN_LEAKS = 5
"""Leaks shown of one kind and window: a picture that leaked is often followed by more."""

_NOTE = (
    "A window counts as recorded at a moment if a tenth of what can be seen of it is in the picture of then, or in one "
    "of the two seconds after; the share of area counts every pixel. Its colour where it is not is a blend of others."
)


def measure(
    *,
    actions: int,
    control_actions: int,
    seed: int,
    browsers: bool | None = None,
    mousepad: bool = True,
    desk: str | None = None,
    keep: Path | None = None,
) -> Report:
    """Run the campaign, then the control; `browsers` None: where both are installed.

    `desk` names the window manager with whose panel and notification daemon it is done; "": with Openbox and none;
    None: with Openbox and its own where they are installed.

    Raises:
        EnvironmentFault: a program is missing or does not start.
    """
    with_browsers = has_browsers() if browsers is None else browsers
    wm = ("openbox" if DESKS["openbox"].installed else "") if desk is None else desk
    if wm and not DESKS[wm].installed:
        raise EnvironmentFault(
            f"the panel or notification daemon beside {wm} is not installed", remedy="see packaging/debian-browsers.txt"
        )
    make_cast = partial(cast, browsers=with_browsers, mousepad=mousepad, desk=wm)
    with ExitStack() as stack:
        folder = keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kairos-fence-")))
        rounds = [_round(folder, actions, seed, make_cast())]
        if control_actions:
            rounds.append(_round(folder, control_actions, seed, make_cast(control=True)))
    account, found = rounds[0]
    criteria = [*_fence_criteria(account, found)]
    if control_actions:
        criteria += _control_criteria(rounds[1][1])
    return Report(
        criteria=criteria,
        rounds=[_figures(*round_) for round_ in rounds],
        fields={"seed": seed, "browsers": with_browsers, "mousepad": mousepad, "desk": wm},
        text=[line for round_ in rounds for line in _lines(*round_)],
        notes=[_NOTE],
    )


def _round(folder: Path, actions: int, seed: int, players: Cast) -> tuple[Account, FenceFindings]:
    own = folder / ("control" if players.control else "fenced")
    own.mkdir(parents=True)

    def progress(number: int, count: int) -> None:
        if number % _PROGRESS == 0:
            print_progress(f"{own.name}: {number} of {count} acts")

    account = run_campaign(players, plan(players, seed, actions), own, progress)
    found = examine(account)
    acts = [{**asdict(outcome.action), "start_ns": outcome.start_ns, "void": outcome.void} for outcome in account.done]
    (folder / f"{own.name}-acts.json").write_text(json.dumps(acts), encoding="utf-8")
    return account, found


def _fence_criteria(account: Account, found: FenceFindings) -> list[AcceptanceCriterion]:
    leaks = Counter(leak.what for leak in found.leaks)
    void = sum(1 for outcome in account.done if outcome.void)
    criteria = [at_most(f"leaked: {what}", leaks[what], 0, "times") for what in WHATS]
    criteria.append(at_least("pictures searched", found.pictures, 1, "pictures"))
    criteria.append(at_least("sent pictures searched", found.sent_pictures, 1, "pictures"))
    criteria.append(at_most("acts that could not be done", void / max(1, len(account.done)), MAX_VOID, "of all"))
    for (kind, mode), share in sorted(found.recorded.items()):
        if kind == "ordinary":
            name = f"ordinary windows recorded, compositor {mode}"
            criteria.append(at_least(name, share.value, MIN_SHARE, "of the time visible"))
    for kind, share in sorted(found.keys.items()):
        if kind not in (SlotKind.ORDINARY, SlotKind.BROWSER):
            continue  # printed: in an excluded window, and right after one, the keyboard is closed
        criteria.append(at_least(f"keys recorded: {kind}", share.value, MIN_SHARE, "of keys"))
    for kind, share in sorted(found.changes.items()):
        criteria.append(at_least(f"changes recorded: {kind}", share.value, MIN_SHARE, "of changes"))
    return criteria


def _control_criteria(found: FenceFindings) -> list[AcceptanceCriterion]:
    colours, titles = found.expected_colours, found.expected_titles
    return [
        at_least("control: colours looked for", len(colours), 1, "colours"),
        at_least("control: colours found", _part(colours & found.found_colours, colours), 1.0, "of those shown"),
        at_least("control: titles found", _part(titles & found.found_titles, titles), MIN_SHARE, "of those typed at"),
        at_least("control: keys found", found.found_keys.value, MIN_SHARE, "of keys"),
    ]


def _part(found: set[Any], wanted: set[Any]) -> float:
    return len(found) / len(wanted) if wanted else float("nan")


def _figures(account: Account, found: FenceFindings) -> dict[str, Any]:
    return {
        "control": account.cast.control,
        "acts": dict(sorted(Counter(str(outcome.action.act) for outcome in account.done).items())),
        "void": dict(
            Counter(
                f"{outcome.action.act} {outcome.action.slot}: {outcome.void}"
                for outcome in account.done
                if outcome.void
            )
        ),
        "seconds": round((account.done[-1].end_ns - account.done[0].start_ns) / 1e9, 1),
        "pictures": found.pictures,
        "sent_pictures": found.sent_pictures,
        "rows": found.rows,
        "files": found.files,
        "recorded": _shares(found.recorded),
        "area": _shares(found.area),
        "keys": {kind: _rounded(share) for kind, share in found.keys.items()},
        "changes": {kind: _rounded(share) for kind, share in found.changes.items()},
        "leaks": [] if account.cast.control else [asdict(leak) for leak in _shown(found.leaks)],
        "leaks_by_kind": dict(Counter(f"{leak.what}, {leak.kind}" for leak in found.leaks)),
        "missed_colours": sorted(found.expected_colours - found.found_colours),
        "missed_titles": len(found.expected_titles - found.found_titles),
        "daemon_lines": len(account.daemon_lines),
    }


def _shown(leaks: Iterable[Leak]) -> list[Leak]:
    """Return the first few leaks of each kind and window."""
    counts: Counter[tuple[str, str]] = Counter()
    shown = []
    for leak in leaks:
        counts[leak.what, leak.slot] += 1
        if counts[leak.what, leak.slot] <= _SHOWN_LEAKS:
            shown.append(leak)
    return shown


def _shares(shares: dict[tuple[str, str], Share]) -> dict[str, list[float]]:
    return {f"{kind}, compositor {mode}": _rounded(share) for (kind, mode), share in sorted(shares.items())}


def _rounded(share: Share) -> list[float]:
    return [round(share.value, 3), round(share.whole, 1)]


def _lines(account: Account, found: FenceFindings) -> list[str]:
    figures = _figures(account, found)
    title = "control, under names that no fence knows" if account.cast.control else "campaign"
    acts = ", ".join(f"{count} {name}" for name, count in figures["acts"].items())
    lines = [
        f"{title}: {len(account.done)} acts in {figures['seconds']:g} s",
        f"  searched: {found.pictures} pictures, {found.sent_pictures} sent, {found.rows} rows, {found.files} files",
        f"  {acts}",
    ]
    lines += [f"  not done: {count} x {why}" for why, count in figures["void"].items()]
    for name in ("recorded", "area", "keys", "changes"):
        lines += [f"  {name}: {kind}: {share:.3f} of {whole:g}" for kind, (share, whole) in figures[name].items()]
    lines += [
        f"  found, of what no fence knows: {count} x {what}" if account.cast.control else f"  LEAKED {count} x {what}"
        for what, count in figures["leaks_by_kind"].items()
    ]
    for leak in figures["leaks"]:
        lines.append(f"    {leak['what']} of {leak['slot']} in {leak['where']} at {leak['t_s']:g} s, {leak['amount']}")
        lines += [f"      {step}" for step in leak["trail"]]
    return lines
