"""`kairos study audit --study`: lots of the rows in the tables are drawn again, and an altered row is named."""

# ruff: noqa: S608  # statements of the tests' own

from typing import Any

import pytest

from study.audit.tables import TablesAudit, audit_tables
from study.opening.tables import read_tables, tables_file
from study.researcher.folder import StudyFolder
from tests.fakes.studies.collected_study import CollectedStudy

WHERE = "participant = (SELECT min(participant) FROM points WHERE action = 'offer')"


def audit(study: CollectedStudy) -> TablesAudit:
    plans = {bundle.plan.version: bundle.plan for bundle, _ in StudyFolder(study.folder).bundles()}
    with read_tables(study.folder) as tables:
        return audit_tables(tables, plans)


def test_every_lot_follows_from_its_seed(opened: CollectedStudy) -> None:
    found = audit(opened)
    assert found.findings == []
    ((drawn,),) = opened.query("SELECT count(*) FROM points WHERE action != 'none'")
    ((asked,),) = opened.query("SELECT count(*) FROM answers WHERE moment != 'random'")
    assert (found.people, found.lots, found.missing_lots, found.questions) == (5, drawn, 0, asked)
    assert drawn > 50
    assert abs(found.asked_z) < 3


PLACE = "(participant, n, place)"
FIRST = f"{PLACE} = (SELECT {PLACE} FROM points WHERE action = 'offer' AND {WHERE} ORDER BY n, place LIMIT 1)"
ASKED = f"{PLACE} = (SELECT {PLACE} FROM answers WHERE step = 'answered' AND {WHERE} ORDER BY n, place LIMIT 1)"


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (f"UPDATE points SET action = 'withheld' WHERE {FIRST}", "says an offer"),
        (f"UPDATE points SET propensity = 0.6 WHERE {FIRST}", "its probability is not the one that the study gives"),
        (f"UPDATE points SET propensity = 1.0 WHERE {FIRST}", "nothing was left to chance"),
        (f"UPDATE points SET assignment_number = NULL WHERE {FIRST}", "does not say the number of its assignment"),
        (f"UPDATE points SET arm = 'control' WHERE {FIRST}", "names another arm than the list"),
        (f"UPDATE points SET phase = 'baseline' WHERE {FIRST}", "is in the phase trial and not baseline"),
        (f"UPDATE points SET gate = 'budget', propensity = 1, assignment_number = NULL WHERE {FIRST}", "its action is"),
        (f"UPDATE answers SET probability = 0.5 WHERE {ASKED}", "its probability is 0.25 and not 0.5"),
        (f"UPDATE answers SET step = 'expired' WHERE {ASKED}", "it is expired, and has 2 answers"),
        (f"UPDATE answers SET choices = MAP {{'stuck': 5::SMALLINT}} WHERE {ASKED}", "what the study does not ask"),
        (f"UPDATE answers SET moment = 'random' WHERE {ASKED}", "its probability is 1 and not 0.25"),
    ],
)
def test_an_altered_row_is_named(opened: CollectedStudy, change: str, what: str) -> None:
    table = change.split()[1]
    rows = f"SELECT participant, n, place, row(*COLUMNS(*))::VARCHAR FROM {table}"
    before = set(opened.query(rows))
    opened.alter(change)
    ((participant, n, place, _),) = set(opened.query(rows)) - before
    found = audit(opened).findings
    where = {(finding.participant, finding.n, finding.place, finding.table) for finding in found}
    assert where == {(participant, n, place, table)}
    assert any(what in finding.what for finding in found)


def test_lots_in_another_order_or_with_another_seed_are_named(opened: CollectedStudy) -> None:
    opened.alter(f"DELETE FROM points WHERE {FIRST}")
    found = audit(opened)
    assert (found.findings, found.missing_lots) == ([], 1)
    opened.alter(f"UPDATE points SET assignment_number = 0 WHERE assignment_number = 3 AND {WHERE}")
    assert any("assignment 0 was drawn before" in finding.what for finding in audit(opened).findings)
    tables_file(opened.folder).unlink()
    opened.open()
    opened.alter(f"UPDATE consents SET seed = 5 WHERE {WHERE}")
    wrong = [finding for finding in audit(opened).findings if "says" in finding.what]
    ((lots,),) = opened.query(f"SELECT count(*) FROM points WHERE action != 'none' AND {WHERE}")
    assert lots / 5 < len(wrong) < lots
    opened.alter(f"DELETE FROM consents WHERE {WHERE}")
    assert sum("no consent says the seed" in finding.what for finding in audit(opened).findings) == lots


def test_the_command_names_altered_rows_and_exits_with_1(opened: CollectedStudy, run: Any) -> None:
    words = ("audit", "--study", opened.folder)
    assert "Every assignment follows from its seed." in run(*words).out
    opened.alter(f"UPDATE points SET action = 'withheld' WHERE {FIRST}")
    found = run(*words)
    assert found.code == 1
    assert "says an offer\n1 row does not fit." in found.out
    assert run(*words, "--json").json["findings"][0]["table"] == "points"
    assert run(*words, "some-session").code == 2


def test_an_audit_of_a_running_study_names_no_arm(opened: CollectedStudy, run: Any) -> None:
    """Nor a probability that only one arm has; the tables hold both (the control)."""
    opened.alter(f"UPDATE points SET arm = 'control', propensity = 0.617 WHERE {FIRST}")
    words = ("audit", "--study", opened.folder)
    for said in (run(*words).out, run(*words, "--json").out):
        assert "another arm than the list of arms" in said
        assert "not the one that the study gives" in said
        assert not any(hidden in said for hidden in ("control", "help", "0.617", "0.5 "))
    assert opened.query(f"SELECT arm, propensity FROM points WHERE {FIRST}") == [("control", 0.617)]
