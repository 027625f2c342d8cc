"""`kairos models`: the arguments of its actions. What they need is imported when they run: `--help` must not wait."""

import argparse
import json
from collections.abc import Callable, Coroutine, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.cli.options import add_command
from storage.clock import SystemClock
from storage.errors import KairosError, UsageError
from storage.plain_text import format_count, print_progress, print_result
from storage.settings_file import load_settings

if TYPE_CHECKING:
    from daemon.cli.models.trial import TrialTarget
    from daemon.models.sent_writer import SentLogWriter
    from detectors.mllm.probing.probe import ProbeResult
    from detectors.mllm.questions import ModelResult

DEFAULT_LAST = 20
MAX_PICTURES = 32
MAX_ID = 2**53


def register(subparsers: Any) -> None:
    """Add `kairos models` to the command line."""
    parser = subparsers.add_parser(
        "models",
        help="list, probe or test language models, and show what was sent to them",
        description="Work with the language models that can be asked in addition to the built-in detector. All are off"
        " until you choose one. None of these commands sends a picture of your screen.",
        epilog="example: kairos models list",
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)

    def add(name: str, run: Any, summary: str, example: str, *, named: bool = False) -> argparse.ArgumentParser:
        action = add_command(actions, name, run, summary, example=f"models {example}")
        if named:
            action.add_argument(
                "name",
                nargs="?",
                metavar="NAME",
                help="a preset (see: kairos models list), local or strong; by default every model that is on",
            )
            action.add_argument("--url", default="", help="address of the server, instead of the preset's or yours")
            action.add_argument(
                "--model", default="", help="name of the model at the server, instead of the preset's or yours"
            )
        return action

    add("list", run_list, "list the supported model servers, and which of them are in use", "list --json")
    add(
        "probe",
        run_probe,
        "find out with generated pictures what a model supports, and store it",
        "probe llama-server --url http://127.0.0.1:8080/v1",
        named=True,
    )
    test = add("test", run_test, "ask a model once about generated pictures", "test local", named=True)
    test.add_argument("--pictures", type=int, default=1, metavar="N", help="how many, 1 to 32; by default 1")
    sent = add("sent", run_sent, "show exactly what was sent to models", "sent --show 17 --out body.json")
    sent.add_argument("--last", type=_number, metavar="N", help=f"how many to list; by default {DEFAULT_LAST}")
    sent.add_argument("--show", type=_number, metavar="ID", help="show one request with its text")
    sent.add_argument("--out", type=Path, metavar="FILE", help="with --show: write its body, byte for byte, to FILE")
    sent.add_argument("--pictures", type=Path, metavar="DIR", help="with --show: write its pictures into a new folder")
    sent.add_argument("--verify", action="store_true", help="check that all requests (or the one) are what was sent")
    sent.add_argument("--forget", metavar="ID", help="delete a request permanently, with its pictures; or: all")


def _number(text: str) -> int:
    """Return a number that a database accepts."""
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:20]) <= MAX_ID):
        raise argparse.ArgumentTypeError(f"{text[:30]!r} is not a whole number from 1 on")
    return int(text)


def run_list(arguments: argparse.Namespace) -> int:
    """Carry out `kairos models list`."""
    from daemon.cli.models.tiers import list_facts, render_list

    facts = list_facts(load_settings(), SystemClock())
    print_result(facts, render_list(facts), as_json=arguments.json)
    return 0


def run_probe(arguments: argparse.Namespace) -> int:
    """Carry out `kairos models probe`."""
    from daemon.cli.models.trial import findings_facts, probe, render_findings

    async def run(target: "TrialTarget", sent_log: "SentLogWriter") -> "ProbeResult":
        return await probe(target, SystemClock(), sent_log, lambda text: print_progress(f"trying: {text}"))

    return _run_each(arguments, "probe", run, findings_facts, render_findings)


def run_test(arguments: argparse.Namespace) -> int:
    """Carry out `kairos models test`."""
    from daemon.cli.models.trial import answers_facts, render_answers, try_once

    count = arguments.pictures
    if not 1 <= count <= MAX_PICTURES:
        raise UsageError(f"--pictures takes 1 to {MAX_PICTURES}, not {count}")

    async def run(target: "TrialTarget", sent_log: "SentLogWriter") -> "ModelResult":
        print_progress(f"asking {target.preset.name} about {format_count(count, 'generated picture')}")
        return await try_once(target, SystemClock(), sent_log, count)

    return _run_each(arguments, "test", run, answers_facts, render_answers)


def _run_each(
    arguments: argparse.Namespace,
    purpose: str,
    action: Callable[["TrialTarget", "SentLogWriter"], Coroutine[Any, Any, Any]],
    as_facts: Callable[["TrialTarget", Any], dict[str, Any]],
    render: Callable[[dict[str, Any]], Iterable[str]],
) -> int:
    """Run an action for each target in turn; one that fails does not prevent the others."""
    import asyncio

    from daemon.cli.models.trial import failed_facts, find_targets
    from daemon.models.sent_writer import SentLogWriter

    targets = find_targets(load_settings(), arguments.name, url=arguments.url, model=arguments.model)
    results: list[dict[str, Any]] = []
    code = 0
    for target in targets:
        try:
            sent_log = SentLogWriter(clock=SystemClock(), settings=target.storage, tier=target.budget, purpose=purpose)
            try:
                facts = as_facts(target, asyncio.run(action(target, sent_log)))
            finally:
                sent_log.close()
        except KairosError as error:
            if len(targets) == 1:
                raise
            code = code or error.exit_code
            facts = failed_facts(target, error)
            print_progress(f"kairos: {error.what}", *error.remedy.splitlines())
        else:
            if not arguments.json:
                print("\n".join(render(facts)))
        results.append(facts)
    if arguments.json:
        print(json.dumps({purpose: results}))
    return code


def run_sent(arguments: argparse.Namespace) -> int:
    """Carry out `kairos models sent`."""
    from daemon.cli.models.sent import forget, list_newest, show, verify

    if (arguments.out or arguments.pictures) and arguments.show is None:
        raise UsageError("--out and --pictures write one request", remedy="say which: --show ID")
    if arguments.forget is not None:
        if arguments.show is not None or arguments.verify:
            raise UsageError("--forget cannot be combined with other actions", remedy="omit --show and --verify")
        return forget(arguments.forget, as_json=arguments.json)
    if arguments.verify:
        return verify(arguments.show, as_json=arguments.json)
    if arguments.show is not None:
        return show(arguments.show, out=arguments.out, pictures=arguments.pictures, as_json=arguments.json)
    last = DEFAULT_LAST if arguments.last is None else arguments.last
    return list_newest(last, load_settings().storage, as_json=arguments.json)
