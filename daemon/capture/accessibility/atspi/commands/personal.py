"""Which entries of menus are personal: recent files, bookmarks, histories, open windows, templates of one's own. Pure.

They are told by where they stand, by what they look like, and by coming and going. None of them becomes a command, so
one too many is left out rather than one too few.
"""

import re
from collections.abc import Collection, Sequence
from functools import cache

from daemon.capture.accessibility.atspi.commands.entry import MenuEntry

_LISTS = re.compile(
    r"(?ix) \b(?: recent(?:ly)? | last \s+ (?:files|documents|projects?) | open \s+ (?:tabs|windows|documents)"
    r" | (?:my|user|from) \s+ templates? | closed \s+ (?:tabs|windows) | (?:undo|clipboard) \s+ history"
    r" | zuletzt | kürzlich | letzte[nr]? | aus \s+ vorlage | eigene \s+ vorlagen | geschlossene"
    r" | récente?s? | recientes? | recenti | recentes? | onlangs | ostatni\w* | недавни\w* | senaste )\b"
)
"""Names of what holds nothing but personal entries, in the languages that most desktops here speak."""

_COLLECTIONS = re.compile(
    r"(?ix) \b(?: bookmarks? | favou?rites | histor(?:y|ies) | places | sessions"
    r" | lesezeichen\w* | favoriten | verlauf | chronik | sitzungen | orte"
    r" | signets | favoris | historique | marcadores | favoritos | historial | histórico | segnalibri | preferiti"
    r" | cronologia | bladwijzers | favorieten | geschiedenis | zakładki | ulubione | historia | закладки | история"
    r" | bokmärken | favoriter | historik )\b"
)
"""Names of what holds them beside commands; of those the ones with a shortcut are told from what has been collected."""

_WINDOWS = re.compile(r"(?i)^(?:windows?|documents?|tabs?|buffers?|fenster|dokumente?|reiter)$")
"""Names of menus that end with a list of windows or documents, of which one is set."""

_PATH = re.compile(r"^(?:~|/|\\\\|[A-Za-z]:[\\/]|[a-z][a-z0-9+.-]+://)")
_FILE = re.compile(r"(?i)\w\.(?:[a-z]{1,8}[0-9]?|7z)(?:[\s\])\"'»“”:*]|$)")
_NUMBERED = re.compile(r"^[\[(]?\d{1,3}[.:)\]]\s*[^\s\d]")
_QUOTED = re.compile(r"[“„«\"].*[”“»\"]|: *['\u2018].*['\u2019]$")
_ACT_OF_UNDO = re.compile(r"(?i)^((?:undo|redo|repeat|rückgängig|wiederherstellen|wiederholen)[^:]*): .*$")
_ENDS = re.compile(r"\s+[-\u2013\u2014]\s")
"""What stands between a document and its program in a title."""

_MIN_TITLE, _MIN_DOCUMENT = 3, 6


def without_personal(
    entries: Sequence[MenuEntry], title: str, earlier: Collection[tuple[str, ...]] | None
) -> list[MenuEntry]:
    """Return the entries that are no personal ones.

    `title` is that of the window; `earlier` are the paths that an earlier whole look at the same window has found.
    """
    document = _document_in(title)
    kept: list[MenuEntry] = []
    lists, collections, personal = cache(_LISTS.search), cache(_COLLECTIONS.search), cache(looks_personal)
    for entry in entries:
        *above, name = entry.path
        is_listed = any(map(lists, above)) or (not entry.keys and any(map(collections, above)))
        if is_listed or any(map(personal, entry.path)) or is_of_title(name, title):
            continue
        if entry.chosen_from and len(above) == 1 and _WINDOWS.match(above[0]):
            continue
        is_bare = not (entry.marked or entry.keys or entry.hint)
        has_come = bool(earlier) and (entry.holds is None or bool(above)) and entry.path not in (earlier or ())
        if (is_bare and has_come) or (document and document in name.casefold()):
            continue
        kept.append(entry)
    return kept


def holds_personal(name: str) -> bool:
    """Return whether a menu or a bar with this name holds personal entries, beside others or alone."""
    return bool(_LISTS.search(name) or _COLLECTIONS.search(name))


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


def _document_in(title: str) -> str:
    """Return the document that a title names, where it is more than one common word; else nothing."""
    name = _ENDS.split(title)[0].strip(" *•").casefold()
    return name if len(name) >= _MIN_DOCUMENT and not name.isalpha() and name != title.strip().casefold() else ""
