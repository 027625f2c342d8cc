"""`kairos study open`, `report` and `audit`: tables from a collector's parcels, the page, recomputed assignments."""

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.cli.options import add_command
from storage.clock import SystemClock
from storage.errors import UsageError
from storage.plain_text import format_count, print_result, printable, without_nan

if TYPE_CHECKING:
    from participant.documents.plan import Plan
    from study.researcher.folder import StudyFolder


SHOWN_PROBLEMS = 20
"""Problems that are printed; all of them are in the table `problems` and in the JSON object."""


def register(actions: Any) -> None:
    """Add the actions to `kairos study`."""
    _register_open(actions)
    _register_report(actions)
    _register_audit(actions)


def _register_open(actions: Any) -> None:
    """Add `kairos study open`."""
    parser = add_command(
        actions,
        "open",
        run_open,
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


def run_open(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study open`."""
    from study.opening.tables import open_study

    wall_ns = SystemClock().wall_ns()
    found = open_study(arguments.folder, arguments.data, wall_ns=wall_ns)
    export = None if arguments.copy_to is None else _copy_tables(arguments.folder, arguments.copy_to, wall_ns)
    statuses = {status.value: count for status, count in found.statuses.items()}
    facts = {
        "tables": str(found.path),
        "participants": statuses,
        "rows": dict(found.rows),
        "export": export,
        "problems": [
            {"participant": problem.participant, "n": problem.n, "what": problem.what} for problem in found.problems
        ],
    }
    lines = [
        f"{sum(statuses.values()):,} invited: "
        + ", ".join(f"{count} {status.replace('_', ' ')}" for status, count in statuses.items() if count),
        ", ".join(f"{found.rows[table]:,} {table}" for table in ("points", "answers", "days")),
        *(
            f"{problem.participant}{'' if problem.n is None else f', parcel {problem.n}'}: {printable(problem.what)}"
            for problem in found.problems[:SHOWN_PROBLEMS]
        ),
    ]
    if len(found.problems) > SHOWN_PROBLEMS:
        lines.append(f"and {len(found.problems) - SHOWN_PROBLEMS} more problems, see --json")
    if export is not None:
        lines.append(
            f"copied to {arguments.copy_to}; no deletion reaches it, so receipts of deletions name it: {export}"
        )
    lines += [f"tables: {found.path}, and Parquet files beside it", f"next: kairos study report {arguments.folder}"]
    print_result(facts, lines, as_json=arguments.json)
    return 0


def _copy_tables(folder: Path, out: Path, wall_ns: int) -> str:
    """Copy the tables, once it stands in writing whose rows they hold; return the name of the export."""
    from study.opening.ledger import note_export
    from study.opening.tables import copy_tables, people_in, read_tables

    with read_tables(folder) as tables:
        people = people_in(tables)
    name = note_export(folder, "tables", out, people, wall_ns=wall_ns)
    copy_tables(folder, out)
    return name


def _register_report(actions: Any) -> None:
    """Add `kairos study report`."""
    parser = add_command(
        actions,
        "report",
        run_report,
        "make one HTML page of what was opened: the fixed outcome first",
        example="study report my-study",
        description=(
            "Make one HTML page from the tables of a study: the effect on the outcome that was fixed before it began, "
            "who took part, what is missing, whether the assignments were fair; then, labelled exploratory, "
            "acceptance, answers, and what other policies would have been worth. While the study runs (until "
            "`kairos study close`), arms are shown as one and effects are left out."
        ),
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of the study, opened before")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to write the page (DIR/report.html)")
    parser.add_argument(
        "--unblind", action="store_true", help="show arms and effects before the study is over; this is written down"
    )
    parser.add_argument(
        "--simulated", action="store_true", help="say on the page that nobody took part, as after a rehearsal"
    )


def run_report(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study report`."""
    from participant.documents.private_files import replace_private
    from study.analysis.report import study_page
    from study.audit.tables import audit_tables
    from study.opening.ledger import note_export, note_unblinding
    from study.opening.report import build_report
    from study.opening.tables import people_in, read_tables
    from study.researcher.folder import PAGE_FILE, StudyFolder

    folder: Path = arguments.folder
    study = StudyFolder(folder)
    plan = study.signed_bundle()[0].plan
    over = study.closing(plan) is not None
    with read_tables(folder) as tables:
        if arguments.unblind and not over:
            note_unblinding(folder, "report", wall_ns=SystemClock().wall_ns())
        report = build_report(
            tables,
            plan,
            masked=not over and not arguments.unblind,
            simulated=arguments.simulated,
            deleted=_deleted_by_arm(study, plan),
            misfits=len(audit_tables(tables, {one.plan.version: one.plan for one, _ in study.bundles()}).findings),
        )
        people = people_in(tables)
    path = arguments.out or folder / PAGE_FILE
    export = None
    if path.absolute() != (folder / PAGE_FILE).absolute():  # a deletion destroys that one alone
        export = note_export(folder, "report", path, people, wall_ns=SystemClock().wall_ns())
    replace_private(path, study_page(report).encode())
    lines = [f"written: {path}"]
    if export is not None:
        lines.append(f"no deletion reaches it, so receipts of deletions name it: {export}")
    if report.quality is not None and report.quality.misfits:
        lines.append(f"rows that do not fit are in it; they are named by: kairos study audit --study {folder}")
    if report.masked:
        lines.append("masked: arms are shown as one and effects are left out until: kairos study close")
    elif report.outcome.fit is None:
        lines.append(f"the effect on the fixed outcome cannot be estimated: {report.outcome.why}")
    else:
        one = report.outcome.fit.effects[0]
        lines.append(
            f"{report.outcome.outcome}: effect of an offer {one.estimate:+.4f}, "
            f"standard error {one.standard_error:.4f}, {one.degrees_of_freedom} degrees of freedom, "
            f"interval {one.low:+.4f} to {one.high:+.4f}"
        )
    print_result({"page": str(path), "export": export, **without_nan(asdict(report))}, lines, as_json=arguments.json)
    return 0


def _deleted_by_arm(study: "StudyFolder", plan: "Plan") -> dict[str, int]:
    """Return how many people of each arm were deleted here; after the end of everything nobody knows their arms."""
    from study.opening.ledger import purged_participants

    purged = purged_participants(study.path)
    if not purged:
        return {}
    arms = study.arms(plan)
    return dict(Counter(arms[who] for who in purged if who in arms))


def _register_audit(actions: Any) -> None:
    """Add `kairos study audit`."""
    parser = add_command(
        actions,
        "audit",
        run_audit,
        "recompute every assignment and probability from recorded sessions",
        example="study audit",
        description=(
            "Recompute every assignment and probability of the sessions recorded in a study, from their logs alone. "
            "Name each row that does not fit, and assignments and questions that are missing; exit status 1 if there "
            "is one. Deleted sessions leave gaps, which are named too; sessions named one by one stand alone."
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


def run_audit(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study audit`: 1 if a row does not fit."""
    if arguments.study is not None:
        return _audit_tables(arguments)

    from storage.files import sessions_folder
    from storage.records import Record
    from storage.session.log import SessionReader, find_session, list_sessions
    from storage.settings_file import load_settings
    from study.audit.sessions import audit_sessions

    base = Path(arguments.sessions or sessions_folder(load_settings().storage.sessions_dir))
    folders = [find_session(name, base) for name in arguments.session] or list_sessions(base)

    def rows() -> Iterator[list[Record]]:
        for folder in folders:
            with SessionReader(folder) as reader:
                yield list(reader)

    audit = audit_sessions(rows(), complete=not arguments.session)
    audits, findings = audit.sessions, audit.findings
    offers, questions = (
        sum(len(session.assignments) for session in audits),
        sum(session.question_lots for session in audits),
    )
    counted = f"{format_count(offers, 'lot')} of offers and {questions} of questions recomputed."
    lines = [f"{format_count(len(audits), 'session')} of a study: {counted}"]
    if audit.lost:
        lines.append(f"{audit.lost} went with sessions that were cut off, and are in no row.")
    lines += [
        f"{printable(finding.session)}, row {finding.seq} ({finding.kind}): {finding.what}" for finding in findings
    ]
    lines.append("Every one follows from the seed." if not findings else f"{len(findings)} do not fit.")
    facts = {
        "sessions": [session.session for session in audits],
        "offer_lots": offers,
        "question_lots": questions,
        "lost": audit.lost,
        "findings": [asdict(finding) for finding in findings],
    }
    print_result(facts, lines, as_json=arguments.json)
    return 1 if findings else 0


def _audit_tables(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study audit --study DIR`: 1 if a row does not fit."""
    from study.audit.tables import audit_tables
    from study.opening.tables import read_tables
    from study.researcher.folder import StudyFolder

    if arguments.session or arguments.sessions:
        raise UsageError("--study takes no sessions", remedy="audit sessions on the machine where they were recorded")
    plans = {bundle.plan.version: bundle.plan for bundle, _ in StudyFolder(arguments.study).bundles()}
    with read_tables(arguments.study) as tables:
        audit = audit_tables(tables, plans)
    asked = (
        f"{format_count(audit.questions, 'question')} after offers; drawn as often as their probabilities say, "
        f"{audit.asked_z:+.2f} standard errors aside. Theirs can be recomputed on the participants' machines alone."
    )
    counted = (
        f"{format_count(audit.people, 'consent')}: {format_count(audit.lots, 'lot')} of offers recomputed, "
        f"{audit.missing_lots:,} are in no row."
    )
    lines = [
        counted,
        *([asked] if audit.questions else []),
        *(
            f"{finding.participant}, parcel {finding.n}, row {finding.place} ({finding.table}): {finding.what}"
            for finding in audit.findings
        ),
        _audit_verdict(audit.lots, len(audit.findings)),
    ]
    print_result(asdict(audit), lines, as_json=arguments.json)
    return 1 if audit.findings else 0


def _audit_verdict(lots: int, findings: int) -> str:
    if findings:
        return "1 row does not fit." if findings == 1 else f"{findings} rows do not fit."
    return "Every assignment follows from its seed." if lots else "There is no assignment to recompute."
