"""The microphone with a child that says what a test wants."""

import struct
import sys
from collections.abc import Callable, Iterator, Sequence

import pytest

from daemon.capture.gate import Gate
from daemon.capture.sound.microphone import COMMAND, FIRST_PAUSE_S, HOLD_NS, Microphone
from daemon.capture.surroundings.streams import OWN_RECORDERS
from demo.virtual_desktop.windows import poll
from storage.clock import NS_PER_MS, SystemClock
from storage.records import MICROPHONE_GONE, Problem, Record, Sound
from storage.session.sound import SoundBlock

SPEAKING = """\
import struct, sys, time
print("Connected to device DEVICE (index: 1, suspended: no).", file=sys.stderr, flush=True)
start = time.clock_gettime(time.CLOCK_BOOTTIME)
for n in range(500):
    due = start + n * 0.02
    time.sleep(max(0, due - time.clock_gettime(time.CLOCK_BOOTTIME)))
    sys.stdout.buffer.write(struct.pack("<q", int(due * 1e9)) + bytes(1912))
    sys.stdout.buffer.flush()
"""
"""A sound that holds the time at which it was made, and is late on a busy machine but never early."""


class Ear:
    """A microphone, and all that it hands over."""

    def __init__(self, *command: str, stores: bool = True) -> None:
        self.gate, self.ear = Gate(), Gate()
        self.blocks: list[SoundBlock] = []
        self.records: list[Record] = []
        self._stores = stores
        self.microphone = Microphone(
            clock=SystemClock(),
            gate=self.gate,
            ear=self.ear,
            file_s=300,
            on_sound=self._keep,
            on_records=self.records.extend,
            command=command,
        )
        self.microphone.start()

    def _keep(self, blocks: Sequence[SoundBlock]) -> bool:
        self.blocks.extend(blocks)
        return self._stores

    def until(self, check: Callable[[], object], what: str) -> None:
        poll(lambda: bool(check()), what=what, timeout_s=30)

    def sounds(self) -> list[tuple[bool, bool]]:
        return [(row.on, row.sound_ref is not None) for row in self.records if isinstance(row, Sound)]


@pytest.fixture
def listen() -> Iterator[Callable[..., Ear]]:
    ears: list[Ear] = []

    def make(*command: str, stores: bool = True) -> Ear:
        ears.append(Ear(*command, stores=stores))
        return ears[-1]

    yield make
    for ear in ears:
        assert ear.microphone.stop(5)


def speaking(device: str = "mic") -> tuple[str, ...]:
    return (sys.executable, "-c", SPEAKING.replace("DEVICE", device))


def test_it_listens_while_both_gates_are_open_and_keeps_nothing_of_the_moment_before_one_closes(
    listen: Callable[..., Ear],
) -> None:
    ear = listen(*speaking())
    ear.gate.open()
    ear.ear.open()
    ear.until(lambda: len(ear.blocks) > 30, "sound")
    assert len(OWN_RECORDERS) == 1, "by this it is told from a call"
    ear.ear.close()
    ear.until(lambda: not ear.records[-1].on if isinstance(ear.records[-1], Sound) else False, "its end")
    assert ear.sounds() == [(True, False), (True, True), (False, False)]
    kept, last = len(ear.blocks), ear.records[-1]
    assert isinstance(last, Sound)
    made_ns = [struct.unpack_from("<q", block.samples)[0] for block in ear.blocks]
    assert max(made_ns) <= last.t_ns - (HOLD_NS - 50 * NS_PER_MS), "what waited was dropped"
    ear.ear.open()
    ear.until(lambda: len(ear.blocks) > kept, "sound again")


def test_what_the_machine_plays_is_no_microphone(listen: Callable[..., Ear]) -> None:
    ear = listen(*speaking("out.monitor"))
    ear.gate.open()
    ear.ear.open()
    ear.until(lambda: Problem(code=MICROPHONE_GONE) in ear.records, "that there is none")
    assert ear.blocks == []


@pytest.mark.parametrize("command", [("no-such-program-here",), (sys.executable, "-c", "")])
def test_without_a_microphone_that_is_told_once(listen: Callable[..., Ear], command: tuple[str, ...]) -> None:
    ear = listen(*command)
    ear.gate.open()
    ear.ear.open()
    ear.until(lambda: ear.records, "that there is none")
    SystemClock().sleep_s(FIRST_PAUSE_S + 0.5)
    assert ear.records == [Problem(code=MICROPHONE_GONE)]


def test_what_is_not_stored_goes_on_in_another_file(listen: Callable[..., Ear]) -> None:
    ear = listen(*speaking(), stores=False)
    ear.gate.open()
    ear.ear.open()
    ear.until(lambda: len({block.file for block in ear.blocks}) > 2, "another file")
    assert "--raw" in COMMAND
