"""Clips of videos with their labels: what the GUIDE benchmark asks about, wherever it comes from.

A loader returns a `Collection`; nothing behind it knows a file layout. A clip holds only the labels its source gives.

Ours: `labels.jsonl` beside a session that was recorded with consent. A clip is one label from its first act to its
last. Help is needed in it if it is at its end; what help would serve is asked only then. Distractors are intents and
helps of other behaviors; `data/meanings.toml` lists those of the same meaning, because an option that is as right as
the right one would make the question a lottery.

Released: annotations in JSON, videos beside. The set is gated and was not at hand: names of fields beyond `video_id`,
`start_time`, `end_time`, `label` and `type` are guesses, several for each. What is not understood is left out and
counted, never guessed from its content.
"""

import csv
import hashlib
import json
import random
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from detectors.mllm.prompting.plain_text import one_line
from lab.simulation.recording.labels import Label, read_labels
from storage.clock import NS_PER_MS, NS_PER_S
from storage.errors import BadFile
from storage.files import decode_text, open_regular
from storage.records import Frame, State
from storage.session.log import DATABASE, SessionReader
from storage.session.video import split_ref

DISTRACTORS = 3
"""Distractors of a question with four options."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoFile:
    """One file of a video, and the second of the video at which it begins."""

    path: str
    start_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Video:
    """A recording: one file of a released set, or the several files of a session of ours, oldest first."""

    name: str
    app: str
    files: tuple[VideoFile, ...]

    def at(self, time_s: float) -> tuple[str, int]:
        """Return in which file, and at which millisecond of it, a moment of the video lies."""
        file = next((video for video in reversed(self.files) if video.start_s <= time_s), self.files[0])
        return file.path, max(0, int((time_s - file.start_s) * 1000))


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A multiple-choice question's right answer and its distractors; `ours` if we drew those."""

    right: str
    wrong: tuple[str, ...]
    ours: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    """A stretch of a video with its labels.

    `states`, in order, and `aim` may be given to a model as context; `asks_behavior` is whether this clip is a sample
    of the first task, whose answer is the first state. `previous` is the last state of the segment before. `task` is
    that of the whole video. What is None is not asked.
    """

    key: str
    video: str
    app: str
    start_s: float
    end_s: float
    task: str = ""
    states: tuple[State, ...] = ()
    asks_behavior: bool = False
    previous: State | None = None
    aim: str | None = None
    intent: Choice | None = None
    need: bool | None = None
    content: Choice | None = None

    def moments(self, percent: int, count: int) -> list[float]:
        """Return `count` moments spread evenly over the first `percent` of the clip, its ends included (GUIDE 4.1)."""
        length = (self.end_s - self.start_s) * percent / 100
        return [self.start_s + length * at / max(1, count - 1) for at in range(count)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """All clips of a set of videos.

    `whose` is printed beside every figure. `notes` say in plain words what was left out or guessed while loading.
    """

    whose: str
    simulated: bool
    videos: Mapping[str, Video]
    clips: tuple[Clip, ...]
    notes: tuple[str, ...] = ()

    def of(self, video: str) -> list[Clip]:
        """Return the clips of a video, in its order."""
        return sorted((clip for clip in self.clips if clip.video == video), key=lambda clip: (clip.start_s, clip.key))


def draw_distractors(right: str, groups: Sequence[Sequence[str]], *, seed: str) -> tuple[str, ...]:
    """Return distractors: wordings of different groups, none of them the group that means the same as `right`.

    Args:
        right: the right answer.
        groups: wordings by meaning; two of one group mean the same.
        seed: what the draw follows from, with `right`.
    """
    rng = random.Random(f"{seed} {right}")  # noqa: S311  # which distractors are drawn is no secret
    others = [group for group in groups if plain(right) not in {plain(sentence) for sentence in group}]
    drawn = rng.sample(others, min(DISTRACTORS, len(others)))
    return tuple(rng.choice(list(group)) for group in drawn)


def grouped(texts: Iterable[str]) -> list[list[str]]:
    """Return wordings in groups of those that differ in case, spaces and punctuation at most; the order is stable."""
    found: dict[str, str] = {}
    for text in texts:
        found.setdefault(plain(text), text)
    return [[found[key]] for key in sorted(found)]


def plain(text: str) -> str:
    """Return a wording without case, punctuation and double spaces."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def share_of(key: str) -> float:
    """Return a number in [0, 1) that follows from a text alone; `--limit` takes the clips with the lowest."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") / 2**64


LABELS = "labels.jsonl"
MEANINGS = Path(__file__).parent / "data" / "meanings.toml"

SHORTEST_S = 2.0
"""A shorter label is a slip of the script, not a segment."""

_LATE_S = 2.0  # how long after a clip's beginning the first picture may come: a still screen is taken once

ANNOTATIONS = "annotations"
BEHAVIOR, INTENT, HELP = "1_taxonomy_annotations", "2_intent_annotations", "3_help_annotations"
NARRATED = "narrated_s"
"""A column of ours in the list of videos: for how many seconds somebody speaks."""

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
_STATE = ("labels", "label", "behavior_states", "behavior_state", "behavior", "state")
_TASK = ("task", "task_name")
_OPTIONS = ("options", "choices", "candidates")
_WRONG = ("distractors", "negatives", "incorrect_options")
_ANSWER = ("answer", "correct_answer", "correct_option", "ground_truth", "correct")
_INTENT = ("intent", "goal", "user_intent")
_HELP = ("help_content", "help", "content")
_NEED = ("type", "help_needed", "need", "help_need")
_NAME = re.compile(r"(?P<software>.+?)_[^_]+_Task_\d+(_.*)?")
_NONE = re.compile(r"(0|no|none|not|false)\b|.*\b(no help|not needed|none)\b")
_NO_GOAL = ("no tangible goal", "none", "no goal", "n a")
_SAYS_YES = ("1", "yes", "true", "help", "help needed", "needed", "need help", "need")
_MAX_BYTES = 64 << 20
_MAX_DEPTH = 4
_MAX_TEXT = 400
_MAX_NAME = 40
_MAX_TASK = 200

Row = Mapping[str, Any]


# ---------------------------------------------------------------- sessions of ours


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
        video = _session_video(folder, labels[0].program if labels else "")
        if video is None:
            notes.append(f"{folder.name} was left out: it was recorded without pictures")
            continue
        found = list(_session_clips(video, labels, seed))
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


def _session_clips(video: Video, labels: Sequence[Label], seed: int) -> Iterator[Clip]:
    rows = meanings()
    previous = None
    for label in labels:
        start_s, end_s = label.start_ns / NS_PER_S, label.end_ns / NS_PER_S
        if end_s - start_s >= SHORTEST_S and video.files[0].start_s <= start_s + _LATE_S:
            key = f"{video.name} {label.behavior} {start_s:.1f}"
            need = label.needs_help(label.end_ns)
            yield Clip(
                key=key,
                video=video.name,
                app=one_line(label.program, _MAX_NAME),
                start_s=start_s,
                end_s=end_s,
                states=(label.state,) if label.state is not None else (),
                asks_behavior=True,
                previous=previous,
                aim=label.intent,
                intent=_session_choice(label.intent, rows["intent"], f"{seed} {key}"),
                need=need,
                content=_session_choice(label.help, rows["help"], f"{seed} {key}") if need and label.help else None,
            )
        previous = label.state


def _session_choice(right: str, rows: Sequence[Sequence[str]], seed: str) -> Choice | None:
    wrong = draw_distractors(right, rows, seed=seed)
    return Choice(right=right, wrong=wrong, ours=True) if len(wrong) == DISTRACTORS else None


def _session_video(folder: Path, app: str) -> Video | None:
    """Return the video of the session in a folder; None if it has no pictures.

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
                starts.setdefault(name, (row.t_ns - ms * NS_PER_MS) / NS_PER_S)
    files = tuple(
        VideoFile(path=str((found[0] / name).absolute()), start_s=start_s) for name, start_s in starts.items()
    )
    return Video(name=folder.name, app=app, files=files) if files else None


# ---------------------------------------------------------------- the released set


def is_released(data: Path) -> bool:
    """Return whether a folder looks like the released set."""
    return (data / ANNOTATIONS).is_dir()


def load_released(data: Path, *, seed: int = 1) -> Collection:
    """Return the clips of the released layout.

    Raises:
        BadFile: nothing in it is understood, or a file is damaged.
    """
    left_out: Counter[str] = Counter()
    videos = _released_videos(data)
    parts = {name: _rows(data / ANNOTATIONS / f"{name}.json", left_out) for name in (BEHAVIOR, INTENT, HELP)}
    clips: list[Clip] = []
    for name, rows in parts.items():
        for number, row in enumerate(rows):
            clip = _released_clip(name, number, row, left_out)
            if clip is not None and clip.video not in videos:
                left_out["rows of videos that are not there"] += 1
            elif clip is not None:
                clips.append(replace(clip, app=videos[clip.video].app))
    asked = [(clip, _with_distractors(clip, clips, seed)) for clip in _with_context(clips)]
    clips = [clip for _, clip in asked]
    for name in ("intent", "content"):
        lost = sum(getattr(before, name) is not None and getattr(clip, name) is None for before, clip in asked)
        left_out[f"{name} questions without three distractors"] += lost
    left_out["clips without a state in the conditions that give it"] += sum(not clip.states for clip in clips)
    if not clips:
        raise BadFile(
            f"{data} holds no annotated clip whose video is there", remedy="see docs/commands.md, bench guide"
        )
    ours = sum(choice.ours for clip in clips for choice in (clip.intent, clip.content) if choice is not None)
    notes = [f"{count} {what} were left out" for what, count in sorted(left_out.items()) if count]
    notes += [f"help need was read from: {_kinds(parts[HELP])}"] if parts[HELP] else []
    notes += [f"{ours} questions came without options; distractors were drawn from other videos by us"] if ours else []
    return Collection(
        whose="the released GUIDE layout", simulated=False, videos=videos, clips=tuple(clips), notes=tuple(notes)
    )


def _released_videos(data: Path) -> dict[str, Video]:
    """Return the videos that are there, by id: as a list names them, or by their own names."""
    named = {path.stem: path for path in sorted((data / "videos").glob("*")) if path.suffix.lower() in SUFFIXES}
    listed = data / "videos" / "video_urls.csv"
    if listed.is_file():
        with open_regular(listed) as file:
            text = decode_text(file.read(_MAX_BYTES), errors="replace")
        try:
            rows = list(csv.DictReader(text.splitlines()))
        except csv.Error as error:
            raise BadFile(f"{listed} is no list of videos") from error
        for row in rows:
            path = data / "videos" / Path(row.get("file_name") or "").name
            if row.get("video_id") and path.suffix.lower() in SUFFIXES and path.is_file():
                named[str(row["video_id"])] = path
    return {
        key: Video(name=key, app=_software(key), files=(VideoFile(path=str(path.absolute()), start_s=0.0),))
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
        for part in value:
            yield from _segments(part, video, depth - 1)
    elif isinstance(value, dict):
        if _first(value, _START) is not None and _first(value, _END) is not None:
            yield {**value, "video_id": _first(value, _VIDEO) or video}
            return
        for key, one in value.items():
            named = key if _NAME.fullmatch(str(key)) or not video else video
            yield from _segments(one, str(_first(value, _VIDEO) or named), depth - 1)


def _released_clip(part: str, number: int, row: Row, left_out: Counter[str]) -> Clip | None:
    start_s, end_s = _seconds(_first(row, _START)), _seconds(_first(row, _END))
    video = str(row["video_id"])
    if start_s is None or end_s is None or end_s <= start_s:
        left_out["rows without a stretch of time"] += 1
        return None
    states = states_in(_first(row, _STATE))
    clip = Clip(
        key=f"{part} {number} {video}",
        video=video,
        app="",
        task=one_line(_text(_first(row, _TASK)) or "", _MAX_TASK),
        start_s=start_s,
        end_s=end_s,
        states=states,
    )
    if part == BEHAVIOR:
        if not states:
            left_out["behavior rows with an unknown state"] += 1
            return None
        return replace(clip, asks_behavior=True)
    if part == INTENT:
        intent = _released_choice(row, _INTENT)
        if intent is None:
            left_out["intent rows without an answer that is understood"] += 1
            return None
        if plain(intent.right) in _NO_GOAL:
            left_out["intent rows of segments without a tangible goal, which are no question,"] += 1
            return None
        return replace(clip, aim=intent.right, intent=intent)
    answer = _first(row, _NEED)
    if answer is None:
        left_out["help rows that do not say whether help is needed"] += 1
        return None
    need = answer if isinstance(answer, bool) else _NONE.match(str(answer).casefold().replace("_", " ")) is None
    content = _released_choice(row, _HELP) if need else None
    described = _text(row.get("help_needed"))
    if need and content is None and described is not None and plain(described) not in _SAYS_YES:
        content = Choice(right=described, wrong=(), ours=False)
    return replace(clip, need=need, aim=_text(_first(row, _INTENT)), content=content)


def states_in(value: object) -> tuple[State, ...]:
    """Return the states that a label names, in its order, each once; none where it says anything else as well."""
    text = f" {plain(' '.join(map(str, value)) if isinstance(value, list) else str(value or ''))} "
    found: dict[int, State] = {}
    for name in sorted(STATES, key=len, reverse=True):
        while (place := text.find(f" {name} ")) >= 0:
            found[place] = STATES[name]
            text = text.replace(f" {name} ", " " * (len(name) + 2), 1)
    return tuple(dict.fromkeys(found[place] for place in sorted(found))) if set(text.split()) <= {"and"} else ()


def _released_choice(row: Row, names: Sequence[str]) -> Choice | None:
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
    others = [text for value in given if (text := _text(value))] if isinstance(given, list) else list(spelled.values())
    wrong = tuple(text for text in others if plain(text) != plain(right))[:DISTRACTORS]
    return Choice(right=right, wrong=wrong if len(wrong) == DISTRACTORS else (), ours=False)


def _with_context(clips: Sequence[Clip]) -> list[Clip]:
    """Give each clip the state of the segment before it, and one without states those of what it overlaps most."""
    of_video: dict[str, list[Clip]] = {}
    for clip in sorted((asked_clip for asked_clip in clips if asked_clip.asks_behavior), key=lambda one: one.start_s):
        of_video.setdefault(clip.video, []).append(clip)
    before = {after.key: first.states[-1] for clips in of_video.values() for first, after in pairwise(clips)}

    def states(clip: Clip) -> tuple[State, ...]:
        def overlap(other: Clip) -> float:
            return min(clip.end_s, other.end_s) - max(clip.start_s, other.start_s)

        best = max(of_video.get(clip.video, ()), key=overlap, default=None)
        return best.states if best is not None and overlap(best) > 0 else ()

    return [replace(clip, previous=before.get(clip.key), states=clip.states or states(clip)) for clip in clips]


def _with_distractors(clip: Clip, clips: Sequence[Clip], seed: int) -> Clip:
    """Draw distractors from other videos for questions that came without."""

    def with_distractors(choice: Choice | None, name: str) -> Choice | None:
        if choice is None or choice.wrong:
            return choice
        pool = (getattr(other, name) for other in clips if other.video != clip.video)
        wrong = draw_distractors(
            choice.right, grouped(candidate.right for candidate in pool if candidate), seed=f"{seed} {clip.key}"
        )
        return Choice(right=choice.right, wrong=wrong, ours=True) if len(wrong) == DISTRACTORS else None

    return replace(
        clip, intent=with_distractors(clip.intent, "intent"), content=with_distractors(clip.content, "content")
    )


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
