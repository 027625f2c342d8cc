"""`kairos study broker`, `collect`, `receive-parcels` and `monitor`: what runs while people take part."""

import argparse
import contextlib
import functools
from dataclasses import asdict
from pathlib import Path
from typing import Any

from daemon.cli.options import add_command
from storage.clock import SystemClock
from storage.errors import UsageError
from storage.plain_text import format_count, format_time, print_progress, print_result


def register(actions: Any) -> None:
    """Add the actions to `kairos study`."""
    _register_broker(actions)
    _register_collect(actions)
    _register_receive_parcels(actions)
    _register_receive_recording(actions)
    _register_monitor(actions)


def _register_broker(actions: Any) -> None:
    """Add `kairos study broker`."""
    parser = add_command(
        actions,
        "broker",
        run_broker,
        "write and check the configuration of mosquitto",
        example="study broker my-study --out my-broker --self-signed --check",
        description=(
            "Write mosquitto's configuration for a study: everybody invited can log in, write to a topic of their own "
            "and read another. Run it again after new invitations. With --check a mosquitto is started on a free port "
            "and each limit is tried; exit status 1 if one does not hold."
        ),
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of the study")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="the folder for the configuration")
    parser.add_argument("--certificate", type=Path, metavar="FILE", help="the broker's certificate chain, PEM")
    parser.add_argument("--key", type=Path, metavar="FILE", help="its private key, PEM")
    parser.add_argument(
        "--self-signed",
        action="store_true",
        help="make an authority and a certificate, and name the authority in study.toml (before signing)",
    )
    parser.add_argument("--port", type=int, metavar="PORT", help="listen there; by default on the study's port")
    parser.add_argument("--check", action="store_true", help="try each limit with a mosquitto of its own")
    parser.add_argument(
        "--check-running", action="store_true", help="try TLS and logins with the broker that the study names"
    )
    parser.add_argument(
        "--run", dest="foreground", action="store_true", help="become mosquitto with this configuration"
    )


def run_broker(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study broker`: 1 if a limit does not hold."""
    from study.broker.check import check_configuration, check_running, find_mosquitto
    from study.broker.configuration import BrokerFolder, plan_of, write_configuration

    out = BrokerFolder(arguments.out.absolute())
    certificates, added = _certificates(arguments, out)
    written = write_configuration(arguments.folder, out, certificates, port=arguments.port)
    results = check_configuration(arguments.folder, out) if arguments.check else ()
    if arguments.check_running:
        results += check_running(arguments.folder)
    broken = [result for result in results if not result.holds]
    facts = {
        "conf": str(written.conf),
        "people": written.people,
        "changed": list(written.changed),
        "authority_added": added,
        "checks": [asdict(result) for result in results],
        "ok": not broken,
    }
    lines = [
        f"{format_count(written.people, 'participant')} and the collector can log in: {written.conf}",
        f"written: {', '.join(written.changed) or 'nothing has changed'}",
    ]
    if added:
        lines.append("The authority's certificate now stands in study.toml: sign it before you invite anybody.")
        if (arguments.folder / "signed").exists():
            lines.append("The study was signed without it: raise version, sign again.")
    lines += [
        f"{'holds' if result.holds else 'BROKEN'}: {result.what}{result.detail and f' ({result.detail})'}"
        for result in results
    ]
    if written.changed and not arguments.foreground:
        lines.append(f"start: mosquitto -c {written.conf}; if it runs already, let it read this again: kill -HUP PID")
    lines.append(f"listens on port {arguments.port or plan_of(arguments.folder).broker.port}")
    print_result(facts, lines, as_json=arguments.json)
    if arguments.foreground and not broken:
        import os
        import sys

        program = find_mosquitto()
        sys.stdout.flush()
        os.execv(program, [program, "-c", str(written.conf)])  # noqa: S606  # no shell wanted
    return 1 if broken else 0


def _certificates(arguments: argparse.Namespace, out: Any) -> tuple[Any, bool]:
    """Return the certificates to use, and whether an authority was named in the study file."""
    from study.broker.configuration import given_certificates, own_authority, plan_of, put_authority

    given = [path for path in (arguments.certificate, arguments.key) if path is not None]
    if arguments.self_signed and not given:
        certificates, pem = own_authority(out.path / "tls", plan_of(arguments.folder).broker.host)
        return certificates, put_authority(arguments.folder / "study.toml", pem)
    if len(given) == 2 and not arguments.self_signed:  # noqa: PLR2004  # both
        return given_certificates(*(path.absolute() for path in given)), False
    before = out.certificates() if not given and not arguments.self_signed else None
    if before is None:
        raise UsageError(
            "the broker needs a certificate",
            remedy="give --certificate FILE and --key FILE, or --self-signed for an authority of the study's own",
        )
    return before, False


MAX_COLLECTORS = 8


def _register_collect(actions: Any) -> None:
    """Add `kairos study collect`."""
    parser = add_command(
        actions,
        "collect",
        run_collect,
        "take sealed parcels in from the broker, and sign receipts",
        example="study collect my-study --data /srv/my-study",
        description=(
            "Take sealed parcels in from the study's broker: check, store and sign receipts, until it is ended. Needs "
            "of the study's folder only signed/, participants.jsonl, keys/receipts.key and keys/collector.password."
        ),
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of the study, or the part of it needed")
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER", help="where parcels are stored")
    parser.add_argument("--host", metavar="HOST", help="connect there; the certificate has to name it")
    parser.add_argument("--port", type=_port, metavar="PORT", help="connect to this port, not the one of the study")
    parser.add_argument(
        "--restored", action="store_true", help="the data is a backup: ask everybody once for what is missing in it"
    )


def _port(text: str) -> int:
    if text.isascii() and text.isdigit() and 1 <= int(text[:6]) <= 65_535:  # noqa: PLR2004  # the highest port
        return int(text)
    raise argparse.ArgumentTypeError("a port is a whole number from 1 to 65535")


def run_collect(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study collect`."""
    import asyncio
    import signal

    from participant.documents.topics import COLLECTOR
    from study.collector.collector import Collector
    from study.collector.connection import BrokerLogin, Connection
    from study.collector.store import abandoned_place, take_place
    from study.researcher.folder import StudyFolder

    files, clock = StudyFolder(arguments.folder), SystemClock()
    files.signed_bundle()  # first of all: with its name mistyped no folder for parcels is made
    with contextlib.ExitStack() as opened:
        place = opened.enter_context(take_place(arguments.data, most=MAX_COLLECTORS))
        collector = opened.enter_context(contextlib.closing(Collector(files, arguments.data, holds_early=True)))
        broker = collector.plan.broker
        login = BrokerLogin(
            host=arguments.host or broker.host,
            port=arguments.port or broker.port,
            ca=broker.ca,
            username=COLLECTOR,
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


ANSWERS_SUFFIX = ".kairos-receipts"


def _register_receive_parcels(actions: Any) -> None:
    """Add `kairos study receive-parcels`."""
    parser = add_command(
        actions,
        "receive-parcels",
        run_receive_parcels,
        "take in a file of parcels that a participant packed, and write the receipts",
        example="study receive-parcels mine.kairos-parcels --into my-study --data /srv/my-study",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="what a participant packed")
    parser.add_argument("--into", type=Path, required=True, metavar="DIR", help="the folder of the study")
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER", help="where `collect` stores parcels")
    parser.add_argument("--out", type=Path, metavar="FILE", help="the new file of receipts, to be given back")


def run_receive_parcels(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study receive-parcels`; 1 where something in the file was refused."""
    from study.collector.collector import FILE_QUOTA_BYTES, Collector, take_file
    from study.researcher.folder import StudyFolder

    out = arguments.out or Path(f"{arguments.file.parent / arguments.file.stem}{ANSWERS_SUFFIX}")
    collector = Collector(StudyFolder(arguments.into), arguments.data, quota_bytes=FILE_QUOTA_BYTES)
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


def _register_receive_recording(actions: Any) -> None:
    """Add `kairos study receive-recording`."""
    parser = add_command(
        actions,
        "receive-recording",
        run_receive_recording,
        "take in a recording that a participant gave",
        example="study receive-recording monday.kairos-recording --into my-study",
        description=(
            "Check who gave a recording and open it, where the reader keys are. It lies in the study's folder as a file"
            " that `kairos sessions import` takes; `kairos study purge` destroys it with the rows of who has left, but"
            " nothing that was imported from it: delete that yourself."
        ),
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="what a participant gave")
    parser.add_argument("--into", type=Path, required=True, metavar="DIR", help="the folder of the study")


def run_receive_recording(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study receive-recording`."""
    from study.opening.recordings import take_recording
    from study.researcher.folder import StudyFolder

    participant, path, is_new = take_recording(StudyFolder(arguments.into), arguments.file)
    facts = {"participant": participant, "file": str(path), "new": is_new}
    lines = [f"{participant}: {path}" + ("" if is_new else ", which was there already")]
    print_result(facts, [*lines, f"next: kairos sessions import {path}"], as_json=arguments.json)
    return 0


def _register_monitor(actions: Any) -> None:
    """Add `kairos study monitor`."""
    parser = add_command(
        actions,
        "monitor",
        run_monitor,
        "show who is silent, what is missing and which deletions are due",
        example="study monitor my-study --data /srv/my-study --out monitor.html",
        description=(
            "Show how a running study is doing: who joined, who is silent, gaps, deletions due and, where the reader "
            "key lies in the study's folder, answers by hour, balance of assignments and stopping rules. Arms are "
            "masked. Exit status 1 if a deletion is overdue."
        ),
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of the study")
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER", help="the collector's data, or a copy")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write a page (HTML) there")
    parser.add_argument(
        "--unblind", action="store_true", help="show the balance of assignments by arm; noted in DIR/unblinded.jsonl"
    )


def run_monitor(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study monitor`: 1 if a deletion is overdue."""
    from participant.documents.private_files import replace_private
    from study.collector.store import CollectorReader
    from study.monitor.page import monitor_page
    from study.monitor.status import content_status, delivery_status
    from study.opening.ledger import note_unblinding
    from study.opening.parcels import data_files
    from study.researcher.folder import StudyFolder

    files, now = StudyFolder(arguments.folder), SystemClock().wall_ns()
    plan = files.signed_bundle()[0].plan
    key_file = arguments.folder / "keys" / "reader.key"
    has_key = key_file.exists()
    if arguments.unblind:
        if not has_key:
            raise UsageError(f"there is no {key_file}: arms cannot be seen here")
        note_unblinding(arguments.folder, "monitor", wall_ns=now)
    (data,) = data_files([arguments.data])
    with contextlib.closing(CollectorReader(data)) as reader:
        delivery = delivery_status(reader, files, plan, now_wall_ns=now, closed=files.closing(plan) is not None)
    content = content_status(data, files, plan, delivery, by_arm=arguments.unblind) if has_key else None
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
        *(f"silent: {silence.participant}, for {silence.hours:.0f} hours" for silence in delivery.silent),
        *(f"missing: {gap.participant}, {format_count(len(gap.missing), 'gap')}" for gap in delivery.gaps),
        *(
            f"{'OVERDUE' if deletion.overdue else 'due'}: {deletion.participant}, {deletion.what}"
            + ("" if deletion.overdue else f", within {deletion.hours_left:.0f} hours")
            for deletion in delivery.due
        ),
    ]
    if content is not None:
        lines += [f"stopping rule {rule.measure} is reached" for rule in content.rules if rule.reached]
    if arguments.out is not None:
        lines.append(f"page: {arguments.out}")
    print_result(facts, lines, as_json=arguments.json)
    return 1 if delivery.overdue else 0


def _content_facts(content: Any) -> dict[str, object]:
    """Return what the parcels show, without the name of an arm while it is masked."""
    facts = asdict(content)
    facts["lots"] = [{name: value for name, value in fact.items() if value is not None} for fact in facts["lots"]]
    facts["rules"] = [{**asdict(rule), "reached": rule.reached} for rule in content.rules]
    return facts
