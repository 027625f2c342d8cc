"""The command `kairos study audit`."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from daemon.cli.options import add_command


def register(actions: Any) -> None:
    """Add `kairos study audit`."""
    parser = add_command(
        actions,
        "audit",
        run,
        "recompute every lot and probability from recorded sessions",
        example="study audit",
        description=(
            "Recompute every lot and probability of the sessions recorded in a study, from their logs alone, and name "
            "each row that does not fit, and lots and questions that are missing. Exit status 1 if there is one. "
            "Sessions that were deleted leave gaps, which are named too; sessions named one by one are judged singly."
        ),
    )
    parser.add_argument(
        "session", nargs="*", metavar="S", help="a session's folder, id or beginning of it; all if none"
    )
    parser.add_argument("--sessions", metavar="DIR", help="where sessions are stored")
    parser.add_argument(
        "--study",
        type=Path,
        metavar="DIR",
        help="recompute the rows that kairos study open wrote for this study instead",
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study audit`: 1 if a row does not fit."""
    if arguments.study is not None:
        return _run_on_tables(arguments)

    from dataclasses import asdict

    from daemon.text import format_count, print_result, printable
    from storage.paths import sessions_folder
    from storage.records import Record
    from storage.session.log import SessionReader, find_session, list_sessions
    from storage.settings_file import load_settings
    from study.audit.sequence import audit_sessions

    base = Path(arguments.sessions or sessions_folder(load_settings().storage.sessions_dir))
    folders = [find_session(name, base) for name in arguments.session] or list_sessions(base)

    def rows() -> Iterator[list[Record]]:
        for folder in folders:
            with SessionReader(folder) as reader:
                yield list(reader)

    audit = audit_sessions(rows(), complete=not arguments.session)
    audits, findings = audit.sessions, audit.findings
    offers, questions = sum(one.offer_lots for one in audits), sum(one.question_lots for one in audits)
    counted = f"{format_count(offers, 'lot')} of offers and {questions} of questions recomputed."
    lines = [f"{format_count(len(audits), 'session')} of a study: {counted}"]
    if audit.lost:
        lines.append(f"{audit.lost} went with sessions that were cut off, and are in no row.")
    lines += [f"{printable(one.session)}, row {one.seq} ({one.kind}): {one.what}" for one in findings]
    lines.append("Every one follows from the seed." if not findings else f"{len(findings)} do not fit.")
    facts = {
        "sessions": [one.session for one in audits],
        "offer_lots": offers,
        "question_lots": questions,
        "lost": audit.lost,
        "findings": [asdict(finding) for finding in findings],
    }
    print_result(facts, lines, as_json=arguments.json)
    return 1 if findings else 0


def _run_on_tables(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study audit --study DIR`: 1 if a row does not fit."""
    from dataclasses import asdict

    from daemon.text import format_count, print_result
    from storage.errors import UsageError
    from study.opening.audit import audit_tables
    from study.opening.tables import read_tables
    from study.researcher.folder import StudyFolder

    if arguments.session or arguments.sessions:
        raise UsageError("--study takes no sessions", remedy="audit sessions on the machine where they were recorded")
    plans = {bundle.plan.version: bundle.plan for bundle, _ in StudyFolder(arguments.study).bundles()}
    with read_tables(arguments.study) as tables:
        audit = audit_tables(tables, plans)
    asked = (
        f"{format_count(audit.questions, 'question')} after offers; drawn as often as their probabilities say, "
        f"{audit.asked_z:+.2f} standard errors aside. Their lots can be recomputed on the participants' machines alone."
    )
    counted = (
        f"{format_count(audit.people, 'consent')}: {format_count(audit.lots, 'lot')} of offers recomputed, "
        f"{audit.missing_lots:,} are in no row."
    )
    lines = [
        counted,
        *([asked] if audit.questions else []),
        *(f"{one.participant}, parcel {one.n}, row {one.place} ({one.table}): {one.what}" for one in audit.findings),
        _verdict(audit.lots, len(audit.findings)),
    ]
    print_result(asdict(audit), lines, as_json=arguments.json)
    return 1 if audit.findings else 0


def _verdict(lots: int, findings: int) -> str:
    if findings:
        return "1 row does not fit." if findings == 1 else f"{findings} rows do not fit."
    return "Every lot follows from its seed." if lots else "There is no lot to recompute."
