"""Take out of an environment what Kairos provably never loads.

Usage: prune.py ENVIRONMENT

Of Qt stay the modules that our sources import, the plugins of `PLUGINS`, and every library that these are linked to,
by readelf. Of other distributions go tests, typing stubs, headers and static libraries. In
the end every bundled library of Qt that a remaining file is linked to must be there; otherwise the exit status is 1.
"""

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

OURS = ("daemon", "demo", "detectors", "participant", "policies", "storage", "ui")
PLUGINS = {
    "platforms": ("qxcb", "qwayland", "qoffscreen", "qminimal"),
    "xcbglintegrations": ("*",),
    "platforminputcontexts": ("composeplatforminputcontextplugin", "ibusplatforminputcontextplugin"),
    "platformthemes": ("*",),
    "imageformats": ("qjpeg", "qgif", "qico", "qsvg"),
    "iconengines": ("*",),
    "wayland-shell-integration": ("*",),  # on Wayland a window says what will not work
    "wayland-decoration-client": ("*",),
    "wayland-graphics-integration-client": ("*",),
}
STUBS = ("*.pyi", "*.a", "*.h", "*.pxd", "*.pyx", "*.hpp", "*.lib")
_NEEDED = re.compile(r"\(NEEDED\).*\[(?P<name>[^\]]+)\]")


def main(environment: Path) -> int:
    """Prune; return the exit status."""
    (packages,) = environment.glob("lib/python3*/site-packages")
    _remove(path for path in packages.rglob("*") if path.name in {"tests", "test"} and path.is_dir())
    for pattern in STUBS:
        _remove(packages.rglob(pattern))
    _prune_qt(packages)
    missing = _unresolved(packages / "PySide6")
    for library, needed in missing:
        print(f"prune: {library} is linked to {needed}, which is not there", file=sys.stderr)
    return 1 if missing else 0


def _prune_qt(packages: Path) -> None:
    """Keep what is imported, its plugins, and what both are linked to."""
    qt = packages / "PySide6"
    modules = imported_modules(packages)
    roots = [qt / f"{module}.abi3.so" for module in modules]
    kept_plugins = {
        path
        for folder, names in PLUGINS.items()
        for name in names
        for path in (qt / "Qt" / "plugins" / folder).glob(f"lib{name}.so")
    }
    _remove(path for path in (qt / "Qt" / "plugins").rglob("*.so") if path not in kept_plugins)
    libraries = {path.name: path for path in (*qt.glob("lib*"), *(qt / "Qt" / "lib").iterdir())}
    libraries |= {path.name: path for path in (packages / "shiboken6").glob("lib*")}
    waiting, kept = [*roots, *kept_plugins], set(roots)
    while waiting:
        for name in needed_by(waiting.pop()):
            if (path := libraries.get(name)) is not None and path not in kept:
                kept.add(path)
                waiting.append(path)
    stay = kept | kept_plugins
    _remove(path for path in (*qt.glob("*.so*"), *(qt / "Qt" / "lib").iterdir()) if path not in stay)
    _remove(path for path in qt.iterdir() if path.is_dir() and path.name not in {"Qt", "support"})
    _remove(path for path in qt.iterdir() if path.is_file() and path.suffix != ".py" and path not in stay)
    _remove(path for path in (qt / "Qt").iterdir() if path.name not in {"lib", "plugins", "translations"})
    _remove(path for path in (qt / "Qt" / "translations").iterdir() if not path.name.startswith("qtbase_"))
    _remove(path for path in (qt / "Qt" / "plugins").iterdir() if not any(path.iterdir()))


def imported_modules(packages: Path) -> set[str]:
    """Return the modules of PySide6 that our sources import, with those that these cannot do without."""
    found = {"QtCore", "QtGui"}
    for room in OURS:
        for path in (packages / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("PySide6"):
                    names = (
                        [node.module or ""] if node.module != "PySide6" else [f"PySide6.{n.name}" for n in node.names]
                    )
                elif isinstance(node, ast.Import):
                    names = [each.name for each in node.names if each.name.startswith("PySide6.")]
                else:
                    continue
                found |= {name.split(".")[1] for name in names}
    return found


def needed_by(path: Path) -> list[str]:
    """Return the libraries that a file is linked to."""
    done = subprocess.run(["readelf", "-dW", str(path)], capture_output=True, text=True, check=True)
    return [match["name"] for match in _NEEDED.finditer(done.stdout)]


def _unresolved(qt: Path) -> list[tuple[str, str]]:
    """Return what is linked to a library of Qt that is not there."""
    files = [path for path in qt.rglob("*.so*") if path.is_file() and not path.is_symlink()]
    names = {path.name for path in qt.rglob("*.so*")} | {path.name for path in (qt.parent / "shiboken6").glob("*.so*")}
    return [
        (path.name, needed)
        for path in files
        for needed in needed_by(path)
        if needed.startswith(("libQt6", "libpyside6", "libshiboken6", "libicu")) and needed not in names
    ]


def _remove(paths: Iterable[Path] | Iterator[Path]) -> None:
    """Remove files and folders; some are inside others."""
    for path in list(paths):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
