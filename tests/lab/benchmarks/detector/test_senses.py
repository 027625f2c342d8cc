"""What each sense gives is measured on the same sessions, with the records of that sense left out."""

from dataclasses import replace

import numpy as np
import pytest

from detectors.protocol import Images
from detectors.rules import EvidenceDetector
from lab.benchmarks.detector.senses import (
    NO_CONTROLS,
    VERSIONS,
    auc_by_program,
    gain_over,
    render_senses,
    sense_figures,
)
from lab.training.dataset import samples_of
from lab.training.detector_metrics import PERCENTS, Predictions, choose_thresholds
from storage.records import ControlAct, ControlRole, Estimate, Prefix, Sense, TileDigests
from storage.settings import DetectorSettings
from tests.fakes.lab.desk_sessions import desk_samples, packed_desk

EVIDENCE = EvidenceDetector(DetectorSettings())


class Inverted:
    """The evidence detector, with need and calm exchanged."""

    name, version, uses_images = "inverted", "1", False

    def estimate(self, prefix: Prefix, images: Images, now_ns: int) -> Estimate:
        """Return its estimate with the need turned round."""
        seen = EVIDENCE.estimate(prefix, images, now_ns)
        return replace(seen, help_need=1.0 - seen.help_need)


def test_versions_leave_out_the_records_of_a_sense_and_nothing_else() -> None:
    """Each version lacks just what its name says."""
    touched = ControlAct(t_ns=0, app="a", what="pressed", role=ControlRole.BUTTON, name_digest="00")
    on, tiles = Sense(name="controls", on=True), TileDigests(now="")
    gesture = packed_desk("a", 0).rows[5]
    held = {name: [row for row in (touched, on, tiles, gesture) if one.has(row)] for name, one in VERSIONS.items()}
    assert held == {
        "all senses": [touched, on, tiles, gesture],
        NO_CONTROLS: [tiles, gesture],
        "gestures and controls": [touched, on, gesture],
        "gestures": [gesture],
    }


def test_facts_say_which_senses_a_session_has() -> None:
    """A session counts as one of both senses only with digests of tiles and a sense that was on."""
    packed = packed_desk("a", 0)
    last = packed.rows[-1].at_ns
    bare = samples_of(packed)
    rows = (*packed.rows, Sense(name="controls", on=True, at_ns=last), TileDigests(now="", at_ns=last))
    full = samples_of(replace(packed, rows=rows))
    assert not bare.both_senses.any()
    assert full.both_senses.all()
    assert not samples_of(replace(packed, rows=rows[:-1])).both_senses.any()


def test_figures_stand_beside_each_other() -> None:
    """One row a version, at the thresholds given."""
    samples = desk_samples()
    thresholds = choose_thresholds(samples, samples.feature("failures"))
    found = sense_figures({"all senses": samples, "gestures": samples}, EVIDENCE, thresholds)
    assert found["all senses"].recall == found["gestures"].recall
    assert set(PERCENTS) <= set(found["gestures"].auc)
    assert [line.split("|")[1].strip() for line in render_senses(found)][2:] == ["all senses", "gestures"]


def test_each_program_has_an_auc_of_its_own() -> None:
    """One that is judged wrong in one program alone is found there."""
    samples = desk_samples()
    score = np.where(samples.program == "b", ~samples.need, samples.need).astype(np.float64)
    found = auc_by_program(samples, Predictions(state=samples.state, need=score))
    assert found == {"a": 1.0, "b": 0.0, "c": 1.0}


def test_a_worse_model_than_before_shows_as_a_loss() -> None:
    """Paired by person: the same against itself gains nothing, and need turned round loses."""
    samples = desk_samples()
    same, worse = gain_over(samples, EVIDENCE, EVIDENCE), gain_over(samples, Inverted(), EVIDENCE)
    assert (same.auc.low, same.auc.value, same.auc.high) == (0.0, 0.0, 0.0)
    assert worse.auc.high < -0.2
    assert worse.clip_accuracy.value == pytest.approx(0.0)
