"""Which code reads pages into the index: a page that other code has read is read anew.

It is known by a digest of its source and not by a number that somebody would have to raise. So a comment that changes
costs one more reading, some seconds of processor time that nobody waits for; a reader that changes is never forgotten.
"""

import hashlib
from functools import cache
from importlib.resources import files

MODULES = ("asked", "documentation", "folders", "index", "pages")
_OTHERS = ("daemon.help.commands.words", "daemon.help.meaning", "daemon.help.programs")
"""What decides, beside everything in `readers`, what stands in the index about a file."""

_PACKAGE, _READERS = "daemon.help.library", "daemon.help.library.readers"
_DATA = "asked_pages.txt"
_DIGITS = 12


@cache
def reading_digest() -> str:
    """Return a digest of the code that reads pages."""
    found = hashlib.sha256()
    for name, source in sorted(sources().items()):
        found.update(name.encode() + b"\0" + hashlib.sha256(source).digest())
    return found.hexdigest()[:_DIGITS]


def sources() -> dict[str, bytes]:
    """Return the source of each module of that code, by name."""
    package, readers = files(_PACKAGE), files(_READERS)
    found = {f"{_PACKAGE}.{name}": (package / f"{name}.py").read_bytes() for name in MODULES}
    found[f"{_PACKAGE}.{_DATA}"] = (package / "data" / _DATA).read_bytes()
    for name in _OTHERS:
        package_name, _, module = name.rpartition(".")
        found[name] = (files(package_name) / f"{module}.py").read_bytes()
    for entry in readers.iterdir():
        if entry.name.endswith(".py"):
            found[f"{_READERS}.{entry.name.removesuffix('.py')}"] = entry.read_bytes()
    return found
