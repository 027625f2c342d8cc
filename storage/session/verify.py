"""Checks a recorded session: that every row can be read and follows on, what is missing, and whether it ended in order.

Reads only. A session that a kill cut off is sound if what is there can be read; the heartbeat gives an upper bound on
how much of it is missing.
"""

from collections import defaultdict
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from storage.clock import NS_PER_S
from storage.db.connection import open_readonly, quick_check
from storage.errors import BadFile
from storage.records import Environment, Frame, InputEvent, Record, SessionEnd, SessionStart, Sound, is_derived
from storage.session.heartbeat import is_recording, read_heartbeat
from storage.session.labels import read_labels
from storage.session.log import DATABASE, DamagedSession, SessionReader
from storage.session.sound import BLOCK_MS
from storage.session.transcript import read_transcript
from storage.session.video import split_ref
from storage.session.video_sandbox import probe_video
from storage.settings import Settings

UNSEEN_S = 0.5
"""How long before a kill something may have gone unobserved, even where nothing was pending."""

MAX_PROBLEMS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationReport:
    """What a check found.

    `events` counts input, merged events as many. `lost_s` is the most that may be missing at the end. `damaged` means
    that the file cannot be read whole; without it, `problems` are rows that do not fit together.
    """

    ok: bool
    duration_s: float
    frames: int
    events: int
    lost_s: float
    problems: tuple[str, ...]
    damaged: bool = False

    def as_json(self) -> dict[str, object]:
        """Return the fields of `kairos sessions verify --json`."""
        names = ("ok", "duration_s", "frames", "events", "lost_s")
        return {name: getattr(self, name) for name in names} | {"problems": list(self.problems)}


@dataclass(slots=True)
class _Scan:
    """What is collected while the rows are read once, in order."""

    faults: list[str] = field(default_factory=list)
    start: SessionStart | None = None
    last: Record | None = None
    ended: bool = False
    frames: int = 0
    events: int = 0
    input_ns: int | None = None
    on_battery: bool = False
    pictures: dict[str, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    """File name -> millisecond -> `at_ns` of the frame that names this picture."""

    sounds: dict[str, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    """The same of the places of sound that rows name."""

    def add(self, row: Record) -> None:
        last = self.last
        if isinstance(row, SessionStart):
            if self.start is not None:
                self.faults.append(f"row {row.seq} begins the session a second time")
            self.start = self.start or row
        if last is not None:
            if row.seq != last.seq + 1:
                self.faults.append(f"rows {last.seq + 1} to {row.seq - 1} are missing")
            if row.at_ns < last.at_ns:
                self.faults.append(f"row {row.seq} ({row.KIND}) is earlier than the row before it")
            if self.ended and not is_derived(row):
                self.faults.append(f"row {row.seq} comes after the end")
        self.last = row
        self.ended = self.ended or isinstance(row, SessionEnd)
        if isinstance(row, Frame):
            self.frames += 1
            if row.image_ref is not None:
                self._add_picture(row, row.image_ref, self.pictures)
        elif isinstance(row, Sound) and row.sound_ref is not None:
            self._add_picture(row, row.sound_ref, self.sounds)
        elif isinstance(row, InputEvent):
            self.events += row.count
            self.input_ns = row.at_ns
        elif isinstance(row, Environment):
            self.on_battery = bool(row.on_battery)

    def _add_picture(self, row: Frame | Sound, ref: str, places: dict[str, dict[int, int]]) -> None:
        try:
            name, ms = split_ref(ref)
        except BadFile:
            what = "a picture" if isinstance(row, Frame) else "sound"
            self.faults.append(f"row {row.seq} names {what} in no file of its session")
            return
        places[name][ms] = row.at_ns


def verify(folder: Path) -> VerificationReport:
    """Check a session's folder.

    Raises:
        BadFile: it is no session at all, or one of a newer Kairos.
    """
    scan = _Scan()
    with SessionReader(folder) as reader:
        with closing(open_readonly(folder / DATABASE)) as database:
            damage = quick_check(database)
        try:
            reader.first()
            for row in reader:
                scan.add(row)
        except DamagedSession as error:
            damage.insert(0, error.why)
    if scan.start is None and not damage:
        raise BadFile(f"{folder} is not a Kairos session: it has no rows")
    missing_s, notes = _check_pictures(folder, scan)
    notes += _check_sounds(folder, scan)
    lost_s, ending = _check_end(folder, scan)
    faults = [*damage, *scan.faults, *_check_labels(folder, scan), *_check_words(folder)]
    return VerificationReport(
        ok=not faults,
        duration_s=_span_s(scan),
        frames=scan.frames,
        events=scan.events,
        lost_s=round(lost_s + missing_s, 3),
        problems=_shortened([*faults, *notes, *ending]),
        damaged=bool(damage),
    )


def _check_labels(folder: Path, scan: _Scan) -> list[str]:
    try:
        labels = read_labels(folder)
    except BadFile as error:
        return [error.what]
    end_ns = scan.last.at_ns if scan.last is not None else 0
    begin_ns = scan.start.at_ns if scan.start is not None else 0
    outside = sum(label.start_ns < begin_ns or label.end_ns > end_ns for label in labels)
    return [f"{outside} of {len(labels)} labels are about no time of the session"] if outside else []


def _check_words(folder: Path) -> list[str]:
    """Return what is wrong with what was said in the session; times of it that were imported may be any."""
    try:
        read_transcript(folder)
    except BadFile as error:
        return [error.what]
    return []


def _span_s(scan: _Scan) -> float:
    if scan.start is None or scan.last is None:
        return 0.0
    return (scan.last.at_ns - scan.start.at_ns) / NS_PER_S


def _check_end(folder: Path, scan: _Scan) -> tuple[float, list[str]]:
    """Return how many seconds may be missing at the end, and a note about it."""
    beat = read_heartbeat(folder)
    if scan.ended and beat is None:
        return 0.0, []
    if beat is None:
        return _setting(scan, "storage", "flush_s") + UNSEEN_S, ["the session was cut off at an unknown time"]
    last_ns = scan.last.at_ns if scan.last is not None else 0
    pending_ns = max(beat.seen_ns, beat.taken_ns) - last_ns
    lost_s = pending_ns / NS_PER_S + _interval_s(scan, beat.seen_ns) if pending_ns > 0 else UNSEEN_S
    if is_recording(folder):
        return lost_s, ["the session is still being recorded"]
    return lost_s, [f"the session was cut off; at most its last {lost_s:.1f} s are missing"]


def _interval_s(scan: _Scan, seen_ns: int) -> float:
    """Return how long after a change was seen the screen could change further before the next sample."""
    recent_s = _setting(scan, "capture", "input_recent_s")
    working = scan.input_ns is not None and seen_ns - scan.input_ns <= recent_s * NS_PER_S
    fps = _setting(scan, "capture", "active_fps" if working else "passive_fps")
    return max(UNSEEN_S, (2 if scan.on_battery else 1) / fps) if fps > 0 else UNSEEN_S


def _setting(scan: _Scan, table: str, key: str) -> float:
    """Return a setting in force in the session; the default where its first row lacks it."""
    value = scan.start.settings.get(table, {}).get(key) if scan.start is not None else None
    if isinstance(value, (int, float)):
        return float(value)
    return float(getattr(getattr(Settings(), table), key))


def _check_pictures(folder: Path, scan: _Scan) -> tuple[float, list[str]]:
    """Return how many seconds of pictures are missing at the end, and notes about missing pictures."""
    present: list[int] = [0]
    missing: list[int] = []
    notes: list[str] = []
    for name, wanted in scan.pictures.items():
        have: frozenset[int] = frozenset()
        try:
            have = frozenset(probe_video(folder / name).times_ms)
        except BadFile as error:
            notes.append(error.what)
        for ms, at_ns in wanted.items():
            (present if ms in have else missing).append(at_ns)
    if missing:
        notes.append(f"{len(missing)} of {len(missing) + len(present) - 1} pictures are not in the video")
    lost_tail = [at_ns for at_ns in missing if at_ns > max(present)]
    if not lost_tail or scan.last is None:
        return 0.0, notes
    return (scan.last.at_ns - min(lost_tail)) / NS_PER_S, notes


def _check_sounds(folder: Path, scan: _Scan) -> list[str]:
    notes: list[str] = []
    missing = 0
    for name, wanted in scan.sounds.items():
        have: frozenset[int] = frozenset()
        try:
            have = frozenset(ms // BLOCK_MS for ms in probe_video(folder / name).times_ms)
        except BadFile as error:
            notes.append(error.what)
        near = have | {block + 1 for block in have} | {block - 1 for block in have}
        missing += sum(ms // BLOCK_MS not in near for ms in wanted)
    of = sum(map(len, scan.sounds.values()))
    return [*notes, f"{missing} of {of} places of sound are not in its files"] if missing else notes


def _shortened(problems: list[str]) -> tuple[str, ...]:
    if len(problems) <= MAX_PROBLEMS:
        return tuple(problems)
    return (*problems[:MAX_PROBLEMS], f"and {len(problems) - MAX_PROBLEMS} more")
