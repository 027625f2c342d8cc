"""Generated hostile input ends in an error of ours: no traceback, no hang, nothing touched outside, little memory."""

import os
import random
import shutil
import threading
from functools import partial
from pathlib import Path

import pytest

from tests.fakes.hostile import families, guard
from tests.fakes.hostile.families import FAMILIES, Family, search


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, os.environ[name])


@pytest.mark.parametrize("family", FAMILIES)
def test_a_few_hundred_generated_inputs_end_in_order(family: str, tmp_path: Path) -> None:
    """Each failure names its seed, and `tests.fakes.hostile.families.run_variant` runs it again."""
    assert search(family, range(FAMILIES[family].few), tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_ten_thousand_generated_inputs_end_in_order(family: str, tmp_path: Path) -> None:
    """The same, with other seeds."""
    few, many = FAMILIES[family].few, FAMILIES[family].many
    failures: list[str] = []
    for begin in range(few, few + many, 100):
        failures += search(family, range(begin, min(begin + 100, few + many)), tmp_path)
        shutil.rmtree(tmp_path)
        tmp_path.mkdir()
    assert failures == []


def test_there_are_ten_thousand() -> None:
    """As many as the promise says."""
    assert sum(family.many for family in FAMILIES.values()) >= 10_000


def test_what_the_search_looks_for_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: a traceback, a hang, a file written outside and much memory are each reported with the seed."""

    def run_wrong(kind: str, rng: random.Random, folder: Path) -> None:
        if kind == "traceback":
            raise RecursionError
        if kind == "hang":
            threading.Event().wait(30)
        while kind == "loop":
            pass
        if kind == "outside":
            (tmp_path / "outside").write_text("x")
        if kind == "memory":
            assert bytes(b"x" * (families.MEMORY_KB + 4096) * 1024)

    monkeypatch.setattr(guard, "LIMIT_S", 0.5)
    expected = {
        "traceback": "RecursionError",
        "hang": "HangError",
        "loop": "HangError",
        "outside": "Outside",
        "memory": "it took",
    }
    for kind, words in expected.items():
        monkeypatch.setattr(guard, "WAIT_S", 1.0 if kind == "hang" else 60.0)
        family = Family(run=partial(run_wrong, kind), few=1, many=1)
        monkeypatch.setattr(families, "FAMILIES", {kind: family})
        (found,) = search(kind, range(7, 8), tmp_path)
        assert found.startswith(f"run_variant('{kind}', 7, folder): {words}")
    assert not (tmp_path / "outside").exists()
