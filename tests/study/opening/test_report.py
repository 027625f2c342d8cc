"""`kairos study report`: rows become columns with the probability of an offer, the fixed outcome comes first."""

from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from participant.documents.rows import AnswerRow, PointRow
from policies.arms import assign
from policies.state import Randomizer
from storage.errors import UsageError
from study.opening.columns import MASKED, propensity_of_offer, read_points, read_questions
from study.opening.report import fit_points
from study.opening.tables import read_tables
from tests.fakes.studies.collected_study import CollectedStudy, change_data, lived

PEOPLE = 24


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> CollectedStudy:
    study = CollectedStudy.make(tmp_path_factory.mktemp("opened"), people=PEOPLE)
    study.open()
    return study


def rows_of(study: CollectedStudy, kind: type[Any]) -> list[tuple[str, Any]]:
    senders = sorted(study.senders[:-1], key=lambda one: one.participant)
    return [(sender.participant, row) for sender in senders for row in lived(sender) if isinstance(row, kind)]


def test_the_probability_of_the_action_becomes_that_of_an_offer() -> None:
    """A row says with which probability what was done was done; a lot of .2 that withheld has .8 in its row."""
    randomizer, chance = Randomizer(seed=3), 0.2
    actions, logged = [], []
    for _ in range(500):
        randomizer, offered = assign(randomizer, chance, "")
        actions.append("offer" if offered else "withheld")
        logged.append(chance if offered else 1.0 - chance)
    actions += ["none", "offer", "withheld"]
    logged += [1.0, 1.0, 1.0]
    found = propensity_of_offer(np.array(actions), np.array(logged))
    assert set(actions) == {"offer", "withheld", "none"}
    assert found[:500] == pytest.approx(np.full(500, chance))
    assert found[500:].tolist() == [0.0, 1.0, 0.0]


def test_points_are_what_was_sent(opened: CollectedStudy) -> None:
    with read_tables(opened.folder) as tables:
        found = read_points(tables, "recovered")
    sent = rows_of(opened, PointRow)
    assert [found.people[number] for number in found.points.person] == [who for who, _ in sent]
    rows = [row for _, row in sent]
    assert found.points.available.tolist() == [row.gate is None for row in rows]
    assert found.points.offered.tolist() == [row.action == "offer" for row in rows]
    assert found.points.propensity.tolist() == [0.0 if row.action == "none" else 0.5 for row in rows]
    assert found.points.accepted.tolist() == [row.response == "accepted" for row in rows]
    assert 0 < int(found.points.accepted.sum()) < int(found.points.offered.sum())
    assert found.points.need.tolist() == [row.need for row in rows]
    known = [row.outcomes.watched_s >= 240 for row in rows]
    assert np.isfinite(found.points.outcome).tolist() == known
    assert 0 < known.count(False) < len(known) / 5
    outcomes = [float(row.outcomes.recovered) for row, here in zip(rows, known, strict=True) if here]
    assert found.points.outcome[known].tolist() == outcomes
    assert int(found.wanted.sum()) == sum(row.action != "none" for row in rows)
    assert int(found.used.sum()) == sum(row.action != "none" and row.outcomes.watched_s >= 240 for row in rows)


@pytest.mark.parametrize("outcome", ["need", "active_s", "undos"])
def test_each_outcome_is_read_from_its_column(opened: CollectedStudy, outcome: str) -> None:
    with read_tables(opened.folder) as tables:
        found = read_points(tables, outcome)
    rows = [row for _, row in rows_of(opened, PointRow)]
    known = np.isfinite(found.points.outcome)
    sent = [getattr(row.outcomes, outcome) for row, here in zip(rows, known, strict=True) if here]
    assert found.points.outcome[known].tolist() == sent


def test_an_answer_belongs_to_the_point_before_it(opened: CollectedStudy) -> None:
    with read_tables(opened.folder) as tables:
        found = read_points(tables, "answer:stuck")
    wanted = {(who, row.day, row.minute - 3): row for who, row in rows_of(opened, AnswerRow)}
    expected = [wanted.get((who, row.day, row.minute)) for who, row in rows_of(opened, PointRow)]
    assert found.eligible.tolist() == [row is not None and row.step != "not_drawn" for row in expected]
    answers = [row.choices.get("stuck") if row is not None else None for row in expected]
    assert [None if np.isnan(outcome) else outcome for outcome in found.points.outcome.tolist()] == answers
    assert 20 < int(found.used.sum()) < int(found.wanted.sum()) < int(found.points.drawn.sum()) / 3


def test_questions_are_counted_by_code_and_moment(opened: CollectedStudy) -> None:
    """Those that the lot left out were never due."""
    with read_tables(opened.folder) as tables:
        asked, whole = read_questions(tables, ["stuck", "bad_moment"])
    due = [row for _, row in rows_of(opened, AnswerRow) if row.step != "not_drawn"]
    assert Counter(whole.ended.tolist()) == Counter(row.step for row in due)
    assert len(asked.ended) == 2 * len(due)
    stuck = asked.value[np.char.startswith(asked.question, "stuck")]
    assert np.nansum(stuck) == sum(row.choices.get("stuck", 0) for row in due)


def test_the_page_has_the_planted_effect_and_what_it_rests_on(opened: CollectedStudy, run: Any, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    found = run("report", opened.folder, "--unblind", "--simulated", "--out", path, "--json")
    assert found.code == 0
    with read_tables(opened.folder) as tables:
        one = fit_points(read_points(tables, "recovered")).effects[0]
    assert found.json["outcome"]["fit"]["effects"][0]["estimate"] == pytest.approx(one.estimate, rel=1e-12)
    assert one.low < 0.3 < one.high
    assert one.low > 0.0
    html = path.read_text()
    headings = [
        "Simulated: nobody took part", "Fixed outcome: recovered", "Who took part", "Which outcomes are missing?",
        "Were the assignments fair?", "Problems and gaps", ">Exploratory<", "Had another policy decided",
        "Words on this page",
    ]  # fmt: skip
    places = [html.index(heading) for heading in headings]
    assert places == sorted(places)
    assert f"{one.estimate:+.3f}" in html
    missing = {row["lot"]: row for row in found.json["quality"]["missing"]}
    points = [row for _, row in rows_of(opened, PointRow)]
    for lot, action in (("offer", "offer"), ("no offer", "withheld")):
        here = [row.outcomes.watched_s < 240 for row in points if row.action == action]
        assert (missing[lot]["points"], missing[lot]["missing"]) == (len(here), sum(here))
    assert (opened.folder / "unblinded.jsonl").read_text().count('"command":"report"') == 1


def test_while_the_study_runs_no_arm_and_no_effect_is_on_the_page(opened: CollectedStudy, run: Any) -> None:
    """The control: unblinded both are; looking at the masked page is not written down."""
    noted = opened.folder / "unblinded.jsonl"
    before = noted.read_text() if noted.exists() else ""
    masked = run("report", opened.folder)
    html = (opened.folder / "report.html").read_text()
    assert "masked" in masked.out
    assert MASKED in html
    assert "stuck, after an offer, made or withheld" in html
    hidden = ("effect of an offer on average", "<td>help</td>", "<td>control</td>", "Fixed outcome", "after an offer<")
    assert [words for words in (*hidden, "doubly") if words in html] == []
    assert run("report", opened.folder, "--json").json["outcome"]["fit"] is None
    assert (noted.read_text() if noted.exists() else "") == before
    run("report", opened.folder, "--unblind")
    shown = (opened.folder / "report.html").read_text()
    assert [words for words in (*hidden[1:], "doubly robust") if words not in shown] == []


def test_the_outcome_is_the_one_that_was_signed(study: CollectedStudy, run: Any) -> None:
    study.open()
    path = study.folder / "study.toml"
    path.write_text(path.read_text().replace('outcome = "recovered"', 'outcome = "undos"'))
    assert 'outcome = "undos"' in path.read_text()
    found = run("report", study.folder, "--unblind", "--json").json
    assert found["outcome"]["outcome"].startswith("recovered")
    assert any(effect["outcome"].startswith("undo keys") for effect in found["exploratory"])


def test_too_few_people_are_said_and_stop_nothing(study: CollectedStudy, run: Any) -> None:
    with pytest.raises(UsageError, match=r"nothing of .* was opened yet"):
        study.read("SELECT 1")
    help_only = [sender.participant for sender in study.senders[:-1] if sender.arm == "help"]
    change_data(study.data, "DELETE FROM parcels WHERE participant NOT IN (?, ?)", *help_only[:2])
    study.open()
    found = run("report", study.folder, "--unblind")
    assert "cannot be estimated" in found.out
    html = (study.folder / "report.html").read_text()
    assert "people are too few" in html
    assert "Who took part" in html


def test_made_up_rows_are_said_before_any_figure(opened: CollectedStudy, run: Any, tmp_path: Path) -> None:
    """One forged probability can decide an estimate; of honest rows nothing is said (the control)."""
    opened = opened.copy(tmp_path)
    honest = run("report", opened.folder, "--unblind", "--json").json
    assert honest["quality"]["misfits"] == 0
    assert "do not fit the study" not in (opened.folder / "report.html").read_text()
    first = "(participant, n, place) = (SELECT (participant, n, place) FROM points WHERE action = 'offer' ORDER BY ALL"
    with duckdb.connect(opened.folder / "opened" / "tables.duckdb") as tables:
        tables.execute(f"UPDATE points SET propensity = 1e-9, watched_s = 300, undos = 9 WHERE {first} LIMIT 1)")  # noqa: S608  # constants
    forged = run("report", opened.folder, "--unblind", "--json").json
    assert forged["quality"]["misfits"] == 2  # its probability, and that such a lot would have said no offer
    html = (opened.folder / "report.html").read_text()
    assert html.index("do not fit the study") < html.index("Fixed outcome")
    assert "kairos study audit" in run("report", opened.folder).out
    assert "do not fit the study" in (opened.folder / "report.html").read_text()


def test_a_day_that_was_counted_twice_is_one_day(opened: CollectedStudy, run: Any, tmp_path: Path) -> None:
    opened = opened.copy(tmp_path)
    before = run("report", opened.folder, "--json").json["quality"]
    with duckdb.connect(opened.folder / "opened" / "tables.duckdb") as tables:
        tables.execute("INSERT INTO days SELECT * REPLACE (place + 1000 AS place) FROM days")
    after = run("report", opened.folder, "--json").json["quality"]
    assert (after["days"], after["hours"]) == (before["days"], 2 * before["hours"])
