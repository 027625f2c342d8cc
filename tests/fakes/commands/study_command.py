"""Runs `kairos study ...` in tests."""

from collections.abc import Callable
from typing import Any

import pytest

from participant.commands.study import register
from tests.fakes.commands.command_line import Answer, run_command


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    def run_study(*words: Any) -> Answer:
        return run_command(register, capsys, "study", *map(str, words))

    return run_study
