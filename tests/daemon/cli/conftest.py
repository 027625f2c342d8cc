"""Fixtures of the tests of `kairos diagnose --model`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.cli.diagnose import register
from tests.fakes.commands.command_line import Answer, run_command
from tests.fakes.commands.diagnose_command import MODEL, Diagnose, configure
from tests.fakes.mllm.chat_server import running
from tests.fakes.mllm.diagnosed_work import judging_rule
from tests.fakes.mllm.model_queries import JudgingServer


@pytest.fixture
def server() -> JudgingServer:
    return JudgingServer(judging_rule)


@pytest.fixture
def diagnose(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, server: JudgingServer
) -> Iterator[Diagnose]:
    for name in ("STATE", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    with running(server) as url:
        configure(tmp_path, url)

        def run(*arguments: object) -> Answer:
            return run_command(register, capsys, "diagnose", *map(str, arguments), "--model", MODEL)

        yield run
