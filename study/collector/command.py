"""The command `kairos study collect`."""

import argparse
from pathlib import Path
from typing import Any

MAX_COLLECTORS = 8


def register(actions: Any) -> None:
    """Add `kairos study collect`."""
    parser = actions.add_parser(
        "collect",
        help="take sealed parcels in from the broker, and sign receipts",
        description=(
            "Take sealed parcels in from the study's broker: check, store and sign receipts, until it is ended. Needs "
            "of the study's folder only signed/, participants.jsonl, keys/receipts.key and keys/collector.password."
        ),
        epilog="example: kairos study collect my-study --data /srv/my-study",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of the study, or the part of it needed")
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER", help="where parcels are stored")
    parser.add_argument("--host", metavar="HOST", help="connect there; the certificate has to name it")
    parser.add_argument("--port", type=_port, metavar="PORT", help="connect to this port, not the one of the study")
    parser.add_argument(
        "--restored",
        action="store_true",
        help="the data is a backup: ask everybody once for what is missing in it",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")
    parser.set_defaults(run=run)


def _port(text: str) -> int:
    if text.isascii() and text.isdigit() and 1 <= int(text[:6]) <= 65_535:  # noqa: PLR2004  # the highest port
        return int(text)
    raise argparse.ArgumentTypeError("a port is a whole number from 1 to 65535")


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study collect`."""
    import asyncio
    import contextlib
    import functools
    import signal

    from daemon.text import format_count, print_progress, print_result
    from storage.clock import SystemClock
    from storage.db import import_small

    import_small()
    from study.collector.collector import Collector
    from study.collector.connection import BrokerLogin, Connection
    from study.collector.invited import LOGIN, CollectorFiles
    from study.collector.place import abandoned_place, take_place

    files, clock = CollectorFiles(arguments.folder), SystemClock()
    files.bundle()  # first of all: with its name mistyped no folder for parcels is made
    with contextlib.ExitStack() as opened:
        place = opened.enter_context(take_place(arguments.data, most=MAX_COLLECTORS))
        collector = opened.enter_context(contextlib.closing(Collector(files, arguments.data, holds_early=True)))
        broker = collector.plan.broker
        login = BrokerLogin(
            host=arguments.host or broker.host,
            port=arguments.port or broker.port,
            ca=broker.ca,
            username=LOGIN,
            password=files.password(),
            name=str(place),
        )
        first = collector.request_everything(clock.wall_ns()) if arguments.restored else []

        async def serve() -> None:
            stop = asyncio.Event()
            for number in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(number, stop.set)
            abandoned = functools.partial(abandoned_place, arguments.data, most=MAX_COLLECTORS)
            connection = Connection(collector, login, clock, print_progress, abandoned=abandoned)
            await connection.serve(stop, first=first)

        asyncio.run(serve())
        facts = {
            "stored": collector.stored,
            "repeated": collector.repeated,
            "refused": {why.name.lower(): count for why, count in collector.refused.items()},
        }
        lines = [f"{format_count(collector.stored, 'parcel')} stored, {collector.repeated} were there already"]
        lines += [f"{count} refused: {why}" for why, count in collector.refused.items()]
        print_result(facts, lines, as_json=arguments.json)
    return 0
