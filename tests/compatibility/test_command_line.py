"""The command line of an earlier build: every command, argument, exit status and JSON field is still there."""

import ast
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from daemon.cli.main import build_parser, main
from tests.fakes.commands.command_line import arguments_of, run_json

BUILD = Path(__file__).parents[1] / "data" / "build_2026_11_22"
RECORDED: dict[str, Any] = json.loads((BUILD / "command_line.json").read_text(encoding="utf-8"))


@pytest.fixture
def earlier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with sessions and state of the earlier build, in use as this user's."""
    shutil.copytree(BUILD / "sessions", tmp_path / "sessions")
    shutil.copytree(BUILD / "state", tmp_path / "state" / "kairos")
    (tmp_path / "state" / "kairos").chmod(0o700)
    (tmp_path / "run").mkdir(mode=0o700)
    for name, folder in (("STATE_HOME", "state"), ("CONFIG_HOME", "config"), ("RUNTIME_DIR", "run")):
        monkeypatch.setenv(f"XDG_{name}", str(tmp_path / folder))
    monkeypatch.delenv("DISPLAY", raising=False)
    return tmp_path


def words_of(folder: Path) -> dict[str, tuple[str, ...]]:
    """Return the commands whose answers were recorded, in an order in which they can run."""
    sessions, export = str(folder / "sessions"), str(folder / "export.kairos")
    at = ("--sessions", sessions)
    return {
        "sessions list": ("sessions", "list", *at),
        "sessions show": ("sessions", "show", "20261122-133927", *at),
        "sessions show models": ("sessions", "show", "20261122-134721", *at),
        "sessions verify": ("sessions", "verify", "20261122-134048", *at),
        "sessions export": ("sessions", "export", "20261122-134203", *at, "--out", export),
        "sessions import": ("sessions", "import", export, "--sessions", str(folder / "other")),
        "sessions delete": ("sessions", "delete", "20261122-134320", *at, "--yes"),
        "replay": ("replay", f"{sessions}/20261122-135006-dd77", "--check", "--detector", str(BUILD / "embedded.onnx")),
        "replay with another policy": ("replay", f"{sessions}/20261122-135006-dd77", "--policy", "silent"),
        "why": ("why", "--session", "20261122-133927", *at),
        "why learned": ("why", "--learned"),
        "config show": ("config", "show"),
        "config path": ("config", "path"),
        "config set": ("config", "set", "policy.cooldown_s", "200"),
        "consent": ("consent", "--journal", "--out", str(folder / "consent.json")),
        "models list": ("models", "list"),
        "models sent": ("models", "sent"),
        "doctor": ("doctor",),
        "status": ("status",),
        "pause": ("pause",),
        "wrong setting": ("config", "set", "policy.no_such", "1"),
        "no session": ("sessions", "show", "nothing", *at),
    }


def missing_fields(then: Any, now: Any, where: str = "") -> list[str]:
    """Return the fields of a recorded shape that a new one lacks or types otherwise; more fields are no fault."""
    if isinstance(then, dict):
        if not isinstance(now, dict):
            return [where]
        lost = [f"{where}.{key}" for key in then if key not in now]
        return lost + [
            one for key in then if key in now for one in missing_fields(then[key], now[key], f"{where}.{key}")
        ]
    if isinstance(then, list):
        if not isinstance(now, list):
            return [where]
        return [f"{where}[]" for shape in then if not any(missing_fields(shape, one) == [] for one in now)]
    return [] if then == now else [where]


def takes_all(then: str, now: str) -> bool:
    """Return whether an argument takes what a recorded one took; it may take several for one, and more choices."""
    choices = re.compile(r"\[.*\]")
    old, new = choices.search(then), choices.search(now)
    if old and new:
        more = set(ast.literal_eval(old[0])) <= set(ast.literal_eval(new[0]))
        return more and takes_all(choices.sub("", then), choices.sub("", now))
    return now in (then, then.replace("None None", "None +"))


@pytest.mark.parametrize(
    ("now", "taken"),
    [
        ("--app None ['a', 'b', 'c'] None optional", True),
        ("--app None ['a', 'c'] None optional", False),
        ("--app None ['a', 'b', 'c'] None required", False),
        ("--apps None ['a', 'b'] None optional", False),
    ],
)
def test_an_argument_may_take_more_choices_and_no_less(now: str, taken: bool) -> None:
    """An argument may take more choices and no less."""
    assert takes_all("--app None ['a', 'b'] None optional", now) is taken


def test_every_command_and_argument_is_still_there() -> None:
    """A command or an option may come; none may go, or take something else."""
    now = arguments_of(build_parser())
    gone = {
        f"{name}: {line}"
        for name, lines in RECORDED["arguments"].items()
        for line in lines
        if not any(takes_all(line, one) for one in now.get(name, []))
    }
    assert gone == set()


def test_answers_have_every_recorded_field_and_status(earlier: Path) -> None:
    """Scripts that read an answer of the earlier build can read today's."""
    commands = words_of(earlier)
    assert set(commands) == set(RECORDED["answers"])
    for name, words in commands.items():
        status, shape = RECORDED["answers"][name]
        now_status, now_shape = run_json(main, *words)
        assert (name, now_status) == (name, status)
        assert missing_fields(shape, now_shape, name) == []


@pytest.mark.parametrize(
    ("now", "missing"),
    [
        ({"a": "int", "b": [{"c": "str"}], "new": "int"}, []),
        ({"b": [{"c": "str"}]}, [".a"]),
        ({"a": "str", "b": [{"c": "str"}]}, [".a"]),
        ({"a": "int", "b": [{"d": "str"}]}, [".b[]"]),
        ({"a": "int", "b": "str"}, [".b"]),
    ],
)
def test_a_lost_field_is_seen(now: dict[str, Any], missing: list[str]) -> None:
    """The comparison itself finds what is missing or of another type."""
    assert missing_fields({"a": "int", "b": [{"c": "str"}]}, now) == missing
