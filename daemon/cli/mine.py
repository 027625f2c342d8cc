"""`kairos mine`: a person's own days as a benchmark, what they speak for, and a change that can be taken back.

It belongs to the product and not to the lab: it is for whoever uses Kairos, reads their own sessions alone, and what it
finds is of no use to anybody else. Nothing leaves the machine.
"""

import argparse
import datetime as dt
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.cli.options import add_command, sessions_base
from storage.errors import BadFile, EnvironmentFault, UsageError, os_words
from storage.plain_text import format_count, format_percent, print_progress, print_result, printable

if TYPE_CHECKING:
    from daemon.history.own_days import OwnDays, Proposal, Share, Trial

TAKEN = "own_days.json"
"""The file in the data folder that says what a proposal has changed, until it is taken back."""

HOW_OFTEN, EXCLUDED = "policy.how_often", "fence.excluded_apps"
_DAY_S = 86_400
_MAX_BYTES = 1 << 20
_SOURCES = {
    "label": "you labelled it",
    "report": "you said that you were stuck",
    "asked": "you asked for help",
    "turned": "you turned to help yourself",
}


def register(subparsers: Any) -> None:
    """Add `kairos mine` to the command line."""
    parser = add_command(
        subparsers,
        "mine",
        run,
        "how often offers were right in your own days, what was missed, and which setting fits them",
        description=(
            "Count over your own sessions how often offers were right and what was missed, by what you said, labelled"
            " and answered, and by when you turned to help yourself. Sessions of today are left out, so the same days"
            " give the same figures. It reads your sessions alone, and nothing leaves this machine."
        ),
        example="mine --last 30d --try",
        sessions=True,
    )
    parser.add_argument("--last", default="30d", metavar="30d", help="how many days back (%(default)s)")
    parser.add_argument("--until", metavar="DAY", help="up to before this day, such as 2026-11-21 (today)")
    doing = parser.add_mutually_exclusive_group()
    doing.add_argument("--try", dest="tries", action="store_true", help="replay these days with each choice")
    doing.add_argument("--apply", action="store_true", help="make the change that is proposed")
    doing.add_argument("--undo", action="store_true", help="take back what --apply has changed")


def run(arguments: argparse.Namespace) -> int:
    """Carry out `kairos mine`."""
    from daemon.cli.control import parse_duration
    from daemon.history.own_days import propose, read_own_days, try_choices
    from storage.clock import NS_PER_S, SystemClock, local_time

    if arguments.undo:
        changed, stays = take_back()
        lines = [*_changed_lines("is again", changed), *_changed_lines("was changed since, and stays", stays)]
        print_result({"taken_back": changed, "stays": stays}, lines, as_json=arguments.json)
        return 0
    base, settings = sessions_base(arguments)
    today = local_time(SystemClock().wall_ns()).date()
    end_ns = round(_midnight_s(arguments.until, today)) * NS_PER_S
    days = read_own_days(base, end_ns - round(parse_duration(arguments.last) * NS_PER_S), end_ns)
    proposal = propose(days, settings.policy.how_often)
    if arguments.tries:
        print_progress(f"replaying {format_count(len(days.folders), 'session')} three times")
    trials = list(try_choices(days, proposal.exclude)) if arguments.tries else []
    changed = apply(proposal) if arguments.apply else {}
    facts = facts_of(days, proposal, trials) | {"changed": changed}
    lines = [*lines_of(days, proposal, trials), *_changed_lines("is now", changed)]
    print_result(facts, lines, as_json=arguments.json)
    return 0


def _midnight_s(text: str | None, today: dt.date) -> float:
    try:
        day = today if text is None else dt.date.fromisoformat(text)
        return dt.datetime.combine(day, dt.time()).astimezone().timestamp()
    except (ValueError, OverflowError):  # or before what a clock can say
        raise UsageError(f"{text!r} is no day", remedy="write it as in 2026-11-21") from None


# ---------------------------------------------------------------- words


def lines_of(days: "OwnDays", proposal: "Proposal", trials: "list[Trial]") -> Iterator[str]:
    """Yield what is printed."""
    from daemon.history.own_days import TruthSource

    hours = days.work_s / 3600
    yield f"{format_count(len(days.folders), 'session')}, {hours:.1f} h of work seen, {len(days.offers)} offers shown."
    yield f"  right          {_words(days.right, 'offers of which it is known')}"
    yield f"  missed         {_words(days.missed(), 'times when you needed help')}"
    for source, words in _SOURCES.items():
        share = days.missed(TruthSource(source))
        if share.total:
            yield f"    {words}: {_words(share)}"
    yield f"  disturbed      {_words(days.disturbed(), 'calm moments')}"
    yield "Two signs are weak: that you turned to help yourself, and calm moments, which are drawn by lot."
    if trials:
        yield "With another choice these days would have come to:"
        for trial in trials:
            missed, calm = _words(trial.missed), _words(trial.disturbed)
            yield f"  {trial.how_often:<13}  {trial.offers} offers; missed {missed}; in calm moments {calm}"
        if trials[0].left_out:
            yield f"  {format_count(trials[0].left_out, 'session')} could not be replayed, and are left out here."
    if proposal.how_often is None and not proposal.exclude:
        yield f"Nothing is proposed: {proposal.why}."
        return
    if proposal.how_often is not None:
        yield f"Proposed: {HOW_OFTEN} = {proposal.how_often}, because {proposal.why}."
    if proposal.exclude:
        apps = ", ".join(map(printable, proposal.exclude))
        yield f"Proposed: watch {apps} no more, where hardly any offer was needed; nothing of it is then recorded."
    yield "To see what it would have come to: kairos mine --try. To make the change: --apply; to take it back: --undo."


def _words(share: "Share", of: str = "") -> str:
    if share.interval is None:
        return f"too few to tell: {share.total} {of}".rstrip()
    low, high = format_percent(share.interval.low), format_percent(share.interval.high)
    return f"{format_percent(share.interval.value)} ({low} to {high}) of {share.total} {of}".rstrip()


def facts_of(days: "OwnDays", proposal: "Proposal", trials: "list[Trial]") -> dict[str, Any]:
    """Return the same as plain values."""
    from daemon.history.own_days import TruthSource

    return {
        "sessions": len(days.folders),
        "work_s": days.work_s,
        "offers": len(days.offers),
        "right": _facts(days.right),
        "missed": _facts(days.missed()),
        "missed_by_source": {source: _facts(days.missed(TruthSource(source))) for source in _SOURCES},
        "in_calm_work": _facts(days.disturbed()),
        "trials": [
            {
                "how_often": trial.how_often,
                "offers": trial.offers,
                "missed": _facts(trial.missed),
                "in_calm_work": _facts(trial.disturbed),
            }
            for trial in trials
        ],
        "proposed": {"how_often": proposal.how_often, "exclude": list(proposal.exclude), "why": proposal.why},
    }


def _facts(share: "Share") -> dict[str, Any]:
    found = share.interval
    interval = None if found is None else [found.value, found.low, found.high]
    return {"count": share.count, "total": share.total, "share": interval}


def _changed_lines(verb: str, changed: Mapping[str, object]) -> Iterator[str]:
    for key, value in changed.items():
        shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        yield f"{key} {verb}: {printable(shown) or 'empty'}"


# ---------------------------------------------------------------- the change


def apply(proposal: "Proposal") -> dict[str, object]:
    """Make a change, and note what was before; return what is set now.

    Raises:
        UsageError: there is nothing to change, or an earlier change was not taken back.
        EnvironmentFault: a file cannot be written.
    """
    from storage.files import config_file, private_folder, state_folder, write_whole
    from storage.settings_file import read_file

    if proposal.how_often is None and not proposal.exclude:
        raise UsageError("there is nothing to change", remedy=f"{proposal.why}; see: kairos mine")
    if _taken_file().exists():
        raise UsageError("an earlier change is still there", remedy="take it back first: kairos mine --undo")
    before = read_file(config_file())
    changes: dict[str, object] = {}
    if proposal.how_often is not None:
        changes[HOW_OFTEN] = proposal.how_often
    if proposal.exclude:
        changes[EXCLUDED] = [*before.fence.excluded_apps, *proposal.exclude]
    old = {HOW_OFTEN: before.policy.how_often, EXCLUDED: list(before.fence.excluded_apps)}
    taken = {key: {"before": old[key], "set": value} for key, value in changes.items()}
    private_folder(state_folder())
    try:
        write_whole(_taken_file(), json.dumps(taken).encode())
    except OSError as error:
        raise EnvironmentFault(f"{_taken_file()} cannot be written: {os_words(error)}") from error
    _write(changes)
    return changes


def take_back() -> tuple[dict[str, object], dict[str, object]]:
    """Set again what a change had replaced; return that, and what stays since it was changed by hand.

    Of programs those go that the change had added, whatever else was added since.

    Raises:
        UsageError: there is nothing to take back.
        BadFile: the file that says what was changed is damaged.
    """
    from storage.files import config_file, open_regular
    from storage.settings_file import read_file

    if not _taken_file().exists():
        raise UsageError("there is nothing to take back", remedy="see: kairos mine")
    with open_regular(_taken_file()) as file:
        raw = file.read(_MAX_BYTES)
    try:
        taken = {str(key): (change["before"], change["set"]) for key, change in json.loads(raw).items()}
        before, value = taken.get(EXCLUDED, ((), ()))
        added = set(value).difference(before)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadFile(
            f"{_taken_file()} cannot be read", remedy=f"delete it; set it by hand: kairos config set {HOW_OFTEN}"
        ) from error
    now = read_file(config_file())
    back: dict[str, object] = {}
    stays: dict[str, object] = {}
    if HOW_OFTEN in taken:
        before, value = taken[HOW_OFTEN]
        if now.policy.how_often == value:
            back[HOW_OFTEN] = before
        else:
            stays[HOW_OFTEN] = now.policy.how_often
    if EXCLUDED in taken:
        apps = [app for app in now.fence.excluded_apps if app not in added]
        if apps != list(now.fence.excluded_apps):
            back[EXCLUDED] = apps
        else:
            stays[EXCLUDED] = apps
    _write(back)
    _taken_file().unlink()
    return back, stays


def _write(changes: Mapping[str, object]) -> None:
    from daemon.cli.config import tell_running
    from daemon.preferences.change import check_change
    from storage.files import config_file

    for key, value in changes.items():
        given = tuple(value) if isinstance(value, list) else value
        check_change(config_file(), key, given, where="kairos mine").write(config_file())
        tell_running(key)


def _taken_file() -> Path:
    from storage.files import state_folder

    return state_folder() / TAKEN
