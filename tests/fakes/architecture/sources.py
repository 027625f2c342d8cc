"""The sources of the project as tests of its structure read them: each file is parsed once a run."""

import ast
import gc
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
ROOMS = ("daemon", "ui", "detectors", "policies", "storage", "demo", "participant", "lab", "study")


@cache
def parsed(path: Path) -> ast.Module:
    """Return the syntax tree of a file; trees are not searched for garbage, which took longer than parsing."""
    gc.disable()
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    finally:
        gc.freeze()
        gc.enable()


def modules(root: Path = ROOT) -> dict[str, Path]:
    paths = (path for room in ROOMS for path in (root / room).rglob("*.py"))
    return {".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path for path in paths}


@cache
def import_statements(path: Path) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """Return the import statements of a file, those in functions too; expressions, most of a tree, are not entered."""
    return tuple(_statements(parsed(path)))


def _statements(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        for child in getattr(node, field, ()):
            if isinstance(child, ast.Import | ast.ImportFrom):
                yield child
            else:
                yield from _statements(child)


def imports_of(path: Path, known: dict[str, Path]) -> Iterator[str]:
    """Yield what a file imports, at its top or in a function: a module of ours where a name is one."""
    for node in import_statements(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif node.module:
            names = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (name if name in known else node.module for name in names)
