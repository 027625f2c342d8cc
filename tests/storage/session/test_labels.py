"""The file of labels: whole or not at all, no other change meanwhile, and nothing in it that cannot be."""

import multiprocessing
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from storage.errors import BadFile, EnvironmentFault, UsageError
from storage.records import KAIROS, Judgement, NeedLabel, SegmentLabel, State
from storage.session import labels as labels_module
from storage.session.labels import LABELS, change_labels, put_label, read_labels
from storage.session.log import DATABASE
from storage.session.transfer.export import export_session
from storage.session.transfer.import_session import import_session
from storage.session.verify import verify
from storage.testing import SessionBuilder

LABEL = SegmentLabel(
    label_id="a",
    rater="me",
    start_ns=1_000_000_000,
    end_ns=9_000_000_000,
    at_wall_ns=5,
    states=(State.FRUSTRATION, State.DEBUGGING),
    need=NeedLabel.YES,
    wanted="freeze the first row",
    would_help="the name of the command",
    first=Judgement(by="me", states=(State.FRUSTRATION,), need=NeedLabel.NO),
    shown=Judgement(by=KAIROS, states=(State.WAITING,), need=NeedLabel.YES),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return SessionBuilder().wait(10).end().write(tmp_path)


def test_what_is_kept_is_read_and_makes_a_session_no_younger(folder: Path) -> None:
    """Every field comes back; a label with the same id takes the place of the one before, in the order of time."""
    assert read_labels(folder) == ()
    put_label(folder, LABEL)
    later = replace(LABEL, label_id="b", start_ns=9_000_000_000, end_ns=10_000_000_000)
    put_label(folder, replace(later, wanted="a word that was taken back"))
    assert put_label(folder, later) == read_labels(folder) == (LABEL, later)
    assert b"taken back" not in (folder / LABELS).read_bytes()
    assert (folder / LABELS).stat().st_mtime_ns == (folder / DATABASE).stat().st_mtime_ns
    assert (folder / LABELS).stat().st_mode & 0o777 == 0o600
    assert change_labels(folder, lambda _: ()) == ()
    assert not (folder / LABELS).exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "holds no labels"),
        (b"[]\n", "holds no labels"),
        (b'{"format":"kairos-labels","version":1}\n{"label_id":1}\n', "holds no labels"),
        (b'{"format":"kairos-labels","version":2}\n', "another version"),
        (b'{"format":"other","version":1}\n', "another version"),
        (
            b'{"format":"kairos-labels","version":1}\n{"label_id":"a","rater":"","start_ns":0,"end_ns":9}\n',
            "impossible",
        ),
        (b'{"format":"kairos-labels","version":1}\n{"label_id":"a","rater":"b","start_ns":9,"end_ns":9}', "impossible"),
        (b"x" * ((8 << 20) + 1), "larger"),
    ],
)
def test_what_is_no_file_of_labels_is_refused_and_stays(folder: Path, content: bytes, said: str) -> None:
    """Nothing is written over it, and a check of the session says so; the control is the test above."""
    (folder / LABELS).write_bytes(content)
    with pytest.raises(BadFile, match=said):
        read_labels(folder)
    with pytest.raises(BadFile, match=said):
        put_label(folder, LABEL)
    assert (folder / LABELS).read_bytes() == content
    report = verify(folder)
    assert not report.ok
    assert any(said in problem for problem in report.problems)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"wanted": "a" * 301}, "cannot be kept"),
        ({"would_help": "a" * 301}, "cannot be kept"),
        ({"rater": ""}, "cannot be kept"),
        ({"end_ns": LABEL.start_ns}, "cannot be kept"),
        ({"end_ns": 10_000_000_001}, "no time of the session"),
        ({"expected": ("a", "gone")}, "deleted meanwhile"),
    ],
)
def test_what_could_not_be_read_again_is_not_written(folder: Path, changes: dict[str, object], said: str) -> None:
    """What is there stays; control: a label of the longest words up to the session's last row."""
    put_label(folder, LABEL)
    expected = changes.pop("expected", ())
    with pytest.raises(UsageError, match=said):
        put_label(folder, replace(LABEL, label_id="b", **changes), expected)  # type: ignore[arg-type]  # they fit
    assert read_labels(folder) == (LABEL,)
    put_label(folder, replace(LABEL, label_id="b", wanted="a" * 300, end_ns=10_000_000_000), ("a",))
    assert len(read_labels(folder)) == 2


@pytest.mark.parametrize("limit", ["MAX_BYTES", "MAX_LABELS"])
def test_no_more_is_written_than_is_read_again(folder: Path, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    """One label too many, or a file too large, is refused; those that are there stay."""
    put_label(folder, LABEL)
    monkeypatch.setattr(labels_module, limit, (folder / LABELS).stat().st_size if limit == "MAX_BYTES" else 1)
    with pytest.raises(UsageError, match="cannot be kept"):
        put_label(folder, replace(LABEL, label_id="b"))
    assert read_labels(folder) == (LABEL,)


def test_a_link_in_place_of_the_file_is_refused(folder: Path, tmp_path: Path) -> None:
    """It could lead anywhere."""
    (tmp_path / "elsewhere").write_bytes(b"")
    (folder / LABELS).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadFile, match="plain file"):
        read_labels(folder)


def test_a_session_that_is_gone_is_not_made_again(folder: Path, tmp_path: Path) -> None:
    """Its folder was deleted while somebody labelled it."""
    folder.rename(tmp_path / "away")
    with pytest.raises(EnvironmentFault, match=LABELS):
        put_label(folder, LABEL)
    assert not folder.exists()


def put_many(folder: Path, name: str) -> None:
    for number in range(20):
        put_label(folder, replace(LABEL, label_id=f"{name}{number}"))


def test_two_windows_lose_nothing_of_each_other(folder: Path) -> None:
    """Two processes write at the same time."""
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=put_many, args=(folder, name)) for name in "ab"]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    assert len(read_labels(folder)) == 40


def test_a_check_names_labels_about_no_time_of_the_session(folder: Path) -> None:
    """Control: a label within it is sound."""
    put_label(folder, LABEL)
    assert verify(folder).ok
    with (folder / LABELS).open("ab") as file:
        file.write(msgspec.json.encode(replace(LABEL, label_id="b", end_ns=11_000_000_000)))
    assert "1 of 2 labels are about no time of the session" in verify(folder).problems


@pytest.mark.parametrize("labels", [True, False])
def test_labels_leave_only_when_it_is_said(folder: Path, tmp_path: Path, labels: bool) -> None:
    """With them an import has them too, each as it was."""
    put_label(folder, LABEL)
    export_session(folder, tmp_path / "out.zip", labels=labels)
    imported = import_session(tmp_path / "out.zip", tmp_path / "other")
    assert read_labels(imported) == ((LABEL,) if labels else ())
