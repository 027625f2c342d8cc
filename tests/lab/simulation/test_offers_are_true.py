"""What an offer would name at any time of the sessions that come with Kairos is true of their rows, counted anew."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from daemon.engine.sightings import RecentRecords
from daemon.replay.imports.derive import derive_rows
from lab.simulation.persona import Split
from lab.simulation.recording.pack import read_manifest, read_packed
from storage.clock import NS_PER_S
from storage.messages import SIGHTINGS
from storage.records import (
    ControlAct,
    DialogSeen,
    DocumentLoaded,
    Estimate,
    EventKind,
    Focus,
    HelpFound,
    InputEvent,
    KeyClass,
    MessageSeen,
    Offer,
    Record,
    SessionEnd,
    SessionStart,
    Sighting,
    Tick,
    WindowEvent,
)
from storage.settings import CaptureSettings, DetectorSettings, PolicySettings, Settings
from tests.fakes.sessions.contradictions import contradictions, fold

LOGS = Path(__file__).resolve().parents[3] / "lab" / "logs"
FOLDERS = [folder / split for folder in (LOGS, LOGS / "tasks") for split in Split]
FOLDERS += [LOGS / "fresh" / Split.TEST, LOGS / "calm" / Split.TEST, LOGS / "live" / Split.TRAIN]
TOPICS = ("trouble_pattern", "undo_bursts", "repeated_clicks", "failed_runs")
EVERY_NS = 6 * NS_PER_S
SPAN_NS = 60 * NS_PER_S
EACH = 4  # of which one is derived anew
NOT_SOURCES = (SessionStart, SessionEnd, Tick, HelpFound)

EAGER = Settings(
    policy=PolicySettings(
        quiet_start_s=0.0, cooldown_s=0.0, backoff_s=0.0, offers_per_hour=1000, offers_per_day=10_000
    ),
    detector=DetectorSettings(name="evidence"),
)
"""Offers as often as there is a sign: rules, and a policy without pauses."""

pytestmark = pytest.mark.slow


def moments(rows: Sequence[Record]) -> Iterator[tuple[Sighting, str, int, list[Record]]]:
    """Yield what is named every six seconds, in which program and when, with the rows of the minute before."""
    recent, app, due_ns = RecentRecords(CaptureSettings()), "", EVERY_NS
    last: list[Record] = []
    for row in rows:
        while row.at_ns > due_ns:
            last = [record for record in last if record.at_ns > due_ns - SPAN_NS - NS_PER_S]
            for topic in TOPICS:
                yield recent.find(topic, app, due_ns), app, due_ns, last
            due_ns += EVERY_NS
        if isinstance(row, Focus):
            app = row.app
        recent.add(row, app, stopped=False)
        last.append(row)


def came(rows: Sequence[Record], count: int, span_s: float) -> bool:
    times = [row.at_ns for row in rows]
    span_ns = round((span_s + 1.0) * NS_PER_S)
    return any(end - begin <= span_ns for begin, end in zip(times, times[max(0, count - 1) :], strict=False))


def wrong(named: Sighting, app: str, now_ns: int, rows: Sequence[Record]) -> str:
    code, count, digests = named.code, round(named.numbers.get("count", 1.0)), named.digests
    within = [row for row in rows if now_ns - row.at_ns <= SPAN_NS]
    here = [row for row in within if getattr(row, "app", app) == app]
    inputs = [row for row in within if isinstance(row, InputEvent)]
    said = [row for row in here if isinstance(row, MessageSeen | DialogSeen)]
    used = [row for row in here if isinstance(row, ControlAct)]
    quoted: list[tuple[str, Sequence[Record]]] = [
        (place, [row for row in said if row.text_digest == digests.get(place)]) for place in ("message", "entry")
    ]
    quoted.append(("control", [row for row in used if row.name_digest == digests.get("control")]))
    for place, found in quoted:
        if place in digests and not came(found, count, named.numbers.get("span_s", 60.0)):
            return f"{place} was there {len(found)} times"
    pages = Counter(row.title_digest for row in here if isinstance(row, DocumentLoaded))
    undos = sum(row.count for row in inputs if row.key_class is KeyClass.UNDO)
    most = {
        "message": len(said),
        "entry": len(said),
        "dialog": len(said),
        "password": len(said),
        "control": len(used),
        "page": max(pages.values(), default=0),
        "place": sum(row.kind is EventKind.BUTTON_DOWN for row in inputs),
        "undone": undos,
        "step": undos,
        "turns": sum(row.kind is EventKind.SCROLL for row in inputs) - 1,
        "dialogs": sum(isinstance(row, Focus) and row.dialog for row in within),
    }.get(code.split("_")[0])
    if most is not None and count > most:
        return f"{count} of {most}"
    if code == "pause":
        age_ns = round((named.numbers["age_s"] - 1.0) * NS_PER_S)
        kinds = (EventKind.KEY, EventKind.BUTTON_DOWN, EventKind.SCROLL)
        if any(now_ns - row.at_ns < age_ns for row in inputs if row.kind in kinds):
            return "there was input meanwhile"
    return ""


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_whatever_is_named_was_seen(folder: Path) -> None:
    """The control: the same, said of the half of a minute before, is found to be wrong somewhere."""
    named: Counter[str] = Counter()
    caught = 0
    for entry in read_manifest(folder).sessions:
        for found, app, now_ns, rows in moments(read_packed(entry.path(folder)).rows):
            if not found.code:
                continue
            assert found.code in SIGHTINGS
            named[found.code] += 1
            assert not wrong(found, app, now_ns, rows), (entry.name, found, now_ns / NS_PER_S)
            caught += bool(wrong(found, app, now_ns, rows[: len(rows) // 2]))
    assert named
    assert caught


def unseen(code: str, numbers: Mapping[str, float], now_ns: int, rows: Sequence[Record]) -> str:
    """Say what of a sentence about evidence is above what the rows before an estimate hold; empty for nothing."""
    events = [row for row in rows if isinstance(row, InputEvent) and row.key_class is not KeyClass.MODIFIER]

    def total(span_s: float, *wanted: EventKind | KeyClass) -> int:
        since_ns = now_ns - round(span_s * NS_PER_S)
        found = (event for event in events if {event.kind, event.key_class} & set(wanted))
        return sum(event.count for event in found if not event.own and since_ns <= event.t_ns <= now_ns)

    presses, keys = total(60.0, EventKind.BUTTON_DOWN), total(60.0, EventKind.KEY)
    most = {
        "undo_bursts": total(60.0, KeyClass.UNDO),
        "dead_clicks": presses,
        "repeat_clicks": presses,
        "same_place": presses,
        "field_returns": presses,
        "menu_wandering": presses + keys,
        "dialog_loop": sum(isinstance(row, Focus | WindowEvent) and now_ns - row.at_ns <= SPAN_NS for row in rows),
        "value_flip_flop": presses + keys,
        "back_and_forth": total(60.0, EventKind.SCROLL),
    }.get(code)
    count = numbers.get("count", numbers.get("turns", 0.0))
    if most is not None and not 1 <= count <= most:
        return f"{count} of {most}"
    acts = (EventKind.BUTTON_DOWN, EventKind.SCROLL, EventKind.KEY)
    if code == "long_pause" and total(numbers["idle_s"] - 0.1, *acts):
        return "there was input meanwhile"
    return ""


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_what_evidence_says_was_seen_and_no_row_contradicts_its_neighbour(folder: Path) -> None:
    """In each session derived anew, with offers as often as there is a sign; the control as above."""
    said: Counter[str] = Counter()
    caught = 0
    for entry in read_manifest(folder).sessions[::EACH]:
        sources = [row for row in read_packed(entry.path(folder)).rows if not isinstance(row, NOT_SOURCES)]
        rows = list(
            derive_rows(
                [(row.at_ns, row) for row in sources],
                settings=EAGER,
                session_id="20260101-000000-abcd",
                wall_ns=1_700_000_000 * NS_PER_S,
                recording=False,
                imported_from="",
            )
        )
        assert contradictions(fold(rows)) == [], entry.name
        estimated: dict[str, int] = {}
        for place, row in enumerate(rows):
            if isinstance(row, Estimate):
                estimated[row.prefix_id] = place
            if not isinstance(row, Offer) or (row.seen is not None and row.seen.code):
                continue
            at = estimated[row.prefix_id]
            about = next(sign for sign in row.evidence if sign.code == row.topic)
            said[row.topic] += 1
            before = [record for record in rows[max(0, at - 4000) : at] if record.at_ns > rows[at].at_ns - 2 * SPAN_NS]
            assert not unseen(row.topic, about.numbers, rows[at].at_ns, before), (entry.name, about, row.at_ns)
            caught += bool(unseen(row.topic, about.numbers, rows[at].at_ns, before[: len(before) // 2]))
    assert said
    assert caught
