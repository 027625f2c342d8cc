"""Where documentation lies: that of installed programs, what packages would add, and folders of a person's own."""

import gzip
import hashlib
import os
import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from daemon.help.programs import program_of

_DATA = Path("/usr/share")
_LANGUAGES: tuple[str, ...] = ("en-US", "en", "C")
_LANGUAGE = "en"
"""What the folders of `_LANGUAGES` are written in, and manual pages outside of folders of a language."""

_VERSION = re.compile(r"\((?:\d+:)?([\d.]+)")
_MANUAL_LIMIT = 2000


IF_DAMAGED = "kairos library add builds it again"


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedDocumentation:
    """A folder in the index, with how many pages of it are there and how many files were skipped."""

    name: str
    app: str
    folder: str
    label: str
    own: bool
    pages: int
    skipped: int
    programs: tuple[str, ...]
    """Which programs the pages are about, by the names that a search takes; shared pages count for `app`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Documentation:
    """A folder of pages about one program.

    Attributes:
        name: a short name, unique in a library.
        app: the program; `app_of_page` refines it for a suite.
        folder: where the pages are.
        label: the name of the source for people: "LibreOffice Help 7.4".
        files: only these of the folder; empty for all.
        own: whether the person added it.
        language: what it is written in, as an ISO 639 code; empty where the pages must be looked at.
    """

    name: str
    app: str
    folder: Path
    label: str
    files: tuple[str, ...] = ()
    own: bool = False
    language: str = ""


@dataclass(frozen=True, slots=True)
class KnownPackage:
    """A Debian package with the documentation of a program: the file that shows that the program is there."""

    program: str
    package: str
    executables: tuple[str, ...]
    folder: str


KNOWN_PACKAGES = (
    KnownPackage("LibreOffice", "libreoffice-help-en-us", ("soffice", "libreoffice"), "libreoffice/help"),
    KnownPackage("GIMP", "gimp-help-en", ("gimp",), "gimp/2.0/help"),
)


def find_documentation(data: Path = _DATA) -> tuple[Documentation, ...]:
    """Return the documentation of the programs on this machine, read from the folder of shared data."""
    return (*_libreoffice(data), *_gimp(data), *_help_folders(data), *_manuals(data))


def missing_packages(data: Path = _DATA, path: str | None = None) -> tuple[KnownPackage, ...]:
    """Return the packages that would add documentation of programs that are installed."""
    import shutil

    return tuple(
        known
        for known in KNOWN_PACKAGES
        if _language_folder(data / known.folder) is None
        and any(shutil.which(name, path=path) is not None for name in known.executables)
    )


def own_documentation(folder: Path, app: str) -> Documentation:
    """Return a person's folder as documentation of a program, by default the one that the folder is named after."""
    program = program_of(app or folder.name)
    return Documentation(name=str(folder), app=program, folder=folder, label=folder.name, own=True)


_GNOME = "mallard/gnome-help"
"""The help of the desktop: about its file manager, and its settings."""


def app_of_page(documentation: Documentation, path: str) -> str:
    """Return the program that a page is about: of a suite's documentation the one that the page belongs to."""
    if documentation.name == _GNOME:
        return "nautilus" if path.startswith(("files", "nautilus")) else documentation.app
    if documentation.name != "libreoffice":
        return documentation.app
    return _LIBREOFFICE_PARTS.get(path.split("/", 1)[0], "libreoffice")


def page_id_of(documentation: Documentation, path: str) -> str:
    """Return the id of a page. That of a person's own page holds none of their names, as ids stand in logs."""
    if documentation.own:
        parts = (str(documentation.folder), path)
        return "/".join(("own", *(hashlib.sha256(os.fsencode(part)).hexdigest()[:12] for part in parts)))
    path = path.removesuffix(".gz")
    return f"{documentation.name}/{path.rpartition('.')[0] or path}"


def target_of(documentation: Documentation, path: str, address: str) -> str:
    """Return the id of the page that a link of a page leads to; "" if it leads to no other."""
    address = address.partition("#")[0].partition("?")[0]
    if not address or ":" in address or address.startswith("/"):
        return ""
    if documentation.name == "libreoffice":
        found = address.partition("/text/")[2]
    else:
        found = posixpath.normpath(posixpath.join(posixpath.dirname(path), address))
        if not posixpath.splitext(found)[1]:  # Mallard names pages without their ending
            found += posixpath.splitext(path)[1]
    return page_id_of(documentation, found) if found and found != path and not found.startswith("..") else ""


_LIBREOFFICE_PARTS = {
    "swriter": "libreoffice-writer",
    "scalc": "libreoffice-calc",
    "simpress": "libreoffice-impress",
    "sdraw": "libreoffice-draw",
    "smath": "libreoffice-math",
    "sbasic": "libreoffice-basic",
}


def _language_folder(folder: Path) -> Path | None:
    wanted = os.environ.get("LANG", "").partition(".")[0]
    for name in (*((wanted.replace("_", "-"), wanted) if wanted.startswith("en") else ()), *_LANGUAGES):
        found: Path = folder / name
        if name and found.is_dir():
            return found
    return None


def _libreoffice(data: Path) -> Iterator[Documentation]:
    folder = _language_folder(data / "libreoffice/help")
    if folder is not None and (folder / "text").is_dir():
        version = _package_version(data, ("libreoffice-help-en-us", "libreoffice-help-common"), parts=2)
        yield Documentation(
            name="libreoffice",
            app="libreoffice",
            folder=folder / "text",
            label=f"LibreOffice Help {version}".strip(),
            language=_LANGUAGE,
        )


def _gimp(data: Path) -> Iterator[Documentation]:
    folder = _language_folder(data / "gimp/2.0/help")
    if folder is not None:
        version = _package_version(data, ("gimp-help-en", "gimp-help-common"), parts=2)
        label = f"GIMP Help {version}".strip()
        yield Documentation(name="gimp", app="gimp", folder=folder, label=label, language=_LANGUAGE)


def _help_folders(data: Path) -> Iterator[Documentation]:
    """Yield the programs of the shared help folder: a folder each, Mallard or DocBook."""
    base = _language_folder(data / "help")
    for folder in sorted(base.iterdir()) if base is not None else ():
        if folder.is_dir():
            name = program_of(folder.name)
            version = _package_version(data, (folder.name,), parts=2)
            label = f"{folder.name.capitalize()} Help {version}".strip()
            form = "mallard" if any(folder.glob("*.page")) else "docbook"
            yield Documentation(name=f"{form}/{folder.name}", app=name, folder=folder, label=label, language=_LANGUAGE)


def _manuals(data: Path) -> Iterator[Documentation]:
    folder = data / "man/man1"
    programs = sorted(set(_menu_programs(data / "applications")))[:_MANUAL_LIMIT]
    for program in programs:
        names = tuple(name for name in (f"{program}.1.gz", f"{program}.1") if (folder / name).is_file())
        if names:
            label = f"{program} manual page"
            app = program_of(program)
            yield Documentation(
                name=f"man/{program}", app=app, folder=folder, label=label, files=names[:1], language=_LANGUAGE
            )


def _menu_programs(folder: Path) -> Iterator[str]:
    try:
        entries: Sequence[Path] = sorted(folder.glob("*.desktop"))
    except OSError:
        return
    for entry in entries:
        try:
            text = entry.read_bytes()[:100_000].decode("utf-8", errors="replace")
        except OSError:
            continue
        for line in text.splitlines():
            if line.startswith("Exec="):
                command = line[5:].split()
                if command:
                    yield os.path.basename(command[0].strip('"'))  # noqa: PTH119  # a word, no path of ours
                break


def _package_version(data: Path, packages: Sequence[str], *, parts: int) -> str:
    """Return the version of the first package that has a change log, shortened; "" if none has."""
    for package in packages:
        for name in ("changelog.Debian.gz", "changelog.gz"):
            try:
                with gzip.open(data / "doc" / package / name, "rb") as file:
                    found = _VERSION.search(file.read(300).decode("utf-8", errors="replace"))
            except (OSError, EOFError):
                continue
            if found:
                return ".".join(found[1].split(".")[:parts])
    return ""
