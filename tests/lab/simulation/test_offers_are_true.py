"""What an offer would name at any time of the sessions that come with Kairos is true of their rows, counted anew."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from daemon.engine.sightings import RecentRecords
from lab.simulation.persona import Split
from lab.simulation.recording.pack import read_manifest, read_packed
from storage.clock import NS_PER_S
from storage.messages import SIGHTINGS
from storage.records import (
    ControlAct,
    DialogSeen,
    DocumentLoaded,
    EventKind,
    Focus,
    InputEvent,
    KeyClass,
    MessageSeen,
    Record,
    Sighting,
)
from storage.settings import CaptureSettings

LOGS = Path(__file__).resolve().parents[3] / "lab" / "logs"
FOLDERS = [folder / split for folder in (LOGS, LOGS / "tasks") for split in Split]
TOPICS = ("trouble_pattern", "undo_bursts", "repeated_clicks", "failed_runs")
EVERY_NS = 6 * NS_PER_S
SPAN_NS = 60 * NS_PER_S

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
    """Tell whether so many of the rows lie within a span."""
    times = [row.at_ns for row in rows]
    span_ns = round((span_s + 1.0) * NS_PER_S)
    return any(end - begin <= span_ns for begin, end in zip(times, times[max(0, count - 1) :], strict=False))


def wrong(named: Sighting, app: str, now_ns: int, rows: Sequence[Record]) -> str:
    """Say what is not true of it; empty if all is."""
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
