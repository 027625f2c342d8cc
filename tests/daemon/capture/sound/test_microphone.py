"""The microphone with a child that says what a test wants."""

import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from daemon.capture.gate import Ear, Gate
from daemon.capture.sound.microphone import COMMAND, FIRST_PAUSE_S, HOLD_NS, LOOK_NS, MOST, Microphone, _Stretch
from daemon.capture.surroundings.streams import OWN_RECORDERS
from demo.virtual_desktop.windows import poll
from storage.clock import NS_PER_MS, NS_PER_S, Clock, SystemClock
from storage.records import MICROPHONE_GONE, Dropped, Problem, Record, Sound
from storage.session.sound import BLOCK, RATE, SoundBlock, SoundPlan
from tests.fakes.sound.tones import is_in, placed, tone

BLOCK_NS = BLOCK * NS_PER_S // RATE

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


FLOWING = """\
import sys, time
print("Connected to device mic (index: 1, suspended: no).", file=sys.stderr, flush=True)
sys.stdout.buffer.write(bytes(250 * 1920))
while True:
    sys.stdout.buffer.write(bytes(1920))
    sys.stdout.buffer.flush()
    time.sleep(0.02)
"""
"""Five seconds of sound at once, and more after them."""


class StoppedClock(SystemClock):
    """It is 100 s all the time."""

    reads = 0

    def now_ns(self) -> int:
        self.reads += 1
        return 100 * NS_PER_S


class Listening:
    """A microphone, and all that it hands over."""

    def __init__(self, *command: str, stores: bool = True, look: Ear | None = None, clock: Clock | None = None) -> None:
        self.gate, self.ear = Gate(), look or Ear()
        self.blocks: list[SoundBlock] = []
        self.records: list[Record] = []
        self._stores = stores
        self.microphone = Microphone(
            clock=clock or SystemClock(),
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
def listen() -> Iterator[Callable[..., Listening]]:
    ears: list[Listening] = []

    def make(*command: str, stores: bool = True, **how: Any) -> Listening:
        ears.append(Listening(*command, stores=stores, **how))
        return ears[-1]

    yield make
    for ear in ears:
        assert ear.microphone.stop(5)


def speaking(device: str = "mic") -> tuple[str, ...]:
    return (sys.executable, "-c", SPEAKING.replace("DEVICE", device))


def test_it_listens_while_both_gates_are_open_and_keeps_nothing_of_the_moment_before_one_closes(
    listen: Callable[..., Listening],
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
    assert len(OWN_RECORDERS) == 2, "what has ended may still be listed"


def test_nothing_is_released_before_everybody_has_looked(listen: Callable[..., Listening]) -> None:
    """Whatever the clock says; and nobody is asked again who has not answered."""
    asked: list[int] = []
    ear, clock = Ear(asked.append), StoppedClock()
    heard = listen(sys.executable, "-c", FLOWING, look=ear, clock=clock)
    heard.gate.open()
    ear.open()
    heard.until(lambda: clock.reads > 10, "sound, again and again")
    assert (heard.blocks, asked) == ([], [100 * NS_PER_S])
    ear.looked_ns = asked[0] + HOLD_NS
    heard.until(lambda: len(heard.blocks) > 180, "what was said before that")


def test_a_look_counts_from_its_own_time_and_the_oldest_are_dropped_where_none_comes() -> None:
    blocks: list[SoundBlock] = []
    records: list[Record] = []

    def keep(batch: Sequence[SoundBlock]) -> bool:
        blocks.extend(batch)
        return True

    stretch = _Stretch(SoundPlan(300), keep, records.extend)
    stretch.device = b"mic"
    count = MOST + 50
    for n in range(count):
        stretch.take(struct.pack("<q", n) + bytes(1912), (n + 1) * BLOCK_NS)
        stretch.release(0)
    assert blocks == []
    look = 200
    stretch.release(look * BLOCK_NS + HOLD_NS)
    assert [struct.unpack_from("<q", block.samples)[0] for block in blocks] == [*range(50, look)]
    assert [row for row in records if isinstance(row, Dropped)] == [Dropped(what="sound", count=50, reason="overload")]
    stretch.release(count * BLOCK_NS)
    assert len(blocks) == MOST - HOLD_NS // BLOCK_NS
    assert HOLD_NS + LOOK_NS < 2 * NS_PER_S, "what a stop or a kill loses"


def test_what_follows_lost_sound_is_not_released_before_somebody_looked_at_its_own_time() -> None:
    blocks: list[SoundBlock] = []

    def keep(batch: Sequence[SoundBlock]) -> bool:
        blocks.extend(batch)
        return True

    stretch = _Stretch(SoundPlan(300), keep, lambda _: None)
    stretch.device = b"mic"
    lost_ns = 3 * NS_PER_S
    stretch.take(bytes(1920), BLOCK_NS)
    stretch.take(bytes(1920), lost_ns)
    stretch.release(lost_ns + HOLD_NS - 1)
    assert len(blocks) == 1
    stretch.release(lost_ns + HOLD_NS)
    assert len(blocks) == 2


def test_what_the_machine_plays_is_no_microphone(listen: Callable[..., Listening]) -> None:
    ear = listen(*speaking("out.monitor"))
    ear.gate.open()
    ear.ear.open()
    ear.until(lambda: Problem(code=MICROPHONE_GONE) in ear.records, "that there is none")
    assert ear.blocks == []


@pytest.mark.parametrize("command", [("no-such-program-here",), (sys.executable, "-c", "")])
def test_without_a_microphone_that_is_told_once(listen: Callable[..., Listening], command: tuple[str, ...]) -> None:
    ear = listen(*command)
    ear.gate.open()
    ear.ear.open()
    ear.until(lambda: ear.records, "that there is none")
    SystemClock().sleep_s(FIRST_PAUSE_S + 0.5)
    assert ear.records == [Problem(code=MICROPHONE_GONE)]


def test_what_is_not_stored_goes_on_in_another_file(listen: Callable[..., Listening]) -> None:
    ear = listen(*speaking(), stores=False)
    ear.gate.open()
    ear.ear.open()
    ear.until(lambda: len({block.file for block in ear.blocks}) > 2, "another file")
    assert "--raw" in COMMAND


@pytest.mark.parametrize(
    ("hz", "samples", "is_found"), [(2000, 55, True), (600, 10, False), (600, 20, False), (600, 40, False)]
)
def test_a_tone_is_told_from_a_snippet_of_another(hz: int, samples: int, is_found: bool) -> None:
    """A player that ran dry leaves snippets; what is never to be heard is found from a millisecond on."""
    [block] = placed(SoundPlan(300), 0, tone(hz)[: 2 * samples].ljust(2 * BLOCK, bytes(1)))
    assert is_in(block, 2000) is is_found
