"""All that a run of the GUIDE benchmark has to tell, in one value that text, page and JSON are made of."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from detectors.mllm.questions import Usage
from evaluation.benchmarks.guide.clips import Collection
from evaluation.benchmarks.guide.metrics import Figures, figures_of
from evaluation.benchmarks.guide.models import ModelName
from evaluation.benchmarks.guide.published import Trivial, trivial_rows
from evaluation.benchmarks.guide.run import Done, Row
from evaluation.measure.criteria import AcceptanceCriterion


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What was done about one video."""

    video: str
    clips: int
    questions: int
    sent: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """All that is told. `sent` counts this run alone; `usage` is that of all answers, whenever they were given."""

    whose: str
    simulated: bool
    stand_in: bool
    model: str
    videos: tuple[str, ...]
    minutes: float
    clips: int
    questions: int
    sent: int
    frames: int
    usage: Usage
    confidences: Mapping[str, int]
    notes: tuple[str, ...]
    figures: Figures
    trivial: tuple[Trivial, ...]
    rounds: tuple[Round, ...]
    bars: tuple[AcceptanceCriterion, ...]

    @property
    def scored(self) -> bool:
        """Whether a real model was asked about clips in the layout of the released benchmark."""
        return not self.simulated and not self.stand_in


def result_of(
    collection: Collection,
    model: ModelName,
    done: Sequence[tuple[str, Done]],
    *,
    frames: int,
    bars: Sequence[AcceptanceCriterion],
) -> Result:
    """Return what is to be told of the jobs that were done, by the names of their videos."""
    rows = [row for _, one in done for row in one.rows]
    asked = {row.clip for row in rows}
    clips = [clip for clip in collection.clips if clip.key in asked]
    return Result(
        whose=collection.whose,
        simulated=collection.simulated,
        stand_in=model.is_stand_in,
        model=str(model),
        videos=tuple(video for video, _ in done),
        minutes=round(sum(clip.end_s - clip.start_s for clip in clips) / 60, 2),
        clips=len(clips),
        questions=len(rows),
        sent=sum(one.sent for _, one in done),
        frames=frames,
        usage=sum((row.kept.usage for row in rows), Usage()),
        confidences=_confidences(rows),
        notes=collection.notes,
        figures=figures_of(rows),
        trivial=tuple(trivial_rows(rows)),
        rounds=tuple(_round(video, one) for video, one in done),
        bars=tuple(bars),
    )


def _confidences(rows: Sequence[Row]) -> dict[str, int]:
    return dict(sorted(Counter(str(row.kept.confidence) for row in rows if row.guess is not None).items()))


def _round(video: str, done: Done) -> Round:
    return Round(video=video, clips=len({row.clip for row in done.rows}), questions=len(done.rows), sent=done.sent)
