"""Which entries of menus are personal: recent files, bookmarks, histories, open windows, templates of one's own. Pure.

They are told by where they stand, by what they look like, and by coming and going. None of them becomes a command, so
one too many is left out rather than one too few.
"""

import re
from collections.abc import Collection, Sequence

from daemon.capture.accessibility.atspi.commands.entry import Entry

_LISTS = re.compile(
    r"(?ix) \b(?: recent(?:ly)? | last \s+ (?:files|documents|sessions?|projects?)"
    r" | open \s+ (?:tabs|windows|documents)"
    r" | bookmarks? | favou?rites | histor(?:y|ies) | (?:my|user|from) \s+ templates? | from \s+ (?:te?mplate|preset)"
    r" | places | sessions | closed \s+ (?:tabs|windows) | undo \s+ history | clipboard \s+ history"
    r" | zuletzt | kürzlich | letzte[nr]? | lesezeichen | favoriten | verlauf | chronik | aus \s+ vorlage"
    r" | eigene \s+ vorlagen | sitzungen | orte | zwischenablage-?verlauf | geschlossene )\b"
)
"""Names of what holds personal entries; all that is below is left out."""

_WINDOWS = re.compile(r"(?i)^(?:windows?|documents?|tabs?|buffers?|fenster|dokumente?|reiter)$")
"""Names of menus that end with a list of windows or documents, of which one is set."""

_PATH = re.compile(r"^(?:~|/|\\\\|[A-Za-z]:[\\/]|[a-z][a-z0-9+.-]+://)")
_FILE = re.compile(r"(?i)\w\.(?:[a-z]{1,5}[0-9]?|7z)(?:[\s\])\"'»“”:*]|$)")
_NUMBERED = re.compile(r"^[\[(]?_?\d{1,3}[.:)\]]?\s+\S|^_?\d{1,3}[.:)]\S")
_QUOTED = re.compile(r"[“„«\"].*[”“»\"]|: *['\u2018].*['\u2019]$")
_ACT_OF_UNDO = re.compile(r"(?i)^((?:undo|redo|repeat|rückgängig|wiederherstellen|wiederholen)[^:]*): .*$")
_ENDS = re.compile(r"\s+[-\u2013\u2014]\s")
"""What stands between a document and its program in a title."""

_MIN_TITLE = 3


def without_personal(entries: Sequence[Entry], title: str, earlier: Collection[tuple[str, ...]] | None) -> list[Entry]:
    """Return the entries that are no personal ones.

    `title` is that of the window; `earlier` are the paths that an earlier look at the same window has found.
    """
    kept: list[Entry] = []
    for entry in entries:
        *above, name = entry.path
        if any(_LISTS.search(holder) for holder in above) or any(looks_personal(part) for part in entry.path):
            continue
        if is_of_title(name, title) or (entry.chosen_from and len(above) == 1 and _WINDOWS.match(above[0])):
            continue
        is_bare = not (entry.marked or entry.keys or entry.hint)
        if is_bare and earlier and entry.holds is None and entry.path not in earlier:
            continue
        kept.append(entry)
    return kept


def looks_personal(name: str) -> bool:
    """Return whether a name looks like that of a file, a path, an entry of a numbered list, or quotes somebody."""
    return any(pattern.search(name) for pattern in (_PATH, _FILE, _NUMBERED, _QUOTED))


def without_act(name: str) -> str:
    """Return the name of what undoes without the act that it would undo, which may hold what was typed."""
    return _ACT_OF_UNDO.sub(r"\1", name)


def is_of_title(name: str, title: str) -> bool:
    """Return whether a name is that of a window, or of the document in it, which comes before the program's own."""
    bare, whole = name.strip(" *•").casefold(), title.strip(" *•").casefold()
    return len(bare) >= _MIN_TITLE and (
        bare == whole or bool(_ENDS.match(whole[len(bare) :]) and whole.startswith(bare))
    )
