"""A set whose labels are known, and who proposes them: an oracle, and a liar that invents what it quotes.

Nobody worked or spoke here: figures of it show that the pipeline loses, moves and makes up nothing. What was said in
each segment stands nowhere else, so the oracle knows by it what it is asked about. Among its wrong answers are two that
the judge must refuse: one holds the right answer, one is a part of it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from detectors.mllm.questions import FailureReason, ModelQuery, ModelResult, ParsedAnswer, Usage
from lab.benchmarks.annotation.pipeline import Fate
from lab.benchmarks.annotation.questions import CANDIDATES, GOAL, HELP, KEEP, STATES, HelpSource
from lab.benchmarks.annotation.segments import words_of
from lab.benchmarks.goals import wording as goals_wording
from lab.benchmarks.goals.questions import SATISFIES
from storage.clock import NS_PER_S
from storage.records import NeedLabel, State
from storage.session.transcript import SpokenWord, Transcript, write_transcript
from storage.testing import WALL_NS, SessionBuilder

RECORDINGS, SEGMENTS = 4, 12
LENGTH_S, EVERY_S, FIRST_S = 20, 30, 10
ORACLE, LIAR = "oracle", "liar"
APP, HELPER = "writer", "firefox"
_TURNED_S = 12
_THINGS = (
    "margin",
    "footer",
    "table",
    "heading",
    "picture",
    "column",
    "list",
    "note",
    "border",
    "colour",
    "index",
    "link",
)
_PLACES = ("first", "second", "third", "fourth")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSegment:
    """What is true of one segment; `fate` is what becomes of it as a question about help."""

    number: int
    recording: int
    said: str
    parts: tuple[tuple[State, int], ...]
    goal: str
    quote: str
    help: str
    source: HelpSource
    fate: Fate

    @property
    def start_s(self) -> int:
        """When it begins, in seconds of its recording."""
        return FIRST_S + self.number * EVERY_S

    @property
    def need(self) -> NeedLabel:
        """Whether help was needed."""
        return NeedLabel.NO if self.source is HelpSource.NONE else NeedLabel.YES


def plan(recording: int) -> Iterator[PlannedSegment]:
    """Yield what happens in a recording: help by words, on the screen, in both, unclear help, and calm work."""
    calm = 0
    for number in range(SEGMENTS):
        thing = f"{_PLACES[recording]} {_THINGS[number]}"
        kind = number % 6
        first = list(State)[(recording + number) % len(State)]
        second = list(State)[(recording + number + 4) % len(State)]
        parts = ((first, 7), (second, LENGTH_S)) if number % 4 == 1 else ((first, LENGTH_S),)
        asked, doubt = f"How do I move the {thing}?", f"The {thing} is odd, I suppose."
        quote, source, helps = {
            0: (asked, HelpSource.NARRATION, f"explain how the {thing} is moved"),
            1: ("", HelpSource.SCREEN, f"find a way to move the {thing}"),
            2: (asked, HelpSource.BOTH, f"show a guide for the {thing}"),
            3: (doubt, HelpSource.NARRATION, f"mend the {thing}"),
        }.get(kind, ("", HelpSource.NONE, ""))
        said = f"{quote or f'Now comes the {thing}.'} I want to finish the {thing} today."
        fate = Fate.UNCLEAR if kind == 3 else Fate.NEEDED  # noqa: PLR2004  # a doubt alone is no request
        if source is HelpSource.NONE:
            calm += 1
            fate = Fate.CALM
        if number == 7:  # noqa: PLR2004  # the second that turns to another program, at once
            fate = Fate.NOTHING_LEFT
        yield PlannedSegment(
            number=number,
            recording=recording,
            said=said,
            parts=parts,
            goal="" if number == SEGMENTS - 1 else f"finish the {thing}",
            quote=quote,
            help=helps,
            source=source,
            fate=fate,
        )


def planned() -> dict[str, PlannedSegment]:
    """Return all segments by what is said in them."""
    return {" ".join(words_of(each.said)): each for recording in range(RECORDINGS) for each in plan(recording)}


def turned_s(each: PlannedSegment) -> int | None:
    """Return how many seconds after a segment began another program was turned to; None where none was."""
    if each.source not in (HelpSource.SCREEN, HelpSource.BOTH):
        return None
    return 0 if each.fate is Fate.NOTHING_LEFT else _TURNED_S


def construct(base: Path) -> list[Path]:
    """Write the recordings into a folder of sessions."""
    return [_write(base, recording) for recording in range(RECORDINGS)]


def _write(base: Path, recording: int) -> Path:
    session = SessionBuilder(app=APP, recording=True, wall_ns=WALL_NS + recording * 7200 * NS_PER_S)
    session.focus(APP)
    words: list[SpokenWord] = []
    for each in plan(recording):
        session.at(each.start_s).keys(4)
        turned = turned_s(each)
        if turned is not None:
            session.at(max(each.start_s + turned, each.start_s + 1)).focus(HELPER)
            session.click(200, 200)
        session.at(each.start_s + LENGTH_S + 2).focus(APP)
        words += _spoken(each)
    folder = session.wait(20).end().write(base)
    write_transcript(folder, Transcript(source=ORACLE, language="en", words=tuple(words)))
    return folder


def _spoken(each: PlannedSegment) -> Iterator[SpokenWord]:
    """Yield words over the whole of a segment, without a pause between them."""
    texts = each.said.split()
    times = [(each.start_s * NS_PER_S) + LENGTH_S * NS_PER_S * place // len(texts) for place in range(len(texts) + 1)]
    for text, start_ns, end_ns in zip(texts, times, times[1:], strict=False):
        yield SpokenWord(start_ns=start_ns, end_ns=end_ns, text=text)


class OracleModel:
    """A model that knows the set; as a liar it quotes what nobody said."""

    def __init__(self, name: str = ORACLE) -> None:
        self.name = name
        self._known = planned()
        self.asked = 0

    async def ask(self, query: ModelQuery, *, deadline_s: float) -> ModelResult:  # noqa: ARG002  # it is always in time
        """Return the answer to a question about the set."""
        self.asked += 1
        question = query.questions[0]
        assert question.brief is not None  # noqa: S101  # every question here has one
        facts = self._facts(question.key, question.brief.words)
        usage = Usage(calls=1)
        if facts is None:
            return ModelResult(failure=FailureReason.NONSENSE, usage=usage, model=self.name)
        return ModelResult(answers={question.key: ParsedAnswer(facts=facts)}, usage=usage, model=self.name)

    async def close(self) -> None:
        """Nothing is open."""

    def _facts(self, kind: str, words: str) -> Mapping[str, object] | None:
        if kind == SATISFIES:
            found = re.search(r"^A: (.*)\nB: (.*)$", words, re.MULTILINE)
            yes = found is not None and set(words_of(found[2])) <= set(words_of(found[1]))
            requirements = [{"text": "all of its words", "met": yes}]
            answer = goals_wording.YES if yes else goals_wording.NO
            return {"requirements": requirements, "counterexample": "" if yes else "another", "answer": answer}
        if kind.startswith(KEEP):
            return {"kept": [n for n, line in enumerate(_entries(words), start=1) if self._keeps(line)]}
        each = next((known for said, known in self._known.items() if said in " ".join(words_of(words))), None)
        if each is None:
            return None
        quote = "what nobody said" if self.name == LIAR else each.quote
        seen = f"went to {HELPER}" if turned_s(each) is not None else ""
        if kind == STATES:
            parts = [{"reason": "as planned", "quote": quote, "state": s.value, "until": end} for s, end in each.parts]
            return {"parts": parts}
        if kind == GOAL:
            return {"reason": "as planned", "quote": quote, "goal": each.goal or "none"}
        if kind == HELP:
            return {"quote": quote, "seen": seen, "source": each.source.value, "help": each.help}
        right = each.help if kind.endswith("help") else each.goal
        made = [f"{right} twice", *(f"paint it in shade {number}" for number in range(CANDIDATES - 2))]
        return {"wrong": [*made[:1], " ".join(right.split()[:-1]), *made[1:]]}

    def _keeps(self, line: str) -> bool:
        said = " ".join(words_of(line.partition("said: ")[2]))
        each = self._known.get(said)
        return each is not None and each.fate in (Fate.NEEDED, Fate.NOTHING_LEFT, Fate.CALM)


def _entries(words: str) -> list[str]:
    return [line for line in words.splitlines() if re.match(r"\d+\. ", line)]
