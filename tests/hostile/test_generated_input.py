"""Generated hostile input ends in an error of ours: no traceback, no hang, nothing touched outside, little memory."""

import os
import resource
import threading
from pathlib import Path

import pytest

from tests.fakes import hostile
from tests.fakes.hostile import FAMILIES, failures

FEW = 75
MANY = 2_500
MEMORY_KB = 200 * 1024


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set back what variants set."""
    monkeypatch.setenv("XDG_CONFIG_HOME", os.environ["XDG_CONFIG_HOME"])


@pytest.mark.parametrize("family", FAMILIES)
def test_a_few_hundred_generated_inputs_end_in_order(family: str, tmp_path: Path) -> None:
    """Each failure names its seed, and `tests.fakes.hostile.run_variant` runs it again."""
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert failures(family, range(FEW), tmp_path) == []
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb < MEMORY_KB


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_ten_thousand_generated_inputs_end_in_order(family: str, tmp_path: Path) -> None:
    """The same, with other seeds."""
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert failures(family, range(FEW, FEW + MANY), tmp_path) == []
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb < MEMORY_KB


def test_what_the_search_looks_for_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: a traceback, a hang and a file written outside are each reported with the seed."""

    def wrong(kind: str) -> None:
        if kind == "traceback":
            raise RecursionError
        if kind == "hang":
            threading.Event().wait(30)
        (tmp_path / "outside").write_text("x")

    monkeypatch.setattr(hostile, "LIMIT_S", 0.2)
    for kind, name in (("traceback", "RecursionError"), ("hang", "HangError"), ("outside", "Outside")):
        monkeypatch.setattr(hostile, "FAMILIES", {kind: lambda rng, folder, kind=kind: wrong(kind)})
        (found,) = failures(kind, range(7, 8), tmp_path)
        assert found.startswith(f"run_variant('{kind}', 7, folder): {name}")
    assert not (tmp_path / "outside").exists()
