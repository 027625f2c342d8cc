"""How far a benchmark is, told on stderr."""

import sys

from detectors.mllm.prompting.plain_text import one_line

_BAR = 30


class Progress:
    """How far a run is, on stderr: a line that is written over on a terminal, a line at each tenth elsewhere."""

    def __init__(self, whole: int) -> None:
        """Begin with nothing done of `whole` questions."""
        self._whole = whole
        self._done = 0
        self._live = sys.stderr.isatty()

    def add(self, questions: int, video: str) -> None:
        """Tell that so many more are done."""
        before, self._done = self._done, self._done + questions
        if self._live:
            filled = _BAR * self._done // self._whole
            bar = f"[{'#' * filled}{'.' * (_BAR - filled)}]"
            line = f"{bar} {self._done} of {self._whole} questions, {one_line(video, 40)}"
            print(f"\r{line:<110}", end="\n" if self._done == self._whole else "", file=sys.stderr, flush=True)
        elif before * 10 // self._whole < self._done * 10 // self._whole:
            say(f"{self._done} of {self._whole} questions")

    def stop(self) -> None:
        """Tell that the run ends here, and that nothing is lost."""
        if self._live:
            print(file=sys.stderr)
        say(f"stopped after {self._done} of {self._whole} questions; the same command goes on from here")


def say(text: str) -> None:
    """Tell a line."""
    print(text, file=sys.stderr, flush=True)
