"""From joining to the first receipt and from leaving to the signed deletion, by the commands that people run."""

import contextlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from participant.delivery.outbox import BUNDLE, Outbox
from participant.membership.folder import joined_folder
from storage.clock import DAY_NS, SystemClock, local_time
from storage.enrolment import Enrolment
from storage.files import sessions_folder, state_file
from storage.records import NeedLabel, SegmentLabel, State, TaskMark, TaskStep
from storage.session.labels import change_labels, put_label
from storage.session.transcript import SpokenWord, Transcript, write_transcript
from storage.settings_file import load_settings
from storage.state.store import StateStore
from study.collector.store import FILE, CollectorReader
from study.opening.tables import read_tables
from tests.fakes.commands.command_line import Answer
from tests.fakes.studies.delivery.authority import Authority
from tests.fakes.studies.delivery.people import Person
from tests.fakes.studies.delivery.stage import Stage, running
from tests.fakes.studies.session import BOOT_NS, S, StudySession, write_session


def invitation_of(stage: Stage, person: Person) -> Path:
    (path,) = (stage.study.path / "invitations").glob(f"*-{person.id}.kairos-invitation")
    return path


def live(enrolment: Enrolment, base: Path, now_wall_ns: int) -> Path:
    start = {"wall_ns": now_wall_ns, "session_id": "a"}
    joined = {"study": enrolment.study, "participant": enrolment.participant, "seed": enrolment.seed}
    joined |= {"first_date": now_wall_ns // DAY_NS, "utc_offset_s": 0}
    session = StudySession(start=start, study={**joined, "phase": "baseline"})
    task = TaskMark(code="sort", step=TaskStep.BEGUN, title="Sort a table", program="Calc", skill=2)
    session.add(1, task)
    session.add(300, replace(task, step=TaskStep.DONE))
    folder = write_session(base / f"{local_time(now_wall_ns):%Y%m%d-%H%M%S}-abcd", session.end(310).rows)
    for number in (1, 2):
        at_ns = BOOT_NS + number * 100 * S
        label = SegmentLabel(label_id=f"{number:016x}", rater="me", start_ns=at_ns, end_ns=at_ns + 50 * S)
        put_label(folder, replace(label, states=(State.FRUSTRATION,), need=NeedLabel.YES, at_wall_ns=1))
    words = [SpokenWord(start_ns=BOOT_NS + at_s * S, end_ns=BOOT_NS + at_s * S + S, text=text) for at_s, text in SAID]
    write_transcript(folder, Transcript(source="test", words=tuple(words)))
    return folder


SAID = ((110, "zanzibar"), (210, "timbuktu"))


def test_tasks_and_labels_from_a_yes_to_a_report_and_back(
    authority: Authority, run: Callable[..., Answer], tmp_path: Path
) -> None:
    """One of two labels is deleted after it was looked at: its words reach nobody, and leaving deletes the other."""
    with running(Stage(tmp_path / "stage", people=1, authority=authority, tasks=True)) as stage:
        (person,) = stage.people
        switches = "aggregates,tasks,labels,narration"
        assert run("join", invitation_of(stage, person), "--agree", switches, "--mode", "daily").code == 0
        with StateStore(state_file()) as state:
            enrolment = state.enrolment()
        assert enrolment is not None
        assert [task.code for task in enrolment.tasks] == ["sort"]
        base = sessions_folder(load_settings().storage.sessions_dir)
        session = live(enrolment, base, SystemClock().wall_ns())
        run("work", "--now")
        looked = run("review").out
        assert all(words in looked for words in ("zanzibar", "timbuktu", "task sort, 4 min 59 s, done")), looked
        change_labels(session, lambda labels: labels[:1])
        again = run("review", "--send")
        assert ("zanzibar" in again.out, "timbuktu" in again.out, "let go: 1 parcel" in again.out) == (
            True,
            False,
            True,
        )
        assert run("work", "--now", "--json").json["said"] == ["first: 1 parcel sent, 1 received"]
        folder, data = stage.study.path, stage.data
        assert run("open", folder, "--data", data).code == 0
        with read_tables(folder) as tables:
            assert tables.execute("SELECT task, need, said FROM labels").fetchall() == [("sort", "yes", "zanzibar")]
            assert tables.execute('SELECT task, seconds, "end", skill FROM tasks').fetchall() == [
                ("sort", 299, "done", 2)
            ]
        audited = run("audit", "--study", folder, "--json")
        assert (audited.code, audited.json["findings"]) == (0, []), audited
        assert run("report", folder).code == 0
        page = (folder / "report.html").read_text()
        assert all(words in page for words in ("Labels by participants", "task sort", "skill, mean of 1 to 5"))
        assert not [path for path in files_of(tmp_path / "stage") if b"timbuktu" in path.read_bytes()]
        run("leave")
        run("work", "--now")
        assert run("purge", folder, "--data", data).code == 0
        with read_tables(folder) as tables:
            assert tables.execute("SELECT count(*) FROM labels").fetchall() == [(0,)]
        assert not [path for path in files_of(folder) if b"zanzibar" in path.read_bytes()]


def files_of(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_the_same_by_files(stage: Stage, person: Person, run: Callable[..., Answer], tmp_path: Path) -> None:
    run("join", invitation_of(stage, person), "--agree", "aggregates", "--mode", "daily")
    data, study = tmp_path / "data", stage.study.path
    parcels, receipts = tmp_path / "mine.kairos-parcels", tmp_path / "mine.kairos-receipts"
    packed = {"file": str(parcels), "parcels": 1, "withdrawal": False, "left": 0}
    assert run("pack", "--out", parcels, "--json").json == packed
    taken = run("receive-parcels", parcels, "--into", study, "--data", data, "--json")
    assert (taken.code, taken.json["stored"], taken.json["receipts"]) == (0, 1, str(receipts))
    back = run("receive", receipts, "--json")
    assert (back.code, back.json["received"], back.json["refused"]) == (0, 1, 0)
    assert run("pack", "--out", tmp_path / "more").code == 2
    assert run("receive", parcels).code == 1
    run("leave")
    assert run("pack", "first", "--out", tmp_path / "leaving").code == 0
    assert run("receive-parcels", tmp_path / "leaving", "--into", study, "--data", data).code == 0
    assert run("receive", tmp_path / "leaving.kairos-receipts", "--study", "first", "--json").json["deleted"]
    with contextlib.closing(CollectorReader(data / FILE)) as reader:
        assert list(reader.parcels(person.id)) == []


def test_sending_before_joining(run: Callable[..., Answer], tmp_path: Path) -> None:
    """There is nothing to send, and the message says so; the same for files."""
    for words in (("pack", "--out", tmp_path / "x"), ("receive", tmp_path / "x")):
        answer = run(*words)
        assert (answer.code, "you take part in no study" in answer.err) == (2, True)
    assert list(tmp_path.glob("x*")) == []


def test_nothing_goes_before_a_new_version_is_answered(
    stage: Stage, person: Person, run: Callable[..., Answer], tmp_path: Path
) -> None:
    run("join", invitation_of(stage, person), "--agree", "aggregates", "--mode", "daily")
    with Outbox(joined_folder("first").outbox) as outbox:
        outbox.save_fact(BUNDLE, b"another version")
    answer = run("pack", "--out", tmp_path / "x")
    assert (answer.code, "join --again" in answer.err) == (2, True), answer
    assert run("work", "--now", "--json").json["sent"] == []
    assert not (tmp_path / "x").exists()
    assert stage.collected(person) == []
