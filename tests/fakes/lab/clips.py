"""Small sets of labelled clips with real videos of plain grey pictures: sessions of ours, and the released layout."""

import json
from pathlib import Path
from typing import Any

from lab.simulation.recording.labels import write_labels
from storage import testing
from storage.clock import NS_PER_S
from storage.records import Record, SessionEnd, State
from storage.session.video import VideoPlan, VideoWriter
from tests.fakes.lab.packs import label
from tests.fakes.sessions.rows import SIZE, picture, start, step

STARTS_S = 50.0
GAP_S = 0.5
LABELS: tuple[tuple[str, State, str, str | None], ...] = (
    ("reads", State.TASK_UNDERSTANDING, "understand what is to be made", None),
    ("works", State.PERFORMING_ACTIONS, "get the work done", None),
    ("fails", State.FRUSTRATION, "make something react", "say what stands in the way"),
    ("looks", State.ASSESSMENT, "see whether it is right", None),
)


def video(folder: Path, pictures: int, *, file_s: float = 300.0) -> list[str]:
    plan, writer = VideoPlan(file_s), VideoWriter(folder)
    refs = [plan.ref(round((STARTS_S + GAP_S * n) * NS_PER_S), SIZE) for n in range(pictures)]
    for number, ref in enumerate(refs):
        writer.write(picture(number, ref))
    writer.close()
    return refs


def session(folder: Path, *, length_s: float = 4.0, program: str = "calc", file_s: float = 300.0) -> Path:
    """Write a labelled session of ours: four behaviors, one after the other, a second apart."""
    recorded = folder / "session"
    recorded.mkdir(parents=True)
    labels = []
    at_s = STARTS_S
    for name, state, intent, help_ in LABELS:
        end_s = at_s + length_s
        need_s = None if help_ is None else (at_s + end_s) / 2
        facts = {"behavior": name, "state": state, "program": program, "intent": intent, "help": help_}
        labels.append(label(at_s, end_s, need_s=need_s, **facts))
        at_s += length_s + 1
    write_labels(folder / "labels.jsonl", labels)
    refs = video(recorded, round((at_s - STARTS_S) / GAP_S), file_s=file_s)
    rows: list[Record] = [start()]
    for number, ref in enumerate(refs):
        rows += step(2 + 2 * number, round((STARTS_S + GAP_S * number) * NS_PER_S), ref)
    rows.append(SessionEnd(seq=2 + 2 * len(refs), at_ns=rows[-1].at_ns, reason="stop"))
    testing.write_session(recorded, rows)
    return folder


def sessions(folder: Path, count: int = 2) -> Path:
    for number in range(count):
        session(folder / f"s{number}", program="calc" if number % 2 else "writer")
    return folder


def released(folder: Path, rows: dict[str, Any], *, pictures: int = 60, names: tuple[str, ...] = ()) -> Path:
    """Write the released layout: annotations by file name, and a video for each name."""
    (folder / "annotations").mkdir(parents=True)
    for name, value in rows.items():
        (folder / "annotations" / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    (folder / "videos").mkdir()
    for name in names:
        made = folder / "made"
        made.mkdir()
        video(made, pictures)
        (made / "screen-000.mp4").rename(folder / "videos" / f"{name}.mp4")
        made.rmdir()
    return folder
