"""The command `kairos study monitor`."""

import argparse
from pathlib import Path
from typing import Any

from daemon.cli.options import add_command


def register(actions: Any) -> None:
    """Add `kairos study monitor`."""
    parser = add_command(
        actions,
        "monitor",
        run,
        "show who is silent, what is missing and which deletions are due",
        example="study monitor my-study --data /srv/my-study --out monitor.html",
        description=(
            "Show how a running study is doing: who joined, who is silent, gaps, deletions due and, where the reader "
            "key lies in the study's folder, answers by hour, balance of lots and stopping rules. Arms are masked. "
            "Exit status 1 if a deletion is overdue."
        ),
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of the study")
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER", help="the collector's data, or a copy")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write a page (HTML) there")
    parser.add_argument(
        "--unblind", action="store_true", help="show the balance of lots by arm; noted in DIR/unblinded.jsonl"
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study monitor`: 1 if a deletion is overdue."""
    import contextlib
    from dataclasses import asdict

    from daemon.text import format_count, format_time, print_result
    from participant.documents.keys import read_reader_key, replace_private
    from storage.clock import SystemClock
    from storage.errors import UsageError
    from study.collector.invited import CollectorFiles
    from study.collector.store import CollectorReader
    from study.monitor.content import content_status
    from study.monitor.delivery import delivery_status
    from study.monitor.page import monitor_page
    from study.opening.closing import is_over
    from study.opening.ledger import note_unblinding
    from study.opening.parcels import data_files

    files, now = CollectorFiles(arguments.folder), SystemClock().wall_ns()
    plan = files.bundle()[0].plan
    key_file = arguments.folder / "keys" / "reader.key"
    key = read_reader_key(key_file) if key_file.exists() else None
    if arguments.unblind:
        if key is None:
            raise UsageError(f"there is no {key_file}: arms cannot be seen here")
        note_unblinding(arguments.folder, "monitor", wall_ns=now)
    with contextlib.closing(CollectorReader(data_files([arguments.data])[0])) as reader:
        delivery = delivery_status(
            reader,
            files,
            plan,
            receipts_key=plan.receipts_key,
            now_wall_ns=now,
            closed=is_over(arguments.folder, plan),
        )
        content = None if key is None else content_status(reader, files, plan, key, delivery, by_arm=arguments.unblind)
    if arguments.out is not None:
        page = monitor_page(plan, delivery, content, made=format_time(now / 1e9))
        replace_private(arguments.out, page.encode())
    facts = {
        **asdict(delivery),
        "overdue": delivery.overdue,
        "content": None if content is None else _content_facts(content),
        "page": None if arguments.out is None else str(arguments.out),
    }
    lines = [
        *(["the study is closed"] if delivery.closed else []),
        f"{delivery.joined} of {delivery.invited} joined, {delivery.left} left, {delivery.finished} finished",
        f"{format_count(delivery.parcels, 'parcel')} stored",
        *(f"silent: {one.participant}, for {one.hours:.0f} hours" for one in delivery.silent),
        *(f"missing: {one.participant}, {format_count(len(one.missing), 'gap')}" for one in delivery.gaps),
        *(
            f"{'OVERDUE' if one.overdue else 'due'}: {one.participant}, {one.what}"
            + ("" if one.overdue else f", within {one.hours_left:.0f} hours")
            for one in delivery.due
        ),
    ]
    if content is not None:
        lines += [f"stopping rule {one.measure} is reached" for one in content.rules if one.reached]
    if arguments.out is not None:
        lines.append(f"page: {arguments.out}")
    print_result(facts, lines, as_json=arguments.json)
    return 1 if delivery.overdue else 0


def _content_facts(content: Any) -> dict[str, object]:
    """Return what the parcels show, without the name of an arm while it is masked."""
    from dataclasses import asdict

    facts = asdict(content)
    facts["lots"] = [{name: value for name, value in one.items() if value is not None} for one in facts["lots"]]
    facts["rules"] = [{**asdict(one), "reached": one.reached} for one in content.rules]
    return facts
