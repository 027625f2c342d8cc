"""What the GUIDE paper reports, and answers that need no model, to stand beside a run's figures.

Published figures are of other data than any row of ours: they are printed in a block of their own, never compared.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from detectors.mllm.questions import Task
from evaluation.benchmarks.guide.metrics import column_of
from evaluation.benchmarks.guide.questions import CONTEXTS, WHOLE
from evaluation.benchmarks.guide.run import Row

FILE = Path(__file__).parent / "data" / "published.json"
ALWAYS_HELP = "always help"
COLUMNS = tuple(column_of(task, context) for task in Task for context in CONTEXTS[task])


class Published(msgspec.Struct, frozen=True):
    """Figures of the paper, in percent unless they are recalls; `online` was read off a figure."""

    source: str
    data: str
    columns: tuple[str, ...]
    accuracy: Mapping[str, tuple[float, ...]]
    recall_of_states: Mapping[str, float]
    confused_with: Mapping[str, Mapping[str, float]]
    need_f1: Mapping[str, float]
    prefixes: tuple[int, ...]
    online: Mapping[str, Mapping[str, tuple[float, ...]]]
    need_base_rate: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Trivial:
    """Who looks at nothing: accuracy by column; precision, recall and F1 of help need where that means something."""

    name: str
    accuracy: Mapping[str, float]
    need: tuple[float, float, float] | None = None
    mbacc: float | None = None
    mbacc_both: float | None = None


def as_published(value: float) -> str:
    """Return a published share in percent with all its digits."""
    return f"{value:.2f}"


def need_words(published: Published) -> str:
    """Return the published F1 of help need, beside that of always saying yes to as many clips that need help."""
    f1 = ", ".join(f"{name} {as_published(value)} %" for name, value in published.need_f1.items())
    share = published.need_base_rate
    always = f"always help would reach {200 * share / (1 + share):.1f} %, as {100 * share:.0f} % of its clips need help"
    return f"Published F1 of help need, best and worst, on {published.data}: {f1}; {always}."


def load_published() -> Published:
    """Return the published figures."""
    return msgspec.json.decode(FILE.read_bytes(), type=Published)


def trivial_rows(rows: Sequence[Row]) -> list[Trivial]:
    """Return what simple answers would have reached on the very questions that were asked."""
    asked: dict[str, list[Row]] = {}
    for row in rows:
        if row.pair is None and row.percent == WHOLE:
            asked.setdefault(column_of(row.task, row.context), []).append(row)
    lot, majority, always = {}, {}, {}
    for column, those in asked.items():
        task = those[0].task
        lot[column] = 1 / {Task.BEHAVIOR: 9, Task.NEED: 2}.get(task, 4)
        if task in (Task.BEHAVIOR, Task.NEED):
            majority[column] = Counter(row.right for row in those).most_common(1)[0][1] / len(those)
        if task is Task.NEED:
            always[column] = sum(row.right == "yes" for row in those) / len(those)
    found = [
        Trivial(name="by lot", accuracy=lot, mbacc=1 / 8, mbacc_both=1 / 64),
        Trivial(name="commonest answer", accuracy=majority),
    ]
    if share := next(iter(always.values()), 0.0):
        found.append(Trivial(name=ALWAYS_HELP, accuracy=always, need=(share, 1.0, 2 * share / (1 + share))))
    return [one for one in found if one.accuracy]
