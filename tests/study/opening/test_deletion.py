"""`kairos study purge` and `close`: whoever left is gone from key, tables and page; old backups open nothing."""

import contextlib
import os
import shutil
import sqlite3
import stat
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pytest
from pyarrow import parquet

from participant.documents.keys import read_signing_key
from participant.documents.names import digest_of
from participant.documents.private_files import destroy_file
from participant.documents.rows import PointRow
from participant.documents.statements import MAX_EXPORTS, DeletionReceipt, read_closing, read_statement, write_statement
from storage.clock import DAY_NS
from storage.errors import BadFile, EnvironmentFault, UsageError
from study.opening.deletion import close_study, files_with, purge, purge_everything
from study.opening.ledger import AND_MORE, EXPORTS, Export, note, note_export
from study.opening.parcels import Status
from study.opening.tables import TABLES, open_study
from study.researcher.folder import StudyFolder
from tests.fakes.narrowing import present
from tests.fakes.studies.collected_study import CollectedStudy, Sender, change_data, lived

MARKER = "marker_of_somebody"
LEFT_WALL_NS = 100 * DAY_NS


def leave(study: CollectedStudy, sender: Sender, *, keep: bool = False) -> bytes:
    raw = sender.withdraw(keep=keep)
    sql = "UPDATE participants SET withdrawal = ?, withdrawn_wall_ns = ? WHERE participant = ?"
    change_data(study.data, sql, raw, LEFT_WALL_NS, sender.participant)
    return raw


def receipt_of(study: CollectedStudy, gone: Sender, path: Path) -> DeletionReceipt:
    plan = StudyFolder(study.folder).signed_bundle()[0].plan
    about = {"study": plan.name, "participant": gone.participant}
    return read_statement(path.read_bytes(), DeletionReceipt, **about, key=plan.receipts_key)


def mark(study: CollectedStudy, sender: Sender) -> Sender:
    marked = Sender(sender.invitation, sender.arm, sender.key, sender.seed, list(sender.parcels))
    points = [row for row in lived(sender) if isinstance(row, PointRow)]
    raw = marked.pack([msgspec.structs.replace(row, evidence=(MARKER,)) for row in points])
    n = len(marked.parcels) - 1
    change_data(study.data, "INSERT INTO parcels VALUES (?, ?, x'', ?, 1)", sender.participant, n, raw)
    return marked


def test_nothing_of_whoever_left_is_left(study: CollectedStudy) -> None:
    """No marker in any file; their key, seed and id are in no table; everybody else's rows are the same."""
    gone = mark(study, study.senders[0])
    whole = study.open()
    (study.folder / "report.html").write_text("a page")
    key_file = study.folder / "keys" / "participants" / f"{gone.participant}.sealed"
    marks = (MARKER.encode(), gone.participant.encode(), gone.key.public.hex().encode())
    opened = study.folder / "opened"
    assert all(files_with(opened, mark) for mark in marks)
    others = study.query("SELECT * FROM points WHERE participant != ? ORDER BY ALL", gone.participant)
    mine = study.points_of(gone.participant)
    raw = leave(study, gone)
    (done,), refused = purge(study.folder, [study.data], wall_ns=LEFT_WALL_NS + DAY_NS)
    assert (done.participant, done.late, refused) == (gone.participant, False, ())
    assert not key_file.exists()
    assert not (study.folder / "report.html").exists()
    assert [files_with(opened, mark) for mark in marks] == [[], [], []]
    assert {path.name for path in opened.iterdir()} == {"tables.duckdb", *(f"{table}.parquet" for table in TABLES)}
    for table in TABLES:  # bytes of Parquet are compressed, so its values are looked at as well
        values = str(parquet.read_table(opened / f"{table}.parquet").to_pylist())
        assert not any(mark.decode() in values for mark in marks)
    assert study.query("SELECT * FROM points ORDER BY ALL") == others
    assert len(others) == whole.rows["points"] - mine
    assert done.receipt is not None
    receipt = receipt_of(study, gone, done.receipt)
    assert receipt.withdrawal == digest_of(raw)
    assert receipt.ranges == ((0, len(gone.parcels) - 1),)
    assert receipt.last == digest_of(gone.parcels[-1])
    assert receipt.destroyed_key == gone.invitation.readers[0]
    assert stat.S_IMODE(done.receipt.stat().st_mode) == 0o600


def test_the_receipt_names_the_parcels_that_the_collector_deleted(opened: CollectedStudy) -> None:
    """One of them never arrived; a receipt of somebody else's key is not believed, so what the person sent is named."""
    gone = opened.senders[0]
    raw = leave(opened, gone)
    plan = StudyFolder(opened.folder).signed_bundle()[0].plan
    about: dict[str, Any] = {"study": plan.name, "participant": gone.participant, "withdrawal": digest_of(raw)}
    about |= {"last": digest_of(gone.parcels[2]), "destroyed_key": gone.invitation.readers[0]}
    part = DeletionReceipt(**about, ranges=((0, 0), (2, 2)), exports=())
    receipts = read_signing_key(opened.folder / "keys" / "receipts.key")
    sql = "UPDATE participants SET deletion = ? WHERE participant = ?"
    for key, ranges in ((gone.key, ((0, len(gone.parcels) - 1),)), (receipts, part.ranges)):
        change_data(opened.data, sql, write_statement(part, key), gone.participant)
        (done,), _ = purge(opened.folder, [opened.data], wall_ns=LEFT_WALL_NS)
        assert receipt_of(opened, gone, present(done.receipt)).ranges == ranges
        (opened.folder / "deletions.jsonl").unlink()


def test_a_delete_alone_leaves_the_marker_in_the_file(study: CollectedStudy) -> None:
    """The control: why tables are written anew instead."""
    gone = mark(study, study.senders[0])
    study.open()
    path = study.folder / "opened" / "tables.duckdb"
    with duckdb.connect(path) as tables:
        tables.execute("DELETE FROM points WHERE participant = ?", [gone.participant])
        tables.execute("DELETE FROM consents WHERE participant = ?", [gone.participant])
        tables.execute("CHECKPOINT")
        left = tables.execute("SELECT count(*) FROM points WHERE participant = ?", [gone.participant])
        assert left.fetchall() == [(0,)]
    assert path in files_with(path.parent, MARKER.encode())


def test_an_old_backup_of_the_collector_opens_nothing_of_them(study: CollectedStudy, tmp_path: Path) -> None:
    """Nor does one of the tables come back by opening again; before the deletion it did (the control)."""
    gone = study.senders[0]
    backup = shutil.copytree(study.data.parent, tmp_path / "backup")
    study.open()
    assert study.points_of(gone.participant) == 40
    leave(study, gone)
    purge(study.folder, [study.data], wall_ns=LEFT_WALL_NS)
    found = open_study(study.folder, [backup], wall_ns=9)
    assert found.statuses[Status.DELETED] == 1
    assert study.points_of(gone.participant) == 0
    (study.folder / "deletions.jsonl").unlink()  # even if the ledger is lost, the key is
    found = open_study(study.folder, [backup], wall_ns=9)
    assert found.statuses[Status.UNREADABLE] == 1
    assert study.points_of(gone.participant) == 0


def test_the_key_is_overwritten_before_it_is_removed(tmp_path: Path) -> None:
    path, other = tmp_path / "key", tmp_path / "other name"
    path.write_bytes(b"secret" * 100)
    os.link(path, other)
    destroy_file(path, must_overwrite=True)
    assert not path.exists()
    assert len(other.read_bytes()) == 600
    assert b"secret" not in other.read_bytes()
    destroy_file(path, must_overwrite=True)
    path.mkdir()
    with pytest.raises(EnvironmentFault, match="cannot be removed"):
        destroy_file(path, must_overwrite=True)


def test_a_deletion_that_was_cut_off_is_carried_out_again(
    opened: CollectedStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = opened.senders[0]
    leave(opened, gone)

    def fail(*_: object) -> None:
        raise OSError

    with monkeypatch.context() as patch:
        patch.setattr("study.opening.deletion.rewrite_without", fail)
        with pytest.raises(OSError, match=r"^$"):
            purge(opened.folder, [opened.data], wall_ns=LEFT_WALL_NS)
    assert not (opened.folder / "keys" / "participants" / f"{gone.participant}.sealed").exists()
    assert opened.points_of(gone.participant) == 40
    assert len(purge(opened.folder, [opened.data], wall_ns=LEFT_WALL_NS)[0]) == 1
    assert opened.points_of(gone.participant) == 0
    assert purge(opened.folder, [opened.data], wall_ns=LEFT_WALL_NS) == ([], ())


def test_something_left_behind_is_found(opened: CollectedStudy) -> None:
    """A file of somebody's own in the folder of tables keeps the deletion from counting as done."""
    gone = opened.senders[0]
    leave(opened, gone)
    (opened.folder / "opened" / "mine.csv").write_text(f"{gone.participant},1\n")
    with pytest.raises(BadFile, match=r"mine\.csv still holds somebody"):
        purge(opened.folder, [opened.data], wall_ns=LEFT_WALL_NS)
    assert not (opened.folder / "deletions.jsonl").exists()
    (opened.folder / "opened" / "mine.csv").unlink()
    assert len(purge(opened.folder, [opened.data], wall_ns=LEFT_WALL_NS)[0]) == 1


def test_a_forged_withdrawal_destroys_nothing(opened: CollectedStudy) -> None:
    """A collector that was broken into cannot make the researcher destroy keys of people in the tables."""
    sender, other = opened.senders[:2]
    forged = Sender(sender.invitation, sender.arm, other.key, sender.seed, list(sender.parcels)).withdraw(keep=False)
    sql = "UPDATE participants SET withdrawal = ?, key = ?, withdrawn_wall_ns = 1 WHERE participant = ?"
    change_data(opened.data, sql, forged, other.key.public, sender.participant)
    done, ((who, why),) = purge(opened.folder, [opened.data], wall_ns=LEFT_WALL_NS)
    assert (done, who) == ([], sender.participant)
    assert "signature does not fit" in why
    key_file = opened.folder / "keys" / "participants" / f"{who}.sealed"
    assert key_file.exists()
    shutil.rmtree(opened.folder / "opened")  # nor of people who were never opened
    liar = Sender(other.invitation, sender.arm, other.key, sender.seed, [])
    stolen = msgspec.structs.replace(sender.invitation, join_key=other.invitation.join_key)
    change_data(opened.data, sql, replace(liar, invitation=stolen).withdraw(keep=False), other.key.public, who)
    assert purge(opened.folder, [opened.data], wall_ns=LEFT_WALL_NS)[0] == []
    assert key_file.exists()
    leave(opened, sender)
    assert len(purge(opened.folder, [opened.data], wall_ns=LEFT_WALL_NS)[0]) == 1


def test_the_command_says_what_is_late_and_what_cannot_be_recalled(opened: CollectedStudy, run: Any) -> None:
    """In 2026 a withdrawal of 1970 is late, so the status is 1; whoever permits keeping stays."""
    first, second = opened.senders[:2]
    assert run("purge", opened.folder, "--data", opened.data).code == 0
    leave(opened, first)
    leave(opened, second, keep=True)
    for name in ("first-export", "second-export"):
        people = (first.participant,) if name.startswith("first") else (second.participant,)
        note(opened.folder / EXPORTS, Export(name=name, wall_ns=1, participants=people))
    dry = run("purge", opened.folder, "--data", opened.data, "--dry-run")
    assert (dry.code, opened.points_of(first.participant)) == (1, 40)
    assert dry.out == (
        f"{first.participant}: due, later than promised\n"
        f"{first.participant}: cannot be recalled: first-export\n1 deletion due\n"
    )
    found = run("purge", opened.folder, "--data", opened.data, "--json")
    assert found.code == 1
    assert [deletion["participant"] for deletion in found.json["deletions"]] == [first.participant]
    assert found.json["deletions"][0]["exports"] == ["first-export"]
    assert opened.points_of(second.participant) == 40


def test_without_the_receipts_key_the_deletion_is_carried_out_unsigned(opened: CollectedStudy, run: Any) -> None:
    """The collector has that key; whoever deletes says that no receipt was signed."""
    leave(opened, opened.senders[0])
    (opened.folder / "keys" / "receipts.key").unlink()
    found = run("purge", opened.folder, "--data", opened.data)
    assert "no receipt was signed" in found.out
    assert opened.points_of(opened.senders[0].participant) == 0
    assert not (opened.folder / "deletions").exists()


def test_the_page_counts_people_who_are_deleted(opened: CollectedStudy, run: Any) -> None:
    gone = opened.senders[0]
    leave(opened, gone)
    purge(opened.folder, [opened.data], wall_ns=LEFT_WALL_NS)
    people = run("report", opened.folder, "--unblind", "--json").json["quality"]["people"]
    assert {person["arm"]: person["left"] for person in people} == {"help": 0, "control": 0} | {gone.arm: 1}
    assert sum(person["invited"] for person in people) == len(opened.senders)


def test_a_study_is_closed_once_and_is_not_masked_from_then_on(opened: CollectedStudy, run: Any) -> None:
    folder = StudyFolder(opened.folder)
    bundle = folder.signed_bundle()[0]
    assert not StudyFolder(opened.folder).closing(bundle.plan)
    path, new = close_study(folder, wall_ns=20_000 * DAY_NS + 5)
    assert new
    closing = read_closing(path.read_bytes(), study="study", key=bundle.plan.signing_key)
    assert (closing.study_version, closing.bundle, closing.date) == (1, bundle.digest, 20_000)
    assert StudyFolder(opened.folder).closing(bundle.plan)
    assert close_study(folder, wall_ns=1) == (path, False)
    text = folder.plan_text()
    (opened.folder / "study.toml").write_text(text.replace("\nversion = 1", "\nversion = 2", 1))
    with pytest.raises(UsageError, match="was closed, which is final"):
        folder.sign()
    (opened.folder / "study.toml").write_text(text)
    run("report", opened.folder)
    assert "Masked" not in (opened.folder / "report.html").read_text()
    assert not (opened.folder / "unblinded.jsonl").exists()
    stranger = read_signing_key(opened.folder / "keys" / "receipts.key")
    with pytest.raises(BadFile, match="signature does not fit"):
        read_closing(path.read_bytes(), study="study", key=stranger.public)
    with pytest.raises(BadFile, match="another study"):
        read_closing(path.read_bytes(), study="other", key=bundle.plan.signing_key)


def test_everything_can_be_destroyed_after_the_end(opened: CollectedStudy, run: Any) -> None:
    wrong = run("close", opened.folder, "--purge-all", "yes")
    assert (wrong.code, (opened.folder / "opened").exists()) == (2, True)
    assert StudyFolder(opened.folder).closing(StudyFolder(opened.folder).signed_bundle()[0].plan) is None
    found = run("close", opened.folder, "--purge-all", "study", "--json")
    assert found.json["purged"] == len(opened.senders)
    assert not (opened.folder / "opened").exists()
    assert not (opened.folder / "allocation.sealed").exists()
    assert list((opened.folder / "keys" / "participants").iterdir()) == []
    with pytest.raises(BadFile, match="was destroyed with all data"):
        opened.open()
    assert run("close", opened.folder, "--purge-all", "study", "--json").json["purged"] == 0


def test_old_tables_and_what_a_kill_left_are_overwritten(study: CollectedStudy) -> None:
    """Removing a file leaves its blocks on the disk; a file that was open before shows what is in them now."""
    gone = mark(study, study.senders[0])
    study.open()
    opened = study.folder / "opened"
    (study.folder / "report.html").write_text("a page")
    (opened / ".new-killed").mkdir()
    (opened / ".new-killed" / "points.parquet").write_bytes(MARKER.encode())
    os.link(opened / "days.parquet", opened / ".new-killed" / "days.parquet.before")  # killed before its replacement
    names = [*(f"opened/{table}.parquet" for table in TABLES), "opened/tables.duckdb", "report.html"]
    paths = [*(study.folder / name for name in names), opened / ".new-killed" / "points.parquet"]
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("rb")) for path in paths]
        before = [file.read() for file in files]
        assert any(MARKER.encode() in raw for raw in before)
        leave(study, gone)
        purge(study.folder, [study.data], wall_ns=LEFT_WALL_NS)
        for path, file, was in zip(paths, files, before, strict=True):
            file.seek(0)
            now = file.read()
            assert now != was, path
            assert len(now) == len(was)
            assert MARKER.encode() not in now
    assert not (opened / ".new-killed").exists()
    assert study.query("SELECT count(*) FROM days") == [(4,)]


def test_a_deletion_takes_the_invitation_which_holds_arm_and_password(study: CollectedStudy) -> None:
    """Of whoever left; everybody's once all is purged. Else the destroyed list of arms could be read from them."""
    study.open()
    invitations = study.folder / "invitations"
    gone = study.senders[0]
    assert len(list(invitations.iterdir())) == len(study.senders)
    leave(study, gone)
    purge(study.folder, [study.data], wall_ns=LEFT_WALL_NS)
    assert len(list(invitations.iterdir())) == len(study.senders) - 1
    assert not list(invitations.glob(f"*{gone.participant}*"))
    close_study(StudyFolder(study.folder), wall_ns=LEFT_WALL_NS)
    purge_everything(study.folder, wall_ns=LEFT_WALL_NS)
    assert list(invitations.iterdir()) == []


def test_what_was_written_elsewhere_is_named_where_somebody_is_deleted(
    opened: CollectedStudy, run: Any, tmp_path: Path
) -> None:
    gone, out = opened.senders[0], tmp_path / "elsewhere"
    assert run("report", opened.folder, "--json").json["export"] is None
    assert run("report", opened.folder, "--out", opened.folder / "report.html", "--json").json["export"] is None
    assert not (opened.folder / EXPORTS).exists()
    page = run("report", opened.folder, "--out", tmp_path / "page.html", "--json").json["export"]
    copied = run("open", opened.folder, "--data", opened.data, "--copy-to", out, "--json")
    tables = copied.json["export"]
    assert [page[:7], tables[:7], str(tmp_path) in page + tables] == ["report-", "tables-", False]
    assert sorted(path.name for path in out.iterdir()) == sorted(f"{table}.parquet" for table in TABLES)
    again = run("open", opened.folder, "--data", opened.data, "--copy-to", out)
    assert (again.code, "exists already" in again.err) == (2, True)
    leave(opened, gone)
    words = ("purge", opened.folder, "--data", opened.data, "--json")
    (dry,) = run(*words, "--dry-run").json["deletions"]
    (done,) = run(*words).json["deletions"]
    assert dry["exports"] == done["exports"] == [page, tables]
    assert receipt_of(opened, gone, Path(done["receipt"])).exports == (page, tables)


def test_more_exports_than_a_receipt_has_room_for(opened: CollectedStudy) -> None:
    gone = opened.senders[0]
    for number in range(MAX_EXPORTS + 6):
        note_export(opened.folder, f"no{number}", Path("x"), [gone.participant], wall_ns=DAY_NS)
    leave(opened, gone)
    (done,), _ = purge(opened.folder, [opened.data], wall_ns=LEFT_WALL_NS)
    assert (len(done.exports), done.exports[0], done.exports[-1]) == (MAX_EXPORTS, "no0-1970-01-02", AND_MORE)
    assert receipt_of(opened, gone, present(done.receipt)).exports == done.exports


@pytest.mark.parametrize(
    "words", [("open", "--data", "x"), ("purge", "--data", "x"), ("close",), ("report",), ("monitor", "--data", "x")]
)
def test_a_folder_that_is_no_study_is_called_so(words: tuple[str, ...], run: Any, tmp_path: Path) -> None:
    found = run(words[0], tmp_path, *words[1:])
    assert (found.code, f"{tmp_path} is no folder of a study" in found.err) == (2, True)
    assert "kairos study create" in found.err


@pytest.mark.parametrize("action", ["open", "purge"])
@pytest.mark.parametrize("other", ["text", "database"])
def test_a_file_that_no_collector_wrote_is_called_so(
    opened: CollectedStudy, run: Any, tmp_path: Path, action: str, other: str
) -> None:
    path = tmp_path / "README.md"
    if other == "text":
        path.write_text("Read me")
    else:
        with contextlib.closing(sqlite3.connect(path)) as database:
            database.execute("CREATE TABLE facts (name TEXT)")
    found = run(action, opened.folder, "--data", path)
    assert (found.code, "README.md is not what a collector has written" in found.err) == (4, True)
    assert "--data" in found.err
