"""Asks recorded commands of programs by people's words, and compares what is found first with what was meant.

Beside the matcher stand exact words alone and, where an index of documentation is given, its pages alone. Weights were
fitted on one half of the programs (`fit`); the other half is scored.
"""

import argparse
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from daemon.figures.intervals import wilson
from daemon.help.commands.command import CommandList
from daemon.help.commands.matching import CommandMatcher
from daemon.help.commands.words import words_of
from daemon.help.context import HelpContext
from daemon.help.library import HelpLibrary
from daemon.help.library.pages import control_name
from lab.benchmarks.matching.gold import MANY, AskedCommand, AskKind, Half, many, read_lists, read_questions
from lab.measure.benchmark import AcceptanceCriterion, Report, at_least, at_most
from storage.clock import SystemClock
from storage.plain_text import print_progress

Found = Sequence[tuple[str, ...]]
"""Paths of commands, best first."""

_LANGUAGES = {"en": "English", "de": "German"}
_RSS = """
import sys
from lab.benchmarks.matching.benchmark import rss_mb
from lab.benchmarks.matching.gold import many
from daemon.help.commands.matching import CommandMatcher
commands = many()
before = rss_mb()
matcher = CommandMatcher(commands)
for words in ("how do i put a picture in", "colour of the letters", "make it smaller"):
    matcher.match(words)
print(rss_mb() - before)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What was found for a question: whether the first, or one of the first three, was meant; whether anything."""

    program: str
    language: str
    kind: AskKind
    shares_stem: bool
    first: bool
    of_three: bool
    found: bool


def measure(arguments: argparse.Namespace) -> Report | None:
    """Ask the questions of one half; with --fit write weights fitted on the tuning half instead."""
    if arguments.fit is not None:
        from lab.benchmarks.matching.fit import tune

        tune(arguments.fit)
        return None
    lists, questions = read_lists(), read_questions(Half(arguments.half))
    matchers = {key: CommandMatcher(commands) for key, commands in lists.items()}

    def ours(question: AskedCommand) -> Found:
        matches = matchers[question.program, question.language].match(question.words).matches
        return [match.command.path for match in matches]

    found = [ours(question) for question in questions]
    added = sum(len(question.added) for question in questions)
    ways: dict[str, list[Judged]] = {"commands": list(map(judge, questions, found))}
    if added:
        bare = (replace(question, added=()) for question in questions)
        ways[f"commands, without {added} answers that were added"] = list(map(judge, bare, found))
    ways["exact words"] = [judge(question, exact_words(lists, question)) for question in questions]
    if arguments.library is not None:
        ways["documentation"] = documentation_alone(arguments.library, questions)
    print_progress("timing keys")
    cpu_ms = key_times_ms(questions)
    p95_ms = float(np.quantile(cpu_ms, 0.95))
    rss = float(subprocess.run([sys.executable, "-c", _RSS], capture_output=True, text=True, check=True).stdout)
    return Report(
        criteria=criteria(ways["commands"], p95_ms, rss),
        fields={
            "half": arguments.half,
            "answers": {way: [asdict(answer) for answer in answers] for way, answers in ways.items()},
            "key_cpu_p95_ms": round(p95_ms, 2),
            "rss_mb": round(rss, 1),
        },
        text=(*_text(ways), "", f"a key takes {p95_ms:.1f} ms of CPU at p95 over {MANY} commands; {rss:.1f} MB"),
    )


def judge(question: AskedCommand, found: Found) -> Judged:
    """Compare what was found with what was meant, or answers as well."""
    right = (*question.gold, *question.added)
    return Judged(
        program=question.program,
        language=question.language,
        kind=question.kind,
        shares_stem=question.shares_stem,
        first=bool(found) and found[0] in right,
        of_three=any(path in right for path in found[:3]),
        found=bool(found),
    )


def exact_words(lists: Mapping[tuple[str, str], CommandList], question: AskedCommand) -> Found:
    """Return the commands whose path has most words of the question, of those with fewest words beside them."""
    asked = set(words_of(question.words))
    scored = []
    for command in lists[question.program, question.language].commands:
        words = {word for name in command.path for word in words_of(name)}
        if common := len(asked & words):
            scored.append((-common, len(words), command.path))
    return [path for _, _, path in sorted(scored)[:5]]


def documentation_alone(library: Path, questions: Sequence[AskedCommand]) -> list[Judged]:
    """Return what pages say: a page answers if a step of it names the command."""
    with_gold = []
    found = HelpLibrary.open(library)
    try:
        for question in questions:
            names = {control_name(path[-1]): path for path in question.gold}
            pages = found.search_words(HelpContext(app=question.program), question.words, 3)
            said = [{control_name(name) for step in match.page.steps for name in step.controls} for match in pages]
            answers = [next((names[name] for name in on_page if name in names), ()) for on_page in said]
            with_gold.append(judge(question, answers))
    finally:
        found.close()
    return with_gold


def key_times_ms(questions: Sequence[AskedCommand], most: int = 12) -> Sequence[float]:
    """Return the CPU of each key while questions are typed over a long list."""
    clock, matcher = SystemClock(), CommandMatcher(many())
    asked = [question.words for question in questions if question.language == "en"]
    times = []
    for words in asked[:: max(len(asked) // most, 1)]:
        for end in range(1, len(words) + 1):
            before_ns = clock.cpu_ns()
            matcher.match(words[:end])
            times.append((clock.cpu_ns() - before_ns) / 1e6)
    return times


def rss_mb() -> float:
    """Return how much memory this process has."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 1e6


def criteria(answers: Sequence[Judged], p95_ms: float, rss: float) -> Sequence[AcceptanceCriterion]:
    """Compare with the limits."""
    said = (AskKind.SAID, AskKind.PARAPHRASE)
    groups: Sequence[tuple[str, float, Callable[[Judged], bool], Callable[[Judged], bool]]] = (
        ("hit_at_1", 0.85, _english, lambda answer: answer.first),
        ("hit_at_3", 0.95, _english, lambda answer: answer.of_three),
        (
            "hit_at_1_without_a_common_stem",
            0.70,
            lambda answer: _english(answer) and answer.kind in said and not answer.shares_stem,
            lambda answer: answer.first,
        ),
        ("german_exact", 0.80, lambda answer: _german(answer, AskKind.EXACT), lambda answer: answer.first),
        ("german_paraphrases", 0.65, lambda answer: _german(answer, *said), lambda answer: answer.first),
        ("nothing_found", 0.80, lambda answer: answer.kind is AskKind.NOTHING, lambda answer: not answer.found),
    )
    found = []
    for name, limit, belongs, counts in groups:
        of_group = [counts(answer) for answer in answers if belongs(answer)]
        found.append(at_least(name, float(np.mean(of_group)) if of_group else 0.0, limit, "of questions"))
    return (*found, at_most("key_cpu_p95", p95_ms, 15.0, "ms"), at_most("rss", rss, 20.0, "MB"))


def _english(answer: Judged) -> bool:
    return answer.language == "en" and answer.kind is not AskKind.NOTHING


def _german(answer: Judged, *kinds: AskKind) -> bool:
    return answer.language == "de" and answer.kind in kinds


def _text(ways: Mapping[str, Sequence[Judged]]) -> list[str]:
    lines = [f"{'':<34}    n  hit@1 (95 %)        hit@3  nothing found"]
    for way, answers in ways.items():
        lines.append(way)
        for name, group in _groups(answers):
            if group:
                lines.append(f"  {name:<32} {_figures(group)}")
    programs = sorted({answer.program for answer in ways["commands"]})
    lines.append("commands, by program")
    for program in programs:
        group = [answer for answer in ways["commands"] if answer.program == program and _english(answer)]
        if group:
            lines.append(f"  {program:<32} {_figures(group)}")
    return lines


def _groups(answers: Sequence[Judged]) -> Sequence[tuple[str, Sequence[Judged]]]:
    found = []
    for code, language in _LANGUAGES.items():
        of_language = [answer for answer in answers if answer.language == code and answer.kind is not AskKind.NOTHING]
        asked = [answer for answer in of_language if answer.kind is not AskKind.EXACT]
        found += [
            (f"{language}, all", of_language),
            (f"{language}, exact", [answer for answer in of_language if answer.kind is AskKind.EXACT]),
            (f"{language}, paraphrases", asked),
            (f"{language}, without a common stem", [answer for answer in asked if not answer.shares_stem]),
        ]
    return (*found, ("nothing answers", [answer for answer in answers if answer.kind is AskKind.NOTHING]))


def _figures(group: Sequence[Judged]) -> str:
    first = wilson(sum(answer.first for answer in group), len(group))
    of_three = np.mean([answer.of_three for answer in group])
    nothing = np.mean([not answer.found for answer in group])
    interval = f"{first.value:.2f} ({first.low:.2f}-{first.high:.2f})"
    return f"{len(group):>4}  {interval:<18}  {of_three:.2f}   {nothing:.2f}"
