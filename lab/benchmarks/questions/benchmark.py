"""Asks the documentation of this machine what people asked, and counts where a page that helps comes.

A file of questions has a JSON object a line: `id`, `program`, the question in words that are near to the person's
(`said`) and in those of somebody who does not know what the program calls it (`question`), and `gold`, the ids of the
pages that help; none where no page does. Questions about programs without documentation here are left out, and counted.

Each is asked twice: of the pages alone, and as a person asks, with the recorded commands of the program before them.
Which commands help stands in `data/commands/questions_a.jsonl`, by id; of other questions no command is known to.
There `added` are answers that were judged later, as the README beside it says; figures without them are printed too.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from daemon.figures.intervals import wilson
from daemon.help.answers import TypedAnswers
from daemon.help.commands.command import CommandList, RequestCommands
from daemon.help.context import HelpContext
from daemon.help.library import HelpLibrary
from daemon.help.library.documentation import find_documentation
from daemon.help.library.index import LibraryIndex
from daemon.help.programs import programs_read_for
from lab.benchmarks.matching.gold import FOLDER, MANY, many, read_lists
from lab.measure.benchmark import AcceptanceCriterion, Report, at_least, at_most
from storage.clock import SystemClock
from storage.db.connection import open_existing
from storage.errors import EnvironmentFault, UsageError
from storage.files import library_file
from storage.plain_text import print_progress
from storage.ports import CandidateKind

LIMIT = 3
_PATH = " > "


class Wording(StrEnum):
    """Whose words a question is asked in."""

    SAID = "said"
    QUESTION = "question"


BARS = {Wording.SAID: (0.55, 0.75), Wording.QUESTION: (0.40, 0.60)}
WITH_COMMANDS = {Wording.SAID: (0.75, 0.90), Wording.QUESTION: (0.60, 0.80)}
"""Least hit@1 and hit@3, of pages alone, and with commands."""

MANY_PAGES, KEY_MS = 5000, 15.0
"""Pages that keys are timed over, and what a key may take at p95."""

SILENT, SILENT_WRONGLY = 0.70, 0.08
"""Nothing found: for at least so many questions that no page answers, and at most so many others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What somebody asked about a program, the pages that help, and the commands; none where none does.

    `added` are answers that help as well and were found among those of a run.
    """

    question_id: str
    program: str
    said: str
    question: str
    gold: tuple[str, ...]
    commands: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

    def words(self, wording: Wording) -> str:
        """Return the question in one of its wordings."""
        return self.said if wording is Wording.SAID else self.question


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a question was answered with, best first, and the probability stated for the first."""

    question: Question
    found: tuple[str, ...]
    score: float = 0.0
    with_commands: bool = False

    @property
    def gold(self) -> tuple[str, ...]:
        """What helps, of what was asked."""
        return self.question.gold + (self.question.commands if self.with_commands else ())

    def hit(self, among: int, *, with_added: bool = True) -> bool:
        """Return whether one of the first answers helps."""
        return not set(self.found[:among]).isdisjoint(self.gold + self.question.added * with_added)


def read_questions(path: Path) -> tuple[Question, ...]:
    """Return the questions of a file, or of all files of a folder.

    Raises:
        UsageError: there are none, or a line is no question.
    """
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    lines = (FOLDER / "questions_a.jsonl").read_text(encoding="utf-8").splitlines()
    known = {row["id"]: row for row in map(json.loads, lines)}
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
                commands=tuple(map(_PATH.join, known.get(str(row["id"]), {}).get("commands", ()))),
                added=tuple(known.get(str(row["id"]), {}).get("added", ())),
            )
            for row in rows
        )
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror})", remedy="name a file of JSON lines") from error
    except (ValueError, KeyError, TypeError) as error:
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


def ask_program(answers: TypedAnswers, library: HelpLibrary, question: Question, wording: Wording) -> Asked:
    """Ask as a person does: commands of the program, then pages."""
    context = HelpContext(app=question.program, words=question.words(wording))
    found = answers.find(context, library, 0.0).candidates
    return Asked(
        question=question,
        found=tuple(
            (_PATH.join(candidate.page.steps[0].controls) or candidate.page.title)
            if candidate.kind is CandidateKind.COMMAND
            else candidate.page.page_id
            for candidate in found
        ),
        score=found[0].score if found else 0.0,
        with_commands=True,
    )


def recorded_commands(lists: Mapping[str, CommandList] | None = None) -> RequestCommands:
    """Return what gives commands of a program in place of a desktop: without any those that were recorded."""
    known = lists or {app: commands for (app, language), commands in read_lists().items() if language == "en"}

    def request(take: Callable[[CommandList | None], None], app: str = "") -> None:
        take(known.get(app))

    return request


def measure(path: Path, wordings: Sequence[Wording], data: Path) -> Report:
    """Index, ask and count.

    Raises:
        UsageError: there are no questions.
        EnvironmentFault: the documentation is missing.
    """
    questions = read_questions(path)
    with documentation_of(questions, data) as (folder, answerable), HelpLibrary.open(folder) as library:
        answers = TypedAnswers(recorded_commands(), lambda: None)
        results = {
            (wording, with_commands): [
                ask_program(answers, library, question, wording) if with_commands else ask(library, question, wording)
                for question in answerable
            ]
            for with_commands in (False, True)
            for wording in wordings
        }
        print_progress("timing keys")
        p95_ms = float(np.quantile(key_times_ms(folder, answerable), 0.95))
    left_out = len(questions) - len(answerable)
    return Report(
        criteria=[
            *(criterion for (wording, _), asked in results.items() for criterion in criteria(wording, asked)),
            at_most("key_cpu_p95", p95_ms, KEY_MS, "ms"),
        ],
        rounds=[
            {
                "id": each.question.question_id,
                "program": each.question.program,
                "words": wording.value,
                "commands": with_commands,
                "gold": bool(each.gold),
                "place": next((place for place in range(1, LIMIT + 1) if each.hit(place)), 0),
                "found": len(each.found),
                "score": round(each.score, 3),
            }
            for (wording, with_commands), asked in results.items()
            for each in asked
        ],
        fields={"questions": len(answerable), "left_out": left_out},
        text=[
            *(line for (wording, _), asked in results.items() for line in text_of(wording, asked)),
            f"a key takes {p95_ms:.1f} ms of CPU at p95 over {MANY} commands and {MANY_PAGES} pages",
        ],
        notes=[f"{left_out} questions about programs without documentation here are left out."] if left_out else [],
    )


def key_times_ms(folder: Path, questions: Sequence[Question], most: int = 12) -> Sequence[float]:
    """Return the CPU of each key while questions are typed in a program of many commands and pages.

    The index holds pages of that program alone from then on, some of them several times.
    """
    columns = "documentation, 'many', kind, language, title, steps"
    with closing(open_existing(library_file(folder))) as connection, connection:
        connection.execute("UPDATE pages SET app = 'many'")
        last, count = connection.execute("SELECT max(id), count(*) FROM pages").fetchone()
        while count < MANY_PAGES:
            connection.execute(f"INSERT INTO pages SELECT id + {last}, page_id || '+' || {last}, {columns} FROM pages")  # noqa: S608  # numbers
            connection.execute("INSERT INTO asked SELECT page + ?, stems, vectors FROM asked", (last,))
            last, count = 2 * last, 2 * count
        connection.execute(
            "UPDATE pages SET app = '' WHERE id IN (SELECT id FROM pages LIMIT -1 OFFSET ?)", (MANY_PAGES,)
        )
    clock, times = SystemClock(), list[float]()
    answers = TypedAnswers(recorded_commands({"many": many()}), lambda: None)
    asked = [question.said for question in questions]
    with HelpLibrary.open(folder) as library:
        for words in asked[:: max(len(asked) // most, 1)]:
            for end in range(1, len(words) + 1):
                before_ns = clock.cpu_ns()
                answers.find(HelpContext(app="many", words=words[:end]), library, 0.0)
                times.append((clock.cpu_ns() - before_ns) / 1e6)
    return times


def criteria(wording: Wording, asked: Sequence[Asked]) -> list[AcceptanceCriterion]:
    """Compare with the bars."""
    answered = [each for each in asked if each.gold]
    unanswerable = [each for each in asked if not each.gold]
    with_commands = any(each.with_commands for each in asked)
    least, least_of_three = (WITH_COMMANDS if with_commands else BARS)[wording]
    name = f"{wording}_with_commands" if with_commands else str(wording)
    found = []
    if answered:
        found += [
            at_least(f"{name}_hit_at_1", _share(answered, 1), least, "of questions"),
            at_least(f"{name}_hit_at_3", _share(answered, LIMIT), least_of_three, "of questions"),
            at_most(f"{name}_nothing_found_wrongly", _silent(answered), SILENT_WRONGLY, "of questions"),
        ]
    if unanswerable:
        found.append(at_least(f"{name}_nothing_found_rightly", _silent(unanswerable), SILENT, "of questions"))
    return found


def text_of(wording: Wording, asked: Sequence[Asked]) -> list[str]:
    """Return the figures as text, each with its 95 % interval by Wilson, and by program."""
    answered = [each for each in asked if each.gold]
    unanswerable = [each for each in asked if not each.gold]
    silent = [each for each in answered if not each.found]
    how = "with commands" if any(each.with_commands for each in asked) else "pages alone"
    lines = [
        f"{wording}, {how}: {len(answered)} questions that something answers, {len(unanswerable)} that nothing does",
    ]
    if answered:
        lines += [
            f"  hit@1 {wilson(sum(each.hit(1) for each in answered), len(answered))}",
            f"  hit@3 {wilson(sum(each.hit(LIMIT) for each in answered), len(answered))}",
            f"  nothing found, though something helps {wilson(len(silent), len(answered))}",
        ]
    if added := sum(len(each.question.added) for each in answered):
        before = [np.mean([each.hit(among, with_added=False) for each in answered]) for among in (1, LIMIT)]
        lines.append(f"  without {added} answers that were added: hit@1 {before[0]:.3f}, hit@{LIMIT} {before[1]:.3f}")
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
