"""A sound server of the test's own: what is played in it is heard by a microphone that is none."""

import fcntl
import os
import re
import shutil
import subprocess
import sys
import termios
import threading
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO

import numpy as np

from demo.virtual_desktop.windows import poll
from storage.clock import NS_PER_S, SystemClock
from storage.session.sound import BLOCK, RATE
from tests.fakes.narrowing import present
from tests.fakes.sound.tones import loudness, tone

LATENCIES = 20
"""Of so many the least counts; one comes with each block."""

PURE, PURE_BLOCKS = 0.95, 25
"""How loud a tone is in blocks that hold it alone, and how many of them in a row are enough."""

_LATENCY = re.compile(rb"Latency: (\d+) usec")
HAVE = all(map(shutil.which, ("pulseaudio", "pactl", "parec", "pacat")))


class SoundServer:
    """PulseAudio with a sink that nobody hears, and a microphone that hears it."""

    def __init__(self, folder: Path) -> None:
        """Start it; `env` is for those who are to use it."""
        run = folder / "pulse-run"
        run.mkdir(mode=0o700, parents=True)
        self.socket = run / "native"
        self.env: Mapping[str, str] = {"PULSE_SERVER": f"unix:{self.socket}", "PULSE_COOKIE": str(run / "cookie")}
        modules = (
            f"module-native-protocol-unix socket={self.socket} auth-anonymous=1",
            f"module-null-sink sink_name=out rate={RATE}",
            "module-remap-source master=out.monitor source_name=mic master_channel_map=front-left channel_map=mono",
        )
        self._process = subprocess.Popen(
            ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", *(f"--load={module}" for module in modules)],
            env={**os.environ, "XDG_RUNTIME_DIR": str(run), "HOME": str(run), "PULSE_COOKIE": str(run / "cookie")},
            stderr=subprocess.DEVNULL,
        )

        poll(lambda: "mic" in self.control("list", "short", "sources"), what="starting the sound server")
        self.control("set-default-source", "mic")

    def control(self, *arguments: str) -> str:
        """Run `pactl`."""
        done = subprocess.run(
            ["pactl", *arguments],
            env={**os.environ, **self.env},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            check=False,
        )
        return done.stdout.strip()

    def listeners(self) -> int:
        """Return how many programs read the microphone."""
        return len(self.control("list", "short", "source-outputs").splitlines()) - 1  # one is the microphone itself

    def client(
        self,
        *argv: str,
        stdin: int = subprocess.DEVNULL,
        stdout: int = subprocess.DEVNULL,
        stderr: int | None = None,
    ) -> "subprocess.Popen[bytes]":
        """Start a client, as another program would."""
        return subprocess.Popen(argv, env={**os.environ, **self.env}, stdin=stdin, stdout=stdout, stderr=stderr)

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()


class Tone:
    """Plays one tone without end; which one can be changed at any time, 0 is silence."""

    def __init__(self, server: SoundServer, hz: int) -> None:
        """Begin with `hz`."""
        self.hz = hz
        self._server = server
        self._speech, self._heard_ns = b"", list[int]()
        self._said = threading.Event()
        play = ("pacat", "--verbose", "--raw", "--format=s16le", f"--rate={RATE}", "--channels=1", "--latency-msec=20")
        self._player = server.client(*play, "--device=out", stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        self.changes: list[tuple[int, int, int]] = []
        self._way: deque[int] = deque(maxlen=LATENCIES)
        self._reading = threading.Thread(target=self._read, name="latency", daemon=True)
        self._reading.start()
        self._thread = threading.Thread(target=self._run, name="tone")
        self._ending = False
        self._thread.start()

    def heard_ns(self, change: int) -> int:
        """Return when a change reached the sink, as the sound server and the pipe to its client say; 0 is the first."""
        written_ns, waiting_ns, way_ns = self.changes[change]
        return written_ns + waiting_ns + way_ns

    def _read(self) -> None:
        with suppress(ValueError):  # it was closed
            while line := os.read(present(self._player.stderr).fileno(), 4096):
                self._way.extend(int(usec) * 1000 for usec in _LATENCY.findall(line))

    def change(self, hz: int) -> None:
        """Play another tone, and wait until nothing else sounds, however late that is on a busy machine.

        Who records what the machine plays is in no call.
        """
        self.hz = hz
        record = ("parec", "--raw", "--format=s16le", f"--rate={RATE}", "--channels=1", "--latency-msec=20")
        with self._server.client(*record, "--device=out.monitor", stdout=subprocess.PIPE) as listening:
            pure = 0
            while pure < PURE_BLOCKS:
                raw = present(listening.stdout).read(2 * BLOCK)
                assert raw, "the sound server has ended"
                assert self._player.poll() is None, "the player has ended"
                pure = pure + 1 if loudness(np.frombuffer(raw, "<i2"), hz) > PURE else 0
            listening.kill()

    def say(self, samples: bytes) -> list[int]:
        """Play samples once, in place of the tone; return when each block of them reached the sink, as `heard_ns`."""
        self._said.clear()
        self._speech = samples
        self._said.wait()
        return self._heard_ns

    def _run(self) -> None:
        with suppress(BrokenPipeError):  # the server has ended
            self._play()

    def _play(self) -> None:
        at, second, playing = 0, dict[int, bytes](), self.hz
        with present(self._player.stdin) as out:
            fcntl.fcntl(out, fcntl.F_SETPIPE_SZ, 4096)  # what waits in it is heard late
            while not self._ending:
                if speech := self._speech:
                    self._heard_ns = []
                    for begin in range(0, len(speech), 2 * BLOCK):
                        self._heard_ns.append(sum(self._now_ns(out)))
                        out.write(speech[begin : begin + 2 * BLOCK])
                        out.flush()
                    self._speech = b""
                    self._said.set()
                if (hz := self.hz) not in second:
                    second[hz] = tone(hz)
                if hz != playing:
                    playing = hz
                    self.changes.append(self._now_ns(out))
                out.write(second[hz][at : at + 2 * BLOCK])
                out.flush()
                at = (at + 2 * BLOCK) % (2 * RATE)

    def _now_ns(self, out: IO[bytes]) -> tuple[int, int, int]:
        """Return the time, and how long what is written now waits in the pipe and in the server."""
        waits = int.from_bytes(fcntl.ioctl(out, termios.FIONREAD, bytes(4)), sys.byteorder)
        return SystemClock().now_ns(), waits * NS_PER_S // (2 * RATE), min(self._way, default=0)

    def close(self) -> None:
        """End it."""
        self._ending = True
        self._thread.join()
        self._player.kill()
        self._player.wait()
        self._reading.join()
        present(self._player.stderr).close()
