"""The command `kairos study receive-parcels`: parcels that came in a file, not through the broker."""

import argparse
from pathlib import Path
from typing import Any

from daemon.cli.options import add_command
from daemon.text import format_count, print_result

ANSWERS_SUFFIX = ".kairos-receipts"


def register(actions: Any) -> None:
    """Add `kairos study receive-parcels`."""
    parser = add_command(
        actions,
        "receive-parcels",
        run,
        "take in a file of parcels that a participant packed, and write the receipts",
        example="study receive-parcels mine.kairos-parcels --into my-study --data /srv/my-study",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="what a participant packed")
    parser.add_argument("--into", type=Path, required=True, metavar="DIR", help="the folder of the study")
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER", help="where `collect` stores parcels")
    parser.add_argument("--out", type=Path, metavar="FILE", help="the new file of receipts, to be given back")


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study receive-parcels`; 1 where something in the file was refused."""
    import contextlib

    from storage.clock import SystemClock
    from study.collector.collector import Collector
    from study.collector.files import QUOTA_BYTES, take_file
    from study.collector.invited import CollectorFiles

    out = arguments.out or arguments.file.with_suffix(ANSWERS_SUFFIX)
    collector = Collector(CollectorFiles(arguments.into), arguments.data, quota_bytes=QUOTA_BYTES)
    with contextlib.closing(collector):
        taken = take_file(collector, arguments.file, out, clock=SystemClock())
    facts = {
        "participant": taken.participant,
        "stored": taken.stored,
        "repeated": taken.repeated,
        "refused": dict(taken.refused),
        "receipts": str(out) if taken.answers else None,
    }
    lines = [f"{format_count(taken.stored, 'parcel')} stored, {taken.repeated} were there already"]
    lines += [f"{count} refused: {why}" for why, count in taken.refused.items()]
    if taken.answers:
        lines.append(f"next: give {out} back; it takes what arrived off their list")
    print_result(facts, lines, as_json=arguments.json)
    return 1 if taken.refused else 0
