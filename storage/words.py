"""The one table that turns codes into sentences, so that records stay free of language.

Standard library only. A code is looked up where it is shown: on the card, in the tray, on the command line, in a
report. Nothing here may quote the screen.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EvidenceWords:
    """Words for one evidence code: `title` of the card, `reason` (a format string over its numbers), `advice`."""

    title: str
    reason: str
    advice: str


EVIDENCE: Mapping[str, EvidenceWords] = {}
"""Filled by the detector's codes; see `detectors.rules`."""

REASONS: Mapping[str, str] = {}
"""Reason codes of `policies`: why now, why not."""

PROBLEMS: Mapping[str, tuple[str, str]] = {
    "no_tray": (
        "There is no tray for the Kairos icon",
        "Kairos runs all the same, and the icon appears as soon as a panel shows it. Until then use a terminal: "
        "kairos pause, kairos resume, kairos quit.",
    ),
}
"""Problem codes: what happened, and what to do."""
