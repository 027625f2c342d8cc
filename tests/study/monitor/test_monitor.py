"""The monitor: names silence, gaps and deletions due; no arm is on its page before somebody asks for it."""

import contextlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import pytest

from participant.documents.plan import Measure, Plan, StoppingRule
from participant.documents.rows import AnswerRow, PointRow, Row
from participant.documents.statements import Closing
from storage.clock import DAY_NS, SystemClock
from study.collector.collector import Collector
from study.collector.store import FILE, CollectorReader, CollectorStore
from study.monitor.page import monitor_page
from study.monitor.status import ContentStatus, DeliveryStatus, content_status, delivery_status
from study.opening.ledger import DELETIONS, Deletion, note
from study.researcher.documents import write_closing
from study.researcher.folder import StudyFolder
from tests.fakes.commands.command_line import Answer
from tests.fakes.studies.collector import HOUR_NS, NOW_NS, take, withdrawal, write_collector_folder
from tests.fakes.studies.documents import PARTICIPANT, SIGNING, bundle, chain_of, parcels, point, rows


@dataclass(frozen=True, slots=True)
class Monitored:
    """A collector of a study, and what its monitor says."""

    files: StudyFolder
    collector: Collector
    data: Path
    run: Callable[..., Answer]

    def status(self, hours: float = 1, *, closed: bool = False) -> DeliveryStatus:
        now = NOW_NS + round(hours * HOUR_NS)
        with contextlib.closing(CollectorReader(self.data / FILE)) as reader:
            return delivery_status(reader, self.files, bundle().plan, now_wall_ns=now, closed=closed)

    def content(self, plan: Plan | None = None) -> ContentStatus:
        return content_status(self.data / FILE, self.files, plan or bundle().plan, self.status())

    def send(self, *batches: Sequence[Row]) -> None:
        assert len(take(self.collector, *chain_of(*batches))) == 1

    def command(self, *words: object) -> Answer:
        return self.run("monitor", self.files.path, "--data", self.data, *words)


@pytest.fixture
def here(files: StudyFolder, collector: Collector, tmp_path: Path, run: Callable[..., Answer]) -> Monitored:
    return Monitored(files, collector, tmp_path / "data", run)


def test_silence_is_named_within_26_hours(here: Monitored) -> None:
    chain = parcels(2)
    take(here.collector, chain[0])
    take(here.collector, chain[1], now_ns=NOW_NS + 10 * HOUR_NS)
    assert here.status(35.9).silent == ()
    (one,) = here.status(36).silent
    assert (one.participant, one.hours) == (PARTICIPANT, 26)
    later = here.status(24 * 29 + 1)
    assert (later.silent, later.finished) == ((), 1)


def test_nobody_is_silent_in_a_study_that_was_closed(here: Monitored, tmp_path: Path) -> None:
    """They have finished; the command sees it by the signed end in the folder, and says so on the page."""
    take(here.collector, *parcels(1))
    assert [silence.participant for silence in here.status(30).silent] == [PARTICIPANT]
    after = here.status(30, closed=True)
    assert (after.silent, after.finished, after.closed) == ((), 1, True)
    page = tmp_path / "page"
    assert not here.command("--out", page, "--json").json["closed"]
    end = Closing(study="sheets", study_version=1, bundle=bundle().digest, date=20_000)
    here.files.closing_file(here.files.signed_bundle()[0].plan).write_bytes(write_closing(end, SIGNING))
    found = here.command("--out", page, "--json").json
    assert (found["closed"], found["silent"]) == (True, [])
    assert "The study is closed." in page.read_text()


def test_missing_numbers_are_named(here: Monitored) -> None:
    """As runs; those after the highest nobody can know."""
    chain = parcels(8)
    take(here.collector, chain[0], chain[3], chain[4], chain[7])
    (gaps,) = here.status().gaps
    assert (gaps.participant, gaps.missing) == (PARTICIPANT, ((1, 2), (5, 6)))


def test_a_deletion_is_due_until_nothing_is_left(here: Monitored, monkeypatch: pytest.MonkeyPatch) -> None:
    take(here.collector, *parcels(2))
    monkeypatch.setattr(CollectorStore, "empty_log", lambda _: False)
    take(here.collector, withdrawal())
    (due,) = here.status(24).due
    assert (due.what, due.hours_left) == ("the collector's log is not emptied, or its receipt not signed", 6 * 24)
    assert here.status(7 * 24 + 1).overdue == 1
    monkeypatch.undo()
    here.collector.finish_deletions(NOW_NS)
    done = here.status(7 * 24 + 1)
    assert (done.due, done.left, done.parcels) == ((), 1, 0)


def test_a_key_that_is_not_destroyed_yet_is_due(tmp_path: Path, run: Callable[..., Answer]) -> None:
    """Where the collector runs without the keys, and where they lie."""
    without = write_collector_folder(tmp_path / "server", reader_keys=False)
    with contextlib.closing(Collector(without, tmp_path / "data")) as collector:
        take(collector, *parcels(1))
        take(collector, withdrawal())
        server = Monitored(without, collector, tmp_path / "data", run)
        (due,) = server.status().due
        assert due.what == "the sealed reader key where the researcher's keys lie"
        own = replace(server, files=write_collector_folder(tmp_path / "own"))
        (due,) = own.status().due
        assert due.what == "the sealed reader key in this folder"
        assert own.files.destroy_key(PARTICIPANT)
        assert own.status().due == ()


def test_a_backup_that_brings_deleted_parcels_back_is_named_and_opens_nothing(here: Monitored) -> None:
    """The key is gone. Before, the same parcels were readable (the control)."""
    here.send(list(rows()))
    assert here.content().rows == len(rows())
    backup = {path.name: path.read_bytes() for path in here.data.iterdir()}
    take(here.collector, withdrawal())
    here.collector.close()
    for path in here.data.iterdir():
        path.unlink()
    for name, raw in backup.items():
        (here.data / name).write_bytes(raw)
    found = here.content()
    assert (found.rows, found.unreadable) == (0, 1)
    (due,) = here.status().due
    assert (due.what, due.overdue) == ("1 parcel brought back by a backup", True)


def test_answers_lots_and_rules_are_counted(here: Monitored) -> None:
    answer = next(row for row in rows() if isinstance(row, AnswerRow))
    answers: list[Row] = [
        msgspec.structs.replace(answer, minute=600 + n % 2, choices={"stuck": 1, "bad_moment": int(n < 30)})
        for n in range(50)
    ]
    offered = msgspec.structs.replace(point(), action="offer", propensity=0.75)
    blocked = msgspec.structs.replace(point(), gate="budget", action="none", propensity=1.0)
    here.send(
        answers[:49],
        [offered, offered, point(), blocked, msgspec.structs.replace(answer, minute=100, step="not_drawn")],
    )
    early = here.content()
    (rule,) = early.rules
    assert (rule.measure, rule.share, rule.cases, rule.reached) == ("bad_moments", 30 / 49, 49, False)
    assert [(hour.hour, hour.due, hour.answered) for hour in early.hours] == [(10, 49, 49)]
    (lots,) = early.lots
    assert (lots.phase, lots.arm, lots.lots, lots.offers, lots.expected) == ("trial", None, 3, 2, 2.0)


def test_a_stopping_rule_is_reached_with_its_cases(here: Monitored) -> None:
    answer = next(row for row in rows() if isinstance(row, AnswerRow))
    here.send([msgspec.structs.replace(answer, choices={"bad_moment": int(n < 30)}) for n in range(50)])
    found = here.content()
    assert [rule.reached for rule in found.rules] == [True]
    page = monitor_page(bundle().plan, here.status(), found, made="today")
    assert "The stopping rule bad_moments is reached." in page
    without_keys = monitor_page(bundle().plan, here.status(), None, made="today")
    assert ("what the parcels hold is not shown" in without_keys, "stopping rule" in without_keys) == (True, False)


def test_shares_of_offers_dismissed_and_wrong_count_offers_that_ended(here: Monitored) -> None:
    offered = msgspec.structs.replace(point(), action="offer", response="accepted")
    ends = ("dismissed", "dismissed", "wrong", None)
    here.send([offered, point(), *(msgspec.structs.replace(offered, response=end) for end in ends)])
    rules = [StoppingRule(measure=measure, above=0.4, after=5) for measure in (Measure.DISMISSED, Measure.WRONG)]
    plan = msgspec.structs.replace(bundle().plan, stopping=tuple(rules))
    found = here.content(plan)
    assert [(rule.share, rule.cases, rule.reached) for rule in found.rules] == [(0.5, 4, False), (0.25, 4, False)]


def test_no_arm_is_on_the_page_or_in_the_json(here: Monitored, tmp_path: Path) -> None:
    """Though rows name it. With `--unblind` it is there (the control), and that is noted first."""
    named = [msgspec.structs.replace(row, arm="controlarm") for row in rows() if isinstance(row, PointRow)]
    now = SystemClock().wall_ns()
    take(here.collector, *chain_of(named), now_ns=now)
    page = tmp_path / "page.html"
    masked = here.command("--out", page, "--json")
    assert (masked.code, masked.json["content"]["rows"]) == (0, 1)
    assert "controlarm" not in masked.out
    assert [sorted(lots) for lots in masked.json["content"]["lots"]] == [["expected", "lots", "offers", "phase", "z"]]
    assert "controlarm" not in page.read_text()
    assert not (here.files.path / "unblinded.jsonl").exists()
    here.command("--out", page, "--json", "--unblind")
    assert "controlarm" in page.read_text()
    (line,) = (here.files.path / "unblinded.jsonl").read_text().splitlines()
    assert json.loads(line)["wall_ns"] >= now
    assert json.loads(line)["command"] == "monitor"
    assert page.stat().st_mode & 0o777 == 0o600


def test_an_overdue_deletion_is_exit_status_1(here: Monitored, tmp_path: Path) -> None:
    take(here.collector, *parcels(1), now_ns=SystemClock().wall_ns() - 9 * DAY_NS)
    sealed = here.files.sealed_key(PARTICIPANT).read_bytes()
    take(here.collector, withdrawal(), now_ns=SystemClock().wall_ns() - 8 * DAY_NS)
    assert here.command().code == 0
    here.files.sealed_key(PARTICIPANT).write_bytes(sealed)  # a copy that came back
    answer = here.command()
    assert (answer.code, "OVERDUE" in answer.out) == (1, True)


def test_parcels_of_somebody_who_left_are_not_opened(here: Monitored) -> None:
    """The collector was cut off before it deleted anything; before they left their rows counted (the control)."""
    here.send(list(rows()))
    assert here.content().rows == len(rows())
    with contextlib.closing(CollectorStore(here.data / FILE)) as store, store.writing():
        store.withdraw(PARTICIPANT, withdrawal(), NOW_NS)
    found = here.content()
    assert (found.rows, found.unreadable) == (0, 0)
    assert any("1 parcel in the collector's file" in deletion.what for deletion in here.status().due)


def test_tables_that_hold_somebody_who_left_are_due_until_purged(here: Monitored, tmp_path: Path) -> None:
    take(here.collector, *parcels(1))
    take(here.collector, withdrawal())
    assert here.status(24 * 9).due == ()
    (here.files.path / "opened").mkdir()
    (here.files.path / "opened" / "tables.duckdb").write_bytes(b"rows")
    (due,) = here.status(24 * 9).due
    assert ("kairos study purge" in due.what, due.overdue) == (True, True)
    note(here.files.path / DELETIONS, Deletion(participant=PARTICIPANT, wall_ns=1, destroyed_key=""))
    assert here.status(24 * 9).due == ()
    answer = here.run("monitor", here.files.path, "--data", tmp_path / "nowhere")
    assert (answer.code, "--data" in answer.err) == (2, True)
