"""How far raters of the same recordings agree, who needs another look, and whom to ask again about what.

Raters cut a recording where they like, so what is compared is seconds: what each says of every whole second. Seconds
of a recording resemble each other, so intervals draw whole recordings. Each state has its own chance: disagreement is
summed over states, observed and expected. A rater who follows what was shown is told by
the share of labels that agree with it, beside labels that were made before it was seen; one who does not look, by
agreement on need with nobody that is better than chance.
"""

import argparse
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np

from daemon.figures.intervals import Interval, wilson
from lab.benchmarks.diagnosis.judged_figures import NONE, BoundaryRates, boundary_rates
from lab.measure.agreement import PairwiseAgreement, agreement_of_all
from lab.measure.benchmark import Report
from lab.measure.report import Heading, Paragraph, Part, Table, page_of, text_of
from storage.clock import NS_PER_S
from storage.errors import UsageError
from storage.files import sessions_folder
from storage.plain_text import printable
from storage.records import NeedLabel, SegmentLabel, State, asked_about, passed_quiz, quiz_answers, quiz_score
from storage.session.labels import read_labels
from storage.session.log import SessionReader, find_session, list_sessions

TITLE = "Agreement of raters"
PAGE = "agreement.html"
WITHIN_S = 3.0
"""How far apart two ends of stretches may be that count as one."""

CHANCE = 0.4
"""Kappa below which two agree by "fair" at most (Landis and Koch 1977): who has no more with anybody may not look."""

LEAST = 10
"""Labels below which nothing is said of how somebody labels."""

MOST_ASKED = 200
RATERS_TO_TELL = 3

Labels = Mapping[str, Sequence[SegmentLabel]]
"""The labels of each recording, by its name."""

_SAID = {NeedLabel.YES: "yes", NeedLabel.NO: "no"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rater:
    """How somebody labels.

    Attributes:
        name: who.
        labels: how many labels say both.
        with_others: the highest kappa of need with anybody else; NaN where there is none.
        blind: the share of labels made blind that agree with what was shown afterwards, as they stood before.
        shown: the same of labels made while it was shown.
        moved: of labels that did not agree, the share that was changed to agree once it was shown.
        note: what stands out: "anchored", "careless", or nothing; "proposed" is nobody.
    """

    name: str
    labels: int
    with_others: float
    blind: Interval | None
    shown: Interval | None
    moved: Interval | None
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What became of proposals that somebody was asked about; `quiz`: how many answers to one were right, of all."""

    name: str
    kept: int
    corrected: int
    dropped: int
    left: int
    quiz: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskAgain:
    """A stretch that somebody is to look at again: from and to in seconds of the recording, who, and about what."""

    session: str
    begin_s: int
    end_s: int
    who: tuple[str, ...]
    about: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreed:
    """All figures of some recordings.

    `unquizzed`: how many of whose labels no quiz stands behind that they passed, and of how many; empty where nobody
    was asked for one.
    """

    raters: tuple[Rater, ...]
    need: PairwiseAgreement
    states: PairwiseAgreement
    need_alpha: float
    states_alpha: float
    boundaries: Mapping[str, BoundaryRates]
    verified: tuple[Verified, ...]
    unquizzed: Mapping[str, tuple[int, int]]
    again: tuple[AskAgain, ...]


def measure(arguments: argparse.Namespace) -> Report:
    """Compare the raters of sessions that are named.

    Raises:
        UsageError: fewer than two raters labelled the same of them.
        BadFile: a session or its labels cannot be read.
    """
    base = sessions_folder(arguments.sessions)
    folders = [find_session(name, base) for name in arguments.session]
    labels = {folder.name: _of_recording(folder) for folder in folders}
    quizzes = [read_labels(folder) for folder in {*list_sessions(base), *folders}]
    found = compare(labels, [said for said in quizzes if any(label.states for label in said)])
    parts = list(parts_of(found, len(labels)))
    return Report(criteria=(), fields=fields_of(found), text=list(text_of(parts)), pages={PAGE: page_of(TITLE, parts)})


def _of_recording(folder: Path) -> list[SegmentLabel]:
    """Return the labels of a session in the recording's time: a session's own begins when the machine was started."""
    with SessionReader(folder) as reader:
        begin_ns = reader.first().at_ns
    return [
        replace(label, start_ns=label.start_ns - begin_ns, end_ns=label.end_ns - begin_ns)
        for label in read_labels(folder)
    ]


def compare(labels: Labels, quizzes: Sequence[Sequence[SegmentLabel]] = ()) -> Agreed:
    """Return how far the raters of some recordings agree; labels are in the time of their recording.

    `quizzes`: the labels of sessions in which there may be one.

    Raises:
        UsageError: there are fewer than two.
    """
    names = sorted({label.rater for said in labels.values() for label in said})
    if len(names) < 2:  # noqa: PLR2004  # a pair
        raise UsageError(
            "agreement needs two raters of the same sessions",
            remedy="have somebody else label them: kairos label SESSION --rater NAME",
        )
    seconds = [(session, second) for session, said in labels.items() for second in range(_end_s(said))]
    said_by = {name: _by_second(labels, name) for name in names}
    groups = [session for session, _ in seconds]
    needs = {
        name: [
            _SAID.get(label.need) if (label := said.get(at)) and label.need and not label.dropped else None
            for at in seconds
        ]
        for name, said in said_by.items()
    }
    used = sorted({state for said in labels.values() for label in said for state in label.states})
    states = {name: [_says(said.get(at), state) for at in seconds for state in used] for name, said in said_by.items()}
    of_state = [session for session in groups for _ in used]
    need = agreement_of_all(needs, groups)
    state = agreement_of_all(states, of_state, kinds=[state for _ in groups for state in used])
    pairs = [_boundaries(labels, one, other) for one, other in combinations(names, 2)]
    proposers = {label.rater for said in labels.values() for label in said if label.proposed}
    people = [name for name in names if name not in proposers]
    if len(people) > 1:  # the mean is that of people, beside whom a model stands in pairs of its own
        of_people = agreement_of_all({name: needs[name] for name in people}, groups)
        need = replace(need, kappa=of_people.kappa)
        kinds = [state for _ in groups for state in used]
        of_people = agreement_of_all({name: states[name] for name in people}, of_state, kinds=kinds)
        state = replace(state, kappa=of_people.kappa)
    elif proposers:
        nobody = Interval(value=math.nan, low=math.nan, high=math.nan)
        need, state = replace(need, kappa=nobody), replace(state, kappa=nobody)
    judged = {name: needs[name] for name in people or names}
    return Agreed(
        raters=tuple(
            replace(found, note="proposed") if found.name in proposers else found
            for found in (_rater(name, names, labels, need) for name in names)
        ),
        need=need,
        states=state,
        need_alpha=_alpha([judged]) if judged else math.nan,
        states_alpha=_alpha(
            [
                {name: states[name][number :: len(used)] for name in people}
                for number in range(len(used) if people else 0)
            ]
        ),
        boundaries=dict(zip(need.pairs, pairs, strict=True)),
        verified=tuple(_verified(name, labels) for name in people) if proposers else (),
        unquizzed=_unquizzed(people, labels, quizzes),
        again=tuple(_again(labels, {name: said_by[name] for name in people})),
    )


def _verified(name: str, labels: Labels) -> Verified:
    """Count what somebody did with the proposals of the recordings that they have begun to verify."""
    found: Counter[str] = Counter()
    right = asked = 0
    for said in labels.values():
        answers = [(proposal, own) for proposal, own in asked_about(said, name) if proposal.proposed]
        begun = {proposal.rater for proposal, _ in answers}
        found["left"] += sum(label.proposed and label.rater in begun for label in said) - len(answers)
        found += Counter(_verdict(proposal, own) for proposal, own in answers)
        score = quiz_score(said, name)
        right, asked = right + score[0], asked + score[1]
    return Verified(
        name=name,
        kept=found["kept"],
        corrected=found["corrected"],
        dropped=found["dropped"],
        left=found["left"],
        quiz=(right, asked),
    )


def _unquizzed(
    people: Sequence[str], labels: Labels, quizzes: Sequence[Sequence[SegmentLabel]]
) -> Mapping[str, tuple[int, int]]:
    """Count labels that name no quiz which their rater has passed as it stands; not those of whoever it was about."""
    answers = {name: [pair for said in quizzes for pair in quiz_answers(said, name)] for name in people}
    asked = {question.rater for pairs in answers.values() for question, _ in pairs}
    if not asked and not any(label.quiz for said in labels.values() for label in said):
        return {}
    found: dict[str, tuple[int, int]] = {}
    for name in people:
        passed = {passed_quiz(said, name) for said in quizzes} - {""}
        of_quiz = {own.label_id for _, own in answers[name]}
        own = [
            label
            for said in labels.values()
            for label in said
            if label.rater == name and label.label_id not in of_quiz and (label.is_set or label.dropped)
        ]
        missing = sum(label.quiz not in passed for label in own)
        if missing and name not in asked:
            found[name] = missing, len(own)
    return found


def _verdict(proposal: SegmentLabel, own: SegmentLabel) -> str:
    if own.dropped:
        return "dropped"
    if not own.is_set:
        return "left"
    need = proposal.need if proposal.need is not None else own.need
    found, proposed = (
        (label.states, label.start_ns, label.end_ns, label.wanted, label.would_help) for label in (own, proposal)
    )
    return "kept" if found == proposed and own.need == need else "corrected"


def _end_s(labels: Sequence[SegmentLabel]) -> int:
    return max((label.end_ns // NS_PER_S for label in labels), default=0)


def _by_second(labels: Labels, name: str) -> dict[tuple[str, int], SegmentLabel]:
    """Return what a rater says of each whole second; of two stretches that overlap, the later one counts."""
    found = {}
    for session, said in labels.items():
        for label in said:
            if label.rater == name:
                begin_s, end_s = -(-label.start_ns // NS_PER_S), label.end_ns // NS_PER_S
                found.update({(session, second): label for second in range(begin_s, end_s)})
    return found


def _says(label: SegmentLabel | None, state: State) -> str | None:
    if label is None or not label.states or label.dropped:
        return None
    return "yes" if state in label.states else "no"


def _alpha(kinds: Sequence[Mapping[str, Sequence[str | None]]]) -> float:
    """Return Krippendorff's alpha of answers that are yes, no, or missing; NaN where it is not defined.

    Of several kinds of items with the same ones missing, disagreement is summed, observed and expected. The latter goes
    as the product of both counts.
    """
    codes = {"yes": 1.0, "no": 0.0, None: math.nan}
    observed = expected = 0.0
    for said in kinds:
        table = np.array([[codes[answer] for answer in answers] for answers in said.values()])
        counted = table[:, (~np.isnan(table)).sum(axis=0) > 1]
        chance = float(np.nansum(counted == 1) * np.nansum(counted == 0))
        if chance > 0:  # one value has no spread
            alpha = float(krippendorff.alpha(reliability_data=counted, level_of_measurement="nominal"))
            observed += (1 - alpha) * chance
            expected += chance
    return 1 - observed / expected if expected else math.nan


def _boundaries(labels: Labels, one: str, other: str) -> BoundaryRates:
    """Return how many ends of stretches two raters share; where a recording begins and ends for either is none."""
    total = NONE
    for said in labels.values():
        own = [[label for label in said if label.rater == name] for name in (one, other)]
        if all(own):
            total += boundary_rates(_cuts(own[0]), _cuts(own[1]), within_s=WITHIN_S)
    return total


def _cuts(labels: Sequence[SegmentLabel]) -> list[float]:
    times = {label.start_ns / NS_PER_S for label in labels} | {label.end_ns / NS_PER_S for label in labels}
    return sorted(times)[1:-1]


# ---------------------------------------------------------------- how somebody labels


def _rater(name: str, names: Sequence[str], labels: Labels, need: PairwiseAgreement) -> Rater:
    own = [label for said in labels.values() for label in said if label.rater == name and label.is_set]
    kappas = [
        pair.kappa.value
        for both, pair in zip(combinations(names, 2), need.pairs.values(), strict=True)
        if name in both and not math.isnan(pair.kappa.value)
    ]
    with_others = max(kappas, default=math.nan)
    blind = [label.first.need is label.shown.need for label in own if label.first and label.shown]
    shown = [label.need is label.shown.need for label in own if label.shown and not label.blind]
    moved = [
        label.need is label.shown.need
        for label in own
        if label.first and label.shown and label.first.need is not label.shown.need
    ]
    follows = min(len(blind), len(shown)) >= LEAST and (
        wilson(sum(shown), len(shown)).low > wilson(sum(blind), len(blind)).high
    )
    note = ""
    if follows or (len(moved) >= LEAST and wilson(sum(moved), len(moved)).low > 1 / 3):
        note = "anchored"
    elif len(own) >= LEAST and len(names) >= RATERS_TO_TELL and with_others < CHANCE:
        note = "careless"
    return Rater(
        name=name,
        labels=len(own),
        with_others=with_others,
        blind=_share(blind),
        shown=_share(shown),
        moved=_share(moved),
        note=note,
    )


def _share(agrees: Sequence[bool]) -> Interval | None:
    return wilson(sum(agrees), len(agrees)) if agrees else None


# ---------------------------------------------------------------- whom to ask again


def _again(labels: Labels, said_by: Mapping[str, Mapping[tuple[str, int], SegmentLabel]]) -> Iterator[AskAgain]:
    """Yield stretches to look at again, the longest first."""
    found = []
    for session, said in labels.items():
        runs: list[AskAgain] = []
        for second in range(_end_s(said)):
            asked = _asked(session, second, said_by)
            if asked is None:
                continue
            who, about = asked
            if runs and (runs[-1].end_s, runs[-1].who, runs[-1].about) == (second, who, about):
                begin_s = runs.pop().begin_s
            else:
                begin_s = second
            runs.append(AskAgain(session=session, begin_s=begin_s, end_s=second + 1, who=who, about=about))
        found += runs
    yield from sorted(found, key=lambda run: (run.begin_s - run.end_s, run.session, run.begin_s))[:MOST_ASKED]


def _asked(
    session: str, second: int, said_by: Mapping[str, Mapping[tuple[str, int], SegmentLabel]]
) -> tuple[tuple[str, ...], str] | None:
    """Return whom to ask again about a second, and what; None where there is nothing to ask."""
    said = {name: labels[session, second] for name, labels in said_by.items() if (session, second) in labels}
    missing = tuple(name for name in said_by if name not in said)
    dropped = tuple(name for name, label in said.items() if label.dropped)
    if dropped:
        kept = tuple(name for name in said if name not in dropped)
        few = dropped if len(dropped) < len(kept) else kept if len(kept) < len(dropped) else (*dropped, *kept)
        return (few, "whether it tells anything") if kept else None
    needs = {name: label.need for name, label in said.items() if label.need in _SAID}
    unsure = tuple(name for name, label in said.items() if label.need is NeedLabel.UNSURE)
    if len(set(needs.values())) > 1:
        yes = tuple(name for name, need in needs.items() if need is NeedLabel.YES)
        no = tuple(name for name, need in needs.items() if need is NeedLabel.NO)
        return (yes if len(yes) < len(no) else no if len(no) < len(yes) else (*yes, *no)), "whether help was needed"
    told = {name: set(label.states) for name, label in said.items() if label.states}
    alone = tuple(
        name for name, states in told.items() if not any(states & told[other] for other in told if other != name)
    )
    if alone and len(told) > 1:
        return alone, "what was being done"
    if missing and said:
        return missing, "all of it: not labelled yet"
    silent = tuple(name for name in said if name not in told)
    if silent and told:
        return silent, "what was being done: not said"
    return (unsure, "whether help was needed: unsure") if unsure else None


# ---------------------------------------------------------------- words


def parts_of(found: Agreed, recordings: int) -> Iterator[Part]:
    """Yield what the page says."""
    yield (
        f"{len(found.raters)} raters of {recordings} recordings. Kappa and alpha: 1 is full agreement, 0 what chance"
        " would give. Intervals draw whole recordings; of a single recording there are none."
    )
    yield Heading("Agreement")
    rows = [
        (both, _figure(pair.kappa), _figure(found.states.pairs[both].kappa), _number(found.boundaries[both].f1))
        for both, pair in found.need.pairs.items()
    ]
    rows.append(("mean of pairs", _figure(found.need.kappa), _figure(found.states.kappa), ""))
    yield Table(("pair", "need, kappa", "states, kappa", f"ends within {WITHIN_S:g} s, F1"), rows)
    yield f"Krippendorff's alpha: need {_number(found.need_alpha)}, states {_number(found.states_alpha)}."
    yield Heading("Raters")
    yield Table(
        (
            "rater",
            "labels",
            "need, kappa with the nearest",
            "as shown, blind",
            "as shown, not blind",
            "moved to it",
            "note",
        ),
        [
            (
                printable(each.name),
                str(each.labels),
                _number(each.with_others),
                *(_figure(share) for share in (each.blind, each.shown, each.moved)),
                each.note,
            )
            for each in found.raters
        ],
    )
    if found.verified:
        yield Heading("What became of the proposals")
        yield Table(
            ("rater", "kept", "corrected", "dropped", "not said yet", "share kept", "quiz"),
            [
                (
                    printable(each.name),
                    *(str(count) for count in (each.kept, each.corrected, each.dropped, each.left)),
                    _figure(_share([True] * each.kept + [False] * (each.corrected + each.dropped))),
                    f"{each.quiz[0]} of {each.quiz[1]}" if each.quiz[1] else "",
                )
                for each in found.verified
            ],
        )
    for name, (missing, of) in found.unquizzed.items():
        yield Paragraph(f"No quiz that {printable(name)} has passed stands behind {missing} of {of} labels.", "loud")
    yield Heading("Ask again")
    if not found.again:
        yield "There is nothing to ask again."
        return
    yield Table(
        ("recording", "from", "to", "whom", "about"),
        [
            (each.session, _clock(each.begin_s), _clock(each.end_s), printable(", ".join(each.who)), each.about)
            for each in found.again
        ],
    )


def fields_of(found: Agreed) -> dict[str, Any]:
    """Return the same as plain values."""
    return {
        "unquizzed": {name: list(counts) for name, counts in found.unquizzed.items()},
        "need_kappa": _plain(found.need.kappa),
        "states_kappa": _plain(found.states.kappa),
        "need_alpha": found.need_alpha,
        "states_alpha": found.states_alpha,
        "pairs": {
            both: {
                "need_kappa": _plain(pair.kappa),
                "states_kappa": _plain(found.states.pairs[both].kappa),
                "boundary_f1": found.boundaries[both].f1,
            }
            for both, pair in found.need.pairs.items()
        },
        "raters": [
            {
                "name": each.name,
                "labels": each.labels,
                "kappa_with_nearest": each.with_others,
                **{name: _plain(getattr(each, name)) for name in ("blind", "shown", "moved")},
                "note": each.note,
            }
            for each in found.raters
        ],
        "verified": [asdict(each) for each in found.verified],
        "ask_again": [
            {
                "session": each.session,
                "from_s": each.begin_s,
                "to_s": each.end_s,
                "whom": list(each.who),
                "about": each.about,
            }
            for each in found.again
        ],
    }


def _plain(figure: Interval | None) -> list[float] | None:
    return None if figure is None else [figure.value, figure.low, figure.high]


def _figure(figure: Interval | None) -> str:
    if figure is None or math.isnan(figure.value):
        return "-"
    span = "" if math.isnan(figure.low) else f" ({figure.low:.2f}..{figure.high:.2f})"
    return f"{figure.value:.2f}{span}"


def _number(value: float | None) -> str:
    return "-" if value is None or math.isnan(value) else f"{value:.2f}"


def _clock(seconds: int) -> str:
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
