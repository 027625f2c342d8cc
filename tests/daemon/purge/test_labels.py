"""What was said of recorded work goes with it, and what was said in a span that is forgotten goes too."""

import queue
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.history.labelling import LabelService
from daemon.purge.intent import StoredRow
from daemon.purge.purge import begin, finish
from daemon.purge.rows import shorten
from daemon.purge.span import PurgeSpan
from storage.clock import NS_PER_S, SystemClock
from storage.errors import EnvironmentFault
from storage.files import partial_name, sessions_folder, state_file, state_folder
from storage.records import SegmentLabel
from storage.session.labels import LABELS, change_labels, put_label, read_labels
from storage.session.verify import verify
from storage.testing import WALL_NS, SessionBuilder
from storage.timeline import LabelReply, LabelsClosed, LabelsKept, SessionToLabel
from tests.fakes.narrowing import present

MINUTE_NS = 60 * NS_PER_S
BEFORE_NS = WALL_NS + 3_000 * NS_PER_S
"""When most was said: after the sessions, and not in the span."""


def label(name: str, start_s: int, end_s: int, at_wall_ns: int = BEFORE_NS) -> SegmentLabel:
    return SegmentLabel(
        label_id=name,
        rater="me",
        start_ns=start_s * NS_PER_S,
        end_ns=end_s * NS_PER_S,
        at_wall_ns=at_wall_ns,
        wanted=f"{name} marker",
    )


@pytest.fixture
def folder() -> Path:
    state_folder().mkdir(parents=True, exist_ok=True)
    made = SessionBuilder().keys(590, gap_s=1.0).wait(10).end().write(sessions_folder())
    for kept in (label("early", 10, 60), label("late", 400, 500), label("across", 250, 350)):
        put_label(made, kept)
    return made


def forget(begin_wall_ns: int, end_wall_ns: int | None) -> tuple[str, ...]:
    begin(PurgeSpan(scope="day", begin_wall_ns=begin_wall_ns, end_wall_ns=end_wall_ns), sessions_folder(), state_file())
    return present(finish(state_file())).problems


def test_labels_of_what_is_cut_off_go_and_others_stay(folder: Path) -> None:
    """One that reaches into the span goes whole: it says something of it, as what is proposed of a part before may."""
    put_label(folder, replace(label("late", 70, 80), label_id="part", rater="model", proposed=True))
    put_label(folder, replace(label("late", 70, 80), label_id="verified"))
    assert forget(WALL_NS + 5 * MINUTE_NS, WALL_NS + 2_000 * NS_PER_S) == ()
    assert [(kept.label_id, kept.wanted) for kept in read_labels(folder)] == [
        ("early", "early marker"),
        ("verified", ""),
    ]
    assert b"late marker" not in (folder / LABELS).read_bytes()


def test_what_was_said_in_the_span_of_an_earlier_session_goes(folder: Path) -> None:
    """The session itself stays as it was; control: a span in which nothing was said changes nothing."""
    put_label(folder, label("later", 100, 120, BEFORE_NS + 50 * MINUTE_NS))
    assert forget(BEFORE_NS + 10 * MINUTE_NS, BEFORE_NS + 20 * MINUTE_NS) == ()
    assert len(read_labels(folder)) == 4
    (folder / partial_name(LABELS)).write_bytes(b"later marker")
    assert forget(BEFORE_NS + 40 * MINUTE_NS, BEFORE_NS + 60 * MINUTE_NS) == ()
    assert {kept.label_id for kept in read_labels(folder)} == {"early", "late", "across"}
    assert not any(b"later marker" in path.read_bytes() for path in folder.iterdir())


def test_a_file_that_cannot_be_read_goes_whole_and_is_named(folder: Path) -> None:
    """Nobody can tell what of it is about the span."""
    (folder / LABELS).write_bytes(b"damaged")
    (problem,) = forget(WALL_NS + 5 * MINUTE_NS, WALL_NS + 2_000 * NS_PER_S)
    assert LABELS in problem
    assert not (folder / LABELS).exists()


@pytest.mark.parametrize("reach_ns", [-MINUTE_NS, MINUTE_NS])
def test_a_file_that_cannot_be_read_of_a_session_that_stays_goes_only_if_it_was_written_in_the_span(
    folder: Path, reach_ns: int
) -> None:
    """A later Kairos may have written it; the person learns that it stays."""
    (folder / LABELS).write_bytes(b'{"format": "kairos-labels", "version": 2}\n')
    written_ns = (folder / LABELS).stat().st_ctime_ns
    (problem,) = forget(written_ns - 2 * MINUTE_NS, written_ns + reach_ns)
    assert LABELS in problem
    assert (folder / LABELS).exists() is (reach_ns < 0)


def test_labels_go_with_their_session(folder: Path) -> None:
    """A session that begins in the span goes with everything in its folder."""
    put_label(folder, replace(label("early", 10, 60), wanted="other"))
    forget(WALL_NS - MINUTE_NS, WALL_NS + 2_000 * NS_PER_S)
    assert not folder.exists()


class Closed:
    """The window, as far as the reader knows it: what it was sent."""

    def __init__(self) -> None:
        self.heard: queue.Queue[LabelReply] = queue.Queue()

    def show_reply(self, reply: LabelReply) -> None:
        self.heard.put(reply)

    def has(self, kind: type) -> bool:
        while not isinstance(self.heard.get(timeout=30), kind):
            pass
        return True


@pytest.fixture
def view() -> Closed:
    return Closed()


@pytest.fixture
def reader(folder: Path, view: Closed) -> Iterator[LabelService]:
    service = LabelService(sessions_folder(), state_file(), SystemClock())
    service.attach(view)
    service.open(folder.name)
    assert view.has(SessionToLabel)
    yield service
    service.close()


@pytest.mark.parametrize("name", ["late", "new", "early"])
def test_an_open_window_writes_nothing_back_and_goes(
    folder: Path, reader: LabelService, view: Closed, name: str
) -> None:
    """What was cut off, what is new there, and even what stays: everything that the window shows is older."""
    assert forget(WALL_NS + 5 * MINUTE_NS, WALL_NS + 2_000 * NS_PER_S) == ()
    reader.put(replace(label("early", 10, 60) if name == "early" else label(name, 400, 500), wanted="back again"))
    assert view.has(LabelsClosed)
    reader.close()
    assert read_labels(folder) == (label("early", 10, 60),)
    assert verify(folder).ok


def test_a_window_that_nobody_touches_goes_too(folder: Path, view: Closed) -> None:
    """No label is lost, but what it shows of the session's end is."""
    change_labels(folder, lambda labels: [kept for kept in labels if kept.label_id == "early"])
    service = LabelService(sessions_folder(), state_file(), SystemClock())
    service.attach(view)
    service.open(folder.name)
    assert view.has(SessionToLabel)
    assert forget(WALL_NS + 5 * MINUTE_NS, WALL_NS + 2_000 * NS_PER_S) == ()
    assert view.has(LabelsClosed)
    service.put(label("behind", 100, 120))
    service.close()
    assert read_labels(folder) == (label("early", 10, 60),)


def test_a_window_goes_where_only_what_was_said_is_forgotten(folder: Path, reader: LabelService, view: Closed) -> None:
    """The session stays as it was; control: a label that is put before the purge is kept."""
    reader.put(label("more", 70, 80))
    assert view.has(LabelsKept)
    assert len(read_labels(folder)) == 4
    assert forget(BEFORE_NS - MINUTE_NS, None) == ()
    assert read_labels(folder) == ()
    reader.put(replace(label("late", 400, 500), wanted="back again"))
    assert view.has(LabelsClosed)
    assert read_labels(folder) == ()


def test_what_is_said_while_rows_are_cut_goes_too(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the labels and the rows somebody keeps one more; and a kill before the second look loses nothing."""

    def shorten_late(cut: Path, first_gone: int, ending: Iterable[StoredRow]) -> None:
        put_label(cut, label("between", 400, 500))
        shorten(cut, first_gone, ending)

    monkeypatch.setattr("daemon.purge.carry_out.shorten", shorten_late)
    assert forget(WALL_NS + 5 * MINUTE_NS, WALL_NS + 2_000 * NS_PER_S) == ()
    assert [kept.label_id for kept in read_labels(folder)] == ["early"]


def test_what_cannot_be_removed_is_told_and_tried_again(folder: Path) -> None:
    """A folder lies in the place of the file; once it is gone the purge ends."""
    (folder / LABELS).unlink()
    (folder / LABELS).mkdir()
    with pytest.raises(EnvironmentFault, match=LABELS):
        forget(WALL_NS + 5 * MINUTE_NS, WALL_NS + 2_000 * NS_PER_S)
    (folder / LABELS).rmdir()
    assert present(finish(state_file())).problems == ()
