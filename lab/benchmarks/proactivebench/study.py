"""Reading ProactiveBench: moments with human labels of help need, and the outputs of fifteen shipped models at events.

A moment is a history of event sentences up to now; everything recorded in one go shares its first event, and is one
*trace*. The same history occurs in both parts of the official split, so the split is read only to count how much of it
leaks. Sentences are foreign text: they go into word counts and nowhere else, never into a message or a result.
"""

import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from daemon.figures.resampling import Bools, Ints
from storage.errors import BadFile

REMEDY = "give the folder that holds dataset/ and eval/ of ProactiveBench"
LABELS = ("dataset/reward_data/train_data.jsonl", "dataset/reward_data/test_data.jsonl")
EVENTS = "dataset/test_data"
OUTPUTS = "eval/traces.zip"

_LARGEST = 1 << 26
"""Bytes; no file of the real data comes near, so that a hostile one is not read."""

_SILENT = ("", "null", "none")

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One event: when, as it is written there (seconds since the epoch, or "Day 1, 8:00 PM"), and what."""

    time: str
    event: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A history up to now, and whether people agreed that help was needed.

    `votes` is the share of single verdicts that were in favour of some help: of an offer, or against silence.
    """

    history: tuple[Sentence, ...]
    help_needed: bool
    votes: float
    trace: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProactiveBench:
    """Everything that is measured on.

    `events` are the numbers of those moments whose last event stands in the output of every shipped model; `shipped`
    has, in the same order, where each model spoke, and `as_published` where the published evaluation counts an offer:
    there the written word null is one too. `events_dropped` had another sentence somewhere. `official_test` histories
    are in the official test part, `leaked` of them also in its training part with the same label.
    """

    moments: tuple[Moment, ...]
    events: Ints
    shipped: dict[str, Bools]
    as_published: dict[str, Bools]
    events_dropped: int
    official_test: int
    leaked: int

    @property
    def need(self) -> Bools:
        """Which moments need help."""
        return np.array([moment.help_needed for moment in self.moments], bool)

    @property
    def traces(self) -> Ints:
        """Which trace each moment belongs to."""
        return np.array([moment.trace for moment in self.moments], np.int64)


@dataclass(frozen=True, slots=True)
class _Item:
    obs: tuple[Sentence, ...]
    pred_task: str | None
    help_needed: bool
    annotation: tuple[bool, ...]

    @property
    def in_favour(self) -> int:
        """How many wanted help here."""
        accepted = sum(self.annotation)
        return len(self.annotation) - accepted if self.pred_task is None else accepted


@dataclass(slots=True)
class _Label:
    """What is known of one history; it stands on several lines, one for each offer that was judged."""

    help_needed: bool
    in_favour: int = 0
    verdicts: int = 0


@dataclass(frozen=True, slots=True)
class _Event:
    observation: Sentence


@dataclass(frozen=True, slots=True)
class _Answer:
    observation: Sentence
    agent_response: Any  # a list of offers, "null", or an object that holds the list


def read(folder: Path) -> ProactiveBench:
    """Read the folder of the data set.

    Raises:
        BadFile: files are missing, damaged or foreign, or contradict each other.
    """
    train, test = (_labels(folder / name) for name in LABELS)
    moments = _moments(train, test)
    files = sorted(path.name for path in (folder / EVENTS).glob("*.json") if path.name != "splits.json")
    if not files:
        raise BadFile(f"{folder / EVENTS} holds no traces", remedy=REMEDY)
    events = [event.observation for name in files for event in _parse(_bytes(folder / EVENTS / name), _Event, name)]
    outputs = _outputs(folder / OUTPUTS, files)
    ending: dict[Sentence, list[int]] = {}
    for number, moment in enumerate(moments):
        ending.setdefault(moment.history[-1], []).append(number)
    used = [
        (sentence, numbers[0])
        for sentence, numbers in ending.items()
        if len(numbers) == 1 and all(sentence in answers for answers in outputs.values())
    ]
    if not used:
        raise BadFile(f"no event of {folder / OUTPUTS} is a labelled moment", remedy=REMEDY)

    def where(offers: Callable[[object], bool]) -> dict[str, Bools]:
        return {name: np.array([offers(answers[one]) for one, _ in used], bool) for name, answers in outputs.items()}

    return ProactiveBench(
        moments=moments,
        events=np.array([number for _, number in used], np.int64),
        shipped=where(speaks),
        as_published=where(counts_as_offer),
        events_dropped=len(events) - len(used),
        official_test=len(test),
        leaked=sum(one in train and train[one].help_needed == label.help_needed for one, label in test.items()),
    )


def speaks(answer: object) -> bool:
    """Return whether a model's answer makes an offer; silence is written in several ways."""
    if isinstance(answer, dict):
        return speaks(answer.get("candidate_task", [*answer.values()]))
    if isinstance(answer, list):
        return any(speaks(part) for part in answer)
    return answer is not None and str(answer).strip().lower() not in _SILENT


def counts_as_offer(answer: object) -> bool:
    """Return whether the published evaluation would count an answer as an offer: whatever is not empty."""
    return any(part is not None for part in answer) if isinstance(answer, list) else bool(answer)


def _labels(path: Path) -> dict[tuple[Sentence, ...], _Label]:
    """Return what is known of each history in one file."""
    labels: dict[tuple[Sentence, ...], _Label] = {}
    for number, line in enumerate(_bytes(path).splitlines(), 1):
        try:
            item = msgspec.json.decode(line, type=_Item)
        except msgspec.MsgspecError as error:
            raise BadFile(f"line {number} of {path} is no labelled moment", remedy=REMEDY) from error
        label = labels.setdefault(item.obs, _Label(item.help_needed))
        if not item.obs or not item.annotation or label.help_needed != item.help_needed:
            raise BadFile(f"line {number} of {path} is empty, or contradicts one before it", remedy=REMEDY)
        label.in_favour += item.in_favour
        label.verdicts += len(item.annotation)
    if not labels:
        raise BadFile(f"{path} holds no labelled moment", remedy=REMEDY)
    return labels


def _moments(*parts: dict[tuple[Sentence, ...], _Label]) -> tuple[Moment, ...]:
    """Return distinct moments, with traces numbered by their first event, in the order they occur."""
    known: dict[tuple[Sentence, ...], list[_Label]] = {}
    for part in parts:
        for history, label in part.items():
            known.setdefault(history, []).append(label)
    if any(len({label.help_needed for label in labels}) > 1 for labels in known.values()):
        raise BadFile("one moment has two labels in the two label files", remedy=REMEDY)
    traces: dict[Sentence, int] = {}
    return tuple(
        Moment(
            history=history,
            help_needed=labels[0].help_needed,
            votes=sum(label.in_favour for label in labels) / sum(label.verdicts for label in labels),
            trace=traces.setdefault(history[0], len(traces)),
        )
        for history, labels in known.items()
    )


def _outputs(path: Path, files: Iterable[str]) -> dict[str, dict[Sentence, object]]:
    """Return for each shipped model what it answered at each event; every model has every trace."""
    wanted = set(files)
    found: dict[str, dict[str, bytes]] = {}
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                *_, model, name = ("", "", *entry.filename.split("/"))
                if model and name in wanted:
                    if entry.file_size > _LARGEST:
                        raise BadFile(f"{name} in {path} is too large to be one trace", remedy=REMEDY)
                    found.setdefault(model, {})[name] = archive.read(entry)
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:  # the last two: odd or encrypted
        raise BadFile(f"{path} is missing or no usable archive", remedy=REMEDY) from error
    if not found or any(traces.keys() != wanted for traces in found.values()):
        raise BadFile(f"{path} lacks the output of a model for a trace", remedy=REMEDY)
    return {
        model: {
            answer.observation: answer.agent_response
            for name, content in sorted(traces.items())
            for answer in _parse(content, _Answer, f"{model}/{name}")
        }
        for model, traces in sorted(found.items())
    }


def _parse(content: bytes, kind: type[_T], name: str) -> list[_T]:
    try:
        return msgspec.json.decode(content, type=list[kind])  # type: ignore[valid-type]  # msgspec takes it at run time
    except msgspec.MsgspecError as error:
        raise BadFile(f"{name} is no trace of ProactiveBench", remedy=REMEDY) from error


def _bytes(path: Path) -> bytes:
    try:
        if path.stat().st_size > _LARGEST:
            raise BadFile(f"{path} is too large to be a file of ProactiveBench", remedy=REMEDY)
        return path.read_bytes()
    except OSError as error:
        raise BadFile(f"{path} cannot be read ({error.strerror})", remedy=REMEDY) from error
