"""`kairos study create`, `check`, `sign` and `invite`: from an empty folder to invitations."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.cli.options import add_command
from storage.plain_text import format_count, print_progress, print_result

if TYPE_CHECKING:
    pass


MAX_COUNT = 10_000


def register(actions: Any) -> None:
    """Add the actions to `kairos study`."""
    create = add_command(
        actions,
        "create",
        run_create,
        "make a folder with a study file, a consent text and keys",
        example="study create my-study",
    )
    create.add_argument("folder", type=Path, metavar="NAME", help="the new folder; its name is the study's")
    check = add_command(
        actions,
        "check",
        run_check,
        "say what a study does, and what is missing before it can be signed",
        example="study check my-study",
    )
    sign = add_command(
        actions,
        "sign",
        run_sign,
        "sign study file and consent texts, so that nobody can change them unseen",
        example="study sign my-study",
    )
    invite = add_command(
        actions,
        "invite",
        run_invite,
        "write invitations, one file for each person, with arms drawn in blocks",
        example="study invite my-study --count 60",
    )
    for parser in (check, sign, invite):
        parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of the study")
    invite.add_argument("--count", type=_count, required=True, metavar="N", help="how many people")


def _count(text: str) -> int:
    if text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= MAX_COUNT:
        return int(text[:9])
    raise argparse.ArgumentTypeError(f"a whole number from 1 to {MAX_COUNT}")


def run_create(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study create`."""
    from participant.documents.keys import key_words
    from study.researcher.folder import StudyFolder

    folder = StudyFolder.create(arguments.folder)
    words = " ".join(key_words(folder.signing_key().public))
    lines = [
        f"created: {folder.path}",
        f"the study's key in eight words: {words}",
        f"next: fill in study.toml and consent.en.md, then: kairos study check {folder.path}",
        "Keep keys/ private, and a copy where only you get at it: without keys/reader.key nobody can read the data.",
    ]
    print_result({"folder": str(folder.path), "words": words}, lines, as_json=arguments.json)
    return 0


def run_check(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study check`; 1 where something is missing."""
    from study.researcher.folder import StudyFolder

    report = StudyFolder(arguments.folder).check()
    plan = report.plan
    facts = {
        "ok": not report.missing,
        "name": plan.name,
        "version": plan.version,
        "days": plan.days,
        "phases": [{"name": phase.name, "days": phase.days, "policy": phase.policy.name} for phase in plan.phases],
        "arms": list(plan.arms),
        "sends": [str(switch) for switch in plan.sends],
        "outcome": plan.outcome,
        "questions": len(plan.questions),
        "tasks": len(plan.tasks),
        "words": " ".join(report.words),
        "missing": list(report.missing),
        "advice": list(report.advice),
    }
    lines = [
        (
            f"{plan.name}, version {plan.version}: {format_count(plan.days, 'day')}, "
            f"{format_count(len(plan.arms), 'arm')}, {format_count(len(plan.questions), 'question')}"
            f", {format_count(len(plan.tasks), 'task')}"
        ),
        *(f"  {phase.name}: {format_count(phase.days, 'day')}, {phase.policy.name}" for phase in plan.phases),
        f"sends: {', '.join(plan.sends)}; outcome: {plan.outcome}",
        f"the study's key in eight words: {' '.join(report.words)}",
        *(f"missing: {row}" for row in report.missing),
        *(f"advice: {advised}" for advised in report.advice),
        "" if report.missing else f"next: kairos study sign {arguments.folder}",
    ]
    print_result(facts, [line for line in lines if line], as_json=arguments.json)
    return 1 if report.missing else 0


def run_sign(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study sign`."""
    from participant.documents.keys import key_words
    from study.researcher.folder import StudyFolder

    path, bundle, new = StudyFolder(arguments.folder).sign()
    words = " ".join(key_words(bundle.plan.signing_key))
    facts = {
        "bundle": str(path),
        "version": bundle.plan.version,
        "new": new,
        "sha256": bundle.digest.hex(),
        "words": words,
    }
    lines = [
        f"{'signed' if new else 'signed already, nothing changed'}: {path}",
        f"the study's key in eight words, for the paper form: {words}",
        f"next: kairos study invite {arguments.folder} --count N",
    ]
    print_result(facts, lines, as_json=arguments.json)
    return 0


def run_invite(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study invite`."""
    from study.researcher.folder import StudyFolder

    folder = StudyFolder(arguments.folder)
    signed = folder.newest_bundle()
    if signed is not None and signed[0].plan_text != folder.plan_text():
        print_progress("study.toml has changed since it was signed; the invitations are to the signed version.")
    paths = folder.invite(arguments.count)
    facts = {"invitations": [str(path) for path in paths]}
    lines = [
        f"{format_count(len(paths), 'invitation')} in {paths[0].parent}",
        "next: give each to one person, in the order of their numbers, and note on paper alone who got which.",
        "Nobody who talks to participants should look into them: they hold the arm.",
    ]
    print_result(facts, lines, as_json=arguments.json)
    return 0
