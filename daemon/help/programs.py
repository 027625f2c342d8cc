"""Names of programs: what a window calls its program, and which documentation belongs to it."""

import re

_VERSION = re.compile(r"[-_ ]?v?\d+(?:\.\d+)*\Z")
_SETTINGS = "gnome-control-center"
_SAME = {"soffice": "libreoffice", "gimp-bin": "gimp", "gnome-help": _SETTINGS, "org.gnome.settings": _SETTINGS}
_SUITE = "libreoffice"
_SHARES = {"libreoffice-draw": "libreoffice-impress", "libreoffice-impress": "libreoffice-draw"}
"""Programs whose commands one documentation describes in the other's part."""


def program_of(app: str) -> str:
    """Return the program that `Focus.app` names, without version and domain: "gimp" for "Gimp-2.10"."""
    name = app.strip().lower()
    if name in _SAME:
        return _SAME[name]
    if name.count(".") >= 2 and " " not in name and not _VERSION.search(name):  # noqa: PLR2004  # a reversed domain
        name = name.rpartition(".")[2]
    name = _VERSION.sub("", name) or name
    return _SAME.get(name, name)


def programs_read_for(app: str) -> tuple[str, ...]:
    """Return the programs whose pages are read for a window's program: itself first, then what it shares pages with."""
    program = program_of(app)
    if not program:
        return ()
    found = [program]
    if program in _SHARES:
        found.append(_SHARES[program])
    if program.startswith(f"{_SUITE}-"):
        found.append(_SUITE)
    return tuple(found)


def programs_of_suite(app: str) -> tuple[str, ...]:
    """Return the programs of a suite whose shared pages say different things for each; none for a single program."""
    return tuple(f"{_SUITE}-{name}" for name in ("writer", "calc", "impress", "draw")) if app == _SUITE else ()


def variant_of(program: str) -> str:
    """Return the name by which LibreOffice's help marks what holds for one of its programs."""
    return program.rpartition("-")[2].upper() if program.startswith(f"{_SUITE}-") else ""


def app_word(program: str) -> str:
    """Return a program as the one word that stands for it in the full text."""
    return "".join(char for char in program.lower() if char.isalnum()) or "none"
