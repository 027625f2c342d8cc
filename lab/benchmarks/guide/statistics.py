"""What a labelled set holds, as the tables B1 and C4 of GUIDE's supplement say it: videos, lengths, and states."""

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from lab.benchmarks.guide.clips import NARRATED, Clip, Collection
from lab.measure.benchmark import Report
from lab.measure.published import Published, published_parts
from lab.measure.report import Heading, Part, Table, page_of, text_of
from storage.files import decode_text, open_regular
from storage.plain_text import format_clock
from storage.records import State
from storage.session.video_sandbox import open_pinned

PAGE = "statistics.html"
_MAX_LIST = 64 << 20


def describe(data: Path, collection: Collection) -> Report:
    """Return the statistics of a set, beside the published ones."""
    lengths = {name: _seconds(Path(file.path)) for name, video in collection.videos.items() for file in video.files}
    narrated = _narrated(data)
    clips = clips_by_kind(collection.clips)
    states = {kind: Counter(state for clip in found for state in clip.states) for kind, found in clips.items()}
    published = msgspec.json.decode((Path(__file__).parent / "data" / "statistics.json").read_bytes(), type=Published)
    parts = [*parts_of(lengths, narrated, clips, states), *published_parts(published)]
    fields = {
        "videos": len(lengths),
        "total_s": sum(lengths.values()),
        "narrated_s": narrated,
        "segments": {kind: {"count": len(found), "mean_s": _mean_s(found)} for kind, found in clips.items()},
        "states": {kind: {state.value: count for state, count in found.items()} for kind, found in states.items()},
    }
    return Report(criteria=(), fields=fields, text=list(text_of(parts)), pages={PAGE: page_of("Statistics", parts)})


def clips_by_kind(clips: Sequence[Clip]) -> dict[str, list[Clip]]:
    """Return the clips of each of the four kinds of questions."""
    asked = {
        "labelled segments": [clip for clip in clips if clip.asks_behavior],
        "intent questions": [clip for clip in clips if clip.intent is not None],
        "need questions": [clip for clip in clips if clip.need is not None],
    }
    return {**asked, "content questions": [clip for clip in clips if clip.content is not None]}


def parts_of(
    lengths: Mapping[str, float],
    narrated: float | None,
    clips: Mapping[str, Sequence[Clip]],
    states: Mapping[str, Counter[State]],
) -> Iterator[Part]:
    """Yield both tables."""
    total = sum(lengths.values())
    yield Heading("Recordings (B1)")
    rows = [("videos", str(len(lengths))), ("hours", f"{total / 3600:.2f}")]
    if lengths:
        times = (total / len(lengths), max(lengths.values()), min(lengths.values()))
        names = ("mean length", "longest", "shortest")
        rows += [(name, format_clock(time)) for name, time in zip(names, times, strict=True)]
    if narrated is not None and total:
        rows.append(("share in which somebody speaks", f"{100 * narrated / total:.0f}%"))
    for kind, found in clips.items():
        rows.append((kind, f"{len(found)}, {_mean_s(found):.2f} s each" if found else "0"))
    yield Table(("", ""), rows)
    yield Heading("States (C4); a segment may have several")
    totals = {kind: found.total() for kind, found in states.items()}
    yield Table(
        ("state", *(head for kind in clips for head in (kind, "%"))),
        [
            (
                state.value.replace("_", " "),
                *(
                    cell
                    for kind, found in states.items()
                    for cell in (str(found[state]), f"{100 * found[state] / max(1, totals[kind]):.2f}")
                ),
            )
            for state in State
        ],
    )


def _mean_s(clips: Sequence[Clip]) -> float:
    return sum(clip.end_s - clip.start_s for clip in clips) / max(1, len(clips))


def _narrated(data: Path) -> float | None:
    """Return for how many seconds somebody speaks; None where the list of videos does not say."""
    listed = data / "videos" / "video_urls.csv"
    if not listed.is_file():
        return None
    with open_regular(listed) as file:
        rows = list(csv.DictReader(decode_text(file.read(_MAX_LIST), errors="replace").splitlines()))
    try:
        return sum(float(row[NARRATED]) for row in rows)
    except (KeyError, TypeError, ValueError):
        return None


def _seconds(path: Path) -> float:
    """Return the length of a video.

    Raises:
        BadFile: it is none.
    """
    with open_regular(path) as file, open_pinned(file, path.name) as container:
        return (container.duration or 0) / 1e6
