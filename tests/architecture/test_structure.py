"""The rooms: no import circle, no crowded package, and contracts that see every violation planted here."""

import ast
import configparser
import re
import shutil
import subprocess
import sys
from collections import Counter
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.fakes.architecture.sources import ROOMS, ROOT, imports_of, modules, parsed

MOST_MODULES = 18
UNIVERSAL = "policies/planted.py"
"""A module that is allowed no library, no stored data, no interface and no language."""

IMPORTS = {
    "layers": "daemon.runtime.run",
    "ui": "ui.app",
    "stored": "storage.session.log",
    "translation": "storage.translation",
}
"""What a planted module imports to break a contract that is not about libraries."""


def circle_in(graph: dict[str, set[str]]) -> list[str] | None:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return None


def contracts() -> dict[str, configparser.SectionProxy]:
    parser = configparser.ConfigParser()
    parser.read(ROOT / ".importlinter")
    prefix = "importlinter:contract:"
    return {name.removeprefix(prefix): parser[name] for name in parser.sections() if name.startswith(prefix)}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for path in modules().values():
        target = tmp_path / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    shutil.copy(ROOT / ".importlinter", tmp_path)
    return tmp_path


def broken_in(folder: Path) -> set[str]:
    script = (
        "import sys; sys.path.insert(0, '.')\n"
        "from importlinter.cli import lint_imports\n"
        "sys.exit(lint_imports(no_cache=True))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env={"COLUMNS": "400"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Contracts:" in done.stdout, done.stdout + done.stderr
    return set(re.findall(r"^(.+) BROKEN(?: \(.*\))?$", done.stdout, re.MULTILINE))


def test_no_module_imports_itself_around_a_corner() -> None:
    """The import graph of all modules has no circle, also not through imports inside functions."""
    known = modules()
    graph = {name: (set(imports_of(path, known)) & known.keys()) - {name} for name, path in known.items()}
    assert sum(map(len, graph.values())) > 1000
    assert circle_in(graph) is None


def test_a_circle_would_be_seen() -> None:
    """The search finds a circle of three."""
    assert circle_in({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) is not None


def test_no_package_is_crowded() -> None:
    """A package holds at most 18 modules, so that a reader sees them all; sub-packages are rooms of their own."""
    counts = Counter(path.parent for path in modules().values() if path.name != "__init__.py")
    assert {str(folder.relative_to(ROOT)): n for folder, n in counts.items() if n > MOST_MODULES} == {}


def test_no_test_module_imports_another() -> None:
    """What tests share is in `tests/fakes`."""
    importing = re.compile(r"^\s*from tests(?:\.\w+)*(?:\.test_\w+ import| import test_)", re.MULTILINE)
    paths = (ROOT / "tests").rglob("*.py")
    assert [path.name for path in paths if importing.search(path.read_text(encoding="utf-8"))] == []


def test_every_package_says_what_it_is_for() -> None:
    """Each door holds a paragraph, not a title."""
    doors = {
        name: ast.get_docstring(parsed(path)) or "" for name, path in modules().items() if path.name == "__init__.py"
    }
    assert {name for name, text in doors.items() if len(text) < 100} == set()


def test_the_contracts_hold(copy: Path) -> None:
    """Nothing is broken as it stands."""
    assert broken_in(copy) == set()


def test_every_contract_sees_what_breaks_it(copy: Path) -> None:
    """One module of `policies` that imports everything breaks every contract: a new room is allowed nothing."""
    parser = contracts()
    libraries = {name: parser[name]["protected_modules"].split() for name in parser if name not in IMPORTS}
    lines = [*IMPORTS.values(), *(library for found in libraries.values() for library in found)]
    (copy / UNIVERSAL).write_text("".join(f"import {line}\n" for line in lines))
    assert broken_in(copy) == {section["name"] for section in parser.values()}


def test_every_library_of_the_product_has_a_contract() -> None:
    """A package from outside is imported where a list allows it, and nowhere else."""
    known = modules()
    named = {library for section in contracts().values() for library in section.get("protected_modules", "").split()}
    ours = {"tests", *ROOMS} | sys.stdlib_module_names
    found = {name.partition(".")[0] for path in known.values() for name in imports_of(path, known)}
    assert found - ours - named == set()
