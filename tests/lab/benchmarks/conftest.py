"""What tests of benchmarks as commands share."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from daemon.cli.main import main


@pytest.fixture
def bench(
    request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., dict[str, Any]]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def run(*words: object, status: int = 0) -> dict[str, Any]:
        code = main(["bench", request.path.parent.name, *map(str, words), "--json"])
        captured = capsys.readouterr()
        assert code == status, captured.err
        found: dict[str, Any] = json.loads(captured.out) if captured.out else {"error": captured.err}
        return found

    return run
