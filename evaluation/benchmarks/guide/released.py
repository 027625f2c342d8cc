"""The released GUIDE data set as clips, as far as its layout is known: annotations in JSON, videos beside.

The set is gated and was not at hand: names of fields beyond `video_id`, `start_time`, `end_time`, `label` and `type`
are guesses, several for each, and this was tried on rows of our own making alone. What is not understood is left out
and counted, never guessed from its content.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from detectors.mllm.prompting.plain_text import one_line
from evaluation.benchmarks.guide.clips import WRONG, Choice, Clip, Collection, Piece, Video, draw_wrong, grouped, plain
from storage.errors import BadFile
from storage.plain_file import open_regular
from storage.records import State

ANNOTATIONS = "annotations"
BEHAVIOR, INTENT, HELP = "1_taxonomy_annotations", "2_intent_annotations", "3_help_annotations"
SUFFIXES = (".mp4", ".mkv", ".webm", ".mov")

STATES: Mapping[str, State] = {
    "task understanding and preparation": State.TASK_UNDERSTANDING,
    "ideation and planning": State.IDEATION,
    "exploration and decision making": State.EXPLORATION,
    "waiting and monitoring": State.WAITING,
    **{state.value.replace("_", " "): state for state in State},
}
"""States by their names in Table C3, and by ours."""

_VIDEO = ("video_id", "video", "id")
_START, _END = ("start_time", "start"), ("end_time", "end")
_STATE = ("label", "behavior_state", "behavior", "state")
_OPTIONS = ("options", "choices", "candidates")
_WRONG = ("distractors", "negatives", "incorrect_options")
_ANSWER = ("answer", "correct_answer", "correct_option", "ground_truth", "correct")
_INTENT = ("intent", "goal", "user_intent")
_HELP = ("help_content", "help", "content")
_NEED = ("type", "help_needed", "need", "help_need")
_NAME = re.compile(r"(?P<software>.+?)_[^_]+_Task_\d+(_.*)?")
_NONE = re.compile(r"(0|no|none|not|false)\b|.*\b(no help|not needed|none)\b")
_MAX_BYTES = 64 << 20
_MAX_DEPTH = 4
_MAX_TEXT = 400
_MAX_NAME = 40

Row = Mapping[str, Any]


def is_released(data: Path) -> bool:
    """Tell whether a folder looks like the released set."""
    return (data / ANNOTATIONS).is_dir()


def load_released(data: Path, *, seed: int = 1) -> Collection:
    """Return the clips of the released layout.

    Raises:
        BadFile: nothing in it is understood, or a file is damaged.
    """
    left_out: Counter[str] = Counter()
    videos = _videos(data)
    parts = {name: _rows(data / ANNOTATIONS / f"{name}.json", left_out) for name in (BEHAVIOR, INTENT, HELP)}
    clips: list[Clip] = []
    for name, rows in parts.items():
        for number, row in enumerate(rows):
            clip = _clip(name, number, row, left_out)
            if clip is not None and clip.video not in videos:
                left_out["rows of videos that are not there"] += 1
            elif clip is not None:
                clips.append(replace(clip, app=videos[clip.video].app))
    clips = [_with_wrong(clip, clips, seed) for clip in _with_context(clips)]
    if not clips:
        raise BadFile(
            f"{data} holds no annotated clip whose video is there", remedy="see docs/commands.md, bench guide"
        )
    ours = sum(choice.ours for clip in clips for choice in (clip.intent, clip.content) if choice is not None)
    notes = [f"{count} {what} were left out" for what, count in sorted(left_out.items())]
    notes += [f"help need was read from: {_kinds(parts[HELP])}"] if parts[HELP] else []
    notes += [f"{ours} questions came without options; distractors were drawn from other videos by us"] if ours else []
    return Collection(
        whose="the released GUIDE layout", simulated=False, videos=videos, clips=tuple(clips), notes=tuple(notes)
    )


# ---------------------------------------------------------------------- files


def _videos(data: Path) -> dict[str, Video]:
    """Return the videos that are there, by id: as a list names them, or by their own names."""
    named = {path.stem: path for path in sorted((data / "videos").glob("*")) if path.suffix.lower() in SUFFIXES}
    listed = data / "videos" / "video_urls.csv"
    if listed.is_file():
        with open_regular(listed) as file:
            text = file.read(_MAX_BYTES).decode("utf-8", errors="replace")
        for row in csv.DictReader(text.splitlines()):
            path = data / "videos" / Path(row.get("file_name") or "").name
            if row.get("video_id") and path.suffix.lower() in SUFFIXES and path.is_file():
                named[str(row["video_id"])] = path
    return {
        key: Video(name=key, app=_software(key), pieces=(Piece(path=str(path.absolute()), start_s=0.0),))
        for key, path in named.items()
    }


def _software(video_id: str) -> str:
    match = _NAME.fullmatch(video_id)
    return one_line((match["software"] if match else video_id.partition("_")[0]).replace("_", " "), _MAX_NAME)


def _rows(path: Path, left_out: Counter[str]) -> list[Row]:
    """Return the annotations in a file: a list of objects, or one nested by video or under a name; none if missing."""
    if not path.is_file():
        left_out[f"annotations in {path.name}, which is not there,"] += 1
        return []
    with open_regular(path) as file:
        content = file.read(_MAX_BYTES + 1)
    try:
        return list(_segments(json.loads(content), "", _MAX_DEPTH))
    except (ValueError, RecursionError) as error:
        raise BadFile(f"{path} is not JSON, or too large", remedy="download it again") from error


def _segments(value: Any, video: str, depth: int) -> Iterator[Row]:
    if depth < 0:
        return
    if isinstance(value, list):
        for one in value:
            yield from _segments(one, video, depth - 1)
    elif isinstance(value, dict):
        if _first(value, _START) is not None and _first(value, _END) is not None:
            yield {**value, "video_id": _first(value, _VIDEO) or video}
            return
        for key, one in value.items():
            named = key if _NAME.fullmatch(str(key)) or not video else video
            yield from _segments(one, str(_first(value, _VIDEO) or named), depth - 1)


# ---------------------------------------------------------------------- rows


def _clip(part: str, number: int, row: Row, left_out: Counter[str]) -> Clip | None:
    start_s, end_s = _seconds(_first(row, _START)), _seconds(_first(row, _END))
    video = str(row["video_id"])
    if start_s is None or end_s is None or end_s <= start_s:
        left_out["rows without a stretch of time"] += 1
        return None
    behavior = STATES.get(plain(str(_first(row, _STATE) or "")))
    clip = Clip(key=f"{part} {number} {video}", video=video, app="", start_s=start_s, end_s=end_s, behavior=behavior)
    if part == BEHAVIOR:
        if behavior is None:
            left_out["behavior rows with an unknown state"] += 1
            return None
        return replace(clip, asks_behavior=True)
    if part == INTENT:
        intent = _choice(row, _INTENT)
        if intent is None:
            left_out["intent rows without an answer that is understood"] += 1
            return None
        return replace(clip, aim=intent.right, intent=intent)
    said = _first(row, _NEED)
    if said is None:
        left_out["help rows that do not say whether help is needed"] += 1
        return None
    need = said if isinstance(said, bool) else _NONE.match(str(said).casefold().replace("_", " ")) is None
    return replace(clip, need=need, aim=_text(_first(row, _INTENT)), content=_choice(row, _HELP) if need else None)


def _choice(row: Row, names: Sequence[str]) -> Choice | None:
    """Return right answer and distractors of a row; no distractors where it has none, and None without an answer."""
    options = _first(row, _OPTIONS)
    spelled: dict[str, str] = {}
    if isinstance(options, list):
        spelled = {letter: text for letter, one in zip("ABCDEFGH", options, strict=False) if (text := _text(one))}
    elif isinstance(options, dict):
        spelled = {str(key).upper(): text for key, one in options.items() if (text := _text(one))}
    answer = _first(row, _ANSWER)
    right = _text(_first(row, names))
    if isinstance(answer, int) and not isinstance(answer, bool) and 0 <= answer < len(spelled):
        right = list(spelled.values())[answer]
    elif isinstance(answer, str):
        right = spelled.get(answer.strip().upper()) or _text(answer)
    if right is None:
        return None
    given = _first(row, _WRONG)
    others = [text for one in given if (text := _text(one))] if isinstance(given, list) else list(spelled.values())
    wrong = tuple(text for text in others if plain(text) != plain(right))[:WRONG]
    return Choice(right=right, wrong=wrong if len(wrong) == WRONG else (), ours=False)


def _with_context(clips: Sequence[Clip]) -> list[Clip]:
    """Give each clip the state of the segment before it, and one without a state that of what it overlaps most."""
    of_video: dict[str, list[Clip]] = {}
    for clip in sorted((one for one in clips if one.asks_behavior), key=lambda one: one.start_s):
        of_video.setdefault(clip.video, []).append(clip)
    before = {after.key: first.behavior for states in of_video.values() for first, after in pairwise(states)}

    def state(clip: Clip) -> State | None:
        def overlap(other: Clip) -> float:
            return min(clip.end_s, other.end_s) - max(clip.start_s, other.start_s)

        best = max(of_video.get(clip.video, ()), key=overlap, default=None)
        return best.behavior if best is not None and overlap(best) > 0 else None

    return [replace(clip, previous=before.get(clip.key), behavior=clip.behavior or state(clip)) for clip in clips]


def _with_wrong(clip: Clip, clips: Sequence[Clip], seed: int) -> Clip:
    """Draw distractors from other videos for questions that came without."""

    def drawn(choice: Choice | None, name: str) -> Choice | None:
        if choice is None or choice.wrong:
            return choice
        pool = (getattr(other, name) for other in clips if other.video != clip.video)
        wrong = draw_wrong(choice.right, grouped(one.right for one in pool if one), seed=f"{seed} {clip.key}")
        return Choice(right=choice.right, wrong=wrong, ours=True) if len(wrong) == WRONG else None

    return replace(clip, intent=drawn(clip.intent, "intent"), content=drawn(clip.content, "content"))


def _kinds(rows: Sequence[Row]) -> str:
    return ", ".join(f"{kind!r} ({count})" for kind, count in Counter(str(_first(row, _NEED)) for row in rows).items())


def _first(row: Row, names: Sequence[str]) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _text(value: Any) -> str | None:
    return value.strip()[:_MAX_TEXT] or None if isinstance(value, str) else None


def _seconds(value: Any) -> float | None:
    """Return seconds from a number, or from "1:02:03.5"."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if 0 <= value < 1e6 else None  # noqa: PLR2004  # eleven days
    if isinstance(value, str) and re.fullmatch(r"(\d{1,3}:){0,2}\d{1,6}(\.\d{1,6})?", value.strip()):
        total = 0.0
        for part in value.strip().split(":"):
            total = total * 60 + float(part)
        return total
    return None
