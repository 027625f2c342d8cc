"""Asks the documentation of this machine what people asked, and counts where a page that helps comes.

A file of questions has a JSON object a line: `id`, `program`, the question in words that are near to the person's
(`said`) and in those of somebody who does not know what the program calls it (`question`), and `gold`, the ids of the
pages that help; none where no page does. Questions about programs without documentation here are left out, and counted.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory

from daemon.figures.intervals import wilson
from daemon.help.context import HelpContext
from daemon.help.library import HelpLibrary
from daemon.help.library.documentation import find_documentation
from daemon.help.library.index import LibraryIndex
from daemon.help.library.programs import programs_read_for
from lab.measure.benchmark import AcceptanceCriterion, Report, at_least, at_most
from storage.errors import EnvironmentFault, UsageError
from storage.files import library_file
from storage.plain_text import print_progress

LIMIT = 3


class Wording(StrEnum):
    """Whose words a question is asked in."""

    SAID = "said"
    QUESTION = "question"


BARS = {Wording.SAID: (0.55, 0.75), Wording.QUESTION: (0.40, 0.60)}
"""Least hit@1 and hit@3."""

SILENT, SILENT_WRONGLY = 0.70, 0.08
"""Nothing found: for at least so many questions that no page answers, and at most so many others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What somebody asked about a program, and the pages that help; none where no page does."""

    question_id: str
    program: str
    said: str
    question: str
    gold: tuple[str, ...]

    def words(self, wording: Wording) -> str:
        """Return the question in one of its wordings."""
        return self.said if wording is Wording.SAID else self.question


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The pages that a question was answered with, best first, and the probability stated for the first."""

    question: Question
    found: tuple[str, ...]
    score: float = 0.0

    def hit(self, among: int) -> bool:
        """Return whether one of the first pages helps."""
        return not set(self.found[:among]).isdisjoint(self.question.gold)


def read_questions(path: Path) -> tuple[Question, ...]:
    """Return the questions of a file, or of all files of a folder.

    Raises:
        UsageError: there are none, or a line is no question.
    """
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    try:
        lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        rows = [json.loads(line) for line in lines]
        found = tuple(
            Question(
                question_id=str(row["id"]),
                program=str(row["program"]),
                said=str(row["said"]),
                question=str(row["question"]),
                gold=tuple(map(str, row["gold"])),
            )
            for row in rows
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{path} holds no questions", remedy="name a file of JSON lines, or a folder of such"
        ) from error
    if not found:
        raise UsageError(f"{path} holds no questions", remedy="name a file of JSON lines, or a folder of such")
    return found


@contextmanager
def documentation_of(questions: Sequence[Question], data: Path) -> Iterator[tuple[Path, tuple[Question, ...]]]:
    """Index the documentation that the questions are about; give the index's folder, and those that it can answer.

    Raises:
        EnvironmentFault: there is none.
    """
    wanted = {program for question in questions for program in programs_read_for(question.program)}
    with TemporaryDirectory(prefix="kairos-bench-") as name:
        folder = Path(name)
        with LibraryIndex.open(library_file(folder)) as index:
            for documents in find_documentation(data):
                if documents.app in wanted:
                    print_progress(f"indexing {documents.label}")
                    index.add(documents)
        with HelpLibrary.open(folder) as library:
            covered = {question.program: library.covers(question.program) for question in questions}
        answerable = tuple(question for question in questions if covered[question.program])
        if not answerable:
            raise EnvironmentFault(
                "documentation that the questions are about is not installed", remedy="name its folder: --documentation"
            )
        yield folder, answerable


def ask(library: HelpLibrary, question: Question, wording: Wording) -> Asked:
    """Ask for pages alone."""
    words = question.words(wording)
    matches = library.search_words(HelpContext(app=question.program), words, LIMIT)
    return Asked(
        question=question,
        found=tuple(match.page.page_id for match in matches),
        score=matches[0].score if matches else 0.0,
    )


def measure(path: Path, wordings: Sequence[Wording], data: Path) -> Report:
    """Index, ask and count.

    Raises:
        UsageError: there are no questions.
        EnvironmentFault: the documentation is missing.
    """
    questions = read_questions(path)
    with documentation_of(questions, data) as (folder, answerable), HelpLibrary.open(folder) as library:
        results = {wording: [ask(library, question, wording) for question in answerable] for wording in wordings}
    left_out = len(questions) - len(answerable)
    return Report(
        criteria=[criterion for wording, asked in results.items() for criterion in criteria(wording, asked)],
        rounds=[
            {
                "id": each.question.question_id,
                "program": each.question.program,
                "words": wording.value,
                "gold": bool(each.question.gold),
                "place": next((place for place in range(1, LIMIT + 1) if each.hit(place)), 0),
                "found": len(each.found),
                "score": round(each.score, 3),
            }
            for wording, asked in results.items()
            for each in asked
        ],
        fields={"questions": len(answerable), "left_out": left_out},
        text=[line for wording, asked in results.items() for line in text_of(wording, asked)],
        notes=[f"{left_out} questions about programs without documentation here are left out."] if left_out else [],
    )


def criteria(wording: Wording, asked: Sequence[Asked]) -> list[AcceptanceCriterion]:
    """Compare with the bars."""
    answered = [each for each in asked if each.question.gold]
    unanswerable = [each for each in asked if not each.question.gold]
    least, least_of_three = BARS[wording]
    found = []
    if answered:
        found += [
            at_least(f"{wording}_hit_at_1", _share(answered, 1), least, "of questions"),
            at_least(f"{wording}_hit_at_3", _share(answered, LIMIT), least_of_three, "of questions"),
            at_most(f"{wording}_nothing_found_wrongly", _silent(answered), SILENT_WRONGLY, "of questions"),
        ]
    if unanswerable:
        found.append(at_least(f"{wording}_nothing_found_rightly", _silent(unanswerable), SILENT, "of questions"))
    return found


def text_of(wording: Wording, asked: Sequence[Asked]) -> list[str]:
    """Return the figures as text, each with its 95 % interval by Wilson, and by program."""
    answered = [each for each in asked if each.question.gold]
    unanswerable = [each for each in asked if not each.question.gold]
    silent = [each for each in answered if not each.found]
    lines = [
        f"{wording}: {len(answered)} questions with a page, {len(unanswerable)} that no page answers",
        f"  hit@1 {wilson(sum(each.hit(1) for each in answered), len(answered))}",
        f"  hit@3 {wilson(sum(each.hit(LIMIT) for each in answered), len(answered))}",
        f"  nothing found, though a page helps {wilson(len(silent), len(answered))}",
    ]
    if unanswerable:
        rightly = sum(not each.found for each in unanswerable)
        lines.append(f"  nothing found, rightly {wilson(rightly, len(unanswerable))}")
    for program in sorted({each.question.program for each in answered}):
        of_program = [each for each in answered if each.question.program == program]
        first, among = _share(of_program, 1), _share(of_program, LIMIT)
        lines.append(f"  {program:<20} n={len(of_program):<3} hit@1 {first:.2f}  hit@3 {among:.2f}")
    return lines


def _share(asked: Sequence[Asked], among: int) -> float:
    return sum(each.hit(among) for each in asked) / len(asked)


def _silent(asked: Sequence[Asked]) -> float:
    return sum(not each.found for each in asked) / len(asked)
