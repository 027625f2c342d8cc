"""What a search found for the newest estimate: what the content gate decides by, and the page that an offer names.

A pure fold of records: a replay takes results from the log and needs no library.
"""

from storage.clock import NS_PER_S
from storage.records import Estimate, HelpFound, Record, Sense, Wake

SENSE = "help"
"""Name of a `Sense` that tells whether help is searched for."""

EARLIER_NS = 10 * NS_PER_S
"""A result so much older than the newest estimate is still about the same thing: a prefix is made every six seconds."""


class FoundHelp:
    """The newest result, for as long as it belongs to the newest estimate."""

    def __init__(self) -> None:
        """Start without a library."""
        self.library = False
        self._found: HelpFound | None = None
        self._estimate_ns = 0

    def add(self, record: Record, *, stopped: bool) -> None:
        """Take in one source record; `stopped`: sensing is off after it."""
        if isinstance(record, Sense) and record.name == SENSE:
            self.library = record.on
        elif stopped or isinstance(record, Wake):
            self._found = None
        elif isinstance(record, HelpFound):
            self._found = record

    def add_estimate(self, estimate: Estimate) -> None:
        """Note an estimate: what was found long before it is about something else."""
        self._estimate_ns = estimate.at_ns

    def current(self, app: str) -> HelpFound | None:
        """Return what was found for an application lately; None if nothing is known."""
        found = self._found
        if found is None or found.app != app or found.at_ns < self._estimate_ns - EARLIER_NS:
            return None
        return found
