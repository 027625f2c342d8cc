"""`kairos consent`: writes the record of consent without which nothing is captured, where there is no window to ask in.

Separate choices: the journal (what happened, no pictures, no titles), the recording (pictures, full titles),
understanding controls (what is touched and which message appears, by the accessibility interface), and what is said.
"""

import argparse
from pathlib import Path
from typing import Any

from daemon.cli.options import add_command
from storage.clock import SystemClock
from storage.consent_text import (
    COMMAND_JOURNAL,
    COMMAND_QUIET,
    COMMAND_RECORDING,
    CONTROLS_COMMAND,
    CONTROLS_VERSION,
    SPEECH_COMMAND,
    SPEECH_VERSION,
    words_digest,
)
from storage.errors import UsageError
from storage.plain_text import print_progress, print_result
from storage.settings_file import load_settings


def register(subparsers: Any) -> None:
    """Add `kairos consent` to the command line."""
    parser = add_command(
        subparsers,
        "consent",
        run,
        "write a consent record, for a run without a window to ask in",
        description="Write a consent record. Nothing is asked: the options are the answer.\n\n"
        f"{COMMAND_JOURNAL}\n\n{COMMAND_RECORDING}\n\n{CONTROLS_COMMAND}\n\n{SPEECH_COMMAND}",
        example="consent --journal --out consent.json && kairos run --headless --consent consent.json",
    )
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--journal", action="store_true", help="agree to the journal")
    parser.add_argument("--recording", action="store_true", help="agree to the recording as well")
    parser.add_argument("--controls", action="store_true", help="agree to understanding controls as well")
    parser.add_argument("--speech", action="store_true", help="agree to recording what you say as well")
    parser.add_argument(
        "--quiet-first-day", action="store_true", help="for 24 hours log offers without showing them; then sum them up"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="where to write the record")


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos consent`."""
    from daemon.capture.accessibility.choice import with_recording
    from daemon.models.disclosure import describe_sent
    from storage.state.store import Consent, write_consent

    for option, chosen in (
        ("the recording", arguments.recording),
        ("understanding controls", arguments.controls),
        ("recording what you say", arguments.speech),
        ("the quiet first day", arguments.quiet_first_day),
    ):
        if chosen and not arguments.journal:
            raise UsageError(f"{option} needs the journal", remedy="add --journal")
    consent = Consent(
        journal=arguments.journal,
        recording=arguments.recording,
        given_at_wall_ns=SystemClock().wall_ns(),
        quiet_first_day=arguments.quiet_first_day,
        controls=CONTROLS_VERSION if arguments.controls else 0,
        speech=SPEECH_VERSION if arguments.speech else 0,
        text_sha256=words_digest(),
    )
    settings = load_settings()
    write_consent(consent, arguments.out)
    if consent.journal:
        print_progress(*COMMAND_JOURNAL.splitlines())
    if consent.recording and with_recording(consent, settings).recording:
        print_progress(*COMMAND_RECORDING.splitlines())
    elif consent.recording:
        print_progress("Not recorded: capture.record_screen is off in the settings, which go before this record.")
    if consent.understands_controls:
        print_progress(*CONTROLS_COMMAND.splitlines())
    if consent.records_speech:
        print_progress(*SPEECH_COMMAND.splitlines())
    if consent.quiet_first_day:
        print_progress(*COMMAND_QUIET.splitlines())
    if consent.journal and (sent := describe_sent(settings)):
        print_progress(f"Sent, as the settings are now: {sent}")
    if not consent.journal:
        print_progress("Agreed to nothing: Kairos will not capture anything with this record.")
    facts = {
        "path": str(arguments.out),
        "journal": consent.journal,
        "recording": consent.recording,
        "quiet_first_day": consent.quiet_first_day,
        "controls": consent.understands_controls,
        "speech": consent.records_speech,
    }
    print_result(facts, f"written: {arguments.out}", as_json=arguments.json)
    return 0
