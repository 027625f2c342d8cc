"""The project stays within the size that `packaging/house.toml` allows."""

import tomllib
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from typing import Any

import pytest

from tests.fakes.architecture.sources import ROOT, parsed


@pytest.fixture(scope="module")
def house() -> Any:
    loader = SourceFileLoader("house", str(ROOT / "packaging" / "house"))
    spec = spec_from_loader("house", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def figures(house: Any) -> Any:
    return house.figures(parsed)


@pytest.fixture
def limits() -> Any:
    return tomllib.loads((ROOT / "packaging" / "house.toml").read_text(encoding="utf-8"))


def test_the_project_is_within_its_limits(
    house: Any, figures: Any, limits: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever raises a limit says why; nobody passes one unnoticed."""
    assert house.beside(figures, limits, listed=True) == 0, capsys.readouterr().out


def test_control_each_limit_that_is_missed_is_named(
    house: Any, figures: Any, limits: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """A limit below the figure of today fails, and the line of that figure says so."""
    for name, (value, _) in figures.items():
        table, _, key = name.partition(".")
        lowered = limits | {table: limits[table] | {key: value - 1}}
        assert house.beside(figures, lowered, listed=False) == 1
        missed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("MISSED")]
        assert len(missed) == 1
        assert missed[0].split("  ", 1)[1].strip().startswith(f"{name} ")
