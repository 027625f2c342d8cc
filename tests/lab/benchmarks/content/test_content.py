"""The benchmark of content: its moments keep their rules, and its figures fail when the ranking does."""

import json
from collections import Counter
from pathlib import Path

import pytest

from daemon.help.commands.command import Command, CommandList
from daemon.help.context import HelpContext, HelpMatch
from daemon.help.unasked import KnownCommands
from lab.benchmarks.content import benchmark
from lab.benchmarks.content.benchmark import (
    MOMENTS,
    ConstructedMoment,
    MomentPart,
    MomentResult,
    calibration,
    choices_of,
    criteria,
    gain,
    known_commands,
    measure,
    rank_with_commands,
    read_moments,
    reciprocal_rank,
    summary,
)
from lab.benchmarks.content.fit import fit, write
from storage.db.connection import open_readonly
from storage.files import library_file
from storage.messages import EVIDENCE
from storage.ports import HelpPage, HelpStep
from tests.fakes.help.documentation import index_of, write_documentation

INDEXED = benchmark.IndexResult(cpu_s=1.0, size_mb=1.0, pages=6, skipped=0)


def result(name: str, ours: float, bm25: float, *, chosen: bool = True) -> MomentResult:
    return MomentResult(
        moment_id=name,
        program="calc",
        worded=True,
        with_commands=ours,
        ours=ours,
        bm25=bm25,
        bm25_title=0.0,
        random=0.0,
        chosen=chosen,
        score=0.5,
    )


def held(results: list[MomentResult]) -> dict[str, bool]:
    return {criterion.name: criterion.ok for criterion in criteria(results, gain(results), [INDEXED], 10.0)}


def test_the_moments_keep_their_rules() -> None:
    moments = read_moments()
    assert Counter(moment.part for moment in moments) == {
        MomentPart.TUNING: 60,
        MomentPart.SCORED: 60,
        MomentPart.OTHER: 20,
    }
    assert len({moment.moment_id for moment in moments}) == 140
    assert {moment.program for moment in moments if moment.part is not MomentPart.OTHER} == {
        "writer",
        "calc",
        "impress",
        "draw",
        "gimp",
    }
    for moment in moments:
        assert moment.gold
        assert len(set(moment.gold)) == len(moment.gold)
        assert set(moment.context.evidence) <= EVIDENCE.keys()
        assert moment.context.controls


def test_no_search_is_given_the_goal() -> None:
    goals = [json.loads(line)["goal"] for line in MOMENTS.read_text(encoding="utf-8").splitlines()]
    for goal, moment in zip(goals, read_moments(), strict=True):
        assert goal
        if len(goal.split()) < 3:  # a word of it may be the name of a file
            continue
        assert goal not in repr(moment.context)


def test_commands_that_help_are_in_the_list_of_their_program() -> None:
    known = known_commands()
    paths = {app: {command.path for command in found.commands.commands} for app, found in known.items()}
    moments = [moment for moment in read_moments() if moment.part is not MomentPart.OTHER]
    assert all(moment.commands <= paths[moment.context.app] for moment in moments)
    assert {moment.moment_id for moment in moments if not moment.commands} == {"writer-30", "gimp-18"}


@pytest.mark.parametrize(
    ("words", "controls", "rank"),
    [
        ("", (), 0.5),
        ("", ("Cells...",), 1.0),  # the page about what was used comes later
        ("Protect Sheet", (), 1.0),
        ("Freeze Rows", (), 1 / 3),
        ("Freeze Rows", ("Freeze Rows",), 0.5),
    ],
)
def test_a_command_that_leads_to_the_goal_counts_like_a_page(
    words: str, controls: tuple[str, ...], rank: float
) -> None:
    paths = (("Format", "Cells"), ("Tools", "Protect Sheet"), ("View", "Freeze Rows"))
    known = KnownCommands(CommandList(app="calc", commands=tuple(Command(path=path) for path in paths), language="en"))
    moment = ConstructedMoment(
        moment_id="calc-1",
        part=MomentPart.TUNING,
        program="calc",
        context=HelpContext(app="calc", words=words, controls=controls),
        gold=("sheet",),
        commands=frozenset({("Tools", "Protect Sheet")}),
    )
    pages = [
        HelpPage(page_id=name, title=name, steps=(HelpStep(text="Do it", controls=path),), source="")
        for name, path in zip(("cells", "sheet"), paths[:2], strict=True)
    ]
    matches = [HelpMatch(page=page, score=0.4 - number / 20) for number, page in enumerate(pages)]
    assert rank_with_commands(moment, matches, known) == pytest.approx(rank)


def test_a_choice_has_one_right_answer_and_three_pages_of_the_same_program() -> None:
    moments = read_moments()
    for moment in moments:
        choices = choices_of(moment, moments)
        firsts = {other.gold[0] for other in moments if other.program == moment.program}
        assert choices[0] == moment.gold[0]
        assert len(set(choices)) == 4
        assert set(choices) <= firsts
        assert not set(choices[1:]) & set(moment.gold)
        assert choices == choices_of(moment, tuple(reversed(moments)))


def test_a_good_ranking_holds_and_a_bad_one_misses() -> None:
    good = [result(str(number), 1.0, 0.5) for number in range(20)]
    bad = [result(str(number), 0.2, 0.2, chosen=False) for number in range(20)]
    assert all(held(good).values())
    missed = {name for name, ok in held(bad).items() if not ok}
    assert missed == {
        "hit_at_1",
        "hit_at_3",
        "with_commands_hit_at_1",
        "choice_of_four",
        "reciprocal_rank_over_bm25_low",
    }


def test_summary_and_calibration_say_what_was_found() -> None:
    results = [result("a", 1.0, 0.5), result("b", 0.5, 1.0), result("c", 0.25, 0.0), result("d", 0.0, 0.0)]
    figures = summary(results)
    assert (figures["ours_hit1"], figures["ours_hit3"], figures["ours_reciprocal"]) == (0.25, 0.5, 0.438)
    assert calibration(results) == {"stated": 0.5, "helps": 0.25, "brier": 0.25, "brier_constant": 0.188}


def test_where_no_page_is_the_right_one_the_bars_are_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny = write_documentation(tmp_path / "pages")
    monkeypatch.setattr(benchmark, "documentation", lambda data: (tiny,) if data == tmp_path else ())
    report = measure(MomentPart.TUNING, rounds=1, data=tmp_path)
    bars = {criterion.name: criterion.ok for criterion in report.criteria}
    assert not any(bars[name] for name in ("hit_at_1", "hit_at_3", "reciprocal_rank_over_bm25_low", "choice_of_four"))
    assert report.fields["constructed"] is True
    assert len(report.fields["results"]) == 80


def test_a_fit_ranks_what_it_was_fitted_on(tmp_path: Path) -> None:
    index_of(tmp_path, write_documentation(tmp_path / "pages"))
    database = open_readonly(library_file(tmp_path))
    ids = {title: page_id for page_id, title in database.execute("SELECT page_id, title FROM pages")}
    wanted = {"Freezing rows": "rows sight", "Rotating a picture": "horizon", "Merging branches": "merge branches"}
    moments = [
        ConstructedMoment(
            moment_id=title,
            part=MomentPart.TUNING,
            program="painter",
            context=HelpContext(app="painter", words=words),
            gold=(ids[title],),
        )
        for title, words in (*wanted.items(), *wanted.items(), *wanted.items())
    ]
    found = fit(database.conn, moments)
    database.close()
    assert (found.folds_hit1, found.folds_reciprocal) == (1.0, 1.0)
    write(tmp_path / "ranking.json", found)
    assert json.loads((tmp_path / "ranking.json").read_text())["features"] == dict(sorted(found.features.items()))


def test_reciprocal_rank_counts_the_first_page_that_helps() -> None:
    assert [reciprocal_rank(found, ("b", "c")) for found in (["b"], ["a", "c", "b"], ["a"], [])] == [1.0, 0.5, 0.0, 0.0]


def test_being_worse_than_bm25_is_missed() -> None:
    results = [result(str(number), 1.0 if number < 19 else 0.5, 1.0) for number in range(20)]
    assert not held(results)["reciprocal_rank_over_bm25_low"]


def test_the_gain_is_paired_by_moment() -> None:
    results = [result(str(number), 1.0 / (1 + number % 5), 0.9 / (1 + number % 5)) for number in range(50)]
    found = gain(results)
    assert 0 < found.low < found.value < found.high < 0.1
