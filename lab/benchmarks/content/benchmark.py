"""Indexes the documentation of this machine and asks it for the pages that help in the constructed moments.

The index is made anew in a folder of its own. The moments and the four-way choices made of them follow the rules in
`data/README.md`. What was chosen on the tuning half is compared on the scored half with BM25 on the same words, with
BM25 on titles and with chance; two programs that nothing was tuned on are reported beside it. A search is timed three
times, and the shortest counts: the rest is what else the machine does.

With commands: as an offer chooses in a program whose commands are known, here those that `lab/benchmarks/data/commands`
holds. A command that leads to the goal counts like a page that helps.
"""

import hashlib
import json
import random
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from daemon.figures import intervals
from daemon.figures.resampling import Ints
from daemon.help.context import HelpContext, HelpMatch
from daemon.help.library import HelpLibrary
from daemon.help.library.documentation import Documentation, find_documentation
from daemon.help.library.index import LibraryIndex
from daemon.help.library.ranking import any_of, terms_of
from daemon.help.programs import app_word, programs_read_for
from daemon.help.unasked import CANDIDATES, LEAST_BEHIND, KnownCommands, wanted_command, weigh
from lab.benchmarks.matching.gold import read_lists
from lab.measure import resampling
from lab.measure.benchmark import AcceptanceCriterion, Report, at_least, at_most
from storage.clock import NS_PER_S, SystemClock
from storage.db.connection import open_readonly
from storage.errors import EnvironmentFault
from storage.files import library_file
from storage.plain_text import print_progress
from storage.records import State

MOMENTS = Path(__file__).with_name("data") / "moments.jsonl"
COMMANDS = MOMENTS.with_name("commands.jsonl")


class MomentPart(StrEnum):
    """What a moment is for."""

    TUNING = "tuning"
    SCORED = "scored"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstructedMoment:
    """A constructed moment, what the person wants, and the pages and commands that would help; best pages first."""

    moment_id: str
    part: MomentPart
    program: str
    context: HelpContext
    gold: tuple[str, ...]
    commands: frozenset[tuple[str, ...]] = frozenset()
    goal: str = ""


def read_moments(path: Path = MOMENTS, commands: Path = COMMANDS) -> tuple[ConstructedMoment, ...]:
    """Return all moments, in the order in which they were written."""
    rows = map(json.loads, commands.read_text(encoding="utf-8").splitlines())
    leading = {row["id"]: frozenset(map(tuple, row["commands"])) for row in rows}
    moments = (_moment(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines())
    return tuple(replace(moment, commands=leading.get(moment.moment_id, frozenset())) for moment in moments)


def known_commands() -> Mapping[str, KnownCommands]:
    """Return the recorded English commands by program, as its windows are called."""
    found = {program: KnownCommands(listed) for (program, language), listed in read_lists().items() if language == "en"}
    return found | {"Gimp-2.10": found["gimp"]}


def _moment(row: dict[str, object]) -> ConstructedMoment:
    def text(name: str) -> str:
        return str(row.get(name, ""))

    def texts(name: str) -> tuple[str, ...]:
        found = row.get(name, [])
        return tuple(map(str, found)) if isinstance(found, list) else ()

    context = HelpContext(
        app=text("app"),
        title=text("title"),
        dialog=text("dialog"),
        controls=texts("controls"),
        undone=texts("undone"),
        messages=texts("messages"),
        state=State(text("state")),
        evidence=texts("evidence"),
        words=text("words"),
    )
    moment_id = text("id")
    return ConstructedMoment(
        moment_id=moment_id,
        part=MomentPart(text("part")),
        program=moment_id.rpartition("-")[0],
        context=context,
        gold=texts("gold"),
        goal=text("goal"),
    )


def choices_of(moment: ConstructedMoment, moments: Sequence[ConstructedMoment]) -> tuple[str, ...]:
    """Return the first gold page of a moment and three wrong pages of the same program."""
    others = {other.gold[0] for other in moments if other.program == moment.program} - set(moment.gold)

    def key(page_id: str) -> str:
        return hashlib.sha256(f"{moment.moment_id}/{page_id}".encode()).hexdigest()

    return (moment.gold[0], *sorted(others, key=key)[:3])


DEPTH = 100
"""Pages that a baseline returns; a gold page behind them counts as not found."""

BM25_WEIGHTS = (1.0, 3.0, 3.0, 1.0, 0.3)
"""Of title, keywords, controls, headings and body: the best of 36 on the tuning half (`fit.bm25_weights`)."""


def bm25(
    connection: sqlite3.Connection,
    context: HelpContext,
    *,
    weights: Sequence[float] = BM25_WEIGHTS,
    columns: str = "title keywords controls headings body",
) -> tuple[str, ...]:
    """Return pages by BM25 of all words of the context, with the same stemming and the same programs' pages."""
    parts = ((context.words,), (context.dialog,), context.controls, context.undone, context.messages, (context.title,))
    terms = tuple(dict.fromkeys(term for part in parts for term in terms_of(part)))
    if not terms:
        return ()
    apps = " OR ".join(f'"{app_word(program)}"' for program in programs_read_for(context.app))
    rows = connection.execute(
        "SELECT pages.page_id FROM words JOIN pages ON pages.id = words.rowid WHERE words MATCH ?"
        " ORDER BY bm25(words, 0.0, ?, ?, ?, ?, ?), words.rowid LIMIT ?",
        (f"app : ({apps}) AND {{{columns}}} : ({any_of(terms)})", *weights, DEPTH),
    )
    return tuple(page_id for (page_id,) in rows)


def shuffled(connection: sqlite3.Connection, context: HelpContext, seed: str) -> tuple[str, ...]:
    """Return the pages of the context's programs in an order by chance."""
    programs = programs_read_for(context.app)
    marks = ",".join("?" * len(programs))
    query = f"SELECT page_id FROM pages WHERE app IN ({marks}) ORDER BY page_id"  # noqa: S608  # marks alone
    found = [page_id for (page_id,) in connection.execute(query, programs)]
    random.Random(seed).shuffle(found)  # noqa: S311  # an order, no secret
    return tuple(found)


PACKAGES = {"libreoffice": "libreoffice-help-en-us", "gimp": "gimp-help-en", "mallard/meld": "meld"}
"""Documentation that the moments are about, and the Debian packages that it comes from."""

_TIMED = ("libreoffice", "gimp")
_DEPTH = 100
_SEED = 20_260
_TRIES = 3
_RANKINGS = ("with_commands", "ours", "bm25", "bm25_title", "random")


@dataclass(frozen=True, slots=True, kw_only=True)
class MomentResult:
    """What came of one moment: reciprocal ranks of the first page that helps, by ranking; 0 where none was found."""

    moment_id: str
    program: str
    worded: bool
    with_commands: float
    ours: float
    bm25: float
    bm25_title: float
    random: float
    chosen: bool
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryTime:
    """What one search took, in milliseconds: on the clock on the wall, and of CPU time."""

    wall_ms: float
    cpu_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexResult:
    """What indexing took."""

    cpu_s: float
    size_mb: float
    pages: int
    skipped: int


def measure(part: MomentPart, *, rounds: int, data: Path) -> Report:
    """Index, search and judge.

    Raises:
        EnvironmentFault: documentation that the moments are about is missing.
    """
    moments = read_moments()
    wanted = documentation(data)
    commands = known_commands()
    with TemporaryDirectory(prefix="kairos-bench-") as name:
        folder = Path(name)
        indexed = [index(folder / str(number), wanted) for number in range(rounds)]
        with HelpLibrary.open(folder / "0") as library:
            connection = open_readonly(library_file(folder / "0")).conn
            try:
                results = [
                    judge(library, connection, moment, moments, commands.get(moment.context.app))
                    for moment in moments
                    if moment.part in {part, MomentPart.OTHER}
                ]
            finally:
                connection.close()
            times = query_times(library, moments, rounds=rounds)
    scored = [result for result in results if result.program not in _other_programs(moments)]
    groups = {
        name: summary([result for result in results if result.program == name])
        for name in dict.fromkeys(result.program for result in results)
    }
    groups |= {
        "typed": summary([result for result in scored if result.worded]),
        "untyped": summary([result for result in scored if not result.worded]),
    }
    better = gain(scored)
    p95 = float(np.quantile([time.wall_ms for time in times], 0.95))
    return Report(
        criteria=criteria(scored, better, indexed, p95),
        rounds=[asdict(result) for result in indexed],
        fields={
            "part": part.value,
            "constructed": True,
            "moments": len(scored),
            "all": summary(scored),
            "groups": groups,
            "gain_over_bm25": asdict(better),
            "calibration": calibration(scored),
            "query_cpu_p95_ms": round(float(np.quantile([time.cpu_ms for time in times], 0.95)), 2),
            "results": [asdict(result) for result in results],
        },
        text=_text(part, scored, groups, better),
        notes=("The moments are constructed, not observed: see lab/benchmarks/content/data/README.md.",),
    )


def documentation(data: Path) -> tuple[Documentation, ...]:
    """Return the documentation that the moments are about, in a folder of shared data.

    Raises:
        EnvironmentFault: some of it is missing.
    """
    found = {package.name: package for package in find_documentation(data)}
    missing = [package for name, package in PACKAGES.items() if name not in found]
    if missing:
        raise EnvironmentFault(
            f"documentation that the moments are about is not installed: {', '.join(missing)}",
            remedy=f"sudo apt install {' '.join(missing)}",
        )
    return tuple(found[name] for name in PACKAGES)


def index(folder: Path, wanted: Sequence[Documentation]) -> IndexResult:
    """Make an index in a folder; return what the two packages of the limits took, read from the process's own clock."""
    clock = SystemClock()
    cpu_ns = pages = skipped = 0
    size = 0
    path = library_file(folder)
    with LibraryIndex.open(path) as library:
        for documents in sorted(wanted, key=lambda each: each.name not in _TIMED):
            print_progress(f"indexing {documents.label}")
            before_ns = clock.cpu_ns()
            report = library.add(documents)
            if documents.name in _TIMED:
                cpu_ns += clock.cpu_ns() - before_ns
                pages += report.pages
                skipped += len(report.skipped)
                size = path.stat().st_size
    return IndexResult(cpu_s=round(cpu_ns / NS_PER_S, 3), size_mb=round(size / 1e6, 2), pages=pages, skipped=skipped)


def judge(
    library: HelpLibrary,
    connection: sqlite3.Connection,
    moment: ConstructedMoment,
    moments: Sequence[ConstructedMoment],
    known: KnownCommands | None = None,
) -> MomentResult:
    """Rank the pages for one moment in all ways, with the commands of the program too, and make the four-way choice."""
    matches = library.search_program(moment.context, _DEPTH, least=0.0)
    ours = reciprocal_rank([match.page.page_id for match in matches], moment.gold)
    choices = choices_of(moment, moments)
    return MomentResult(
        moment_id=moment.moment_id,
        program=moment.program,
        worded=bool(moment.context.words),
        with_commands=rank_with_commands(moment, matches, known) if known is not None else ours,
        ours=ours,
        bm25=reciprocal_rank(bm25(connection, moment.context), moment.gold),
        bm25_title=reciprocal_rank(bm25(connection, moment.context, columns="title"), moment.gold),
        random=reciprocal_rank(shuffled(connection, moment.context, moment.moment_id), moment.gold),
        chosen=library.compare(moment.context, choices)[:1] == choices[:1],
        score=matches[0].score if matches else 0.0,
    )


def rank_with_commands(moment: ConstructedMoment, matches: Sequence[HelpMatch], known: KnownCommands) -> float:
    """Return 1 / the place of the first page or command that helps; typed words are what a model would say."""
    near = [match for place, match in enumerate(matches[:CANDIDATES]) if not place or match.score >= LEAST_BEHIND]
    pages = weigh(near, moment.context, known, CANDIDATES)
    behind = reciprocal_rank([match.page.page_id for match in pages], moment.gold)
    found = wanted_command(replace(moment.context, wanted=tuple(filter(None, (moment.context.words,)))), known, pages)
    if found is None:
        return behind
    if found.command.path in moment.commands:
        return 1.0
    return 1 / (1 / behind + 1) if behind else 0.0


def reciprocal_rank(found: Sequence[str], gold: Sequence[str]) -> float:
    """Return 1 / the place of the first page that helps, 0 where there is none."""
    return next((1 / place for place, page_id in enumerate(found, 1) if page_id in gold), 0.0)


def query_times(library: HelpLibrary, moments: Sequence[ConstructedMoment], *, rounds: int) -> list[QueryTime]:
    """Return what each search took."""
    clock = SystemClock()
    times: list[QueryTime] = []
    for _ in range(rounds):
        for moment in moments:
            tries = []
            for _ in range(_TRIES):
                began_ns, cpu_ns = clock.now_ns(), clock.cpu_ns()
                library.search(moment.context)
                tries.append(((clock.now_ns() - began_ns) / 1e6, (clock.cpu_ns() - cpu_ns) / 1e6))
            times.append(QueryTime(wall_ms=min(wall for wall, _ in tries), cpu_ms=min(cpu for _, cpu in tries)))
    return times


def summary(results: Sequence[MomentResult]) -> dict[str, float]:
    """Return the figures of some moments, of every ranking."""
    found: dict[str, float] = {"moments": len(results)}
    for name in _RANKINGS:
        ranks = np.array([getattr(result, name) for result in results])
        found |= {
            f"{name}_hit1": float(np.mean(ranks == 1)),
            f"{name}_hit3": float(np.mean(ranks >= 1 / 3)),
            f"{name}_reciprocal": float(np.mean(ranks)),
        }
    found["choice"] = float(np.mean([result.chosen for result in results]))
    return {name: round(value, 3) for name, value in found.items()}


def gain(results: Sequence[MomentResult]) -> intervals.Interval:
    """Return how much better the mean reciprocal rank is than that of BM25, paired by moment."""
    difference = np.array([result.ours - result.bm25 for result in results])
    figure: Callable[[Ints], float] = lambda rows: float(np.mean(difference[rows]))  # noqa: E731  # typed in place
    return resampling.bootstrap(np.arange(len(results)), figure, rng=np.random.default_rng(_SEED))


def calibration(results: Sequence[MomentResult]) -> dict[str, float]:
    """Compare the probability stated for the first page with how often it helps."""
    stated = np.array([result.score for result in results])
    helps = np.array([result.ours == 1 for result in results], dtype=float)
    return {
        "stated": round(float(stated.mean()), 3),
        "helps": round(float(helps.mean()), 3),
        "brier": round(float(np.mean((stated - helps) ** 2)), 3),
        "brier_constant": round(float(helps.mean() * (1 - helps.mean())), 3),
    }


def criteria(
    scored: Sequence[MomentResult], better: intervals.Interval, indexed: Sequence[IndexResult], p95_ms: float
) -> list[AcceptanceCriterion]:
    """Compare with the limits."""
    figures = summary(scored)
    return [
        at_least("hit_at_1", figures["ours_hit1"], 0.60, "of moments"),
        at_least("hit_at_3", figures["ours_hit3"], 0.80, "of moments"),
        at_least("with_commands_hit_at_1", figures["with_commands_hit1"], 0.55, "of moments"),
        at_least("reciprocal_rank_over_bm25_low", better.low, 0.001, "lower end of 95 %"),
        at_least("choice_of_four", figures["choice"], 0.65, "of moments"),
        at_most("index_cpu", float(np.median([result.cpu_s for result in indexed])), 5.0, "s"),
        at_most("index_size", max(result.size_mb for result in indexed), 30.0, "MB"),
        at_most("query_p95", p95_ms, 20.0, "ms"),
    ]


def _other_programs(moments: Sequence[ConstructedMoment]) -> set[str]:
    return {moment.program for moment in moments if moment.part is MomentPart.OTHER}


def _text(
    part: MomentPart, scored: Sequence[MomentResult], groups: dict[str, dict[str, float]], better: intervals.Interval
) -> list[str]:
    lines = [f"{len(scored)} constructed moments ({part.value})", "", f"{'':<14} hit@1  hit@3   MRR"]
    figures = summary(scored)
    for name in _RANKINGS:
        of_name = [figures[f"{name}_{figure}"] for figure in ("hit1", "hit3", "reciprocal")]
        lines.append(f"{name:<14}" + "".join(f" {value:>5.2f} " for value in of_name))
    lines += ["", f"MRR over BM25: {better.value:+.3f} [{better.low:+.3f}, {better.high:+.3f}], paired", ""]
    lines += [
        f"{name:<12} n={figure['moments']:<3.0f} hit@1 {figure['ours_hit1']:.2f}  hit@3 {figure['ours_hit3']:.2f}"
        f"  MRR {figure['ours_reciprocal']:.2f} (BM25 {figure['bm25_reciprocal']:.2f})  choice {figure['choice']:.2f}"
        for name, figure in groups.items()
    ]
    return lines
