"""`kairos label`: a window in which somebody says how a recorded stretch was, and what was said of a session so far."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.cli.options import SESSION_HELP, add_command, sessions_base
from storage.errors import BadFile, UsageError
from storage.plain_text import format_clock, format_count, print_result, printable

if TYPE_CHECKING:
    from storage.records import LabelTask, SegmentLabel


def register(subparsers: Any) -> None:
    """Add `kairos label` to the command line."""
    parser = add_command(
        subparsers,
        "label",
        run,
        "say in a window how recorded work was: what you were doing, and whether you needed help",
        description=(
            "Look at a recorded session and say what you were doing, whether you needed help, and what would have"
            " helped. What you say is kept in the session's folder, on this machine. It needs no running Kairos."
            " Somebody elsewhere verifies what is proposed in a copy of the recording (kairos sessions export --speech"
            " --proposals), and gives back a file of --save, which --merge takes in."
        ),
        example="label 20261121",
        sessions=True,
    )
    parser.add_argument(
        "session", nargs="?", metavar="SESSION", help=f"{SESSION_HELP}; by default the newest session with pictures"
    )
    parser.add_argument("--rater", metavar="NAME", help="who says it, where several do (me)")
    parser.add_argument(
        "--blind-share",
        type=float,
        default=1.0,
        metavar="SHARE",
        help="for what share of stretches other judgements are shown only after yours, by lot (%(default)s)",
    )
    parser.add_argument("--seed", type=int, default=1, help="of that lot (%(default)s)")
    parser.add_argument(
        "--verify",
        action="store_true",
        help="keep, correct or drop, with a reason, what a model proposed (kairos bench annotation)",
    )
    parser.add_argument("--proposed-by", metavar="NAME", help="with --verify: by whom, where several did")
    parser.add_argument(
        "--admitted-by",
        metavar="SESSION",
        help="the session whose quiz the rater must have passed; labels name it",
    )
    parser.add_argument(
        "--quiz",
        metavar="NAME",
        help="take a quiz on what NAME said of the session: 9 stretches, 8 to be right, once",
    )
    doing = parser.add_mutually_exclusive_group()
    doing.add_argument("--list", action="store_true", help="print what was said, and open no window")
    doing.add_argument(
        "--save",
        type=Path,
        metavar="FILE",
        help="write what --rater said, and nothing else, into a new file, for who has the same recording elsewhere",
    )
    doing.add_argument("--merge", type=Path, metavar="FILE", help="take in such a file, in place of what they had said")


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos label`."""
    from storage.records import MAX_RATER, ME, BlindLot
    from storage.session.labels import read_labels
    from storage.session.log import find_session

    if not 0 <= arguments.blind_share <= 1:
        raise UsageError("--blind-share is between 0 and 1", remedy="1 shows nothing before you have said yours")
    rater = printable(arguments.rater.strip()) if arguments.rater is not None else ME
    if not 0 < len(rater) <= MAX_RATER:
        raise UsageError(f"a name of a rater has 1 to {MAX_RATER} characters", remedy="give another --rater")
    base, _ = sessions_base(arguments)
    folder = find_session(arguments.session, base) if arguments.session else _newest(base)
    if arguments.save or arguments.merge:
        return _travel(folder, rater, arguments)
    task = _task(arguments, rater, read_labels(folder), base)
    if not arguments.list:
        from daemon.runtime.run import label_session

        label_session(folder.absolute(), rater, BlindLot(share=arguments.blind_share, seed=arguments.seed), task)
    labels = read_labels(folder)
    if task.quiz:
        print_result(*_quiz_result(labels, rater), as_json=arguments.json)
        return 0
    if not arguments.list:  # what others said is no longer for judging blind once it was read
        labels = tuple(label for label in labels if label.rater == rater)
    print_result(_facts(folder, labels), _lines(folder, labels), as_json=arguments.json)
    return 0


def _travel(folder: Path, rater: str, arguments: argparse.Namespace) -> int:
    """Carry out --save and --merge."""
    from storage.records import ME
    from storage.session.labels import merge_labels, save_labels

    if arguments.merge:
        rater, labels = merge_labels(folder, arguments.merge)
        count = sum(label.rater == rater for label in labels)
        words = f"{format_count(count, 'label')} by {printable(rater)} are now with {folder.name}"
    elif rater == ME:
        raise UsageError("elsewhere nobody knows who you are", remedy="label under a name: --rater NAME")
    else:
        count = save_labels(folder, rater, arguments.save)
        words = f"{format_count(count, 'label')} by {printable(rater)} were written to {arguments.save}"
    print_result({"session": folder.name, "rater": rater, "labels": count}, [words], as_json=arguments.json)
    return 0


def _task(arguments: argparse.Namespace, rater: str, labels: "Sequence[SegmentLabel]", base: Path) -> "LabelTask":
    """Return what the rater is asked.

    Raises:
        UsageError: nothing is proposed, or by several; the rater was not admitted, or has taken the quiz.
    """
    from storage.records import QUIZ, QUIZ_PASSED, LabelTask, draw_quiz, passed_quiz, quiz_score
    from storage.session.labels import read_labels
    from storage.session.log import find_session

    if arguments.quiz:
        if len(draw_quiz(labels, arguments.quiz, arguments.seed)) < QUIZ:
            raise UsageError(
                f"{printable(arguments.quiz)} has not given each state to a stretch of its own",
                remedy=f"label one of each: kairos label SESSION --rater {printable(arguments.quiz)}",
            )
        right, said = quiz_score(labels, rater)
        if said >= QUIZ and not arguments.list:
            raise UsageError(f"{rater} has taken this quiz: {right} of {said}", remedy="a quiz is taken once")
        return LabelTask(quiz=arguments.quiz, seed=arguments.seed)
    passed = ""
    if arguments.admitted_by:
        taken = read_labels(find_session(arguments.admitted_by, base))
        right, said = quiz_score(taken, rater)
        passed = passed_quiz(taken, rater)
        if not passed:
            name = printable(arguments.admitted_by)
            raise UsageError(
                f"{rater} has not passed the quiz in {name}: {right} of {said} right",
                remedy=f"{QUIZ_PASSED} of {QUIZ} are needed: kairos label {name} --quiz NAME",
            )
    if not arguments.verify:
        return LabelTask(passed=passed)
    by = sorted({label.rater for label in labels if label.proposed})
    if arguments.proposed_by is not None:
        by = [name for name in by if name == arguments.proposed_by]
    if len(by) != 1:
        raise UsageError(
            f"labels of this session are proposed by {', '.join(map(printable, by)) or 'nobody'}",
            remedy="name one: --proposed-by NAME" if by else "have some proposed: kairos bench annotation SESSION",
        )
    return LabelTask(proposed=by[0], passed=passed, seed=arguments.seed)


def _quiz_result(labels: "Sequence[SegmentLabel]", rater: str) -> tuple[dict[str, object], Iterator[str]]:
    """Return what came of a quiz; what was right is told once all is said."""
    from storage.records import QUIZ, QUIZ_PASSED, passed_quiz, quiz_score

    right, said = quiz_score(labels, rater)
    if said < QUIZ:
        words = f"{said} of {QUIZ} are said; the same command goes on."
        return {"said": said, "right": None, "passed": None}, iter([words])
    passed = bool(passed_quiz(labels, rater))
    words = f"{right} of {said} right: {'passed' if passed else f'not passed, {QUIZ_PASSED} are needed'}."
    return {"said": said, "right": right, "passed": passed}, iter([words])


def _newest(base: Path) -> Path:
    """Return the newest session with pictures.

    Raises:
        BadFile: there is none.
    """
    from storage.session.log import list_sessions

    for folder in reversed(list_sessions(base)):
        if next(folder.glob("screen-*.mp4"), None) is not None:
            return folder
    raise BadFile(f"no session in {base} has pictures", remedy="have them recorded: kairos settings; or name a session")


def _facts(folder: Path, labels: "Sequence[SegmentLabel]") -> dict[str, object]:
    from msgspec import to_builtins

    return {"session": folder.name, "path": str(folder), "labels": [to_builtins(label) for label in labels]}


def _lines(folder: Path, labels: "Sequence[SegmentLabel]") -> Iterator[str]:
    from daemon.history.summary import session_clock
    from storage.messages import STATES

    raters = sorted({label.rater for label in labels})
    by = f" by {', '.join(map(printable, raters))}" if raters else ""
    yield f"{folder.name} has {format_count(len(labels), 'label')}{by}."
    clock = session_clock(folder)
    for label in labels:
        times = " to ".join(format_clock(clock.seconds(at_ns)) for at_ns in (label.start_ns, label.end_ns))
        said = ", ".join(STATES[state] for state in label.states) or "nothing said of what was done"
        need = {"yes": "help needed", "no": "no help needed", "unsure": "unsure"}.get(label.need or "", "need not said")
        if label.dropped:
            said = f"dropped ({printable(label.reason) or 'no reason said'})"
        elif label.proposed:
            said = f"proposed: {said}"
        wanted = f"; wanted: {printable(label.wanted)}" if label.wanted else ""
        helps = f"; would have helped: {printable(label.would_help)}" if label.would_help else ""
        yield f"  {times}  {printable(label.rater)}: {said}; {need}{wanted}{helps}"
