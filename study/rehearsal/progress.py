"""How far a rehearsal is: on a terminal one line that is written over, elsewhere a line now and then."""

import sys
from typing import TextIO

from daemon.text import format_short_duration
from storage.clock import NS_PER_S, SystemClock


class Progress:
    """Follows one stage at a time and measures it."""

    _WIDTH = 78

    def __init__(self, stream: TextIO | None = None) -> None:
        """Write to a stream, by default stderr."""
        self._stream = sys.stderr if stream is None else stream
        self._clock = SystemClock()
        self._stage = ""
        self._began_ns = 0
        self.seconds: dict[str, float] = {}

    def begin(self, stage: str) -> None:
        """Begin a stage, or go on with one; the one before is over."""
        self.end()
        self._stage, self._began_ns = stage, self._clock.now_ns()

    def show(self, what: str) -> None:
        """Say how far the stage is; only a terminal shows it."""
        if self._stream.isatty():
            line = f"{self._stage}: {what}"
            print(f"\r{line:<{self._WIDTH}.{self._WIDTH}}", end="", file=self._stream, flush=True)

    def note(self, what: str) -> None:
        """Print a line where there is no terminal to show each step on."""
        if not self._stream.isatty():
            self.say(f"simulated: {what}")

    def end(self) -> None:
        """Add the time of the stage to what it took before."""
        if self._stage:
            took_s = (self._clock.now_ns() - self._began_ns) / NS_PER_S
            self.seconds[self._stage] = self.seconds.get(self._stage, 0.0) + took_s
            self._stage = ""

    def say(self, text: str) -> None:
        """Print a line for good."""
        start, end = ("\r", self._WIDTH) if self._stream.isatty() else ("", 0)
        print(f"{start}{text:<{end}}", file=self._stream, flush=True)

    def summary(self) -> str:
        """Return the time of every stage in words."""
        return ", ".join(f"{stage} {format_short_duration(seconds)}" for stage, seconds in self.seconds.items())
