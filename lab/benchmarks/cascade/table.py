"""Prefixes of labelled sessions in columns: truth, the embedded detector's opinion, and scripted answers.

On the training split the opinion is that of models whose fold held no sample of the same program, people and a share of
the behaviors (`training.splits`), made by the learners of the shipped model. That takes minutes, so it is cached. On
the test split it is the shipped model's own. Everything is simulated, and the answers are scripted.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from daemon.figures.resampling import Bools, Floats, Ints
from detectors.embedded import MODEL, EmbeddedDetector, load_model
from detectors.mllm.cascade import log_odds
from detectors.rules import MIN_SEEN
from lab import training
from lab.benchmarks.scripted_models import Errors, PrefixTruth, ScriptedModel, scripted
from lab.simulation.command import LATE_MS
from lab.simulation.recording.pack import MANIFEST
from lab.simulation.session_plan import Split
from lab.training.dataset import STATES, Samples, code_hash, load_samples
from lab.training.detector_metrics import predict_with
from storage.errors import BadFile
from storage.paths import cache_folder
from storage.records import ModelTier
from storage.settings import DetectorSettings, WindowSettings

TIERS = tuple(ModelTier)
_GROUPS = 1_000_000  # group numbers that `dataset.join` reserves for a session


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Live prefixes in columns.

    Attributes:
        ratio: the embedded detector's log-likelihood ratio of need; 0 where it abstained.
        states: its probabilities of states.
        yes: for each tier, whether the scripted model answers that help is needed.
        named: for each tier, the state that it names.
        pictures: how many pictures a prefix can have at most.
    """

    session: Ints
    window: Ints
    fraction: Floats
    truncated: Bools
    need: Bools
    state: Ints
    ratio: Floats
    states: Floats
    pictures: Ints
    names: tuple[str, ...]
    hours: float
    yes: Mapping[ModelTier, Bools] = field(default_factory=dict)
    named: Mapping[ModelTier, Ints] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return how many prefixes there are."""
        return len(self.need)

    def where(self, chosen: NDArray[Any]) -> "Table":
        """Return some of the prefixes; the hours of all sessions stay."""
        columns = {name: getattr(self, name)[chosen] for name in _COLUMNS}
        yes = {tier: column[chosen] for tier, column in self.yes.items()}
        return replace(self, **columns, yes=yes, named={tier: column[chosen] for tier, column in self.named.items()})

    def prefix_id(self, at: int) -> str:
        """Return the name that the engine gives a prefix."""
        cut = "t" if self.truncated[at] else ""
        return f"w{self.window[at]}/{round(100 * float(self.fraction[at]))}{cut}"


_COLUMNS = ("session", "window", "fraction", "truncated", "need", "state", "ratio", "states", "pictures")


def with_answers(table: Table, errors: Errors, seed: int) -> Table:
    """Return the table with the answers of both scripted models to each prefix."""
    yes: dict[ModelTier, Bools] = {}
    named: dict[ModelTier, Ints] = {}
    for tier in TIERS:
        model = scripted(f"{tier.value}/{errors.value}", seed=seed)
        answers = [_answer(model, table, at) for at in range(len(table))]
        yes[tier] = np.array([need for need, _ in answers], np.bool_)
        named[tier] = np.array([state for _, state in answers], np.int64)
    return replace(table, yes=yes, named=named)


def _answer(model: ScriptedModel, table: Table, at: int) -> tuple[bool, int]:
    """Return whether the model answers yes, and the state it names; where nobody was there, the first one."""
    session = table.names[table.session[at]]
    window = f"w{table.window[at]}"
    prefix = table.prefix_id(at)
    about = model.about(PrefixTruth(item=session, window=window, prefix=prefix, truth={}))
    state = about.names_state(STATES[max(0, int(table.state[at]))])
    return about.answers_need(need=bool(table.need[at])), STATES.index(state)


def of_training(folder: Path, progress: Callable[[str], None]) -> Table:
    """Return the live prefixes of the training split with opinions of models that had not seen them.

    Raises:
        BadFile: the folder holds no such sessions.
    """
    cached = cache_folder() / "cascade" / f"{_key(folder)}.npz"
    try:
        return _read(cached)
    except (OSError, BadZipFile, KeyError, ValueError):  # missing or cut off
        table = _hidden(folder, progress)
        _write(cached, table)
        return table


def of_model(folder: Path, model: Path, split: Split, progress: Callable[[str], None]) -> Table:
    """Return the live prefixes of a split with the opinion of a model file.

    Raises:
        BadFile: the folder holds no such sessions, or the file is no model.
    """
    samples = load_samples([folder], split, report=progress)
    samples = samples.where(~samples.clip)
    base_rate = DetectorSettings().base_rate
    detector = EmbeddedDetector(DetectorSettings(base_rate=base_rate), model)
    opinion = predict_with(detector, samples)
    session, facts = load_model(model)
    inputs = np.stack([samples.feature(name) for name in facts.features], axis=1).astype(np.float32)
    states = np.asarray(session.run(("states",), {"features": inputs})[0], np.float64)
    return _table(samples, opinion.need - log_odds(base_rate), states)


def _hidden(folder: Path, progress: Callable[[str], None]) -> Table:
    from lab.training.candidates import CANDIDATES, add_trouble_odds, mean_scores
    from lab.training.command import VARIANTS, score_folds
    from lab.training.model import BASE_RATE, TILES_SEEN, calibrate
    from lab.training.splits import check, folds

    samples = load_samples([folder], Split.TRAIN, variants=VARIANTS, report=progress)
    check(samples)
    members = CANDIDATES[_chosen()]
    hidden = score_folds(samples, list(folds(samples)), members)
    plain = samples.where(samples.plain)
    scores = add_trouble_odds(mean_scores([hidden.scores[name] for name in members]))
    calibration = calibrate(plain, scores, hidden.ood_score)
    ratio = calibration.need(scores.need, plain.feature(TILES_SEEN) > 0) - log_odds(BASE_RATE)
    failing = plain.feature("failures") >= 1.0
    empty = (plain.feature("inputs") + plain.feature("frames") < MIN_SEEN) & ~failing
    ratio[empty | (hidden.ood_score > calibration.ood_limit)] = 0.0  # the detector would abstain
    live = ~plain.clip
    return _table(plain.where(live), ratio[live], calibration.states(scores.states)[live])


def _table(samples: Samples, ratio: Floats, states: Floats) -> Table:
    slots = WindowSettings().slots
    return Table(
        session=samples.session,
        window=samples.group % _GROUPS // 2,  # as the engine numbers them
        fraction=samples.fraction,
        truncated=samples.truncated,
        need=samples.need,
        state=samples.state,
        ratio=ratio,
        states=states,
        pictures=np.clip(np.round(samples.fraction * slots), 1, slots).astype(np.int64),
        names=tuple(facts.name for facts in samples.sessions),
        hours=sum(facts.hours for facts in samples.sessions),
    )


def _chosen() -> str:
    """Return which candidate the shipped model is."""
    session, _ = load_model(MODEL)
    return str(json.loads(session.get_modelmeta().custom_metadata_map["trained"])["model"])


def _key(folder: Path) -> str:
    """Return a hash of all that shapes the opinions: data, how late it may be, code that learns, what was chosen."""
    if not (folder / MANIFEST).exists():
        raise BadFile(f"{folder} holds no packed sessions: there is no {MANIFEST}")
    learning = sorted(Path(str(training.__file__)).parent.glob("*.py"))
    content = b"".join(file.read_bytes() for file in (*learning, folder / MANIFEST))
    return hashlib.sha256(f"{code_hash()} {_chosen()} {LATE_MS}".encode() + content).hexdigest()[:32]


def _write(path: Path, table: Table) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    with part.open("wb") as out:
        columns = {name: getattr(table, name) for name in _COLUMNS}
        np.savez_compressed(out, names=np.array(table.names), hours=table.hours, **columns)
    part.replace(path)


def _read(path: Path) -> Table:
    with np.load(path, allow_pickle=False) as file:
        columns: dict[str, Any] = {name: file[name] for name in _COLUMNS}
        return Table(**columns, names=tuple(file["names"].tolist()), hours=float(file["hours"]))
