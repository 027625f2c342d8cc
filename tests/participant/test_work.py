"""The hourly work: packs, lets go and sends what is in force, one at a time, and is quick where nothing is joined."""

import errno
import fcntl
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from daemon.runtime.study.enrolment import end_wall_ns
from daemon.runtime.study.work import has_study
from participant.commands.study import register
from participant.delivery import outbox as outbox_module
from participant.delivery.outbox import Outbox, ParcelState
from participant.delivery.review import Mode, mode_of, set_mode
from participant.membership.folder import ParticipantFolder, studies_folder
from participant.membership.lock import BusyError, study_lock
from participant.work import LOOKS_ON_NS, work
from storage.clock import DAY_NS, SystemClock
from storage.enrolment import Enrolment
from storage.errors import BadFile, EnvironmentFault
from storage.files import state_folder
from tests.fakes.commands.command_line import run_command
from tests.fakes.studies.participants import JOINED_NS, join_study, no_packing, noting, pack_rows, receive_all, try_all


def test_it_packs_then_lets_go_then_sends(tmp_path: Path) -> None:
    folder, _ = join_study()
    steps: list[str] = []

    def pack(given: ParticipantFolder, now_wall_ns: int) -> None:
        assert given.path == folder.path
        pack_rows(folder, now_wall_ns=now_wall_ns - 2 * DAY_NS)
        steps.append("packed")

    log = tmp_path / "log"
    done = work(JOINED_NS + 10 * DAY_NS, pack=pack, sender=noting(log))
    assert (done.busy, done.packed, done.sent, done.faults) == (False, ["sheets"], ["sheets"], [])
    assert (steps, log.read_text()) == (["packed"], f"{folder.outbox}\n")
    assert len(try_all(folder)) == 2


def test_a_fault_is_named_by_its_code_and_stops_nothing_else(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    join_study()
    log = tmp_path / "log"

    def damaged(*_: object) -> None:
        raise BadFile("the journal of /home/ada/secret is damaged")

    def full(*_: object) -> None:
        raise EnvironmentFault("secret", code="disk_full")

    assert work(JOINED_NS, pack=damaged, sender=noting(log, 3)).faults == ["pack: BadFile", "send: status 3"]
    assert work(JOINED_NS, pack=full, sender=noting(log, 1)).faults == ["pack: disk_full"]
    assert len(log.read_text().splitlines()) == 2
    assert "secret" not in caplog.text
    assert "BadFile" in caplog.text


@pytest.mark.parametrize("everything", [False, True])
def test_on_hold_no_sender_runs_until_something_is_let_go(tmp_path: Path, everything: bool) -> None:
    """Not even to ask for news, which tells the broker that somebody is there; the control: else it does."""
    folder, _ = join_study()
    try_all(folder)
    receive_all(folder)
    run = partial(work, JOINED_NS, pack=no_packing, sender=noting(tmp_path / "log"), everything=everything)
    assert run().sent == ["sheets"]
    with Outbox(folder.outbox) as outbox:
        set_mode(outbox, Mode.HOLD)
    pack_rows(folder)
    assert run().sent == []
    with Outbox(folder.outbox) as outbox:
        outbox.release(1)
    assert run().sent == ["sheets"]


def test_one_at_a_time(tmp_path: Path) -> None:
    """Somebody else's work is left alone, and who needs the lock is told to come again."""
    join_study()
    with study_lock():
        done = work(JOINED_NS, pack=no_packing, sender=noting(tmp_path / "log"))
        assert (done.busy, done.sent) == (True, [])
        with pytest.raises(BusyError), study_lock(wait_s=0.1):
            pass
    assert work(JOINED_NS, pack=no_packing, sender=noting(tmp_path / "log")).sent == ["sheets"]


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo, lambda path: path.symlink_to("/dev/null")])
def test_a_lock_that_is_no_file_is_named(make: Callable[[Path], None], tmp_path: Path) -> None:
    """The person is told what to remove; once they have, the work goes on."""
    join_study()
    path = studies_folder() / "lock"
    path.unlink()
    make(path)
    with pytest.raises(EnvironmentFault, match=r"lock cannot be used") as caught:
        work(JOINED_NS, pack=no_packing, sender=noting(tmp_path / "log"))
    assert "remove this one file" in caught.value.remedy
    path.rmdir() if path.is_dir() else path.unlink()
    assert work(JOINED_NS, pack=no_packing, sender=noting(tmp_path / "log")).sent == ["sheets"]


def test_a_journal_that_comes_and_goes_beside_an_outbox_is_no_fault(tmp_path: Path) -> None:
    """Another process changes the outbox meanwhile: its journal may go between two looks at it."""
    path, ended = tmp_path / "outbox.db", threading.Event()
    Outbox(path).close()
    journal = path.with_name("outbox.db-journal")

    def change() -> None:
        while not ended.is_set():
            journal.touch()
            journal.unlink(missing_ok=True)

    other = threading.Thread(target=change)
    other.start()
    try:
        for _ in range(1000):
            outbox_module._check_plain(path)
    finally:
        ended.set()
        other.join()
    journal.symlink_to("/dev/null")
    with pytest.raises(BadFile, match="journal is not a plain file"):
        outbox_module._check_plain(path)


@pytest.mark.parametrize(
    ("sent", "unreachable", "told"),
    [(0, '"the broker cannot be reached"', []), (2, '"it was lost"', ["sheets"]), (0, "null", ["sheets"])],
)
def test_a_study_is_sent_from_only_where_the_broker_was_reached(sent: int, unreachable: str, told: list[str]) -> None:
    join_study()
    facts = f'{{"sent": {sent}, "received": 0, "deleted": false, "bundle": null, "unreachable": {unreachable}'
    said = f"echo '{facts}, \"next_wall_ns\": null}}'; exit 1"
    done = work(JOINED_NS, pack=no_packing, sender=("/bin/sh", "-c", said))
    assert (done.sent, done.faults) == (told, [])


def test_a_full_disk_ends_the_sender_and_is_named_by_its_step(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A sender that nobody could end must not run; the rest of the work is done."""
    join_study()

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    done = work(JOINED_NS, pack=no_packing, sender=("/bin/sh", "-c", f"sleep 5; touch {tmp_path}/late"))
    assert (done.packed, done.sent, done.faults) == (["sheets"], [], ["send: EnvironmentFault"])
    assert not (tmp_path / "late").exists()


def test_no_other_process_of_the_same_number_is_ended() -> None:
    """The lock file names when the sender began; a number that was used again is left alone."""
    studies_folder().mkdir(parents=True)
    path = studies_folder() / "lock"
    with subprocess.Popen(["/bin/sleep", "60"]) as other:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.write(descriptor, f"{other.pid} 1".encode())
        with pytest.raises(BusyError), study_lock(wait_s=0.2):
            pass
        assert other.poll() is None
        os.close(descriptor)
        other.kill()


def test_a_study_that_another_broken_one_stands_beside_is_worked_on(tmp_path: Path) -> None:
    join_study()
    (studies_folder() / "another").mkdir()
    (studies_folder() / "another" / "outbox.db").write_bytes(b"spoilt" * 1000)
    done = work(JOINED_NS, pack=no_packing, sender=noting(tmp_path / "log"))
    assert (done.packed, done.sent) == (["sheets"], ["sheets"])


def test_nothing_is_started_while_nothing_is_due(tmp_path: Path) -> None:
    folder, _ = join_study()
    try_all(folder)
    log = tmp_path / "log"
    with Outbox(folder.outbox) as outbox:
        due = outbox.next_due_wall_ns()
    assert due is not None
    assert work(JOINED_NS, pack=no_packing, sender=noting(log)).sent == []
    assert work(due, pack=no_packing, sender=noting(log)).sent == ["sheets"]
    with Outbox(folder.outbox) as outbox:
        assert [parcel.state for parcel in outbox.parcels()] == [ParcelState.READY]


def test_after_the_study_the_broker_is_left_alone(tmp_path: Path) -> None:
    folder, enrolment = join_study()
    try_all(folder)
    receive_all(folder)
    log = tmp_path / "log"
    over = JOINED_NS + (enrolment.days + 3) * DAY_NS
    assert work(over, pack=no_packing, sender=noting(log)).sent == ["sheets"]
    assert work(over + 7 * DAY_NS, pack=no_packing, sender=noting(log)).sent == []
    pack_rows(folder, state=ParcelState.READY)
    assert work(over + 7 * DAY_NS, pack=no_packing, sender=noting(log)).sent == ["sheets"]


def loaded_by(*words: str) -> set[str]:
    program = (
        "import json, sys; from daemon.cli.main import main; code = main(sys.argv[1:]);"
        "print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=True)
    return set(json.loads(done.stderr.splitlines()[-1]))


def test_where_nothing_is_joined_the_work_loads_hardly_anything() -> None:
    """No database, no keys, no network; the control: status, which looks, loads the database."""
    heavy = {"nacl", "sqlite3", "msgspec", "aiomqtt", "numpy", "PySide6", "duckdb", "scipy"}
    assert loaded_by("study", "work", "--json") & heavy == set()
    join_study()
    found = loaded_by("study", "status") & heavy
    assert "sqlite3" in found
    assert found & {"aiomqtt", "PySide6", "duckdb", "scipy"} == set()


def over(enrolment: Enrolment) -> int:
    return end_wall_ns(enrolment) + LOOKS_ON_NS


def test_long_after_the_end_there_is_no_more_work(tmp_path: Path) -> None:
    folder, enrolment = join_study()
    end_ns = over(enrolment)
    run = partial(work, pack=no_packing, sender=noting(tmp_path / "log"))
    run(end_ns)
    assert has_study(state_folder(), end_ns)  # parcel 0 was not received
    try_all(folder)
    receive_all(folder)
    run(end_ns - 1)
    assert has_study(state_folder(), end_ns)
    with Outbox(folder.outbox) as outbox:
        set_mode(outbox, Mode.ASK)
    pack_rows(folder)
    run(end_ns)
    assert not has_study(state_folder(), end_ns)
    assert has_study(state_folder(), end_ns - 1)
    with Outbox(folder.outbox) as outbox:
        assert outbox.release(1) == 1
    assert has_study(state_folder(), end_ns)


def test_what_leaves_by_itself_is_waited_for_after_the_end() -> None:
    """In mode `daily` a parcel that was packed last leaves a day later."""
    folder, enrolment = join_study(mode=Mode.DAILY)
    try_all(folder)
    receive_all(folder)
    pack_rows(folder, now_wall_ns=over(enrolment))
    work(over(enrolment), pack=no_packing, sender=("true",))
    assert has_study(state_folder(), over(enrolment))


def test_a_damaged_outbox_is_named_and_the_status_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    """By the work and by its exit status, which Kairos sees; a whole one is the control."""
    folder, _ = join_study(now_wall_ns=SystemClock().wall_ns())
    with Outbox(folder.outbox) as outbox:
        set_mode(outbox, Mode.HOLD)
    words = ("study", "work", "--json")
    assert run_command(register, capsys, *words).code == 0
    folder.outbox.write_bytes(b"no database" * 500)
    found = run_command(register, capsys, *words)
    assert (found.code, found.json["damaged"]) == (BadFile.exit_code, [folder.study])


def test_a_sender_that_finds_the_outbox_damaged_counts_as_well(tmp_path: Path) -> None:
    join_study()
    assert work(JOINED_NS, pack=no_packing, sender=noting(tmp_path / "log", 4)).damaged == ["sheets"]
    assert work(JOINED_NS, pack=no_packing, sender=noting(tmp_path / "log", 3)).damaged == []


def test_a_clock_that_was_ahead_holds_nothing_until_then(tmp_path: Path) -> None:
    folder, _ = join_study()
    try_all(folder)
    receive_all(folder)
    now_ns = JOINED_NS + 10 * DAY_NS
    pack_rows(folder, now_wall_ns=now_ns + 365 * DAY_NS)
    pack_rows(folder, now_wall_ns=now_ns)
    run = partial(work, pack=no_packing, sender=noting(tmp_path / "log"))
    run(now_ns)
    with Outbox(folder.outbox) as outbox:
        assert len(outbox.parcels(ParcelState.HELD)) == 2
    run(now_ns + DAY_NS)
    with Outbox(folder.outbox) as outbox:
        assert outbox.parcels(ParcelState.HELD) == []


def test_who_joined_while_the_clock_was_ahead_has_one_week_of_asking(tmp_path: Path) -> None:
    folder, _ = join_study(now_wall_ns=JOINED_NS + 365 * DAY_NS)
    pack_rows(folder)
    run = partial(work, pack=no_packing, sender=noting(tmp_path / "log"))
    run(JOINED_NS)
    with Outbox(folder.outbox) as outbox:
        assert mode_of(outbox, JOINED_NS + 6 * DAY_NS) is Mode.ASK
        assert mode_of(outbox, JOINED_NS + 8 * DAY_NS) is Mode.DAILY
