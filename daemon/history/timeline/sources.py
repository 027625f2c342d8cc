"""What the reader of the timeline is given; the reader itself is loaded when the window opens."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from daemon.purge.span import PurgeSpan
from storage.clock import Clock
from storage.records import EarlierReport
from storage.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineSources:
    """What the reader reads from, and whom it calls, from its own thread.

    Attributes:
        sessions_dir: the folder of sessions.
        state_file: the database of what outlives sessions.
        settings: those of the person.
        clock: gives the time.
        submit_report: takes what a person said of a stretch, with the session that it is in.
        begin_purge: begins to forget.
        forget_learned: has what answers have taught forgotten.
        unmute: has offers about a topic allowed again.
    """

    sessions_dir: Path
    state_file: Path
    settings: Settings
    clock: Clock
    submit_report: Callable[[EarlierReport], None]
    begin_purge: Callable[[PurgeSpan], None]
    forget_learned: Callable[[], object] = lambda: None
    unmute: Callable[[str], object] = lambda _: None
