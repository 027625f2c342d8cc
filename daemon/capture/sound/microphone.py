"""The microphone: a thread "sound" and a child of it, `parec`, which is there only while somebody may be heard.

Each block waits in memory until whoever may close the ear has looked, `HOLD_NS` after it or later (`Ear.look`). When
the gate or the ear closes meanwhile the child is ended and all that waits is dropped. What the machine itself plays (a
monitor) is no microphone. The child ends with this thread, even if the process is killed (`setpriv`).
"""

import logging
import os
import re
import shutil
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from selectors import EVENT_READ, DefaultSelector

from daemon.capture.backend import Wakeup
from daemon.capture.gate import Ear, Gate
from daemon.capture.sound.sample_clock import SampleClock
from daemon.capture.surroundings.streams import OWN_RECORDERS, RECORDER_STARTS, pulse_environment
from storage.clock import NS_PER_MS, NS_PER_S, Clock
from storage.records import MICROPHONE_GONE, Dropped, Problem, Record, Sound
from storage.session.sound import BLOCK, RATE, SoundBlock, SoundPlan, sound_ref

logger = logging.getLogger(__name__)

HOLD_NS = 1_200 * NS_PER_MS
"""A browser's window may take 1 s to tell that it is private."""

BUNDLE_S = 0.1
"""What comes is read so often; a gate that closes does not wait for it."""

LOOK_NS = 500 * NS_PER_MS
"""Everybody is made to look so often, and what may go is handed over together."""

MOST = 8 * RATE // BLOCK
"""Blocks that wait at most: where nobody has looked for that long the oldest are dropped."""

SILENT_NS = 3 * NS_PER_S
"""A microphone that gives nothing for this long was taken away."""

FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 30.0
NOTED_NS = 60 * NS_PER_S
_BYTES = 2 * BLOCK
_READ = 1 << 16
_NAME = 300
_END_S = 0.5
_DEVICE = re.compile(rb"(?:Connected to|Stream moved to) device (\S+)")

COMMAND = (
    *("parec", "--verbose", "--raw", "--format=s16le", f"--rate={RATE}", "--channels=1", "--latency-msec=20"),
    *("--client-name=Kairos", "--stream-name=Kairos"),
)

OnSound = Callable[[Sequence[SoundBlock]], bool]
"""Takes blocks; returns whether sound is being stored."""


class Microphone:
    """Listens from `start` to `stop` while gate and ear are open, and hands over what is kept."""

    def __init__(
        self,
        *,
        clock: Clock,
        gate: Gate,
        ear: Ear,
        file_s: float,
        on_sound: OnSound,
        on_records: Callable[[Sequence[Record]], None],
        command: Sequence[str] = COMMAND,
        env: Mapping[str, str] | None = None,
    ) -> None:
        """Prepare; `ear` is opened by who knows of windows, calls and the lock, and `file_s` is how long a file is."""
        self._clock = clock
        self._ear = ear
        self._gates = (gate, ear)
        self._plan = SoundPlan(file_s)
        self._on_sound = on_sound
        self._on_records = on_records
        self._command = command
        self._env = pulse_environment(os.environ if env is None else env)
        self._wakeup = Wakeup()
        self._stopping = threading.Event()
        self._is_gone = False
        self._thread = threading.Thread(target=self._run, name="sound", daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        for gate in self._gates:
            gate.watch(self._wakeup.wake)
        self._thread.start()

    def stop(self, timeout_s: float = 1.0) -> bool:
        """End, from any thread; return whether that was in time. A second call only waits."""
        if self._thread.ident is None:
            return True
        if not self._stopping.is_set():
            self._stopping.set()
            for gate in self._gates:
                gate.unwatch(self._wakeup.wake)
        self._wakeup.wake()
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    # ------------------------------------------------------------ the thread

    def _run(self) -> None:
        pause_s = FIRST_PAUSE_S
        try:
            while not self._stopping.is_set():
                epochs = tuple(gate.epoch for gate in self._gates)
                if not self._passed(epochs):
                    self._wait(None)
                elif self._listen(epochs):
                    pause_s = FIRST_PAUSE_S
                elif self._passed(epochs):
                    self._tell(gone=True)
                    self._wait(pause_s)
                    pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
        except Exception:  # a stage boundary: everything else goes on without sound
            logger.exception("the microphone is no longer recorded")
            self._tell(gone=True)
        finally:
            OWN_RECORDERS.clear()
            self._wakeup.close()

    def _passed(self, epochs: tuple[int, ...]) -> bool:
        """Tell whether somebody may be heard, and might be all the time since the epochs were read."""
        is_open = all(gate.passed(epoch) for gate, epoch in zip(self._gates, epochs, strict=True))
        return is_open and not self._stopping.is_set()

    def _wait(self, seconds: float | None) -> None:
        """Wait for a gate that opens, or so long."""
        with DefaultSelector() as waking:
            waking.register(self._wakeup.fileno(), EVENT_READ)
            waking.select(seconds)
        self._wakeup.clear()

    def _tell(self, *, gone: bool) -> None:
        """Tell once that there is no microphone, and once that there is one again."""
        if gone != self._is_gone:
            self._is_gone = gone
            self._on_records([Problem(code=MICROPHONE_GONE, over=not gone)])

    def _listen(self, epochs: tuple[int, ...]) -> bool:
        """Listen for as long as that may be; return whether there was anything to be heard."""
        prefix = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
        try:
            with RECORDER_STARTS:
                child = subprocess.Popen(
                    [*prefix, *self._command],
                    env=self._env,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                )
                OWN_RECORDERS.append(child.pid)
        except OSError:
            return False
        stretch = _Stretch(self._plan, self._on_sound, self._on_records)
        try:
            self._follow(child, stretch, epochs)
        finally:
            child.kill()
            with suppress(subprocess.TimeoutExpired):
                child.wait(_END_S)
            for pipe in (child.stdout, child.stderr):
                if pipe is not None:
                    pipe.close()
            stretch.tell_lost()
            if stretch.has_heard:
                self._on_records([Sound(t_ns=self._clock.now_ns(), on=False, drift_ms=stretch.drift_ms)])
        return stretch.has_heard

    def _follow(self, child: "subprocess.Popen[bytes]", stretch: "_Stretch", epochs: tuple[int, ...]) -> None:
        """Take what the child says until it ends, is silent for long, or nothing may be heard any more."""
        assert child.stdout is not None  # noqa: S101  # both are pipes
        assert child.stderr is not None  # noqa: S101
        sound, words = child.stdout.fileno(), child.stderr.fileno()
        heard_ns = self._clock.now_ns()
        said, asked_ns = b"", 0
        with DefaultSelector() as anything:
            for fd in (sound, words, self._wakeup.fileno()):
                anything.register(fd, EVENT_READ)
            while self._passed(epochs):
                self._wait(BUNDLE_S)  # the newest of what has come then came just now
                if not self._passed(epochs):
                    return
                ready = {key.fd for key, _ in anything.select(SILENT_NS / NS_PER_S)}
                if words in ready:
                    said += (new := os.read(words, _READ))
                    stretch.device = (_DEVICE.findall(said) or [stretch.device])[-1]
                    said = said[-_NAME:]  # what it says of its time, with each block, is nothing to us
                    if not new:
                        anything.unregister(words)
                if sound in ready:
                    raw = os.read(sound, _READ)
                    if not raw or stretch.is_monitor:
                        return
                    heard_ns = self._clock.now_ns()
                    stretch.take(raw, heard_ns)
                    self._tell(gone=False)
                    looked_ns = self._ear.looked_ns  # read first: what was found by then has closed it
                    if looked_ns >= asked_ns and heard_ns - asked_ns >= LOOK_NS:
                        asked_ns = heard_ns
                        self._ear.look(asked_ns)
                    if self._passed(epochs):
                        stretch.release(looked_ns)
                elif self._clock.now_ns() - heard_ns > SILENT_NS:
                    return


class _Stretch:
    """What is heard from one opening of the microphone to its end."""

    def __init__(self, plan: SoundPlan, on_sound: OnSound, on_records: Callable[[Sequence[Record]], None]) -> None:
        self._plan = plan
        self._on_sound = on_sound
        self._on_records = on_records
        self._samples = SampleClock(RATE)
        self._rest = b""
        self._waiting: deque[tuple[bytes, int]] = deque()  # blocks, and when each had arrived
        self._first = 0  # the number of the first block that waits
        self._lost = 0
        self._noted_ns: int | None = None
        self._file = ""
        self.device = b""
        self.has_heard = False

    @property
    def is_monitor(self) -> bool:
        """Whether it hears what the machine plays."""
        return self.device.endswith(b".monitor")

    @property
    def drift_ms(self) -> int:
        """By how much the microphone's clock has gone wrong."""
        return round(self._samples.drift_ns / NS_PER_MS)

    def take(self, raw: bytes, now_ns: int) -> None:
        """Take in what has come."""
        self._rest += raw
        whole = len(self._rest) // _BYTES
        self._waiting.extend((self._rest[n * _BYTES : (n + 1) * _BYTES], now_ns) for n in range(whole))
        self._rest = self._rest[whole * _BYTES :]
        count = (self._first + len(self._waiting)) * BLOCK + len(self._rest) // 2
        self._samples.arrived(count, now_ns)
        while len(self._waiting) > MOST:
            self._waiting.popleft()
            self._first += 1
            self._lost += 1
        if not self.has_heard:
            self.has_heard = True
            self._on_records([Sound(t_ns=now_ns, on=True)])

    def release(self, looked_ns: int) -> None:
        """Hand over the blocks that had arrived long enough before all looked, once it is known from where they come.

        Not by their places: where a starved sound server lost some sound, what follows is placed too early for a while.
        """
        batch: list[SoundBlock] = []
        while self._waiting and self.device and self._waiting[0][1] <= looked_ns - HOLD_NS:
            t_ns = self._samples.at_ns(self._first * BLOCK)
            block = self._plan.place(t_ns, self._waiting.popleft()[0])
            self._first += 1
            if self._noted_ns is None or t_ns - self._noted_ns >= NOTED_NS or block.file != self._file:
                self._noted_ns, self._file = t_ns, block.file
                note = Sound(t_ns=t_ns, on=True, sound_ref=sound_ref(block), drift_ms=self.drift_ms)
                self._on_records([note])
            batch.append(block)
        if batch and not self._on_sound(batch):
            self._plan.cut()
            self._noted_ns = None
        if batch:
            self.tell_lost()

    def tell_lost(self) -> None:
        """Tell of what waited for too long; what waits at the end is dropped as well."""
        if self._lost:
            self._on_records([Dropped(what="sound", count=self._lost, reason="overload")])
        self._lost = 0
