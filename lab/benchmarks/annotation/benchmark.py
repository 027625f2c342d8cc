"""Has labels of recorded work proposed, and says what became of each segment.

Without sessions an oracle labels a constructed set, which shows that nothing is lost, moved or made up on the way; its
control invents what it quotes. Proposals lie with the sessions as labels of their own rater, for people to verify
(`kairos label SESSION --verify`); the sample and its questions go into the folder that --out names.
"""

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from daemon.diagnosis.goals import wording as goals_wording
from daemon.diagnosis.goals.material import MAX_PICTURES
from daemon.diagnosis.model_queries.answers import AnswerFile
from daemon.diagnosis.model_queries.asking import RETRIES, Asker, AskingCounts
from daemon.diagnosis.model_queries.models import Volume, name_of, named_model, open_counted, permitted
from daemon.models.tiers import endpoint_key
from detectors.mllm.prompting.plain_text import one_line
from detectors.mllm.questions import Model
from lab.benchmarks.annotation import wording
from lab.benchmarks.annotation.annotators import AskedAnnotator
from lab.benchmarks.annotation.constructed import LIAR, ORACLE, OracleModel, construct, planned, turned_s
from lab.benchmarks.annotation.pipeline import (
    MOST_TRIED,
    Fate,
    ProposedSegment,
    ProposedSet,
    draw_questions,
    draw_stretches,
    labels_of,
    propose,
)
from lab.benchmarks.annotation.rules import RULES, RuleAnnotator
from lab.benchmarks.annotation.segments import PICTURES, NarratedRecording, read_recording, words_of
from lab.benchmarks.goals.questions import AskedJudge
from lab.measure.benchmark import AcceptanceCriterion, Report, at_least, at_most
from lab.measure.report import Heading, Paragraph, Part, Table, page_of, text_of
from storage.clock import NS_PER_S
from storage.errors import UsageError
from storage.files import sessions_folder
from storage.messages import STATES
from storage.plain_text import format_count, print_progress, printable
from storage.records import MAX_RATER, MAX_WORDS, SegmentLabel, State
from storage.session.heartbeat import is_recording
from storage.session.labels import change_labels, read_labels
from storage.session.log import MODEL_ANSWERS, find_session, list_sessions
from storage.settings import ModelSettings
from storage.settings_file import load_settings

PAGE, PROPOSALS, SAMPLE = "annotation.html", "proposals.jsonl", "sample.json"
PURPOSE = "bench annotation"
WHOSE = "a constructed set whose labels are known (simulated; nobody worked or spoke here, no model was asked)"
ANSWER_TOKENS, TEXT_TOKENS = 600, 6000


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposer:
    """Who proposes labels, and who judges wrong answers; settings are None for stand-ins and rules."""

    name: str
    chosen: ModelSettings | None = None
    judge: ModelSettings | None = None

    @property
    def rater(self) -> str:
        """The rater of what is proposed."""
        return printable(self.name)[:MAX_RATER]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotationRun:
    """What is labelled, by whom, and how the sample is drawn."""

    folders: tuple[Path, ...]
    proposer: Proposer
    task: str
    per_class: int
    seed: int
    retries: int = RETRIES
    counts: AskingCounts = field(default_factory=AskingCounts)


def measure(arguments: argparse.Namespace) -> Report:
    """Propose labels for the sessions that are named, or show on a constructed set that the pipeline is right."""
    if arguments.session:
        run = _run_of(arguments)
        found = asyncio.run(label_all(run))
        return _report(run, found, _checks(run, found), whose=format_count(len(run.folders), "recorded session"))
    with TemporaryDirectory(prefix="kairos-annotation-") as place:
        run, found, criteria = check_constructed(construct(Path(place)), arguments.per_class, arguments.seed)
    return _report(run, found, criteria, whose=WHOSE)


def _run_of(arguments: argparse.Namespace) -> AnnotationRun:
    """Return what the command line asks for, with permission to show it to models.

    Raises:
        UsageError: a session is still recorded or elsewhere, or nothing may be sent there.
    """
    base = sessions_folder(arguments.sessions)
    ours = {folder.absolute() for folder in list_sessions(base)}
    folders = tuple(dict.fromkeys(find_session(name, base).absolute() for name in arguments.session))
    for folder in folders:
        if folder not in ours:
            raise UsageError(f"{folder} is not among the sessions in {base}", remedy="name their folder: --sessions")
        if is_recording(folder):
            raise UsageError(f"{folder.name} is being recorded", remedy="try again when it has ended")
    if arguments.model is None:
        raise UsageError(
            "somebody has to propose labels", remedy="name a model: --model PRESET (kairos models list), or rules"
        )
    if arguments.model in (ORACLE, RULES):
        proposer = Proposer(name=arguments.model)
    else:
        settings = load_settings()
        chosen = named_model(arguments.model, settings)
        judge = named_model(arguments.judge, settings) if arguments.judge else chosen
        count = sum(len(read_recording(folder).segments) for folder in folders)
        permits = {
            endpoint_key(model): permitted(
                model,
                _volume(count),
                what=f"at most {_volume(count).requests} questions about {count} segments, with what was said",
                of_person=True,
                yes=arguments.yes,
                fewer="name fewer sessions",
                report=print_progress,
            )
            for model in {endpoint_key(each): each for each in (chosen, judge)}.values()
        }
        chosen, judge = permits[endpoint_key(chosen)], permits[endpoint_key(judge)]
        proposer = Proposer(name=name_of(chosen), chosen=chosen, judge=judge)
    task = one_line(arguments.task or "", MAX_WORDS)
    return AnnotationRun(
        folders=folders,
        proposer=proposer,
        task=task,
        per_class=arguments.per_class,
        seed=arguments.seed,
        retries=arguments.retries,
    )


def _volume(segments: int) -> Volume:
    """Return how much is asked at most: of each segment three things, wrong answers to two, and of these each way."""
    requests = segments * (3 + 2 * (1 + 2 * MOST_TRIED)) + 3
    return Volume(requests=requests, pictures=requests * PICTURES, text_tokens=TEXT_TOKENS, answer_tokens=ANSWER_TOKENS)


# ---------------------------------------------------------------- labelling


async def label_all(run: AnnotationRun) -> ProposedSet:
    """Propose labels, keep them with their sessions, and draw the sample; what was answered before is not asked.

    Raises:
        EnvironmentFault: a model cannot be used any further; nothing that was answered is lost.
        BadFile: a session cannot be read.
    """
    found = ProposedSet()
    recordings = {folder.name: read_recording(folder) for folder in run.folders}
    for recording in recordings.values():
        async with _annotating(run, recording) as annotator:
            proposed = await propose(recording, annotator)
        found.segments += proposed
        _keep(recording.folder, labels_of(proposed, run.proposer.rater), run.proposer.rater)
        print_progress(f"{recording.folder.name}: {len(proposed)} segments")
    found.left_out["segments whose states are not answered"] += sum(each.parts is None for each in found.segments)
    found.drawn, not_drawn = draw_stretches(found.segments, run.per_class, run.seed)
    found.left_out += not_drawn
    async with AsyncExitStack() as stack:
        opened: dict[str, AskedAnnotator] = {}

        async def of_session(name: str) -> AskedAnnotator:
            if name not in opened:
                opened[name] = await stack.enter_async_context(_annotating(run, recordings[name]))
            return opened[name]

        found.questions = await draw_questions(found.segments, of_session, run.seed, found.left_out)
    found.left_out = +found.left_out
    return found


@asynccontextmanager
async def _annotating(run: AnnotationRun, recording: NarratedRecording) -> AsyncIterator[AskedAnnotator]:
    """Open who labels a recording; its answers lie with it, and go when it goes."""
    if run.proposer.name == RULES:
        yield RuleAnnotator()
        return
    async with AsyncExitStack() as stack:
        durable = run.proposer.chosen is not None  # a stand-in's cost nothing
        path = recording.folder / MODEL_ANSWERS
        answers = stack.enter_context(AnswerFile(path, durable=durable, makes_folder=False))

        def asker(chosen: ModelSettings | None, version: str) -> Asker:
            model: Model = (
                OracleModel(run.proposer.name)
                if chosen is None
                else open_counted(
                    chosen,
                    _volume(len(recording.segments)),
                    pictures_max=MAX_PICTURES,
                    purpose=PURPOSE,
                    session=recording.folder,
                )
            )
            stack.push_async_callback(model.close)
            identity = run.proposer.name if chosen is None else endpoint_key(chosen)
            retries = 0 if chosen is None else run.retries
            return Asker(
                model,
                answers,
                identity=identity,
                version=version,
                counts=run.counts,
                retries=retries,
                stores_late=True,
            )

        asked = asker(run.proposer.chosen, f"annotation {wording.VERSION}")
        judge = AskedJudge(asker(run.proposer.judge, goals_wording.VERSION))
        yield AskedAnnotator(asked, judge, recording, run.task)


def _keep(folder: Path, proposed: Sequence[SegmentLabel], rater: str) -> None:
    """Keep labels in the place of those that the same one proposed before.

    Raises:
        UsageError: a person has labelled under this name.
    """
    if any(label.rater == rater and not label.proposed for label in read_labels(folder)):
        raise UsageError(f"{rater} has labelled {folder.name} by hand", remedy="name another model")
    change_labels(folder, lambda labels: [*(label for label in labels if label.rater != rater), *proposed])


# ---------------------------------------------------------------- checks


def _checks(run: AnnotationRun, found: ProposedSet) -> list[AcceptanceCriterion]:
    counts = run.counts
    asked, unanswered = counts.asked.total(), counts.unanswered.total()
    criteria = [at_least("answered", 1 - unanswered / asked, 0.95, f"of {asked} questions")] if asked else []
    again = replace(run, folders=run.folders[:1], counts=AskingCounts())
    if asked and found.segments:
        asyncio.run(label_all(again))
        criteria.append(at_most("sent_twice", again.counts.sent, 0, "about the first session, asked again"))
    return criteria


def check_constructed(
    folders: Sequence[Path], per_class: int, seed: int
) -> tuple[AnnotationRun, ProposedSet, list[AcceptanceCriterion]]:
    """Have the oracle label the constructed set, and compare; then the liar, of whom nothing may be kept."""
    run = AnnotationRun(folders=tuple(folders), proposer=Proposer(name=ORACLE), task="", per_class=per_class, seed=seed)
    found = asyncio.run(label_all(run))
    truth = planned()
    kept = {folder.name: [_said(label) for label in read_labels(folder)] for folder in folders}
    right = sum(_is_reproduced(each, kept[each.segment.session]) for each in found.segments)
    again = replace(run, counts=AskingCounts())
    repeated = asyncio.run(label_all(again))
    lies = replace(run, proposer=Proposer(name=LIAR), counts=AskingCounts())
    believed = asyncio.run(label_all(lies))
    traps = sum(
        question.right in wrong or wrong in question.right for question in found.questions for wrong in question.wrong
    )
    counts = Counter(each.fate for each in truth.values())
    criteria = [
        at_least("labels", right, len(truth), "segments whose states, goal, help and fate are as planned"),
        at_least(
            "questions",
            len(found.questions),
            counts[Fate.NEEDED] + sum(bool(each.goal) for each in truth.values()),
            "questions with three wrong answers",
        ),
        at_most("satisfying", traps, 0, "wrong answers that hold the right one or are held by it"),
        at_most("sent_twice", again.counts.sent, 0, f"questions of {run.counts.sent} asked again"),
        at_most("changed", float(repeated != found), 0, "runs of two that differ"),
        at_most("invented", _believed(believed), 0, f"answers with an invented quote believed, of {3 * len(truth)}"),
    ]
    return run, found, criteria


def _said(label: SegmentLabel) -> tuple[object, ...]:
    return label.start_ns, label.end_ns, label.states, label.need, label.wanted, label.would_help


def _is_reproduced(each: ProposedSegment, kept: Sequence[tuple[object, ...]]) -> bool:
    """Tell whether a segment of the constructed set has exactly its planned labels, one for each part."""
    truth = planned().get(" ".join(words_of(each.segment.said)))
    if truth is None:
        return False
    begin_s = truth.start_s
    bounds = [begin_s, *(begin_s + until_s for _, until_s in truth.parts)]
    labels = [
        (start_s * NS_PER_S, end_s * NS_PER_S, (state,), truth.need, truth.goal, truth.help)
        for (start_s, end_s), (state, _) in zip(pairwise(bounds), truth.parts, strict=True)
    ]
    turned = turned_s(truth)
    help_end_s = bounds[-1] if turned is None else begin_s + max(1, turned)
    found = each.fate, each.help_end_ns, each.help.source if each.help is not None else None
    return set(labels) <= set(kept) and found == (truth.fate, help_end_s * NS_PER_S, truth.source)


def _believed(found: ProposedSet) -> int:
    return sum((each.parts is not None) + (each.goal is not None) + (each.help is not None) for each in found.segments)


# ---------------------------------------------------------------- what is written and said


def _report(run: AnnotationRun, found: ProposedSet, criteria: Sequence[AcceptanceCriterion], *, whose: str) -> Report:
    parts = list(parts_of(run, found, whose))
    fields: dict[str, Any] = {
        "whose": whose,
        "by": run.proposer.name,
        "segments": len(found.segments),
        "stretches": len(found.drawn),
        "questions": dict(Counter(question.kind for question in found.questions)),
        "fates": dict(Counter(each.fate.value for each in found.segments)),
        "left_out": dict(sorted(found.left_out.items())),
        "asked": dict(run.counts.asked),
        "unanswered": dict(run.counts.unanswered),
        "sent": run.counts.sent,
        "usage": asdict(run.counts.usage),
    }
    pages = {
        PAGE: page_of("Proposed labels", parts, criteria),
        PROPOSALS: "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in map(_row, found.segments)),
        SAMPLE: json.dumps(_sample(found), indent=1, ensure_ascii=False) + "\n",
    }
    return Report(criteria=criteria, fields=fields, text=list(text_of(parts)), pages=pages)


def parts_of(run: AnnotationRun, found: ProposedSet, whose: str) -> Iterator[Part]:
    """Yield what the page says."""
    states = Counter(part.state for each in found.segments for part in each.parts or ())
    drawn = Counter(state for *_, state in found.drawn)
    yield Paragraph(f"Labels of {whose}, proposed by {printable(run.proposer.name)}; nobody has verified them.", "loud")
    yield f"{len(found.segments)} segments; {run.counts.asked.total()} questions, {run.counts.sent} of them sent now."
    for reason, count in sorted(run.counts.unanswered.items()):
        yield Paragraph(f"No answer to {count}: {reason}.", "small")
    yield Heading("States")
    yield Table(
        ("state", "stretches", "drawn"),
        [(STATES[state], str(states[state]), str(drawn[state])) for state in State],
    )
    yield Heading("Need of help")
    fates = Counter(each.fate for each in found.segments)
    yield Table(("segments", ""), [(fate.value, str(fates[fate])) for fate in Fate])
    cut = sum(each.fate is Fate.NEEDED and each.help_end_ns < each.segment.end_ns for each in found.segments)
    yield f"{cut} of {fates[Fate.NEEDED]} end earlier, before help can be seen."
    yield Heading("Questions with three wrong answers")
    kinds = Counter(question.kind for question in found.questions)
    yield f"{kinds['goal']} about goals, {kinds['help']} about help."
    if left := "; ".join(f"{count} {why}" for why, count in sorted(found.left_out.items())):
        yield Paragraph(f"Left out: {left}.", "small")


def _row(each: ProposedSegment) -> Mapping[str, object]:
    segment = each.segment
    return {
        "session": segment.session,
        "start_ns": segment.start_ns,
        "end_ns": segment.end_ns,
        "parts": None if each.parts is None else [asdict(part) for part in each.parts],
        "goal": None if each.goal is None else asdict(each.goal),
        "help": None if each.help is None else asdict(each.help),
        "fate": each.fate.name.lower(),
        "help_end_ns": each.help_end_ns,
    }


def _sample(found: ProposedSet) -> Mapping[str, object]:
    calm = [each.segment for each in found.segments if each.fate is Fate.CALM]
    return {
        "behavior": [
            {"session": session, "start_ns": begin_ns, "end_ns": end_ns, "state": state.value}
            for session, begin_ns, end_ns, state in found.drawn
        ],
        "questions": [asdict(question) for question in found.questions],
        "calm": [{"session": each.session, "start_ns": each.start_ns, "end_ns": each.end_ns} for each in calm],
    }
