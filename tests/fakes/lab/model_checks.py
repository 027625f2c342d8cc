"""What every model must pass, the shipped one and one trained in a test, on simulated people at the small desk."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from detectors.embedded import EmbeddedDetector, load_model
from lab.measure import metrics
from lab.simulation.persona import Split
from lab.simulation.recording.pack import read_manifest, read_packed
from lab.training.dataset import NAMES, Samples, join, samples_of
from lab.training.detector_metrics import predict_with
from storage.records import State
from storage.settings import DetectorSettings
from tests.fakes.lab.desk_sessions import pack_desks

MAX_BYTES = 2_000_000
LEAST_AUC = 0.7


@cache
def _checked_samples() -> Samples:
    with TemporaryDirectory() as name:
        folder = pack_desks(Path(name), Split.TEST, programs=("x", "y", "z"), people=2)
        return join(samples_of(read_packed(entry.path(folder))) for entry in read_manifest(folder).sessions)


def check_model(model: Path) -> None:
    """Check size, inputs, that what it says are probabilities, that it abstains on nonsense, and that need ranks."""
    assert model.stat().st_size <= MAX_BYTES
    graph, facts = load_model(model)
    columns = [NAMES.index(name) for name in facts.features]  # of an earlier build it may read fewer than there are
    assert columns == sorted(set(columns))
    samples = _checked_samples()

    states, need, ood_score = graph.run(samples.features[:, columns])
    assert states.shape == (len(samples), len(State))
    assert np.allclose(states.sum(axis=1), 1.0, atol=1e-4)
    assert np.isfinite(need).all()
    wild = graph.run(np.full((1, len(columns)), 1e9, np.float32))
    assert all(np.isfinite(pixels).all() for pixels in wild)
    assert wild[2][0, 0] > facts.ood_limit
    assert np.median(ood_score) < facts.ood_limit
    opinion = predict_with(EmbeddedDetector(DetectorSettings(base_rate=0.2), model), samples)
    live = ~samples.clip
    assert metrics.auc(samples.need[live], opinion.need[live]) > LEAST_AUC
