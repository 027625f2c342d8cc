"""A bar for the evaluation's commands, on stderr."""

import sys

from daemon.text import print_progress


class ProgressBar:
    """Counts what is done: one line written over on a terminal, a line at each tenth elsewhere."""

    _WIDTH = 30

    def __init__(self, total: int, *, of: str = "questions") -> None:
        """Begin with none of `total` done; `of` is what is counted."""
        self._total = total
        self._of = of
        self._done = 0
        self._on_terminal = sys.stderr.isatty()

    def add(self, count: int, about: str) -> None:
        """Count further ones; `about` is shown beside the bar."""
        before, self._done = self._done, self._done + count
        if self._on_terminal:
            filled = self._WIDTH * self._done // self._total
            bar = f"[{'#' * filled}{'.' * (self._WIDTH - filled)}]"
            line = f"{bar} {self._done} of {self._total} {self._of}, {about}"
            print(f"\r{line:<110}", end="\n" if self._done == self._total else "", file=sys.stderr, flush=True)
        elif before * 10 // self._total < self._done * 10 // self._total:
            print_progress(f"{self._done} of {self._total} {self._of}")

    def stop(self) -> None:
        """Print that the run ends early and can be resumed."""
        if self._on_terminal:
            print(file=sys.stderr)
        print_progress(f"stopped after {self._done} of {self._total} {self._of}; the same command goes on from here")
