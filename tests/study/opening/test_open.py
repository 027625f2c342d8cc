"""`kairos study open`: every parcel checked again and opened, tables written whole, and what does not fit named."""

# ruff: noqa: S608  # statements of the tests' own

import errno
import shutil
import stat
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
from pyarrow import parquet

from participant.documents.names import FIRST
from participant.documents.parcel import Header, write_parcel
from participant.documents.rows import AnswerRow, ConsentRow, PointRow
from participant.documents.statements import MAX_NUMBER
from storage.errors import BadFile, EnvironmentFault
from study.opening.columns import read_points, read_questions
from study.opening.parcels import Status, open_people
from study.opening.tables import COLUMNS, TABLES, Opened, open_study, read_tables
from study.researcher.folder import StudyFolder
from tests.fakes.studies.collected_study import CollectedStudy, change_data, lived, send


def test_every_row_is_in_its_table(study: CollectedStudy) -> None:
    opened = study.open()
    assert opened.problems == ()
    assert (opened.statuses[Status.OPENED], opened.statuses[Status.NOTHING]) == (len(study.senders) - 1, 1)
    rows = [row for sender in study.senders[:-1] for row in lived(sender)]
    counts = Counter(type(row) for row in rows)
    assert opened.rows["points"] == counts[PointRow]
    assert opened.rows["answers"] == counts[AnswerRow]
    assert opened.rows["consents"] == len(study.senders) - 1
    arms = dict(study.query("SELECT participant, arm FROM participants"))
    assert arms == {sender.participant: sender.arm for sender in study.senders}
    assert set(arms.values()) == {"help", "control"}
    first = study.senders[0]
    sql = "SELECT minute, action, state_frustration, recovered, evidence FROM points WHERE participant = ?"
    found = study.query(f"{sql} ORDER BY n, place", first.participant)
    wanted = [row for row in lived(first) if isinstance(row, PointRow)]
    assert found == [(row.minute, row.action, 0.75, row.outcomes.recovered, ["undo_bursts"]) for row in wanted]
    choices = [one for (one,) in study.query("SELECT choices FROM answers WHERE step = 'answered'")]
    answered = [row.choices for row in rows if isinstance(row, AnswerRow) and row.step == "answered"]
    assert Counter(str(sorted(each.items())) for each in choices) == Counter(
        str(sorted(each.items())) for each in answered
    )
    for table in TABLES:
        path = study.folder / "opened" / f"{table}.parquet"
        assert parquet.read_table(path).column_names == list(COLUMNS[table])
        assert parquet.read_metadata(path).num_rows == opened.rows[table]
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE((study.folder / "opened" / "tables.duckdb").stat().st_mode) == 0o600
    there = {path.name for path in (study.folder / "opened").iterdir()}
    assert there == {"tables.duckdb", *(f"{table}.parquet" for table in TABLES)}


REPLACED = "UPDATE parcels SET raw = ? WHERE participant = ? AND n"


def numbers(opened: Opened) -> list[tuple[int | None, str]]:
    return [(problem.n, problem.what) for problem in opened.problems]


def test_what_cannot_be_opened_is_named_and_stops_nothing(study: CollectedStudy) -> None:
    """An altered parcel, one of somebody else, one that is missing, and the break in the chain that they leave."""
    whole = study.open().rows["points"]
    first, second = study.senders[:2]
    altered = bytearray(first.parcels[1])
    altered[-1] ^= 1
    for raw, who in ((bytes(altered), first.participant), (first.parcels[1], second.participant)):
        change_data(study.data, f"{REPLACED} = 1", raw, who)
    opened = study.open()
    for who, faults in (
        (first.participant, ("signature does not fit", "does not follow")),
        (second.participant, ("another study or participant", "")),
    ):
        found = [(problem.n, problem.what) for problem in opened.problems if problem.participant == who]
        assert [n for n, _ in found] == [1, 2]
        assert all(fault in what for fault, (_, what) in zip(faults, found, strict=True))
    assert opened.rows["points"] < whole
    assert opened.rows["problems"] == 4
    change_data(study.data, "DELETE FROM parcels WHERE participant = ? AND n = 1", first.participant)
    gaps = [problem for problem in study.open().problems if problem.participant == first.participant]
    assert [(problem.n, problem.what) for problem in gaps] == [(None, "parcel 1 is missing")]
    assert study.query("SELECT number, missing_parcels FROM participants WHERE missing_parcels > 0") == [(1, 1)]


def test_a_participant_who_starts_again_with_an_old_chain_is_named(study: CollectedStudy) -> None:
    sender = study.senders[0]
    other = replace(sender, parcels=sender.parcels[:-2])
    for _ in range(2):
        other.pack(lived(sender)[:3])
    last = len(sender.parcels) - 1
    change_data(study.data, f"{REPLACED} = ?", other.parcels[-1], sender.participant, last)
    assert numbers(study.open()) == [(last, "it does not follow from the one before: the chain is broken")]


def test_nothing_can_be_checked_without_the_first_parcel(study: CollectedStudy) -> None:
    """It binds the key to the invitation; the collector's word for a key is not taken."""
    who = study.senders[0].participant
    change_data(study.data, "DELETE FROM parcels WHERE participant = ? AND n = 0", who)
    opened = study.open()
    assert opened.statuses[Status.UNREADABLE] == 1
    assert numbers(opened)[0] == (1, "this parcel came before the first one, or claims to be it")
    assert numbers(opened)[-1] == (None, "parcel 0 is missing")
    assert study.points_of(who) == 0


@pytest.mark.parametrize("keep", [False, True])
def test_who_left_is_refused_unless_they_permit_keeping(study: CollectedStudy, *, keep: bool) -> None:
    sender = study.senders[0]
    # the collector answers a withdrawal with a receipt also where nothing is deleted
    sql = "UPDATE participants SET withdrawal = ?, withdrawn_wall_ns = 5, deletion = x'00' WHERE participant = ?"
    change_data(study.data, sql, sender.withdraw(keep=keep), sender.participant)
    opened = study.open()
    assert opened.statuses[Status.LEFT_KEPT if keep else Status.LEFT] == 1
    assert opened.problems == ()
    assert study.points_of(sender.participant) == (40 if keep else 0)
    assert study.query("SELECT participant, keep, wall_ns FROM withdrawals") == [(sender.participant, keep, 5)]


def test_a_forged_permission_to_keep_counts_as_none(study: CollectedStudy) -> None:
    """In doubt nothing of theirs is opened."""
    sender, other = study.senders[:2]
    forged = replace(sender, key=other.key).withdraw(keep=True)
    sql = "UPDATE participants SET withdrawal = ? WHERE participant = ?"
    change_data(study.data, sql, forged, sender.participant)
    opened = study.open()
    assert opened.statuses[Status.LEFT] == 1
    assert "cannot be checked" in opened.problems[0].what
    assert study.points_of(sender.participant) == 0


def test_two_collectors_that_shared_the_work_are_one(study: CollectedStudy, tmp_path: Path) -> None:
    whole = study.open().rows
    shutil.copytree(study.data.parent, tmp_path / "other")
    change_data(study.data, "DELETE FROM parcels WHERE n % 2 = 0")
    change_data(tmp_path / "other" / "collector.db", "DELETE FROM parcels WHERE n = 1")
    opened = open_study(study.folder, [study.data.parent, tmp_path / "other"], wall_ns=7)
    assert opened.problems == ()
    assert opened.rows == whole


def test_opening_again_gives_the_same_and_clears_what_a_kill_left(study: CollectedStudy) -> None:
    before = study.open()
    rows = study.query("SELECT * FROM points ORDER BY participant, n, place")
    left = study.folder / "opened" / ".new-killed"
    left.mkdir()
    (left / "tables.duckdb").write_text("half")
    after = study.open()
    assert (after.rows, after.statuses) == (before.rows, before.statuses)
    assert study.query("SELECT * FROM points ORDER BY participant, n, place") == rows
    assert not left.exists()


def test_rows_of_another_arm_or_key_are_named(study: CollectedStudy) -> None:
    """The list of arms and the signature know better than a row."""
    sender = study.senders[-1]
    one = replace(sender, parcels=[])
    other = {"help": "control", "control": "help"}[sender.arm]
    liar = replace(one, arm=other, key=study.senders[0].key)
    send_rows = [row for row in lived(liar) if isinstance(row, PointRow | ConsentRow)]
    send(one, send_rows)
    change_data(study.data, "INSERT INTO parcels VALUES (?, 0, x'', ?, 1)", sender.participant, one.parcels[0])
    assert [what for _, what in numbers(study.open())] == ["rows that name another arm than the list of arms: 14"]


def test_the_command_prints_counts_and_problems(study: CollectedStudy, run: Any) -> None:
    """And one JSON object; a file that is not there is a mistake of use."""
    words = ("open", study.folder, "--data", study.data.parent)
    found = run(*words, "--json")
    assert found.code == 0
    assert found.json["participants"] == {
        "opened": 5, "left_kept": 0, "left": 0, "deleted": 0, "nothing_sent": 1, "unreadable": 0
    }  # fmt: skip
    assert found.json["problems"] == []
    change_data(study.data, "DELETE FROM parcels WHERE n = 1")
    text = run(*words).out
    assert "6 invited: 5 opened, 1 nothing sent" in text
    assert text.count("parcel 1 is missing") == 5
    assert run("open", study.folder, "--data", "nowhere").code == 2


def test_duckdb_reads_no_other_file(study: CollectedStudy) -> None:
    study.open()
    path = study.folder / "opened" / "points.parquet"
    for sql in (f"FROM '{path}'", f"ATTACH '{study.data}' (TYPE sqlite)", "INSTALL httpfs"):
        with pytest.raises(Exception, match=r"(?i)permission|disabled"):
            study.read(sql)
    assert study.read("SELECT current_setting('autoinstall_known_extensions')") == [(False,)]


def test_a_full_disk_keeps_the_tables_of_before(opened: CollectedStudy, monkeypatch: pytest.MonkeyPatch) -> None:
    before = opened.query("SELECT * FROM points ORDER BY ALL")
    names = sorted(path.name for path in (opened.folder / "opened").iterdir())
    for error in (duckdb.IOException("no space"), OSError(errno.ENOSPC, "No space left on device")):

        def fail(*_: object, error: Exception = error) -> None:
            raise error

        with monkeypatch.context() as patch:
            patch.setattr("study.opening.tables._TableWriter._flush", fail)
            with pytest.raises(EnvironmentFault, match=r"opened cannot be written"):
                opened.open()
        assert opened.query("SELECT * FROM points ORDER BY ALL") == before
        assert sorted(path.name for path in (opened.folder / "opened").iterdir()) == names
    opened.open()
    assert opened.query("SELECT * FROM points ORDER BY ALL") == before


def test_a_damaged_tables_file_is_named(opened: CollectedStudy) -> None:
    (opened.folder / "opened" / "tables.duckdb").write_bytes(b"x" * 5000)
    with pytest.raises(BadFile, match=r"cannot be opened as tables of a study"):
        opened.read("SELECT 1")


def test_a_parcel_with_the_highest_number_costs_nothing(study: CollectedStudy) -> None:
    """Somebody hostile can sign it; the numbers below are one run. Counting them singly takes minutes."""
    sender = study.senders[0]
    one = sender
    header = Header(study=one.invitation.study, participant=one.participant, n=MAX_NUMBER, previous=FIRST)
    raw = write_parcel([], header, one.key, one.invitation.readers)
    sql = "INSERT INTO parcels VALUES (?, ?, x'', ?, 1)"
    change_data(study.data, sql, one.participant, MAX_NUMBER, raw)
    folder = StudyFolder(study.folder)
    people = open_people(folder, folder.signed_bundle()[0].plan, [study.data])
    (person,) = [person for person in people if person.participant == one.participant]
    assert person.missing == ((len(sender.parcels), MAX_NUMBER - 1),)
    study.open()
    first, last = person.missing[0]
    assert study.query("SELECT max(missing_parcels) FROM participants") == [(last - first + 1,)]


def test_nobody_fills_the_memory_with_rows(study: CollectedStudy, monkeypatch: pytest.MonkeyPatch) -> None:
    """A parcel of 64 kB can hold thousands of rows; above a number of them the rest is named and left out."""
    monkeypatch.setattr("study.opening.parcels.MAX_PERSON_ROWS", 40)
    opened = study.open()
    left_out = "more than 40 rows of one person; these and later ones are left out"
    assert {what for _, what in numbers(opened)} == {left_out}
    ((most,),) = study.query("SELECT max(count) FROM (SELECT count(*) AS count FROM points GROUP BY participant)")
    assert 0 < most <= 40


def test_a_row_that_names_another_arm_moves_nobody(study: CollectedStudy) -> None:
    study.open()
    sender = study.senders[0]
    with duckdb.connect(study.folder / "opened" / "tables.duckdb") as tables:
        for table in ("points", "answers"):
            tables.execute(f"UPDATE {table} SET arm = 'invented' WHERE participant = ?", [sender.participant])
    with read_tables(study.folder) as tables:
        points = read_points(tables, "recovered")
        _, asked = read_questions(tables, ["stuck"])
    mine = points.points.person == points.people.index(sender.participant)
    assert set(points.points.arm[mine].tolist()) == {sender.arm}
    assert "invented" not in asked.arm.tolist()
