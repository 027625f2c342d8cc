"""The monitor: names silence, gaps and deletions due; no arm is on its page before somebody asks for it."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from participant.commands.study import register
from participant.documents.names import FIRST, digest_of
from participant.documents.parcel import write_parcel
from participant.documents.plan import Measure, StoppingRule
from participant.documents.rows import AnswerRow, PointRow, Row
from participant.documents.statements import Closing, StudyWithdrawal, write_statement
from storage.clock import DAY_NS, SystemClock
from study.collector.collector import Collector
from study.collector.store import FILE, CollectorReader, CollectorStore
from study.monitor.page import monitor_page
from study.monitor.status import ContentStatus, DeliveryStatus, content_status, delivery_status
from study.opening.ledger import DELETIONS, Deletion, note
from study.researcher.documents import write_closing
from study.researcher.folder import StudyFolder
from tests.fakes.commands.command_line import run_command
from tests.fakes.studies.collector import HOUR_NS, NOW_NS, take, write_collector_folder
from tests.fakes.studies.documents import (
    PARTICIPANT,
    PERSON,
    PERSON_READER,
    SIGNING,
    bundle,
    header,
    parcels,
    point,
    rows,
)


@pytest.fixture
def files(tmp_path: Path) -> StudyFolder:
    return write_collector_folder(tmp_path / "sheets")


@pytest.fixture
def collector(files: StudyFolder, tmp_path: Path) -> Iterator[Collector]:
    with contextlib.closing(Collector(files, tmp_path / "data")) as made:
        yield made


def status(files: StudyFolder, tmp_path: Path, *, hours: float, closed: bool = False) -> DeliveryStatus:
    now, plan = NOW_NS + round(hours * HOUR_NS), bundle().plan
    with contextlib.closing(CollectorReader(tmp_path / "data" / FILE)) as reader:
        return delivery_status(reader, files, plan, now_wall_ns=now, closed=closed)


def content(files: StudyFolder, tmp_path: Path, *, by_arm: bool = False) -> ContentStatus:
    delivery = status(files, tmp_path, hours=1)
    return content_status(tmp_path / "data" / FILE, files, bundle().plan, delivery, by_arm=by_arm)


def send(collector: Collector, *batches: list[Row]) -> None:
    """Send rows, a parcel for each list."""
    made: list[bytes] = []
    for n, batch in enumerate(batches):
        previous = digest_of(made[-1]) if made else FIRST
        made.append(write_parcel(batch, header(n, previous), PERSON, [PERSON_READER.public]))
    assert len(take(collector, *made)) == 1


def leave(collector: Collector) -> None:
    """Let the person leave."""
    statement = StudyWithdrawal(study="sheets", participant=PARTICIPANT, keep=False, parcels=1, last=FIRST)
    take(collector, write_statement(statement, PERSON))


def test_silence_is_named_within_26_hours(files: StudyFolder, collector: Collector, tmp_path: Path) -> None:
    chain = parcels(2)
    take(collector, chain[0])
    take(collector, chain[1], now_ns=NOW_NS + 10 * HOUR_NS)
    assert status(files, tmp_path, hours=35.9).silent == ()
    (one,) = status(files, tmp_path, hours=36).silent
    assert (one.participant, one.hours) == (PARTICIPANT, 26)
    later = status(files, tmp_path, hours=24 * 29 + 1)
    assert (later.silent, later.finished) == ((), 1)


def test_nobody_is_silent_in_a_study_that_was_closed(
    files: StudyFolder, collector: Collector, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They have finished; the command sees it by the signed end in the folder, and says so on the page."""
    take(collector, *parcels(1))
    assert [silence.participant for silence in status(files, tmp_path, hours=30).silent] == [PARTICIPANT]
    after = status(files, tmp_path, hours=30, closed=True)
    assert (after.silent, after.finished, after.closed) == ((), 1, True)
    words = ("study", "monitor", str(files.path), "--data", str(tmp_path / "data"), "--out", str(tmp_path / "page"))
    assert not run_command(register, capsys, *words, "--json").json["closed"]
    end = Closing(study="sheets", study_version=1, bundle=bundle().digest, date=20_000)
    files.closing_file(files.signed_bundle()[0].plan).write_bytes(write_closing(end, SIGNING))
    found = run_command(register, capsys, *words, "--json").json
    assert (found["closed"], found["silent"]) == (True, [])
    assert "The study is closed." in (tmp_path / "page").read_text()


def test_missing_numbers_are_named(files: StudyFolder, collector: Collector, tmp_path: Path) -> None:
    """As runs; those after the highest nobody can know."""
    chain = parcels(8)
    take(collector, chain[0], chain[3], chain[4], chain[7])
    (gaps,) = status(files, tmp_path, hours=1).gaps
    assert (gaps.participant, gaps.missing) == (PARTICIPANT, ((1, 2), (5, 6)))


def test_a_deletion_is_due_until_nothing_is_left(
    files: StudyFolder, collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(collector, *parcels(2))
    monkeypatch.setattr(CollectorStore, "empty_log", lambda _: False)
    leave(collector)
    (due,) = status(files, tmp_path, hours=24).due
    assert (due.what, due.hours_left) == ("the collector's log is not emptied, or its receipt not signed", 6 * 24)
    assert status(files, tmp_path, hours=7 * 24 + 1).overdue == 1
    monkeypatch.undo()
    collector.finish_deletions(NOW_NS)
    done = status(files, tmp_path, hours=7 * 24 + 1)
    assert (done.due, done.left, done.parcels) == ((), 1, 0)


def test_a_key_that_is_not_destroyed_yet_is_due(tmp_path: Path) -> None:
    without = write_collector_folder(tmp_path / "server", reader_keys=False)
    with contextlib.closing(Collector(without, tmp_path / "data")) as collector:
        take(collector, *parcels(1))
        leave(collector)
    (due,) = status(without, tmp_path, hours=1).due
    assert due.what == "the sealed reader key where the researcher's keys lie"
    files = write_collector_folder(tmp_path / "own")
    (due,) = status(files, tmp_path, hours=1).due
    assert due.what == "the sealed reader key in this folder"
    assert files.destroy_key(PARTICIPANT)
    assert status(files, tmp_path, hours=1).due == ()


def test_a_backup_that_brings_deleted_parcels_back_is_named_and_opens_nothing(
    files: StudyFolder, collector: Collector, tmp_path: Path
) -> None:
    """The key is gone. Before, the same parcels were readable (the control)."""
    send(collector, list(rows()))
    assert content(files, tmp_path).rows == len(rows())
    backup = {path.name: path.read_bytes() for path in (tmp_path / "data").iterdir()}
    leave(collector)
    collector.close()
    for path in (tmp_path / "data").iterdir():
        path.unlink()
    for name, raw in backup.items():
        (tmp_path / "data" / name).write_bytes(raw)
    found = content(files, tmp_path)
    assert (found.rows, found.unreadable) == (0, 1)
    (due,) = status(files, tmp_path, hours=1).due
    assert (due.what, due.overdue) == ("1 parcel brought back by a backup", True)


def test_answers_lots_and_rules_are_counted(files: StudyFolder, collector: Collector, tmp_path: Path) -> None:
    answer = next(row for row in rows() if isinstance(row, AnswerRow))
    answers: list[Row] = [
        msgspec.structs.replace(answer, minute=600 + n % 2, choices={"stuck": 1, "bad_moment": int(n < 30)})
        for n in range(50)
    ]
    offered = msgspec.structs.replace(point(), action="offer", propensity=0.75)
    blocked = msgspec.structs.replace(point(), gate="budget", action="none", propensity=1.0)
    send(
        collector,
        answers[:49],
        [offered, offered, point(), blocked, msgspec.structs.replace(answer, minute=100, step="not_drawn")],
    )
    early = content(files, tmp_path)
    (rule,) = early.rules
    assert (rule.measure, rule.share, rule.cases, rule.reached) == ("bad_moments", 30 / 49, 49, False)
    assert [(hour.hour, hour.due, hour.answered) for hour in early.hours] == [(10, 49, 49)]
    (lots,) = early.lots
    assert (lots.phase, lots.arm, lots.lots, lots.offers, lots.expected) == ("trial", None, 3, 2, 2.0)


def test_a_stopping_rule_is_reached_with_its_cases(files: StudyFolder, collector: Collector, tmp_path: Path) -> None:
    answer = next(row for row in rows() if isinstance(row, AnswerRow))
    send(collector, [msgspec.structs.replace(answer, choices={"bad_moment": int(n < 30)}) for n in range(50)])
    found = content(files, tmp_path)
    assert [rule.reached for rule in found.rules] == [True]
    page = monitor_page(bundle().plan, status(files, tmp_path, hours=1), found, made="today")
    assert "The stopping rule bad_moments is reached." in page


def test_shares_of_offers_dismissed_and_wrong_count_offers_that_ended(
    files: StudyFolder, collector: Collector, tmp_path: Path
) -> None:
    offered = msgspec.structs.replace(point(), action="offer", response="accepted")
    ends = ("dismissed", "dismissed", "wrong", None)
    send(collector, [offered, point(), *(msgspec.structs.replace(offered, response=end) for end in ends)])
    rules = [StoppingRule(measure=measure, above=0.4, after=5) for measure in (Measure.DISMISSED, Measure.WRONG)]
    plan = msgspec.structs.replace(bundle().plan, stopping=tuple(rules))
    found = content_status(tmp_path / "data" / FILE, files, plan, status(files, tmp_path, hours=1))
    assert [(rule.share, rule.cases, rule.reached) for rule in found.rules] == [(0.5, 4, False), (0.25, 4, False)]


def test_no_arm_is_on_the_page_or_in_the_json(
    files: StudyFolder, collector: Collector, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Though rows name it. With `--unblind` it is there (the control), and that is noted first."""
    named = [msgspec.structs.replace(row, arm="controlarm") for row in rows() if isinstance(row, PointRow)]
    now = SystemClock().wall_ns()
    made = write_parcel(named, header(), PERSON, [PERSON_READER.public])
    take(collector, made, now_ns=now)
    page = tmp_path / "page.html"
    words = ("study", "monitor", str(files.path), "--data", str(tmp_path / "data"), "--out", str(page), "--json")
    masked = run_command(register, capsys, *words)
    assert (masked.code, masked.json["content"]["rows"]) == (0, 1)
    assert "controlarm" not in masked.out
    assert [sorted(lots) for lots in masked.json["content"]["lots"]] == [["expected", "lots", "offers", "phase", "z"]]
    assert "controlarm" not in page.read_text()
    assert not (files.path / "unblinded.jsonl").exists()
    run_command(register, capsys, *words, "--unblind")
    assert "controlarm" in page.read_text()
    (line,) = (files.path / "unblinded.jsonl").read_text().splitlines()
    assert json.loads(line)["wall_ns"] >= now
    assert json.loads(line)["command"] == "monitor"
    assert page.stat().st_mode & 0o777 == 0o600


def test_an_overdue_deletion_is_exit_status_1(
    files: StudyFolder, collector: Collector, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    take(collector, *parcels(1), now_ns=SystemClock().wall_ns() - 9 * DAY_NS)
    sealed = files.sealed_key(PARTICIPANT).read_bytes()
    statement = StudyWithdrawal(study="sheets", participant=PARTICIPANT, keep=False, parcels=1, last=FIRST)
    take(collector, write_statement(statement, PERSON), now_ns=SystemClock().wall_ns() - 8 * DAY_NS)
    words = ("study", "monitor", str(files.path), "--data", str(tmp_path / "data"))
    assert run_command(register, capsys, *words).code == 0
    files.sealed_key(PARTICIPANT).write_bytes(sealed)  # a copy that came back
    answer = run_command(register, capsys, *words)
    assert (answer.code, "OVERDUE" in answer.out) == (1, True)


def test_parcels_of_somebody_who_left_are_not_opened(files: StudyFolder, collector: Collector, tmp_path: Path) -> None:
    """The collector was cut off before it deleted anything; before they left their rows counted (the control)."""
    send(collector, list(rows()))
    assert content(files, tmp_path).rows == len(rows())
    statement = StudyWithdrawal(study="sheets", participant=PARTICIPANT, keep=False, parcels=1, last=FIRST)
    with contextlib.closing(CollectorStore(tmp_path / "data" / FILE)) as store, store.writing():
        store.withdraw(PARTICIPANT, write_statement(statement, PERSON), NOW_NS)
    found = content(files, tmp_path)
    assert (found.rows, found.unreadable) == (0, 0)
    assert any("1 parcel in the collector's file" in deletion.what for deletion in status(files, tmp_path, hours=1).due)


def test_tables_that_hold_somebody_who_left_are_due_until_purged(
    files: StudyFolder, collector: Collector, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    take(collector, *parcels(1))
    leave(collector)
    assert status(files, tmp_path, hours=24 * 9).due == ()
    (files.path / "opened").mkdir()
    (files.path / "opened" / "tables.duckdb").write_bytes(b"rows")
    (due,) = status(files, tmp_path, hours=24 * 9).due
    assert ("kairos study purge" in due.what, due.overdue) == (True, True)
    note(files.path / DELETIONS, Deletion(participant=PARTICIPANT, wall_ns=1, destroyed_key=""))
    assert status(files, tmp_path, hours=24 * 9).due == ()
    words = ("study", "monitor", str(files.path), "--data", str(tmp_path / "nowhere"))
    answer = run_command(register, capsys, *words)
    assert (answer.code, "--data" in answer.err) == (2, True)


def test_the_page_escapes_and_runs_nothing(files: StudyFolder, collector: Collector, tmp_path: Path) -> None:
    take(collector, *parcels(1))
    plan: Any = msgspec.structs.replace(bundle().plan, title="<script>alert(1)</script>")
    page = monitor_page(plan, status(files, tmp_path, hours=1), None, made="today")
    assert "<script" not in page
    assert "default-src &#x27;none&#x27;" in page or "default-src 'none'" in page
    assert "http://" not in page
