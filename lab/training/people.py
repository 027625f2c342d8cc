"""What recordings of people say about a model's scale, and nothing else: calibration and the limit of the familiar.

No weight is learned from them. Nobody marked when help was needed, but in one form; so every prefix counts as calm but
those around a marked moment, which are left out. Each recording is read under two programs' names. None has digests of
the screen's tiles, so they say nothing of the scale where Kairos has these.
"""

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from detectors.features.table import values_of
from lab.people.layouts import (
    APPS,
    UNANSWERED,
    Layout,
    Source,
    TroubleMoment,
    limited,
    marked_times,
    moments_in,
    sources_in,
)
from lab.training.dataset import NAMES
from lab.training.extract import live_prefixes
from storage.clock import NS_PER_S
from storage.records import Switch, SwitchName
from storage.settings import WindowSettings

BEFORE_NS, AFTER_NS = 10 * NS_PER_S, 20 * NS_PER_S
"""Prefixes that end so near a marked moment are left out."""

MOST_OF_A_LAYOUT = 60
"""Recordings read of each data set, spread evenly over it: a scale needs few numbers."""

QUANTILE = 0.995
"""Share of a data set's prefixes that count as familiar, where the input is a person's own: essays and mouse."""

CALM_ABOVE = 0.005
"""Largest share of the calm prefixes of any data set that may come above `OFFERED`."""

OFFERED = 0.2
"""Need at which an offer is worth its cost, about: what the default policy takes at a person's desk."""

_AGREED = Switch(name=SwitchName.CONSENT, on=True, by="command")
_OWN_INPUT = frozenset({Layout.BALABIT, Layout.ESSAYS})
_NICE = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class CalmPrefixes:
    """Prefixes of people, in columns: features [n, `NAMES`], and the place of each one's data set in `Layout`."""

    features: NDArray[np.float32]
    layout: NDArray[np.int64]
    recordings: int

    @property
    def weights(self) -> NDArray[np.float64]:
        """Weights with a sum of 1 that let each data set count the same."""
        counts = np.bincount(self.layout, minlength=len(Layout))
        weights: NDArray[np.float64] = 1.0 / counts[self.layout] / np.count_nonzero(counts)
        return weights

    def excess(self, log_odds: NDArray[np.float64]) -> float:
        """Return by how much log-odds of need must come down for `CALM_ABOVE` to hold in each data set; at least 0."""
        own = [log_odds[self.layout == place] for place in np.unique(self.layout)]
        above = max(float(np.quantile(scores, 1.0 - CALM_ABOVE)) for scores in own)
        return max(0.0, above - float(np.log(OFFERED / (1.0 - OFFERED))))

    def familiar_below(self, ood_score: NDArray[np.float64]) -> float:
        """Return the score below which people's own input lies, but for the rarest; 0 without any."""
        places = [place for place, layout in enumerate(Layout) if layout in _OWN_INPUT and (self.layout == place).any()]
        return max((float(np.quantile(ood_score[self.layout == place], QUANTILE)) for place in places), default=0.0)


def read_people(folder: Path, *, workers: int | None = None, report: Callable[[str], None]) -> CalmPrefixes:
    """Return the calm prefixes of recordings in a folder.

    Raises:
        BadFile: there is none, or one cannot be read.
    """
    sources, moments = limited(sources_in(folder), MOST_OF_A_LAYOUT), moments_in(folder)
    many = min(workers or os.cpu_count() or 1, len(sources))
    report(f"reading {len(sources)} recordings of people")
    if many <= 1:
        parts = [calm_features(source, moments) for source in sources]
    else:
        with ProcessPoolExecutor(many, mp_context=get_context("spawn"), initializer=os.nice, initargs=(_NICE,)) as pool:
            parts = list(pool.map(calm_features, sources, repeat(moments)))
    places = [np.full(len(part), list(Layout).index(one.layout)) for one, part in zip(sources, parts, strict=True)]
    return CalmPrefixes(features=np.concatenate(parts), layout=np.concatenate(places), recordings=len(sources))


def calm_features(source: Source, moments: Mapping[str, tuple[TroubleMoment, ...]]) -> NDArray[np.float32]:
    """Return the features of a recording's calm prefixes, under each name."""
    rows: list[list[float]] = []
    for app in APPS:
        recording = source.read(app, UNANSWERED)
        marked = marked_times(recording.demos, moments)
        sources = (replace(record, at_ns=at_ns) for at_ns, record in ((0, _AGREED), *recording.sources))
        rows += [
            [values_of(prefix)[name] for name in NAMES]
            for prefix in live_prefixes(sources, WindowSettings().planned_s)
            if not any(-BEFORE_NS < prefix.end_ns - moment_ns <= AFTER_NS for moment_ns in marked)
        ]
    return np.array(rows, np.float32).reshape(-1, len(NAMES))
