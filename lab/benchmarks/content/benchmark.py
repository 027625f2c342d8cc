"""Indexes the documentation of this machine and asks it for the pages that help in the constructed moments.

The index is made anew in a folder of its own. What was chosen on the tuning half is compared on the scored half with
BM25 on the same words, with BM25 on titles and with chance; two programs that nothing was tuned on are reported beside
it. A search is timed three times, and the shortest counts: the rest is what else the machine does.
"""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from daemon.figures import intervals, resampling
from daemon.help.library import HelpLibrary
from daemon.help.library.documentation import Documentation, find_documentation
from daemon.help.library.index import LibraryIndex
from daemon.text import print_progress
from lab.benchmarks.content.baselines import bm25, shuffled
from lab.benchmarks.content.moments import Moment, Part, choices_of, read_moments
from lab.measure.benchmark import Report
from lab.measure.criteria import AcceptanceCriterion, at_least, at_most
from storage.clock import NS_PER_S, SystemClock
from storage.db import open_readonly
from storage.errors import EnvironmentFault
from storage.paths import library_file

PACKAGES = {"libreoffice": "libreoffice-help-en-us", "gimp": "gimp-help-en", "mallard/meld": "meld"}
"""Documentation that the moments are about, and the Debian packages that it comes from."""

_TIMED = ("libreoffice", "gimp")
_DEPTH = 100
_SEED = 20_260
_TRIES = 3
_RANKINGS = ("ours", "bm25", "bm25_title", "random")


@dataclass(frozen=True, slots=True, kw_only=True)
class MomentResult:
    """What came of one moment: reciprocal ranks of the first page that helps, by ranking; 0 where none was found."""

    moment_id: str
    program: str
    worded: bool
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


def measure(part: Part, *, rounds: int) -> Report:
    """Index, search and judge.

    Raises:
        EnvironmentFault: documentation that the moments are about is missing.
    """
    moments = read_moments()
    wanted = documentation()
    with TemporaryDirectory(prefix="kairos-bench-") as name:
        folder = Path(name)
        indexed = [index(folder / str(number), wanted) for number in range(rounds)]
        with HelpLibrary.open(folder / "0") as library:
            connection = open_readonly(library_file(folder / "0")).conn
            try:
                results = [
                    judge(library, connection, one, moments) for one in moments if one.part in {part, Part.OTHER}
                ]
            finally:
                connection.close()
            times = query_times(library, moments, rounds=rounds)
    scored = [one for one in results if one.program not in _other_programs(moments)]
    groups = {
        name: summary([one for one in results if one.program == name])
        for name in dict.fromkeys(one.program for one in results)
    }
    groups |= {
        "typed": summary([one for one in scored if one.worded]),
        "untyped": summary([one for one in scored if not one.worded]),
    }
    better = gain(scored)
    p95 = float(np.quantile([one.wall_ms for one in times], 0.95))
    return Report(
        criteria=criteria(scored, better, indexed, p95),
        rounds=[asdict(one) for one in indexed],
        fields={
            "part": part.value,
            "constructed": True,
            "moments": len(scored),
            "all": summary(scored),
            "groups": groups,
            "gain_over_bm25": asdict(better),
            "calibration": calibration(scored),
            "query_cpu_p95_ms": round(float(np.quantile([one.cpu_ms for one in times], 0.95)), 2),
            "results": [asdict(one) for one in results],
        },
        text=_text(part, scored, groups, better),
        notes=("The moments are constructed, not observed: see lab/benchmarks/content/data/README.md.",),
    )


def documentation() -> tuple[Documentation, ...]:
    """Return the documentation that the moments are about.

    Raises:
        EnvironmentFault: some of it is missing.
    """
    found = {one.name: one for one in find_documentation()}
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
        for one in sorted(wanted, key=lambda each: each.name not in _TIMED):
            print_progress(f"indexing {one.label}")
            before_ns = clock.cpu_ns()
            report = library.add(one)
            if one.name in _TIMED:
                cpu_ns += clock.cpu_ns() - before_ns
                pages += report.pages
                skipped += len(report.skipped)
                size = path.stat().st_size
    return IndexResult(cpu_s=round(cpu_ns / NS_PER_S, 3), size_mb=round(size / 1e6, 2), pages=pages, skipped=skipped)


def judge(
    library: HelpLibrary, connection: sqlite3.Connection, moment: Moment, moments: Sequence[Moment]
) -> MomentResult:
    """Rank the pages for one moment in all ways, and make the four-way choice."""
    matches = library.search_program(moment.context, _DEPTH, least=0.0)
    choices = choices_of(moment, moments)
    return MomentResult(
        moment_id=moment.moment_id,
        program=moment.program,
        worded=bool(moment.context.words),
        ours=reciprocal_rank([match.page.page_id for match in matches], moment.gold),
        bm25=reciprocal_rank(bm25(connection, moment.context), moment.gold),
        bm25_title=reciprocal_rank(bm25(connection, moment.context, columns="title"), moment.gold),
        random=reciprocal_rank(shuffled(connection, moment.context, moment.moment_id), moment.gold),
        chosen=library.compare(moment.context, choices)[:1] == choices[:1],
        score=matches[0].score if matches else 0.0,
    )


def reciprocal_rank(found: Sequence[str], gold: Sequence[str]) -> float:
    """Return 1 / the place of the first page that helps, 0 where there is none."""
    return next((1 / place for place, page_id in enumerate(found, 1) if page_id in gold), 0.0)


def query_times(library: HelpLibrary, moments: Sequence[Moment], *, rounds: int) -> list[QueryTime]:
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
        ranks = np.array([getattr(one, name) for one in results])
        found |= {
            f"{name}_hit1": float(np.mean(ranks == 1)),
            f"{name}_hit3": float(np.mean(ranks >= 1 / 3)),
            f"{name}_reciprocal": float(np.mean(ranks)),
        }
    found["choice"] = float(np.mean([one.chosen for one in results]))
    return {name: round(value, 3) for name, value in found.items()}


def gain(results: Sequence[MomentResult]) -> intervals.Interval:
    """Return how much better the mean reciprocal rank is than that of BM25, paired by moment."""
    difference = np.array([one.ours - one.bm25 for one in results])
    figure: Callable[[resampling.Ints], float] = lambda rows: float(np.mean(difference[rows]))  # noqa: E731  # typed in place
    return resampling.bootstrap(np.arange(len(results)), figure, rng=np.random.default_rng(_SEED))


def calibration(results: Sequence[MomentResult]) -> dict[str, float]:
    """Compare the probability stated for the first page with how often it helps."""
    stated = np.array([one.score for one in results])
    helps = np.array([one.ours == 1 for one in results], dtype=float)
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
        at_least("reciprocal_rank_over_bm25_low", better.low, 0.001, "lower end of 95 %"),
        at_least("choice_of_four", figures["choice"], 0.65, "of moments"),
        at_most("index_cpu", float(np.median([one.cpu_s for one in indexed])), 5.0, "s"),
        at_most("index_size", max(one.size_mb for one in indexed), 30.0, "MB"),
        at_most("query_p95", p95_ms, 20.0, "ms"),
    ]


def _other_programs(moments: Sequence[Moment]) -> set[str]:
    return {one.program for one in moments if one.part is Part.OTHER}


def _text(
    part: Part, scored: Sequence[MomentResult], groups: dict[str, dict[str, float]], better: intervals.Interval
) -> list[str]:
    lines = [f"{len(scored)} constructed moments ({part.value})", "", f"{'':<12} hit@1  hit@3   MRR"]
    figures = summary(scored)
    for name in _RANKINGS:
        of_name = [figures[f"{name}_{figure}"] for figure in ("hit1", "hit3", "reciprocal")]
        lines.append(f"{name:<12}" + "".join(f" {value:>5.2f} " for value in of_name))
    lines += ["", f"MRR over BM25: {better.value:+.3f} [{better.low:+.3f}, {better.high:+.3f}], paired", ""]
    lines += [
        f"{name:<12} n={figure['moments']:<3.0f} hit@1 {figure['ours_hit1']:.2f}  hit@3 {figure['ours_hit3']:.2f}"
        f"  MRR {figure['ours_reciprocal']:.2f} (BM25 {figure['bm25_reciprocal']:.2f})  choice {figure['choice']:.2f}"
        for name, figure in groups.items()
    ]
    return lines
