"""From what a program said to the words of an offer: on the card from memory, in the journal as digests alone."""

from pathlib import Path
from typing import Any

import pytest

from daemon.capture.accessibility.digests import MAX_AGE_NS, ControlWords
from daemon.capture.accessibility.observer import ControlObserver
from daemon.capture.control_source import Acted, ActKind, Control, MessageShown, Observation
from daemon.capture.fence.rules import Fence
from daemon.capture.gate import Gate
from daemon.history.decisions import runs_of_session
from daemon.history.summary import summarize
from daemon.replay.imports.derive import derive_rows
from daemon.replay.replay import replay
from storage.clock import NS_PER_S
from storage.db.codec import canonical
from storage.messages import offer_text
from storage.records import Box, ControlRole, Offer, Record
from storage.settings import FenceSettings
from tests.fakes.accessibility.controls import QuietSense
from tests.fakes.desktop.windows import OWN_PID, scene, window
from tests.fakes.sessions.derived_session import SETTINGS, write_session
from tests.fakes.sessions.desk import Desk
from tests.fakes.sessions.people import undo_loop, work

PID = 77
COMPILE = Control(key="/c", role=ControlRole.BUTTON, name="Compile-marker", box=Box(5, 5, 40, 20))
NAMED = ("The same message came up 3 times after “Compile-marker”", "It reads “marker not found in line …”")
PLAIN = "The same message came up 3 times"
EDITOR = window(1, "editor", pid=PID, program=frozenset({"editor"}))


class ToldSession:
    """A session in which a person undoes again and again, and a message comes back after each compilation."""

    def __init__(self, *, recording: bool) -> None:
        desk = Desk(1)
        work(desk, 60)
        undo_loop(desk)
        desk.wait(40)
        self.words = ControlWords()
        sense: Any = QuietSense()
        gate = Gate()
        gate.open()
        self.fence = Fence(FenceSettings(), OWN_PID)
        self.fence.update([scene(EDITOR, active=1)], 10 * NS_PER_S)
        self.sense = sense
        self.observer = ControlObserver(
            sense, gate, key=b"k" * 32, record_names=recording, words=self.words, own_pid=OWN_PID
        )
        self.observer.publish(self.fence, locked=False)
        sources: list[tuple[int, Record]] = [(r.at_ns or getattr(r, "t_ns", 0), r) for r in desk.records]
        offered_ns = next(r for r in self.rows(sources, recording=recording) if isinstance(r, Offer)).shown_at_ns
        for number in range(3):
            sources += self.compile(offered_ns - (11 - 3 * number) * NS_PER_S, number)
        sources.sort(key=lambda one: one[0])
        self.found = self.rows(sources, recording=recording)
        self.offer = next(row for row in self.found if isinstance(row, Offer))

    def compile(self, t_ns: int, line: int) -> list[tuple[int, Record]]:
        text = f"marker not found in line {line}"
        observed: tuple[Observation, ...] = (
            Acted(t_ns=t_ns, pid=PID, control=COMPILE, what=ActKind.PRESSED),
            MessageShown(t_ns=t_ns + NS_PER_S // 4, pid=PID, role=ControlRole.LABEL, text=text),
        )
        self.sense.pending = list(observed)
        records = self.observer.records(self.fence, (), t_ns + NS_PER_S // 4, locked=False)
        assert len(records) == len(observed)
        return [(getattr(record, "t_ns", 0), record) for record in records]

    @staticmethod
    def rows(sources: list[tuple[int, Record]], *, recording: bool) -> list[Record]:
        return list(
            derive_rows(
                sources,
                settings=SETTINGS,
                session_id="20260101-000000-abcd",
                wall_ns=1_700_000_000 * NS_PER_S,
                recording=recording,
                imported_from="a test",
            )
        )

    def names(self, now_ns: int) -> dict[str, str]:
        assert self.offer.seen is not None
        found = {place: self.words.lookup(digest, now_ns) for place, digest in self.offer.seen.digests.items()}
        return {place: words for place, words in found.items() if words}


@pytest.fixture(scope="module")
def journal() -> ToldSession:
    return ToldSession(recording=False)


@pytest.fixture(scope="module")
def recorded() -> ToldSession:
    return ToldSession(recording=True)


@pytest.mark.parametrize("recording", [False, True])
def test_the_card_names_the_thing_and_the_journal_alone_does_not(
    tmp_path: Path, journal: ToldSession, recorded: ToldSession, *, recording: bool
) -> None:
    """With the recording the words are in the session and `why` quotes them: the control of the search."""
    told = recorded if recording else journal
    assert told.offer.seen is not None
    assert told.offer.seen.code == "message_after_control"
    text = offer_text(told.offer, told.names(told.offer.shown_at_ns))
    assert text.title == NAMED[0]
    assert text.reason.startswith(NAMED[1])
    folder = write_session(told.found, tmp_path)
    held = b"".join(path.read_bytes() for path in folder.iterdir())
    assert (b"marker" in held) is recording
    (shown,) = [run.offer for run in runs_of_session(folder) if run.offer is not None][:1]
    summed = summarize(folder).offers[0]
    for offer in (shown, summed):
        assert offer["title"] == (NAMED[0] if recording else PLAIN)
        assert offer["why"].startswith(NAMED[1] if recording else "It appeared each time after the same control")


def test_after_a_minute_the_card_does_without_names(recorded: ToldSession) -> None:
    """And after a pause at once: memory is emptied."""
    told = recorded
    later_ns = told.offer.shown_at_ns + MAX_AGE_NS
    assert told.names(later_ns) == {}
    assert offer_text(told.offer, told.names(later_ns)).title == PLAIN
    told.observer.discard()
    assert told.names(told.offer.shown_at_ns) == {}


def test_a_replay_does_not_depend_on_words_in_memory(tmp_path: Path, journal: ToldSession) -> None:
    told = journal
    result = replay(write_session(told.found, tmp_path), check=True)
    assert result.identical, result.reason
    assert [canonical(row) for row in result.rows] == [canonical(row) for row in told.found]
