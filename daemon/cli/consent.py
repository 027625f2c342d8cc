"""Consent: nothing is captured without a record that someone agreed; and `kairos consent`, which writes one.

Two separate choices: the journal (what happened, no pictures, no titles) and the recording (pictures, full titles).
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from storage.clock import SystemClock
from storage.errors import UsageError

JOURNAL = """The journal keeps, on this machine only: when and where you click, scroll and type (kinds of keys such as
"character" or "undo", never which key), which application is in front, which parts of the screen changed, and what
Kairos made of it. No pictures, no window titles, no text. Kairos cannot work without it."""
RECORDING = """The recording keeps, besides, a small video of the screen, full window titles, and the very pictures that
went to models you switched on, on this machine only.
It is for people who take part in a study or want to replay their own work. Off unless you choose it."""

QUIET_FIRST_DAY = """For the first 24 hours offers are decided and written down, and not shown. Afterwards Kairos says
once how many there would have been, when and about what, and begins to show them. At any time: kairos why."""


def register(subparsers: Any) -> None:
    """Add `kairos consent` to the command line."""
    parser = subparsers.add_parser(
        "consent",
        help="write a consent record for a run without a window to ask in",
        description=f"Write a consent record. The options are the answer.\n\n{JOURNAL}\n\n{RECORDING}",
        epilog="example: kairos consent --journal --out consent.json && kairos run --headless --consent consent.json",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--journal", action="store_true", help="agree to the journal")
    parser.add_argument("--recording", action="store_true", help="agree to the recording as well")
    parser.add_argument(
        "--quiet-first-day", action="store_true", help="for 24 hours only decide and write down, then sum it up once"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="where to write the record")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos consent`."""
    from daemon.config import load_settings
    from daemon.models.disclosure import describe_sent
    from storage.state.store import Consent, write_consent

    if arguments.recording and not arguments.journal:
        raise UsageError("the recording needs the journal", remedy="add --journal")
    if arguments.quiet_first_day and not arguments.journal:
        raise UsageError("without the journal there is no first day", remedy="add --journal")
    consent = Consent(
        journal=arguments.journal,
        recording=arguments.recording,
        given_at_wall_ns=SystemClock().wall_ns(),
        quiet_first_day=arguments.quiet_first_day,
    )
    write_consent(consent, arguments.out)
    if arguments.journal:
        print(JOURNAL, file=sys.stderr)
    if arguments.recording:
        print(RECORDING, file=sys.stderr)
    if arguments.quiet_first_day:
        print(QUIET_FIRST_DAY, file=sys.stderr)
    if arguments.journal and (words := describe_sent(load_settings())):
        print(f"Sent, as the settings are now: {words}", file=sys.stderr)
    if not arguments.journal:
        print("Agreed to nothing: Kairos will not capture anything with this record.", file=sys.stderr)
    facts = {
        "path": str(arguments.out),
        "journal": consent.journal,
        "recording": consent.recording,
        "quiet_first_day": consent.quiet_first_day,
    }
    print(json.dumps(facts) if arguments.json else f"written: {arguments.out}")
    return 0
