"""The command `kairos study broker`."""

import argparse
from pathlib import Path
from typing import Any

from daemon.cli.options import add_command


def register(actions: Any) -> None:
    """Add `kairos study broker`."""
    parser = add_command(
        actions,
        "broker",
        run,
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


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study broker`: 1 if a limit does not hold."""
    from dataclasses import asdict

    from daemon.text import format_count, print_result
    from study.broker.check import check_configuration, check_running, find_mosquitto
    from study.broker.configuration import BrokerFolder, plan_of, write_configuration

    out = BrokerFolder(arguments.out.absolute())
    certificates, added = _certificates(arguments, out)
    written = write_configuration(arguments.folder, out, certificates, port=arguments.port)
    results = check_configuration(arguments.folder, out) if arguments.check else ()
    if arguments.check_running:
        results += check_running(arguments.folder)
    broken = [one for one in results if not one.holds]
    facts = {
        "conf": str(written.conf),
        "people": written.people,
        "changed": list(written.changed),
        "authority_added": added,
        "checks": [asdict(one) for one in results],
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
    lines += [f"{'holds' if one.holds else 'BROKEN'}: {one.what}{one.detail and f' ({one.detail})'}" for one in results]
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
    from storage.errors import UsageError
    from study.broker.certificates import given_certificates, own_authority, put_authority
    from study.broker.configuration import plan_of

    given = [one for one in (arguments.certificate, arguments.key) if one is not None]
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
