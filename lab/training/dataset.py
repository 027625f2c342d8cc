"""Samples of many sessions as columns, and a cache of them, since running the engine over a log is slow.

The cache's key is the log's content, the variant and the source code of everything that turns a log into samples, so a
changed feature is never mixed with an old one. Sessions are extracted in several processes at low priority.
"""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, fields, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from daemon import engine
from detectors import features
from detectors.features.table import BLANKS, BY_NAME, READABLE, UNTRAINED
from lab.simulation.behaviors import script_of
from lab.simulation.command import LATE_MS
from lab.simulation.persona import Split
from lab.simulation.recording import labels, pack
from lab.simulation.recording.demos import KINDS
from lab.simulation.recording.pack import MANIFEST, Packed, read_manifest, read_packed
from lab.training import extract as extract_module
from lab.training.extract import PLAIN, Extracted, Variant, extract
from storage import records
from storage.clock import NS_PER_S
from storage.errors import BadFile
from storage.files import cache_folder
from storage.records import State

STATES = tuple(State)
NAMES = tuple(READABLE)
INPUTS = tuple(name for name in NAMES if name not in {*BY_NAME, *UNTRAINED})
"""Features that models read: neither what a program is called, nor what is added to their answer untrained."""

AWAY = -1
"""Number in place of a state for a person who is away."""

_NICE = 10
_TASKS_A_PROCESS = 8  # reading so many short sessions takes as long as starting a process
_GROUPS_A_SESSION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFacts:
    """Where samples come from.

    Attributes:
        began_ns: the time of the session's first row.
        tiles: whether it has digests of tiles (the memory of states).
        controls: whether it has what was recorded of controls (the accessibility sense).
    """

    name: str
    program: str
    person: int
    split: str
    hours: float
    unlabelled: int
    began_ns: int = 0
    tiles: bool = False
    controls: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """Samples in columns of equal length; `extract.Sample` explains their meaning.

    Attributes:
        features: one column per name of `NAMES`.
        state: number in `STATES`, or `AWAY`.
        label_ns: when its label began.
        group: number of the window or clip, the same for its prefixes and nowhere else.
        session: place in `sessions`.
        plain: whether this is the session as recorded, not a variant.
    """

    features: NDArray[np.float32]
    state: NDArray[np.int64]
    need: NDArray[np.bool_]
    clip: NDArray[np.bool_]
    fraction: NDArray[np.float64]
    truncated: NDArray[np.bool_]
    start_ns: NDArray[np.int64]
    end_ns: NDArray[np.int64]
    label_ns: NDArray[np.int64]
    hard_negative: NDArray[np.bool_]
    held_out: NDArray[np.bool_]
    group: NDArray[np.int64]
    session: NDArray[np.int64]
    plain: NDArray[np.bool_]
    behavior: NDArray[np.str_]
    sessions: tuple[SessionFacts, ...]

    def __len__(self) -> int:
        """Return how many samples there are."""
        return len(self.state)

    @property
    def program(self) -> NDArray[np.str_]:
        """The program of each sample."""
        return np.array([facts.program for facts in self.sessions])[self.session]

    @property
    def person(self) -> NDArray[np.int64]:
        """The person of each sample."""
        return np.array([facts.person for facts in self.sessions])[self.session]

    @property
    def script(self) -> NDArray[np.str_]:
        """The script of each sample, in all tasks the same."""
        return np.array([script_of(name) for name in self.behavior.tolist()], np.str_)

    @property
    def both_senses(self) -> NDArray[np.bool_]:
        """Whether the session of each sample has digests of tiles and records of controls."""
        return np.array([facts.tiles and facts.controls for facts in self.sessions], np.bool_)[self.session]

    @property
    def blank(self) -> NDArray[np.bool_]:
        """Whether the desktop of each sample did not tell everything of pixels, keys and clicks."""
        found: NDArray[np.bool_] = np.any([self.feature(name) == 0 for name in BLANKS], axis=0)
        return found

    @property
    def from_demos(self) -> NDArray[np.bool_]:
        """Whether the session of each sample is a recording of `kairos demo` or `kairos bench scenes`."""
        kinds = [facts.program.rpartition("-")[2] in KINDS for facts in self.sessions]
        return np.array(kinds, np.bool_)[self.session]

    @property
    def session_s(self) -> NDArray[np.float64]:
        """Seconds since the session began."""
        began = np.array([facts.began_ns for facts in self.sessions], np.int64)[self.session]
        return (self.end_ns - began) / NS_PER_S

    @property
    def label_s(self) -> NDArray[np.float64]:
        """Seconds since the label began."""
        return (self.end_ns - self.label_ns) / NS_PER_S

    def where(self, chosen: NDArray[np.bool_]) -> "Samples":
        """Return some of the samples; the list of sessions stays whole."""
        return replace(self, **{name: getattr(self, name)[chosen] for name in _COLUMNS})

    def as_inputs(self) -> "Samples":
        """Return the samples as models learn from them, with the columns of `INPUTS` alone."""
        return replace(self, features=inputs_of(self.features))

    def feature(self, name: str) -> NDArray[np.float64]:
        """Return one feature of all samples."""
        return self.features[:, NAMES.index(name)].astype(np.float64)


def inputs_of(features: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the columns of `INPUTS` of features in the columns of `NAMES`."""
    return features[:, [NAMES.index(name) for name in INPUTS]]


_COLUMNS = tuple(field.name for field in fields(Samples) if field.name != "sessions")


def load_samples(
    folders: Sequence[Path],
    split: Split,
    *,
    variants: Sequence[Variant] = (PLAIN,),
    dealt: Sequence[Variant] = (),
    workers: int | None = None,
    report: Callable[[str], None] = lambda _: None,
) -> Samples:
    """Return the samples of all packed sessions of a split in each folder, in the manifests' order.

    Each is seen in all `variants`, and in two of those that are `dealt` in turn. Sessions whose scripted input was late
    are left out and counted.

    Raises:
        BadFile: a folder has no manifest or no session of this split to use, a log is missing or damaged, or two
            folders hold a session of the same name.
    """
    files = [file for folder in folders for file in _usable(folder, split, report)]
    doubled = [name for name, many in Counter(file.name for file in files).items() if many > 1]
    if doubled:
        raise BadFile(f"{doubled[0]} is in two of the folders", remedy="name each folder once")
    tasks = [
        (file, variant)
        for number, file in enumerate(files)
        for variant in (*variants, *(dealt[(2 * number + place) % len(dealt)] for place in range(2) if dealt))
    ]
    many = min(workers or os.cpu_count() or 1, len(tasks) if workers else -(-len(tasks) // _TASKS_A_PROCESS))
    if many == 1:
        parts = [_cached(file, variant) for file, variant in tasks]
    else:
        with ProcessPoolExecutor(many, mp_context=get_context("spawn"), initializer=os.nice, initargs=(_NICE,)) as pool:
            parts = list(pool.map(_cached, *zip(*tasks, strict=True)))
    samples = join(parts)
    report(f"{len(samples)} samples of {len(files)} sessions ({split})")
    return samples


def data_hash(folders: Sequence[Path]) -> str:
    """Return a hash of the folders' manifests, which name each session with its own hash."""
    return hashlib.sha256(b"".join((folder / MANIFEST).read_bytes() for folder in folders)).hexdigest()[:12]


def _usable(folder: Path, split: Split, report: Callable[[str], None]) -> list[Path]:
    remedy = f"make some: kairos simulate --split {split} --out DIR"
    if not (folder / MANIFEST).exists():
        raise BadFile(f"{folder} holds no packed sessions: there is no {MANIFEST}", remedy=remedy)
    entries = [entry for entry in read_manifest(folder).sessions if entry.split == split]
    files = [entry.path(folder) for entry in entries if entry.late_p95_ms <= LATE_MS]
    late = (
        f"{len(entries) - len(files)} of {len(entries)} sessions ({split}) had hands late by more than {LATE_MS:g} ms"
    )
    if not files:
        if entries:
            raise BadFile(f"{folder}: {late}", remedy=f"{remedy} --desktops 1")
        raise BadFile(f"{folder} holds no session of the {split} split", remedy=remedy)
    if len(files) < len(entries):
        report(f"{late}: left out")
    return files


def join(parts: Iterable[Samples]) -> Samples:
    """Put samples of several sessions (or variants of one) one after the other."""
    parts = list(parts)
    sessions: dict[str, SessionFacts] = {}
    columns: dict[str, list[NDArray[np.generic]]] = {name: [] for name in _COLUMNS}
    for number, part in enumerate(parts):
        (facts,) = part.sessions
        if facts.name not in sessions or part.plain.any():
            sessions[facts.name] = facts
        for name in _COLUMNS:
            columns[name].append(getattr(part, name))
        columns["session"][-1] = np.full(len(part), list(sessions).index(facts.name))
        columns["group"][-1] = part.group + number * _GROUPS_A_SESSION
    whole = {name: np.concatenate(values) for name, values in columns.items()}
    return Samples(**whole, sessions=tuple(sessions.values()))


def samples_of(packed: Packed, variant: Variant = PLAIN) -> Samples:
    """Return the samples of one session."""
    return _in_columns(extract(packed.rows, packed.labels, variant), packed, plain=variant == PLAIN)


_COPIED = {
    "need": np.bool_, "clip": np.bool_, "truncated": np.bool_, "hard_negative": np.bool_, "held_out": np.bool_,
    "fraction": np.float64, "start_ns": np.int64, "end_ns": np.int64, "label_ns": np.int64,
    "behavior": np.str_,
}  # fmt: skip
"""Columns that hold fields of `extract.Sample` as they are, with their types."""


def _in_columns(extracted: Extracted, packed: Packed, *, plain: bool) -> Samples:
    samples = extracted.samples
    facts = SessionFacts(
        name=packed.name,
        program=packed.program,
        person=packed.person,
        split=packed.split,
        hours=sum(label.end_ns - label.start_ns for label in packed.labels) / 3600e9,
        unlabelled=extracted.unlabelled,
        began_ns=packed.rows[0].at_ns if packed.rows else 0,
        tiles=any(isinstance(row, records.TileDigests) for row in packed.rows),
        controls=any(isinstance(row, records.Sense) and row.on for row in packed.rows),
    )
    copied: dict[str, Any] = {
        name: np.array([getattr(sample, name) for sample in samples], kind) for name, kind in _COPIED.items()
    }
    return Samples(
        features=np.array([[s.features[name] for name in NAMES] for s in samples], np.float32).reshape(-1, len(NAMES)),
        state=np.array([AWAY if s.state is None else STATES.index(s.state) for s in samples], np.int64),
        group=np.array([2 * s.group + s.clip for s in samples], np.int64),
        session=np.zeros(len(samples), np.int64),
        plain=np.full(len(samples), plain),
        sessions=(facts,),
        **copied,
    )


# ---------------------------------------------------------------- cache


def _cached(file: Path, variant: Variant) -> Samples:
    key = hashlib.sha256(f"{code_hash()} {variant}".encode() + file.read_bytes()).hexdigest()[:32]
    cached = cache_folder() / "samples" / f"{key}.npz"
    try:
        return _read(cached)
    except (OSError, BadZipFile, KeyError, ValueError):  # not there, or cut off: as good as not there
        samples = samples_of(read_packed(file), variant)
        _write(cached, samples)
        return samples


def _write(path: Path, samples: Samples) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    (facts,) = samples.sessions
    part = path.with_suffix(f".{os.getpid()}.part")
    with part.open("wb") as out:
        np.savez_compressed(out, facts=json.dumps(asdict(facts)), **{name: getattr(samples, name) for name in _COLUMNS})
    part.replace(path)


def _read(path: Path) -> Samples:
    with np.load(path, allow_pickle=False) as arrays:
        facts = SessionFacts(**json.loads(str(arrays["facts"])))
        return Samples(**{name: arrays[name] for name in _COLUMNS}, sessions=(facts,))


def code_hash() -> str:
    """Return a hash of the source of everything that turns a log into samples: whole packages, and single modules."""
    files = [file for package in (features, engine) for file in Path(str(package.__file__)).parent.rglob("*.py")]
    files += [Path(str(module.__file__)) for module in (extract_module, labels, pack, records)] + [Path(__file__)]
    return hashlib.sha256(b"".join(file.read_bytes() for file in sorted(files))).hexdigest()
