"""What `kairos run` does to its own process before anything is captured."""

import resource
from types import SimpleNamespace

import pytest

from daemon.capture import backend
from daemon.cli.main import main


def test_core_dumps_are_off_before_anything_is_captured(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dump would hold what was on the screen; the limit is set even where there is no consent yet."""
    limits: list[tuple[int, tuple[int, int]]] = []
    monkeypatch.setattr(resource, "setrlimit", lambda which, limit: limits.append((which, limit)))
    monkeypatch.setattr(backend, "open_backend", lambda clock: SimpleNamespace(close=lambda: None))
    assert main(["run", "--headless"]) == 3
    assert limits == [(resource.RLIMIT_CORE, (0, 0))]
