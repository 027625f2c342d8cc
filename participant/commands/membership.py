"""`kairos study join`, `consent`, `status`, `leave` and `work`: taking part in a study, on the terminal."""

import argparse
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.cli.options import add_command
from storage.clock import NS_PER_S, SystemClock
from storage.errors import BadFile, UsageError
from storage.plain_text import escape_controls, format_count, format_time, print_progress, print_result, printable
from storage.translation import ENGLISH, Language

if TYPE_CHECKING:
    from participant.membership.status import StudyStatus
    from storage.study_text import StudyChoice, StudyInvitationView


def register(actions: Any) -> None:
    """Add the actions to `kairos study`."""
    join = add_command(
        actions,
        "join",
        run_join,
        "take part in a study, with the invitation that you were given",
        example="study join 001-abcdefghij234567.kairos-invitation",
    )
    join.add_argument("invitation", nargs="?", type=Path, metavar="FILE", help="the invitation")
    join.add_argument("--again", action="store_true", help="answer a new version of the study that you take part in")
    join.add_argument("--language", metavar="LL", help="of the consent text, such as en")
    join.add_argument(
        "--agree",
        metavar="SWITCHES",
        help="what you agree to, with commas between; nothing is asked then, and this is the answer",
    )
    join.add_argument("--window", action="store_true", help="show and ask in a window instead of the terminal")
    join.add_argument("--mode", choices=("ask", "daily", "hold"), help="how you look at what is sent before it goes")
    consent = add_command(
        actions, "consent", run_consent, "print what you agreed to in a study, with digests", example="study consent"
    )
    add_command(actions, "status", run_status, "say how the studies stand that you joined", example="study status")
    leave = add_command(
        actions, "leave", run_leave, "leave a study at once, and have what was sent deleted", example="study leave"
    )
    leave.add_argument("--keep", action="store_true", help="permit keeping what was sent until now")
    for parser in (consent, leave):
        parser.add_argument("study", nargs="?", metavar="NAME", help="the study; by default the one in force")
    work = add_command(
        actions,
        "work",
        run_work,
        "pack and send what is due; Kairos does this about once an hour",
        example="study work --now",
    )
    work.add_argument("--now", action="store_true", help="send what waits for its next try, too")
    work.add_argument(
        "--take-out",
        action="store_true",
        help="take labels and words that were deleted here out of what waits, and do nothing else",
    )


# ---------------------------------------------------------------- joining


def run_join(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study join`; 1 where the person says no."""
    from participant.delivery.review import Mode
    from participant.membership.describe import describe_bundle
    from participant.membership.joining import chosen, join, open_invitation, tell_daemon

    if arguments.again:
        return _run_again(arguments)
    if arguments.invitation is None:
        raise UsageError("which invitation?", remedy="kairos study join FILE")
    invited = open_invitation(arguments.invitation)
    switches = _ask(lambda spoken: describe_bundle(invited.bundle, arguments.language, spoken=spoken), arguments)
    if switches is None:
        print_progress("Nothing was joined.")
        return 1
    chosen(invited, switches)
    mode = Mode(arguments.mode) if arguments.mode else None
    enrolment = join(invited, switches, arguments.language, SystemClock().wall_ns(), mode=mode)
    running = tell_daemon()
    facts = {
        "study": enrolment.study,
        "participant": enrolment.participant,
        "first_day": f"{enrolment.first_day:%Y-%m-%d}",
        "last_day": f"{enrolment.last_day:%Y-%m-%d}",
        "switches": list(switches),
        "running": running,
    }
    lines = [
        f"You take part in {enrolment.study} as {enrolment.participant}.",
        f"Day 1 is {enrolment.first_day:%Y-%m-%d}, the last one {enrolment.last_day:%Y-%m-%d}.",
        "Before that Kairos offers nothing.",
        "What is sent can be looked at before it goes: kairos study review",
        "Leave at any time: kairos study leave",
        "" if running else "Kairos is not running; start it with: kairos run",
    ]
    print_result(facts, [line for line in lines if line], as_json=arguments.json)
    return 0


def _run_again(arguments: argparse.Namespace) -> int:
    from participant.membership.describe import describe_bundle
    from participant.membership.joining import answer_again, pending_bundle, tell_daemon

    if arguments.invitation is not None or arguments.mode is not None:
        raise UsageError("--again takes neither an invitation nor a mode", remedy="kairos study join --again")
    bundle = pending_bundle()
    switches = _ask(lambda spoken: describe_bundle(bundle, arguments.language, renewed=True, spoken=spoken), arguments)
    if switches is None:
        print_progress("Nothing changed: nothing is sent until you agree, or leave: kairos study leave")
        return 1
    answer = answer_again(bundle, switches, arguments.language, SystemClock().wall_ns())
    tell_daemon()
    facts = {
        "study": bundle.plan.name,
        "version": answer.study_version,
        "switches": [str(switch) for switch in answer.sends],
    }
    print_result(facts, f"agreed to version {answer.study_version} of {bundle.plan.name}", as_json=arguments.json)
    return 0


def _ask(
    describe: Callable[[Language], "StudyInvitationView"], arguments: argparse.Namespace
) -> tuple[str, ...] | None:
    """Show a study, and return the switches that the person turns on; None if they do not take part.

    The window describes it in its own language, the terminal in English.
    """
    if arguments.window:
        if arguments.agree is not None:
            raise UsageError("--window asks, and --agree answers", remedy="take one of them")
        from daemon.runtime.run import ask_study_consent

        answer = ask_study_consent(describe)
        return None if answer is None else answer.switched_on
    view = describe(ENGLISH)
    for line in view_lines(view):
        print_progress(line)
    if arguments.agree is not None:
        return tuple(dict.fromkeys(code.strip() for code in arguments.agree.split(",") if code.strip()))
    if arguments.json or not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "there is no terminal to ask in, and nobody takes part unasked",
            remedy=f"--window, or say what you agree to: --agree {','.join(choice.code for choice in view.choices)}",
        )
    switches = tuple(choice.code for choice in view.choices if _says_yes(_question(choice)))
    if not switches:
        print_progress("Everything is off, so there is nothing to take part in.")
        return None
    return switches if _says_yes(f"Take part with: {', '.join(switches)}?") else None


def _question(choice: "StudyChoice") -> str:
    needs = f" (needs {choice.needs})" if choice.needs else ""
    return f"\n{choice.head}{needs}: {choice.text}\nDo you agree?"


def _says_yes(question: str) -> bool:
    """Ask on the terminal; everything but a yes is a no."""
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def view_lines(view: "StudyInvitationView") -> list[str]:
    """Return what is shown of a study, line by line; whatever comes from it can do nothing to a terminal."""
    from storage.study_text import JOIN_LEAD, LEAVE_NOTE, NOTHING_CHOSEN, RENEW_LEAD, RENEW_TITLE, WORDS_NOTE

    lines = [
        f"{RENEW_TITLE}. {RENEW_LEAD}" if view.renewed else JOIN_LEAD,
        "",
        f"Study:    {view.title} (version {view.version})",
        f"Who asks: {view.contact}",
        f"Ethics:   {view.ethics}",
        f"Lasts:    {format_count(view.days, 'day')}",
        *(f"  {phase}" for phase in view.phases),
        *(f"- {fact}" for fact in view.facts),
        "",
        f"The study's key in eight words: {' '.join(view.words)}",
        WORDS_NOTE,
        "",
        f"What you agree to (version {view.version}, SHA-256 {view.text_sha256}):",
        "",
        *(f"  {line}" for line in view.text.splitlines()),
        "",
        "Switches:",
        *(f"  {choice.code}: {choice.head}. {choice.text}" for choice in view.choices),
        NOTHING_CHOSEN,
        LEAVE_NOTE,
    ]
    return [escape_controls(line.expandtabs(4)) for line in lines]


# ---------------------------------------------------------------- consent, status


def run_consent(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study consent`."""
    import msgspec

    from participant.membership.consent import read_consent_file
    from participant.membership.status import named_folder

    consent = read_consent_file(named_folder(arguments.study).consent)
    lines = [
        f"{consent.title} ({consent.study}), {consent.ethics}",
        f"asked by: {consent.contact}",
        f"the study's key in eight words: {consent.words}",
        f"you are: {consent.participant}, your key: {consent.key}",
    ]
    for answer in consent.answers:
        lines += [
            f"on {format_time(answer.at_wall_ns / NS_PER_S)} you agreed to: {', '.join(answer.sends)}",
            f"  version {answer.study_version}, SHA-256 of the signed study {answer.bundle_sha256}",
            f"  text in {answer.language}, SHA-256 {answer.text_sha256}",
        ]
    print_result(msgspec.to_builtins(consent), [escape_controls(line) for line in lines], as_json=arguments.json)
    return 0


def run_status(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study status`."""
    from participant.membership.status import all_statuses

    found = all_statuses(SystemClock().wall_ns())
    facts = {"studies": [asdict(status) for status in found]}
    lines = [line for status in found for line in status_lines(status)] or ["You take part in no study."]
    print_result(facts, lines, as_json=arguments.json)
    return 0


def status_lines(status: "StudyStatus") -> list[str]:
    """Return how a study stands in words."""
    from participant.membership.status import WORDS

    lines = [escape_controls(f"{status.study}: {status.title}"), f"  {WORDS[status.standing]}"]
    if status.day is not None and status.days is not None:
        day = f"day {status.day} of {status.days}" if status.day else f"the quiet time before day 1 of {status.days}"
        lines.append(f"  {day}, phase: {status.phase or 'hidden until the study is over'}")
    if status.closed_on is not None:
        lines.append(f"  closed by the researchers on {status.closed_on}, which is your last day")
    if status.switches:
        lines.append(f"  you agreed to: {', '.join(status.switches)}")
    if status.asks_again:
        lines.append("  a new version waits for your answer, and nothing is sent: kairos study join --again")
    if status.mode is not None:
        lines.append(f"  parcels: {status.held} held, {status.ready} on their way, {status.received} received")
        lines.append(f"  looking first: {status.mode}; next parcel: {_next_in_words(status)}")
    if status.last_receipt_wall_ns is not None:
        lines.append(f"  last receipt: {format_time(status.last_receipt_wall_ns / NS_PER_S)}")
    if not status.told:
        lines.append("  the researchers could not be told: write to them (kairos study consent)")
    elif status.deleted:
        lines.append("  the researchers signed for what was deleted")
    return lines


def _next_in_words(status: "StudyStatus") -> str:
    if status.next_wall_ns == 0:
        return "within the hour"
    if status.next_wall_ns is not None:
        return format_time(status.next_wall_ns / NS_PER_S)
    return "waits for you: kairos study review" if status.held else "none waits"


# ---------------------------------------------------------------- leaving, working


def run_leave(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study leave`; 1 where the researchers cannot be told."""
    from participant.membership.joining import tell_daemon
    from participant.membership.leaving import leave

    left = leave(arguments.study, keep=arguments.keep)
    tell_daemon()
    facts = {
        "study": left.study,
        "sent": left.parcels,
        "told": left.told,
        "keep": arguments.keep,
        "answered": left.answered,
    }
    lines = [f"You have left {left.study}. Nothing more is collected or sent."]
    if left.parcels == 0:
        lines.append("Nothing had been sent, so nothing is to be deleted elsewhere.")
    elif left.answered:
        lines.append("You had left it before, and the researchers have signed for that.")
    elif left.told:
        wish = "may be kept" if arguments.keep else "is to be deleted"
        lines.append(f"That you left, and that what was sent {wish}, goes out when Kairos runs, or: kairos study work")
    else:
        lines += [
            "The folder of the study is damaged, so nothing signed can say that you left.",
            f"Write to {left.contact or 'whoever gave you the invitation'} that {left.participant or 'you'} left.",
        ]
    print_result(facts, [escape_controls(line) for line in lines], as_json=arguments.json)
    return 0 if left.told else 1


def run_work(arguments: argparse.Namespace) -> int:
    """Carry out `kairos study work`; 1 where something did not work, 4 where the folder of a study is damaged."""
    from participant.membership.folder import studies_folder

    if not studies_folder().is_dir():
        print_result(
            {"busy": False, "packed": [], "sent": [], "ended": [], "left": [], "damaged": [], "faults": [], "said": []},
            "no study was joined",
            as_json=arguments.json,
        )
        return 0

    from participant.membership.joining import tell_daemon
    from participant.work import take_out, work

    if arguments.take_out:
        take_out()
        return 0
    done = work(SystemClock().wall_ns(), everything=arguments.now)
    if done.ended:
        tell_daemon()
    lines = ["another process does this now"] if done.busy else [f"sent from: {', '.join(done.sent) or 'no study'}"]
    lines += [printable(said) for said in done.said]
    lines += [f"closed by its researchers: {study}" for study in done.ended]
    lines += [f"left, since you took your consent back: {study}" for study in done.left]
    lines += [f"damaged: {study}; leave it: kairos study leave" for study in done.damaged]
    print_result(asdict(done), [*lines, *(f"did not work: {fault}" for fault in done.faults)], as_json=arguments.json)
    if done.damaged:
        return BadFile.exit_code
    return 1 if done.faults else 0
