"""`kairos models`: which models there are, what one can do, a trial of one, and all that was ever sent to any.

What the actions need is imported when they run; `kairos --help` must not wait for it.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Coroutine, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.config import load_settings
from storage.clock import SystemClock
from storage.errors import KairosError, UsageError

if TYPE_CHECKING:
    from daemon.cli.models.trial import Target
    from daemon.models.sent_writer import SentLogWriter
    from detectors.mllm.probing.probe import ProbeResult
    from detectors.mllm.questions import ModelResult

DEFAULT_LAST = 20
MOST_PICTURES = 32
MOST_REQUESTS = 2**53


def register(subparsers: Any) -> None:
    """Add `kairos models` to the command line."""
    parser = subparsers.add_parser(
        "models",
        help="list, probe or test models that are asked for help, and show what was sent to them",
        description="Work with the models that can be asked beside the built-in detector. All are off until you choose"
        " one. Nothing here ever sends a picture of your screen.",
        epilog="example: kairos models list",
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)

    def add(name: str, run: Callable[[argparse.Namespace], int], text: str, example: str) -> argparse.ArgumentParser:
        made: argparse.ArgumentParser = actions.add_parser(
            name, help=text, description=f"{text[0].upper()}{text[1:]}.", epilog=f"example: kairos models {example}"
        )
        made.add_argument("--json", action="store_true", help="print one JSON object")
        made.set_defaults(run=run)
        return made

    def add_trial(
        name: str, run: Callable[[argparse.Namespace], int], text: str, example: str
    ) -> argparse.ArgumentParser:
        made = add(name, run, text, example)
        what = "a preset (see: kairos models list), local or strong; by default those that are on"
        made.add_argument("name", nargs="?", metavar="NAME", help=what)
        made.add_argument("--url", default="", help="the server's address, if not the preset's or the one that is set")
        made.add_argument("--model", default="", help="the model's name at the server, likewise")
        return made

    add("list", run_list, "list the kinds of model servers that are known, and say which are in use", "list --json")
    add_trial(
        "probe",
        run_probe,
        "find out what a model can do, with generated pictures alone, and remember it",
        "probe llama-server --url http://127.0.0.1:8080/v1",
    )
    add_trial(
        "test", run_test, "ask a model once about generated pictures, and show what came back", "test local"
    ).add_argument("--pictures", type=int, default=1, metavar="N", help="how many, 1 to 32; by default one")
    sent = add("sent", run_sent, "show what was sent to models, to the byte", "sent --show 17 --out body.json")
    sent.add_argument(
        "--last", type=_number, metavar="N", help=f"how many requests are listed; by default {DEFAULT_LAST}"
    )
    sent.add_argument("--show", type=_number, metavar="ID", help="show one request with its words")
    sent.add_argument("--out", type=Path, metavar="FILE", help="with --show: write its body to a new file, to the byte")
    sent.add_argument("--pictures", type=Path, metavar="DIR", help="with --show: write its pictures into a new folder")
    sent.add_argument("--verify", action="store_true", help="check that all (or the one) still are what was sent")
    sent.add_argument("--forget", metavar="ID", help="delete a request for good, with its pictures; or: all")


def _number(text: str) -> int:
    """Return a number that a database takes."""
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:20]) <= MOST_REQUESTS):
        raise argparse.ArgumentTypeError(f"{text[:30]!r} is no number from 1 on")
    return int(text)


def run_list(arguments: argparse.Namespace) -> int:
    """Carry out `kairos models list`."""
    from daemon.cli.models.rendering import list_facts, told_list

    settings, clock = load_settings(), SystemClock()
    facts = list_facts(settings, clock)
    print(json.dumps(facts) if arguments.json else "\n".join(told_list(facts)))
    return 0


def run_probe(arguments: argparse.Namespace) -> int:
    """Carry out `kairos models probe`."""
    from daemon.cli.models.rendering import findings_facts, told_findings
    from daemon.cli.models.trial import probe

    async def found(target: "Target", keeper: "SentLogWriter") -> "ProbeResult":
        return await probe(target, SystemClock(), keeper, lambda text: print(f"trying: {text}", file=sys.stderr))

    return _each(arguments, "probe", found, findings_facts, told_findings)


def run_test(arguments: argparse.Namespace) -> int:
    """Carry out `kairos models test`."""
    from daemon.cli.models.rendering import answers_facts, told_answers
    from daemon.cli.models.trial import try_once

    count = arguments.pictures
    if not 1 <= count <= MOST_PICTURES:
        raise UsageError(f"--pictures takes 1 to {MOST_PICTURES}, not {count}")

    async def asked(target: "Target", keeper: "SentLogWriter") -> "ModelResult":
        what = "a generated picture" if count == 1 else f"{count} generated pictures"
        print(f"asking {target.preset.name} about {what}", file=sys.stderr)
        return await try_once(target, SystemClock(), keeper, count)

    return _each(arguments, "test", asked, answers_facts, told_answers)


def _each(
    arguments: argparse.Namespace,
    purpose: str,
    action: Callable[["Target", "SentLogWriter"], Coroutine[Any, Any, Any]],
    as_facts: Callable[["Target", Any], dict[str, Any]],
    told: Callable[[dict[str, Any]], Iterable[str]],
) -> int:
    """Carry an action out for each target, one after the other; one that fails does not keep the others from it."""
    from daemon.cli.models.rendering import failed_facts
    from daemon.cli.models.trial import targets
    from daemon.models.sent_writer import SentLogWriter

    named = targets(load_settings(), arguments.name, url=arguments.url, model=arguments.model)
    results: list[dict[str, Any]] = []
    code = 0
    for target in named:
        try:
            keeper = SentLogWriter(clock=SystemClock(), settings=target.storage, rung=target.budget, purpose=purpose)
            try:
                facts = as_facts(target, asyncio.run(action(target, keeper)))
            finally:
                keeper.close()
        except KairosError as error:
            if len(named) == 1:
                raise
            code = code or error.exit_code
            facts = failed_facts(target, error)
            print(f"kairos: {error}", file=sys.stderr)
        else:
            if not arguments.json:
                print("\n".join(told(facts)))
        results.append(facts)
    if arguments.json:
        print(json.dumps({purpose: results}))
    return code


def run_sent(arguments: argparse.Namespace) -> int:
    """Carry out `kairos models sent`."""
    from daemon.cli.models.sent import forget, show, tell, verify

    if (arguments.out or arguments.pictures) and arguments.show is None:
        raise UsageError("--out and --pictures write one request", remedy="say which: --show ID")
    if arguments.forget is not None:
        if arguments.show is not None or arguments.verify:
            raise UsageError("--forget goes alone", remedy="leave --show and --verify")
        return forget(arguments.forget, as_json=arguments.json)
    if arguments.verify:
        return verify(arguments.show, as_json=arguments.json)
    if arguments.show is not None:
        return show(arguments.show, out=arguments.out, pictures=arguments.pictures, as_json=arguments.json)
    last = DEFAULT_LAST if arguments.last is None else arguments.last
    return tell(last, load_settings().storage, as_json=arguments.json)
