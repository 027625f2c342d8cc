"""`kairos study report`: one HTML page from the tables of a study."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from participant.documents.plan import Plan
    from study.researcher.folder import StudyFolder

PAGE = "report.html"


def register(actions: Any) -> None:
    """Add `kairos study report`."""
    parser = actions.add_parser(
        "report",
        help="make one HTML page of what was opened: the fixed outcome first",
        description=(
            "Make one HTML page from the tables of a study: the effect on the outcome that was fixed before it began, "
            "who took part, what is missing, whether the lots were fair; then, labelled exploratory, acceptance, "
            "answers, and what other policies would have been worth. While the study runs (until `kairos study "
            "close`), arms are shown as one and effects are left out."
        ),
        epilog="example: kairos study report my-study",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of the study, opened before")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to write the page (DIR/report.html)")
    parser.add_argument(
        "--unblind", action="store_true", help="show arms and effects before the study is over; this is written down"
    )
    parser.add_argument(
        "--simulated", action="store_true", help="say on the page that nobody took part, as after a rehearsal"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object with every figure")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study report`."""
    from dataclasses import asdict

    from daemon.text import print_result, without_nan
    from participant.documents.keys import replace_private
    from storage.clock import SystemClock
    from study.analysis.commands import need_scipy
    from study.analysis.report import study_page
    from study.opening.audit import audit_tables
    from study.opening.closing import is_over
    from study.opening.ledger import note_export, note_unblinding
    from study.opening.open_study import signed_bundle
    from study.opening.study_report import build_report
    from study.opening.tables import people_in, read_tables
    from study.researcher.folder import StudyFolder

    need_scipy()
    folder: Path = arguments.folder
    study = StudyFolder(folder)
    plan = signed_bundle(study).plan
    over = is_over(folder, plan)
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
    path = arguments.out or folder / PAGE
    export = None
    if path.absolute() != (folder / PAGE).absolute():  # a deletion destroys that one alone
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
    from collections import Counter

    from study.opening.ledger import purged_participants

    purged = purged_participants(study.path)
    if not purged:
        return {}
    arms = study.arms(plan)
    return dict(Counter(arms[who] for who in purged if who in arms))
