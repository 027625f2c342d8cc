"""`kairos label` without its window: what was said is listed, and what is mistyped is told."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.cli import label as command
from daemon.cli import sessions as sessions_command
from daemon.runtime import run as run_module
from storage.errors import BadFile, UsageError
from storage.records import LabelTask, NeedLabel, SegmentLabel, State, asked_about, blank_answer, passed_quiz
from storage.session.labels import LABELS, encode_labels, put_label, read_labels
from storage.testing import SessionBuilder
from tests.fakes.commands.command_line import Answer, run_command


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    session = SessionBuilder(recording=True).wait(1)
    session.picture(20)
    folder = session.wait(30).end().write(tmp_path)
    label = SegmentLabel(
        label_id="a",
        rater="me",
        start_ns=0,
        end_ns=10_000_000_000,
        states=(State.FRUSTRATION, State.WAITING),
        need=NeedLabel.YES,
        wanted="a \x1b[31mrow",
        would_help="its menu",
    )
    put_label(folder, label)
    put_label(folder, SegmentLabel(label_id="b", rater="Anna", start_ns=0, end_ns=5_000_000_000))
    return folder


def listed(capsys: pytest.CaptureFixture[str], folder: Path, *words: str) -> Answer:
    return run_command(command.register, capsys, "label", "--sessions", str(folder.parent), "--list", *words)


def test_what_was_said_is_listed(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """The newest session with pictures without a name; nothing that a terminal would act on."""
    SessionBuilder(wall_ns=1_795_100_000_000_000_000).wait(5).end().write(folder.parent)
    answer = listed(capsys, folder)
    assert answer.code == 0
    assert f"{folder.name} has 2 labels by Anna, me." in answer.out
    assert "me: Struggling, Waiting; help needed; wanted: a ?[31mrow; would have helped: its menu" in answer.out
    assert "Anna: nothing said of what was done; need not said" in answer.out
    assert [said["rater"] for said in listed(capsys, folder, folder.name, "--json").json["labels"]] == ["Anna", "me"]


def test_a_rater_who_closes_the_window_reads_their_own_alone(
    capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What others said would be known before the next stretch; for a person and for a script."""
    opened: list[str] = []
    monkeypatch.setattr(run_module, "label_session", lambda _folder, rater, _lot, _task: opened.append(rater))
    words = ("label", "--sessions", str(folder.parent), folder.name, "--rater", "Anna")
    answer = run_command(command.register, capsys, *words)
    assert f"{folder.name} has 1 label by Anna." in answer.out
    assert "me" not in answer.out.split("Anna", 1)[1]
    assert [said["rater"] for said in run_command(command.register, capsys, *words, "--json").json["labels"]] == [
        "Anna"
    ]
    assert opened == ["Anna", "Anna"]


def test_what_is_mistyped_or_damaged_is_told(capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path) -> None:
    """Before any window opens."""
    for words in (("--blind-share", "2"), ("--rater", " "), ("--rater", "x" * 41)):
        assert listed(capsys, folder, *words).code == UsageError.exit_code
    (folder / LABELS).write_bytes(b"damaged")
    assert "holds no labels" in listed(capsys, folder).err
    (tmp_path / "none").mkdir()
    empty = run_command(command.register, capsys, "label", "--sessions", str(tmp_path / "none"), "--list")
    assert (empty.code, "has pictures" in empty.err) == (BadFile.exit_code, True)


def test_a_quiz_is_taken_once_and_admits_to_verifying(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight of nine pass and seven do not; before all nine are said nothing is told of what is right."""
    folder = SessionBuilder(recording=True).wait(400).end().write(tmp_path)
    tasks: list[LabelTask] = []
    monkeypatch.setattr(run_module, "label_session", lambda _folder, _rater, _lot, task: tasks.append(task))

    def label(*words: str) -> Answer:
        return run_command(command.register, capsys, "label", "--sessions", str(tmp_path), folder.name, *words)

    gold = [
        SegmentLabel(label_id=f"g{n}", rater="gold", start_ns=n * 10**10, end_ns=(n + 1) * 10**10, states=(state,))
        for n, state in enumerate(State)
    ]
    for each in gold[:8]:
        put_label(folder, each)
    assert "has not given each state" in label("--quiz", "gold").err
    put_label(folder, gold[8])
    assert "0 of 9 are said" in label("--quiz", "gold", "--rater", "anna").out
    assert tasks == [LabelTask(quiz="gold")]
    put_label(folder, replace(gold[0], label_id="m", rater="model", proposed=True))
    admitted = ("--verify", "--admitted-by", folder.name, "--rater")
    for rater, right in (("anna", 8), ("ben", 7)):
        for n, each in enumerate(gold):
            said = blank_answer(each, rater, blind=True)
            put_label(folder, replace(said, states=each.states if n < right else gold[0].states))
            if n == 7:
                assert label("--quiz", "gold", "--rater", rater, "--list", "--json").json["right"] is None
        assert f"taken this quiz: {right} of 9" in label("--quiz", "gold", "--rater", rater).err
        told = label("--quiz", "gold", "--rater", rater, "--list").out
        assert ("not passed" in told) is (right < 8)
        answer = label(*admitted, rater)
        assert (answer.code, "has not passed the quiz" in answer.err) == ((0, False) if right == 8 else (2, True))
    more = [replace(each, label_id=f"h{each.label_id}") for each in gold[:2]]  # as with another seed
    for each in more:
        put_label(folder, each)
        put_label(folder, replace(blank_answer(each, "ben", blind=True), states=each.states))
    assert label(*admitted, "ben").code == 2
    passed = passed_quiz(read_labels(folder), "anna")
    assert tasks[1:] == [LabelTask(proposed="model", passed=passed)]
    assert label(*admitted[1:], "anna").code == 0  # also who labels freely
    assert tasks[2:] == [LabelTask(passed=passed)]
    put_label(folder, replace(blank_answer(gold[0], "anna", blind=True), states=gold[1].states))
    assert passed_quiz(read_labels(folder), "anna") == ""  # 7 of 9 now: nothing that was changed since counts


def test_whose_proposals_are_verified_is_told(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """Of nobody, of several without a name, and of one."""
    assert "proposed by nobody" in listed(capsys, folder, "--verify").err
    for name in ("a", "b"):
        each = SegmentLabel(label_id=f"p{name}", rater=name, start_ns=0, end_ns=9, proposed=True, reason="x")
        put_label(folder, each)
    assert "proposed by a, b" in listed(capsys, folder, "--verify").err
    answer = listed(capsys, folder, "--verify", "--proposed-by", "b")
    assert answer.code == 0
    assert "b: proposed: nothing said of what was done" in answer.out
    put_label(folder, SegmentLabel(label_id="d", rater="me", start_ns=0, end_ns=9, dropped=True, reason="cut off"))
    assert "me: dropped (cut off); need not said" in listed(capsys, folder).out


def test_two_people_verify_apart_and_neither_sees_the_other_s(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path
) -> None:
    """On two machines: the recording goes one way with what is proposed, and what was said comes back in a file."""
    for n in range(3):
        proposed = SegmentLabel(
            label_id=f"p{n}",
            rater="model",
            start_ns=n * 10**10,
            end_ns=(n + 1) * 10**10,
            states=(State.WAITING,),
            need=NeedLabel.YES,
            proposed=True,
        )
        put_label(folder, proposed)
        put_label(
            folder, replace(blank_answer(proposed, "anna", blind=True), states=(State.IDEATION,), need=NeedLabel.NO)
        )
    away, there = tmp_path / "away.kairos.zip", tmp_path / "there"
    there.mkdir()

    def sessions(*words: str) -> Answer:
        return run_command(sessions_command.register, capsys, "sessions", *words)

    def label(base: Path, *words: str) -> Answer:
        return run_command(command.register, capsys, "label", "--sessions", str(base), *words)

    exported = ("export", "--sessions", str(folder.parent), folder.name, "--out", str(away), "--proposals")
    assert sessions(*exported).code == 2
    assert sessions(*exported, "--speech").code == 0
    copy = Path(sessions("import", "--sessions", str(there), str(away), "--json").json["session"])
    assert {said.rater for said in read_labels(copy)} == {"model"}
    for said in read_labels(copy):
        put_label(copy, replace(blank_answer(said, "ben", blind=True), need=NeedLabel.YES, at_wall_ns=5))
    back = tmp_path / "ben.jsonl"
    assert "under a name" in label(there, copy.name, "--save", str(back)).err
    assert label(there, copy.name, "--rater", "ben", "--save", str(back), "--json").json["labels"] == 3
    assert label(there, copy.name, "--rater", "ben", "--save", str(back)).code == 2
    assert label(folder.parent, folder.name, "--merge", str(back)).out.startswith("3 labels by ben")
    assert Counter(said.rater for said in read_labels(folder)) == {"model": 3, "anna": 3, "ben": 3, "me": 1, "Anna": 1}
    assert [said.need for _, said in asked_about(read_labels(folder), "ben")] == [NeedLabel.YES] * 3
    other = SessionBuilder(wall_ns=1_795_100_000_000_000_000).wait(60).end().write(tmp_path)
    assert "is not of the recording" in label(folder.parent, other.name, "--merge", str(back)).err
    (tmp_path / "other.json").write_text('{"labels": 3}\n')
    assert "was not written by" in label(folder.parent, folder.name, "--merge", str(tmp_path / "other.json")).err
    newer = next(said for said in read_labels(folder) if said.rater == "ben")
    put_label(folder, replace(newer, at_wall_ns=6))
    assert "again since" in label(folder.parent, folder.name, "--merge", str(back)).err
    back.write_bytes(encode_labels(read_labels(folder)))
    assert label(folder.parent, folder.name, "--merge", str(back)).code == 4
