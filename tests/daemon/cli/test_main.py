"""The command line as a whole: one JSON object whatever happens, and files that only this user can read."""

import json
import logging
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from daemon.cli.main import COMMANDS, ENTRIES, build_parser, main
from daemon.runtime.control_client import socket_file
from daemon.runtime.run import PrivateLog
from tests.fakes.commands.background import answering


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (["status"], 3),
        (["pause", "--for", "never"], 2),
        (["sessions", "show", "none"], 4),
        (["sessions", "verify", "none"], 4),
        (["replay", "none"], 4),
        (["consent", "--recording", "--out", "x"], 2),
        (["config", "set", "policy.cooldown_s", "inf"], 2),
        (["config", "set", "detector.name", "~nosuchuser/model.onnx"], 2),
        (["config", "set", "storage.sessions_dir", "a\0b"], 2),
        (["config", "set", "storage.sessions_dir", "\udcff"], 2),
        (["replay", "a\0b"], 2),
        (["replay", "a" * 300], 4),
        (["replay", "none", "--sessions", "~nosuchuser/x"], 2),
        (["mine", "--until", "0001-01-01"], 2),
        (["sessions", "list", "--sessions", "~nosuchuser/x"], 2),
        (["sessions", "import", "~nosuchuser/x"], 2),
        (["sessions", "import", "a" * 300], 3),
        (["sessions", "show", "a\0b"], 2),
        (["consent", "--journal", "--out", "a\0b"], 2),
    ],
)
def test_an_error_is_one_json_object_with_json(
    argv: list[str], code: int, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `--json` the standard output is one object even where nothing could be done; the message is on stderr."""
    for variable in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(variable, str(tmp_path))
    assert main([*argv, "--json"]) == code
    output = capsys.readouterr()
    assert json.loads(output.out)["error"] in output.err


def test_what_cannot_be_parsed_is_one_json_object_too(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["sessions", "show", "--json"])
    output = capsys.readouterr()
    assert json.loads(output.out)["error"] in output.err


def test_a_bug_ends_with_a_status_of_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("daemon.cli.main._parse", lambda _: 1 / 0)
    assert main(["status"]) == 70
    assert "ZeroDivisionError" in capsys.readouterr().err


@pytest.mark.parametrize(("number", "code"), [(0, 0), (1, 0), (2, 3)])
def test_a_stream_that_is_closed_is_no_place_for_a_file(number: int, code: int) -> None:
    """A command says what it can, and no database gets the number that words are written to."""
    words = ["status"] if code else ["library", "list"]
    run = [sys.executable, "-c", f"import sys; from daemon.cli.main import main; sys.exit(main({words}))"]
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {number}>&-', "sh", *run], capture_output=True, text=True, check=False
    )
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)


def test_the_log_is_private_whatever_the_umask(tmp_path: Path) -> None:
    """The file and what it is rotated to can be read by this user alone."""
    before = os.umask(0)
    try:
        log = PrivateLog(tmp_path / "kairos.log", maxBytes=100, backupCount=1, delay=True)
        for _ in range(5):
            log.emit(logging.makeLogRecord({"msg": "x" * 60}))
        log.close()
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert modes == {"kairos.log": 0o600, "kairos.log.1": 0o600}


def test_a_command_loads_nothing_heavy_to_parse_its_arguments() -> None:
    """`kairos status` and `--help` come at once: the parser needs commands, settings and texts alone."""
    script = "import sys; from daemon.cli.main import build_parser; build_parser(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "daemon.cli.replay" in loaded
    heavy = {
        "PySide6",
        "Xlib",
        "asyncio",
        "av",
        "httpx2",
        "msgspec",
        "numpy",
        "onnxruntime",
        "sqlite3",
        "storage.records",
    }
    assert loaded & heavy == set()


def test_a_bare_status_loads_no_parser() -> None:
    """Nor paths, types, sockets and errors: half of what it takes is Python itself. A parser needs them."""
    left_out = {"argparse", "datetime", "pathlib", "typing", "socket", "hashlib", "storage.errors"}
    watching = b'{"v": 1, "state": "watching", "silent_until": 1796000000.5, "session": "s", "models": []}\n'
    for words, answer in ((["status"], watching), (["status", "--json"], watching), (["status", "--for"], None)):
        script = f"import sys; from daemon.cli.main import main; sys.stderr = None; main({words})"
        script = f"import atexit, sys; atexit.register(lambda: print(*sys.modules)); {script}"
        with answering(socket_file(), answer):
            done = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, text=True, check=False)
        loaded = set(done.stdout.split())
        assert "daemon.runtime.control_client" in loaded, done.stderr
        assert not loaded & left_out if answer else "argparse" in loaded, words


def test_a_headless_start_loads_what_it_uses() -> None:
    """Controls, sound, pictures, windows, models of others, purges, replays and the timeline come when asked for."""
    started = "daemon.runtime.core, daemon.runtime.commands, daemon.runtime.headless, daemon.help.library"
    script = f"import sys, {started}; from detectors.embedded import load_model, MODEL; load_model(MODEL)"
    done = subprocess.run([sys.executable, "-c", f"{script}; print(*sys.modules)"], capture_output=True, check=True)
    loaded = set(done.stdout.decode().split())
    later = {"PySide6", "av", "click", "httpx2", "onnxruntime", "daemon.history.timeline.reader", "importlib.metadata"}
    later |= {"daemon.capture.accessibility.sense", "daemon.capture.sound.microphone", "daemon.help.library.index"}
    assert not loaded & {*later, "daemon.purge.plan", "daemon.replay.replay", "daemon.history.trajectory.steps"}
    assert {"numpy", "msgspec", "daemon.purge.purge", "daemon.history.timeline.service"} <= loaded


@pytest.mark.parametrize(("module", "words"), [*COMMANDS.items(), *ENTRIES.items()])
def test_a_command_loads_its_own_module_alone(module: str, words: tuple[str, ...]) -> None:
    """The words beside a module or entry point in the tables are the commands it adds; with one it adds no other's."""
    parsers = [build_parser(word) for word in words]
    for parser in parsers:
        choices = next(action.choices for action in parser._actions if isinstance(action.choices, dict))
        assert tuple(choices) == words


def test_a_command_s_help_is_the_same_with_and_without_the_others() -> None:
    """A parser of one module says of its command, and of all of them in one line, what the whole parser says."""
    whole = build_parser()
    for words in (*COMMANDS.values(), *ENTRIES.values()):
        for word in words:
            said = []
            for parser in (whole, build_parser(word)):
                choices = next(action.choices for action in parser._actions if isinstance(action.choices, dict))
                said.append((parser.format_usage(), choices[word].format_help()))
            assert said[0] == said[1]


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """It is what the installed distribution has."""
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"kairos {metadata.version('kairos-assistant')}\n"


def test_on_windows_one_sentence_says_that_it_does_not_run_there(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert main(["sessions", "list"]) == 3
    assert "Kairos does not run on Windows yet" in capsys.readouterr().err
