"""`kairos study open`: from a collector's parcels to tables, where the keys are."""

import argparse
from pathlib import Path
from typing import Any

from daemon.cli.options import add_command

SHOWN = 20
"""Problems that are printed; all of them are in the table `problems` and in the JSON object."""


def register(actions: Any) -> None:
    """Add `kairos study open`."""
    parser = add_command(
        actions,
        "open",
        run,
        "check and open what a collector holds, and write tables",
        example="study open my-study --data collector",
        description=(
            "Check every parcel that a collector holds again, open it with the participants' reader keys, and write "
            "tables: opened/tables.duckdb and a Parquet file for each. Whoever left is left out. What cannot be opened "
            "is named."
        ),
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of the study, with its keys")
    parser.add_argument(
        "--data",
        type=Path,
        nargs="+",
        required=True,
        metavar="PATH",
        help="the collector's folder or file, or a copy; several if several collectors shared the work",
    )
    parser.add_argument(
        "--copy-to",
        type=Path,
        metavar="NEW",
        help="copy the Parquet files into this new folder, too; noted, and named in receipts of deletions",
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study open`."""
    from daemon.text import print_result, printable
    from storage.clock import SystemClock
    from study.opening.open_study import open_study

    wall_ns = SystemClock().wall_ns()
    found = open_study(arguments.folder, arguments.data, wall_ns=wall_ns)
    export = None if arguments.copy_to is None else _copy(arguments.folder, arguments.copy_to, wall_ns)
    statuses = {status.value: count for status, count in found.statuses.items()}
    facts = {
        "tables": str(found.path),
        "participants": statuses,
        "rows": dict(found.rows),
        "export": export,
        "problems": [{"participant": one.participant, "n": one.n, "what": one.what} for one in found.problems],
    }
    lines = [
        f"{sum(statuses.values()):,} invited: "
        + ", ".join(f"{count} {status.replace('_', ' ')}" for status, count in statuses.items() if count),
        ", ".join(f"{found.rows[table]:,} {table}" for table in ("points", "answers", "days")),
        *(
            f"{one.participant}{'' if one.n is None else f', parcel {one.n}'}: {printable(one.what)}"
            for one in found.problems[:SHOWN]
        ),
    ]
    if len(found.problems) > SHOWN:
        lines.append(f"and {len(found.problems) - SHOWN} more problems, see --json")
    if export is not None:
        lines.append(
            f"copied to {arguments.copy_to}; no deletion reaches it, so receipts of deletions name it: {export}"
        )
    lines += [f"tables: {found.path}, and Parquet files beside it", f"next: kairos study report {arguments.folder}"]
    print_result(facts, lines, as_json=arguments.json)
    return 0


def _copy(folder: Path, out: Path, wall_ns: int) -> str:
    """Copy the tables, once it stands in writing whose rows they hold; return the name of the export."""
    from study.opening.ledger import note_export
    from study.opening.tables import copy_tables, people_in, read_tables

    with read_tables(folder) as tables:
        people = people_in(tables)
    name = note_export(folder, "tables", out, people, wall_ns=wall_ns)
    copy_tables(folder, out)
    return name
