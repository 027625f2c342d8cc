"""How well someone spoke who spoke at some moments and was silent at the others."""

from dataclasses import dataclass

from evaluation.measure.metrics import Bools


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaking:
    """Figures of one who spoke; 0 where there is nothing to divide by.

    `balanced_accuracy` is the mean of recall and of the share of silence where none was needed; it is one half for
    always and for never speaking.
    """

    speaks: float
    precision: float
    recall: float
    f1: float
    accuracy: float
    balanced_accuracy: float


def judge(need: Bools, spoke: Bools) -> Speaking:
    """Hold where someone spoke against where help was needed."""
    hits = int((need & spoke).sum())
    silent = int((~need & ~spoke).sum())
    needed, said, moments = int(need.sum()), int(spoke.sum()), len(need)
    recall = hits / max(1, needed)
    return Speaking(
        speaks=said / max(1, moments),
        precision=hits / max(1, said),
        recall=recall,
        f1=2 * hits / max(1, needed + said),
        accuracy=(hits + silent) / max(1, moments),
        balanced_accuracy=(recall + silent / max(1, moments - needed)) / 2,
    )
