"""Test modules without a selected test are not imported, and no test is lost by that."""

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.fakes.selection import may_select, pytest_collection_modifyitems, pytest_ignore_collect

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("selection", "spelled", "wanted"),
    [
        ("display and not slow", {"display"}, True),
        ("display and not slow", {"display", "slow"}, True),
        ("display and not slow", {"slow"}, False),
        ("display and slow", {"display"}, False),
        ("slow and not display", {"display", "slow"}, True),
        ("not display and not slow and not realserver", {"display", "slow", "realserver"}, True),
        ("display or realserver", {"realserver"}, True),
        ("not (display or slow)", set[str](), True),
        ("realserver", set[str](), False),
        ("", set[str](), True),
        ("anyio", set[str](), True),
        ("display and anyio", set[str](), True),
    ],
)
def test_a_module_is_left_out_only_if_no_test_of_it_can_be_selected(
    selection: str, spelled: set[str], *, wanted: bool
) -> None:
    """Any of its tests may carry any of the markers it spells; of markers that are not ours nothing is assumed."""
    assert may_select(selection, frozenset(spelled)) is wanted


@dataclass
class Marked:
    """A test that carries markers, wherever they come from."""

    path: Path
    markers: set[str]
    nodeid: str = "test_it"
    name: str = "test_it"

    def get_closest_marker(self, name: str) -> str | None:
        return name if name in self.markers else None


def is_left_out(module: Path, selection: str, *words: str) -> bool:
    config = SimpleNamespace(args=list(words), option=SimpleNamespace(markexpr=selection))
    return bool(pytest_ignore_collect(module, cast(pytest.Config, config)))


def test_a_module_is_looked_at_for_the_markers_it_spells(tmp_path: Path) -> None:
    """Only test modules are left out, and none that the command line names."""
    plain, shown, shared = (tmp_path / name for name in ("test_plain.py", "test_shown.py", "shared.py"))
    for module, text in ((plain, ""), (shown, "pytestmark = pytest.mark.display\n"), (shared, "")):
        module.write_text(text)
    assert [is_left_out(module, "display") for module in (plain, shown, shared)] == [True, False, False]
    assert [is_left_out(module, "not display") for module in (plain, shown)] == [False, False]
    assert not is_left_out(plain, "display", f"{plain}::test_it")


def test_a_marker_that_the_module_does_not_spell_is_refused(tmp_path: Path) -> None:
    """It comes from another module, so a selection by it would not look into this one."""
    module = tmp_path / "test_it.py"
    module.write_text("@pytest.mark.slow\n")
    pytest_collection_modifyitems([cast(pytest.Item, Marked(module, {"slow", "anyio"}))])
    with pytest.raises(pytest.UsageError, match=r'write "mark\.display" in its module'):
        pytest_collection_modifyitems([cast(pytest.Item, Marked(module, {"slow", "display"}))])
