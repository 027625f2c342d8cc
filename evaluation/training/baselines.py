"""Simple judges that a detector has to be better than: one who always helps, an idle timer, the evidence detector.

What they say is judged as any detector's opinion is (`figures`), but their thresholds are chosen on the very samples
that they are judged on, in their favour.
"""

import numpy as np
from numpy.typing import NDArray

from detectors.rules import EvidenceDetector
from evaluation.training.dataset import AWAY, STATES, Samples
from evaluation.training.figures import (
    ENDINGS,
    NEED_SHARE,
    Figures,
    Opinion,
    choose_thresholds,
    figures,
    opinion_of,
)
from storage.settings import DetectorSettings

ALWAYS = "majority, always help"
_NEED = 1.0


def baseline_figures(samples: Samples, unseen: NDArray[np.bool_] | None = None) -> dict[str, Figures]:
    """Return the figures of simple judges, whose thresholds are chosen on these very samples, in their favour.

    Who always helps has none: one threshold above the only score would make a judge of it that never helps.
    """
    always = dict.fromkeys(ENDINGS, _NEED)
    return {
        name: figures(samples, said, always if name == ALWAYS else choose_thresholds(samples, said.need), unseen)
        for name, said in baselines(samples).items()
    }


def baselines(samples: Samples) -> dict[str, Opinion]:
    """Return what simple judges say: the commonest state, help always, an idle timer, and the evidence detector."""
    many = len(samples)
    known = samples.state[samples.state != AWAY]
    commonest = np.full(many, int(np.bincount(known, minlength=len(STATES)).argmax()))
    return {
        ALWAYS: Opinion(state=commonest, need=np.full(many, _NEED)),
        "idle timer": Opinion(state=commonest, need=samples.feature("idle_s")),
        "evidence": evidence_opinion(samples),
    }


def evidence_opinion(samples: Samples) -> Opinion:
    """Return what the evidence detector says; its probabilities are as calibrated as they come."""
    return opinion_of(EvidenceDetector(DetectorSettings(base_rate=NEED_SHARE)), samples)
