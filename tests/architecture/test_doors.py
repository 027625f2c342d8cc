"""What a package shows is its `__all__`; what a few packages may reach is a list; both are held against the imports."""

import ast
import sys
from pathlib import Path

from tests.fakes.architecture.sources import ROOT, imports_of, modules, parsed

_FILES = ("participant.documents", "participant.delivery.answers", "participant.delivery.outbox", "storage")
_BOTH = ("participant.documents", "study.researcher", "storage", "daemon.cli", "msgspec")
REACH = {
    "participant.delivery.sender": (*_FILES, "aiomqtt", "paho"),
    "participant.delivery.exchange": _FILES,
    "study.collector": (*_BOTH, "aiomqtt", "paho"),
    "study.broker": (*_BOTH, "study.collector", "aiomqtt", "paho"),
}
"""Beside itself and the standard library: the sender knows its outbox alone, the collector cannot open a parcel."""


def shown_by(tree: ast.Module) -> set[str]:
    named = (node for node in tree.body if isinstance(node, ast.Assign))
    lists = [node.value for node in named if getattr(node.targets[0], "id", None) == "__all__"]
    return set(ast.literal_eval(lists[0])) if lists else set()


def violations(root: Path) -> set[str]:
    """Return each import through a wall, as `importer -> module`."""
    known = modules(root)
    shown = {name: shown_by(parsed(path)) for name, path in known.items() if path.name == "__init__.py"}
    found = set()
    for importer, path in known.items():
        reach = [{name, *REACH[name]} for name in REACH if f"{importer}.".startswith(f"{name}.")]
        for target in set(imports_of(path, known)):
            parts = target.split(".")
            packages = [".".join(parts[:end]) for end in range(1, len(parts))] if target in known else []
            outside = [package for package in packages if not f"{importer}.".startswith(f"{package}.")]
            if any(parts[package.count(".") + 1] not in shown[package] for package in outside):
                found.add(f"{importer} -> {target}")
            if parts[0] in sys.stdlib_module_names:
                continue
            if not all(any(f"{target}.".startswith(f"{name}.") for name in names) for names in reach):
                found.add(f"{importer} -> {target}")
    return found


def test_nothing_private_is_imported() -> None:
    """No module reaches past the `__all__` of a package that it is not part of."""
    assert violations(ROOT) == set()


def test_what_is_imported_past_a_door_is_found(tmp_path: Path) -> None:
    """The control: a private module, one of another room, and a library that a package may not reach."""
    files = {"lab/planted.py": "import daemon.inner.hidden\nfrom daemon import other\n", "daemon/other.py": ""}
    files |= {"daemon/__init__.py": "__all__ = ['inner']\n", "daemon/inner/__init__.py": ""}
    files |= {"daemon/inner/hidden.py": "", "participant/delivery/sender/planted.py": "import storage\nimport duckdb\n"}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    private = {"lab.planted -> daemon.inner.hidden", "lab.planted -> daemon.other"}
    assert violations(tmp_path) == private | {"participant.delivery.sender.planted -> duckdb"}
