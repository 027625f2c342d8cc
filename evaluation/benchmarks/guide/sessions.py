"""Our own labelled sessions with video, as clips: `labels.jsonl` beside a session that was recorded with consent.

A clip is one label from its first act to its last. Help is needed in it if it is at its end; what help would serve is
asked only then. Distractors are intents and helps of other behaviors; `data/meanings.toml` says which mean the
same, because an option that is as right as the right one would make the question a lottery.
"""

import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from detectors.mllm.prompting.plain_text import one_line
from evaluation.benchmarks.guide.clips import WRONG, Choice, Clip, Collection, Piece, Video, draw_wrong
from evaluation.simulation.recording.labels import Label, read_labels
from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.records import Frame
from storage.session.log import DATABASE, SessionReader
from storage.session.video import split_ref

LABELS = "labels.jsonl"
MEANINGS = Path(__file__).parent / "data" / "meanings.toml"

SHORTEST_S = 2.0
"""A shorter label is a slip of the script, not a segment."""

_MAX_NAME = 40
_LATE_S = 2.0  # how long after a clip's beginning the first picture may come: a still screen is taken once
_NS_PER_MS = NS_PER_S // 1000


def folders_in(data: Path) -> list[Path]:
    """Return the folders in `data`, itself included, that hold labels."""
    return sorted({path.parent for path in (data / LABELS, *data.glob(f"*/{LABELS}")) if path.is_file()})


def load_sessions(data: Path, *, seed: int = 1) -> Collection:
    """Return the labelled sessions in a folder.

    Raises:
        BadFile: there are none, or one cannot be read.
    """
    videos: dict[str, Video] = {}
    clips: list[Clip] = []
    notes: list[str] = []
    for folder in folders_in(data):
        labels = [label for label in read_labels(folder / LABELS) if label.state is not None]
        video = _video(folder, labels[0].program if labels else "")
        if video is None:
            notes.append(f"{folder.name} was left out: it was recorded without pictures")
            continue
        found = list(_clips(video, labels, seed))
        if len(found) < len(labels):
            left = len(labels) - len(found)
            notes.append(f"of {folder.name}, {left} of {len(labels)} labels left out: too short or before any picture")
        videos[video.name] = video
        clips += found
    if not clips:
        raise BadFile(
            f"{data} holds no labelled session with video",
            remedy="make some: kairos simulate --video --out DIR, or name the folder of the released benchmark",
        )
    return Collection(
        whose="simulated sessions of ours, not people",
        simulated=True,
        videos=videos,
        clips=tuple(clips),
        notes=tuple(notes),
    )


def meanings() -> dict[str, list[list[str]]]:
    """Return intents and helps in rows of equal meaning."""
    found: dict[str, list[list[str]]] = tomllib.loads(MEANINGS.read_text(encoding="utf-8"))
    return found


def _clips(video: Video, labels: Sequence[Label], seed: int) -> Iterator[Clip]:
    rows = meanings()
    previous = None
    for label in labels:
        start_s, end_s = label.start_ns / NS_PER_S, label.end_ns / NS_PER_S
        if end_s - start_s >= SHORTEST_S and video.pieces[0].start_s <= start_s + _LATE_S:
            key = f"{video.name} {label.behavior} {start_s:.1f}"
            need = label.needs_help(label.end_ns)
            yield Clip(
                key=key,
                video=video.name,
                app=one_line(label.program, _MAX_NAME),
                start_s=start_s,
                end_s=end_s,
                behavior=label.state,
                asks_behavior=True,
                previous=previous,
                aim=label.intent,
                intent=_choice(label.intent, rows["intent"], f"{seed} {key}"),
                need=need,
                content=_choice(label.help, rows["help"], f"{seed} {key}") if need and label.help else None,
            )
        previous = label.state


def _choice(right: str, rows: Sequence[Sequence[str]], seed: str) -> Choice | None:
    wrong = draw_wrong(right, rows, seed=seed)
    return Choice(right=right, wrong=wrong, ours=True) if len(wrong) == WRONG else None


def _video(folder: Path, app: str) -> Video | None:
    """Return the video of the session in a folder; None if no picture was kept.

    Raises:
        BadFile: there is not one session, or it cannot be read.
    """
    found = [path.parent for path in sorted((*folder.glob(DATABASE), *folder.glob(f"*/{DATABASE}")))]
    found += [path.parent for path in sorted(folder.glob(f"sessions/*/{DATABASE}"))]
    if len(found) != 1:
        raise BadFile(f"{folder} holds {len(found)} recorded sessions beside its labels, not one")
    starts: dict[str, float] = {}
    with SessionReader(found[0]) as reader:
        for row in reader.rows(("frame",)):
            if isinstance(row, Frame) and row.image_ref:
                name, ms = split_ref(row.image_ref)
                starts.setdefault(name, (row.t_ns - ms * _NS_PER_MS) / NS_PER_S)
    pieces = tuple(Piece(path=str((found[0] / name).absolute()), start_s=start_s) for name, start_s in starts.items())
    return Video(name=folder.name, app=app, pieces=pieces) if pieces else None
