"""Whether a browser of the Firefox family may be always private: its windows then look like ordinary ones.

That is a preference, so the proof that it is off comes from the files that set preferences: those of the profile in
use, which the browser keeps locked, and those of whoever installed it. What cannot be found or read proves nothing.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

_LOCK = ".parentlock"
_MAX_FILE = 8 << 20
"""How much of a file is read, in bytes; what is larger proves nothing."""

_COMMENT = re.compile(r"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|//[^\n]*|/\*.*?\*/""", re.DOTALL)
_ALWAYS = re.compile(r"""browser\.privatebrowsing\.autostart(?!["']\s*,\s*false\b)""")
_FURTHER_FILE = re.compile(r"""general\.config\.filename(?!["']\s*,\s*["'][^"'/]+\.cfg["'])""")
"""Names a file of preferences that is none of those that are read here."""

_CIPHER = re.compile(r"""general\.config\.filename(?!.*obscure_value["']\s*,\s*0\b)""", re.DOTALL)
"""Such a file is written in a cipher unless a line below says that it is not."""

_POLICY = re.compile(r'"PrivateBrowsingModeAvailability"\s*:(?!\s*[01]\s*[,}])|"browser\.privatebrowsing\.autostart"')


def has_ordinary_profile(pid: int, root: Path) -> bool:
    """Return whether a process is such a browser and known to keep ordinary windows; `root` is where processes are.

    Asked about the same process again it says the same: a preference that changes counts from the next start on.
    """
    try:
        facts = (root / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
        # When it began, and where its stack is: a browser that restarts itself keeps the first.
        started = f"{facts[19]} {facts[25]}"
    except (OSError, IndexError):
        return False
    return _is_ordinary(pid, started, root)


@lru_cache(maxsize=64)
def _is_ordinary(pid: int, started: str, root: Path) -> bool:  # noqa: ARG001  # a number may be used again
    process = root / str(pid)
    inside = process / "root"
    try:
        program = (process / "exe").readlink()
        if not (inside / program.parent.relative_to("/") / "omni.ja").exists():
            return False
        locked = (link for file in (process / "fd").iterdir() if (link := _target(file)) and link.name == _LOCK)
        profile = inside / next(locked).parent.relative_to("/")
        folder = inside / program.parent.relative_to("/")
        return all(map(_sets_nothing, _files(profile, folder, inside / "etc", program.name)))
    except (OSError, StopIteration, ValueError):
        return False


def _target(file: Path) -> Path | None:
    try:
        return file.readlink()
    except OSError:  # closed meanwhile
        return None


def _files(profile: Path, folder: Path, etc: Path, name: str) -> Iterator[Path]:
    """Return the files that may set preferences."""
    yield from (profile / "prefs.js", profile / "user.js")
    for place in (folder, profile.parent, profile.parent.parent):
        yield from place.glob("*.cfg")
    for place in (folder, folder / "browser"):
        yield from place.glob("defaults/pref*/*.js")
    yield folder / "distribution/policies.json"
    for browser in {name.removesuffix("-bin"), "firefox", folder.name}:
        yield from (etc / browser).glob("**/*.js*")


def _sets_nothing(file: Path) -> bool:
    """Return whether a file, if it is there, does not make a browser always private."""
    if not file.exists():
        return True
    with file.open("rb") as opened:
        content = opened.read(_MAX_FILE + 1)
    text = content.decode("utf-8", "replace")
    if len(content) > _MAX_FILE:
        return False
    if file.suffix == ".json":
        return _POLICY.search(text) is None
    text = _COMMENT.sub(lambda found: found[1] or "", text)
    return not any(pattern.search(text) for pattern in (_ALWAYS, _FURTHER_FILE, _CIPHER))
