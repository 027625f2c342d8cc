"""From a context to pages in order: what of each page speaks for it, and how much that counts.

Each part of a context is searched by itself, in titles and in texts, because a word that somebody typed says more than
a menu that was passed. Names of controls are also compared whole with the paths of each page. The weights in
`data/ranking.json` were fitted on the tuning half of `kairos bench content`, and so was the curve from score to
probability. Of some documentation it was learned which page somebody is after (`daemon.help.sought`): it is a candidate
whatever its words.
"""

import json
import math
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from daemon.help.context import HelpContext
from daemon.help.library.pages import PageKind, control_name
from daemon.help.programs import app_word
from daemon.help.sought import sought_help

MAX_TERMS = 40
"""Words of one part of a context; more would make a search slow and no better."""

_MAX_SAME = 24
_MAX_TEXT = 2000
"""Characters of one text."""

_WORD = re.compile(r"[^\W_]{2,40}")


@cache
def _stop_words() -> frozenset[str]:
    return frozenset(_data("stop_words.txt").split())


@cache
def _same_words() -> Mapping[str, tuple[str, ...]]:
    """Return for each word those that stand in a line with it: what people say, and what documentation calls it."""
    found: dict[str, dict[str, None]] = {}
    for line in _data("same_words.txt").splitlines():
        words = line.split()
        for word in words:
            found.setdefault(word, {}).update(dict.fromkeys(other for other in words if other != word))
    return {word: tuple(others) for word, others in found.items()}


def _data(name: str) -> str:
    return (files("daemon.help.library") / "data" / name).read_text(encoding="utf-8")


def terms_of(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the words of texts that say something, in lower case, each once, in order."""
    found = dict.fromkeys(
        word
        for text in texts
        for word in _WORD.findall(text.lower())
        if word not in _stop_words() and not word.isdigit()
    )
    return tuple(found)[:MAX_TERMS]


def synonyms_of(terms: Sequence[str]) -> tuple[str, ...]:
    """Return words that mean the same as these, without these."""
    found: dict[str, None] = {}
    for term in terms:
        for form in (term, term.removesuffix("s"), term.removesuffix("es")):
            found.update(dict.fromkeys(_same_words().get(form, ())))
    return tuple(word for word in terms_of(found) if word not in terms)[:_MAX_SAME]


def any_of(terms: Sequence[str]) -> str:
    """Return the full-text expression that matches any of the words."""
    return " OR ".join(f'"{term}"' for term in terms)


def stem_of(word: str) -> str:
    """Return a rough stem, to compare words where the index does not."""
    for ending in ("ations", "ation", "ings", "ing", "ies", "ers", "es", "ed", "er", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:  # noqa: PLR2004  # letters that make a stem
            return word[: -len(ending)]
    return word


CANDIDATES = 50
"""Pages per part of the context that are looked at."""

_DESCRIBED = 120
"""Pages that are looked at whole: those with the most evidence so far."""

_MAX_CONTROLS = 24
_TROUBLE = frozenset(
    (
        *("not", "no", "nothing", "never", "cannot", "missing", "lost", "invisible", "hidden", "outside"),
        *("problem", "problems", "fix", "stuck", "unexpected", "error", "errors", "wrong", "trouble"),
    )
)
"""Words in the titles of pages about what goes wrong."""

_NO_EFFECT = frozenset(("dead_clicks", "repeat_clicks", "same_place", "field_returns"))
_GUESSED = frozenset(
    (
        *("same_words_short", "same_words_long"),
        *("control_names", "last_controls", "control_path", "controls_long", "same_short"),
        *("dialog_short", "dialog_long", "dialog_named", "title_is_dialog", "title_is_control"),
        *("undone_short", "messages_short", "messages_long", "document_long", "all_title"),
        *("title_covered", "trouble_without_effect", "sought"),
    )
)
_BESIDE_WORDS, _LEAST_NAMED = 0.1, 2
"""Where somebody typed what a page is called, that is so many words of it, they know better: what was seen, and words
that mean the same, count so much and decide between pages that the typed words leave level."""

_HARDLY = 0.003
"""A page that is sought with a smaller share than this is no candidate for that."""

_SHORT, _LONG = "{title keywords headings}", "{controls body}"
_UNSEARCHED = frozenset(("controls_short", "undone_long", "document_short", "same_long"))
"""Searches that got no weight, or nearly none, when all were fitted; left out, they cost no time."""

_MENU_BARS = frozenset(
    ("file", "edit", "view", "insert", "format", "tools", "window", "help", "ok", "cancel", "close", "apply")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingWeights:
    """How much each feature counts; `slope` and `offset` turn the share of the best page into a probability."""

    features: Mapping[str, float]
    slope: float
    offset: float

    def probability(self, share: float) -> float:
        """Return how likely a page would help, from its share of the softmax over all candidates."""
        share = min(max(share, 1e-6), 1 - 1e-6)
        return 1 / (1 + math.exp(-(self.slope * math.log(share / (1 - share)) + self.offset)))


@cache
def default_weights() -> RankingWeights:
    """Return the weights of the package."""
    found = json.loads((files("daemon.help.library") / "data" / "ranking.json").read_text(encoding="utf-8"))
    return RankingWeights(features=found["features"], slope=found["slope"], offset=found["offset"])


@dataclass(frozen=True, slots=True)
class Ranked:
    """A page by its row, with its share of the softmax over all candidates."""

    page: int
    share: float


def rank(
    connection: sqlite3.Connection,
    context: HelpContext,
    programs: Sequence[str],
    weights: RankingWeights,
    also: Sequence[int] = (),
) -> tuple[Ranked, ...]:
    """Return the candidates, best first, with the pages `also`, which are looked at in any case; ties by row."""
    features = features_of(connection, context, programs, also)
    if _names_a_page(connection, context, features):
        for found in features.values():
            found.update({name: _BESIDE_WORDS * found[name] for name in found.keys() & _GUESSED})
    totals = {
        page: sum(weights.features.get(name, 0.0) * value for name, value in found.items())
        for page, found in features.items()
    }
    if not totals:
        return ()
    top = max(totals.values())
    shares = {page: math.exp(total - top) for page, total in totals.items()}
    sum_of_shares = sum(shares.values())
    order = sorted(shares, key=lambda page: (-shares[page], page))
    return tuple(Ranked(page, shares[page] / sum_of_shares) for page in order)


def _names_a_page(connection: sqlite3.Connection, context: HelpContext, pages: Iterable[int]) -> bool:
    """Return whether somebody typed what a page is called: at least half of the words, and not just one of several."""
    typed = {stem_of(word) for word in terms_of((context.words,))}
    if not typed:
        return False
    least = max(min(_LEAST_NAMED, len(typed)), (len(typed) + 1) // 2)
    return any(
        len(typed & {stem_of(word) for word in terms_of((title,))}) >= least
        for _, _, _, title in _rows(connection, pages)
    )


def features_of(
    connection: sqlite3.Connection, context: HelpContext, programs: Sequence[str], also: Sequence[int] = ()
) -> dict[int, dict[str, float]]:
    """Return what speaks for and against each candidate, by name; a feature that is missing is 0."""
    found: dict[int, dict[str, float]] = {page: {} for page in also}
    parts = parts_of(context)
    apps = " OR ".join(f'"{app_word(program)}"' for program in programs)
    for name, terms in parts.items():
        for where, columns in (("short", _SHORT), ("long", _LONG)):
            if f"{name}_{where}" not in _UNSEARCHED:
                _search(connection, f"{name}_{where}", apps, columns, terms, found)
    everything = tuple(dict.fromkeys(term for terms in parts.values() for term in terms))
    _search(connection, "all_title", apps, "{title}", everything, found)
    _compare_controls(connection, context, programs, found)
    strength = {page: sum(features.values()) for page, features in found.items()}
    best = sorted(strength, key=lambda page: (page not in also, -strength[page], page))
    found = {page: found[page] for page in best[: max(_DESCRIBED, len(also))]}
    _follow_links(connection, found)
    _add_sought(connection, context, programs, found)
    _describe(connection, context, programs, parts, found)
    return found


def parts_of(context: HelpContext) -> dict[str, tuple[str, ...]]:
    """Return the words of each part of a context."""
    words = terms_of((context.words,))
    controls = terms_of(reversed(context.controls))
    document = context.title.rpartition(" - ")[0] or context.title
    parts = {
        "words": words,
        "same_words": synonyms_of(words),
        "dialog": terms_of((context.dialog,)),
        "controls": controls,
        "undone": terms_of(reversed(context.undone)),
        "messages": terms_of(context.messages),
        "same": synonyms_of((*terms_of((context.dialog,)), *controls)),
        "document": terms_of((document.partition(".")[0],)),
    }
    return {name: terms for name, terms in parts.items() if terms}


def _search(  # noqa: PLR0917  # read like a sentence
    connection: sqlite3.Connection,
    name: str,
    apps: str,
    columns: str,
    terms: Sequence[str],
    found: dict[int, dict[str, float]],
) -> None:
    """Add one feature: how well the terms match in some columns, as BM25 on a scale that flattens out."""
    if not terms:
        return
    query = f"app : ({apps}) AND {columns} : ({any_of(terms)})"
    rows = connection.execute(
        "SELECT rowid, bm25(words, 0.0, 4.0, 2.0, 2.0, 1.0, 1.0) AS score FROM words WHERE words MATCH ?"
        " ORDER BY score, rowid LIMIT ?",
        (query, CANDIDATES),
    )
    for page, score in rows:
        found.setdefault(page, {})[name] = math.log1p(max(0.0, -score))


def _compare_controls(
    connection: sqlite3.Connection,
    context: HelpContext,
    programs: Sequence[str],
    found: dict[int, dict[str, float]],
) -> None:
    """Add how well the names of controls and the dialog match the names on each page; rare names count more."""
    touched = list(dict.fromkeys(name for text in reversed(context.controls) if (name := control_name(text))))
    names = touched[:_MAX_CONTROLS]
    dialog = control_name(context.dialog)
    wanted = list(dict.fromkeys((*names, *((dialog,) if dialog else ()))))
    if not wanted:
        return
    marks, apps = ",".join("?" * len(wanted)), ",".join("?" * len(programs))
    rows = connection.execute(
        "SELECT controls.name, controls.page, controls.place FROM controls JOIN pages ON pages.id = controls.page"  # noqa: S608  # marks alone
        f" WHERE controls.name IN ({marks}) AND pages.app IN ({apps})",
        (*wanted, *programs),
    ).fetchall()
    counts: dict[str, int] = {}
    for name, _, _ in rows:
        counts[name] = counts.get(name, 0) + 1
    per_page: dict[int, list[tuple[str, int]]] = {}
    for name, page, place in rows:
        per_page.setdefault(page, []).append((name, place))
    scored = sorted(
        ((sum(_rarity(counts[name]) for name, _ in hits), page) for page, hits in per_page.items()),
        key=lambda pair: (-pair[0], pair[1]),
    )
    kept = {page for _, page in scored[:CANDIDATES]} | found.keys()
    last = set(names[:3])
    for _, page in scored:
        if page not in kept:
            continue
        hits = per_page[page]
        features = found.setdefault(page, {})
        features["control_names"] = math.log1p(sum(_rarity(counts[name]) for name, _ in hits if name in names))
        features["last_controls"] = sum(_rarity(counts[name]) for name, _ in hits if name in last) / 10
        features["control_path"] = float(
            any(name in _MENU_BARS or place == 0 for name, place in hits)
            and any(place > 0 and name not in _MENU_BARS for name, place in hits)
        )
        if dialog:
            features["dialog_named"] = float(any(name == dialog for name, _ in hits))


def _add_sought(
    connection: sqlite3.Connection, context: HelpContext, programs: Sequence[str], found: dict[int, dict[str, float]]
) -> None:
    """Add how likely a page is to be the one that is looked for, as was learned for some documentation in English."""
    shares = sought_help().pages(context)
    likely = [title for title, share in shares.items() if share >= _HARDLY]
    if not likely:
        return
    marks, apps = ",".join("?" * len(likely)), ",".join("?" * len(programs))
    rows = connection.execute(
        f"SELECT id, title FROM pages WHERE app IN ({apps}) AND title IN ({marks})",  # noqa: S608  # marks alone
        (*programs, *likely),
    )
    for page, title in rows:
        found.setdefault(page, {})["sought"] = math.log1p(shares[title] / _HARDLY)


def _rarity(count: int) -> float:
    return math.log(1 + 400 / (1 + count))


def _follow_links(connection: sqlite3.Connection, found: dict[int, dict[str, float]]) -> None:
    if not found:
        return
    strength = {page: sum(features.values()) for page, features in found.items()}
    best = sorted(strength, key=lambda page: (-strength[page], page))[:CANDIDATES]
    marks = ",".join("?" * len(best))
    rows = connection.execute(
        "SELECT links.page, pages.id FROM links JOIN pages ON pages.page_id = links.target"  # noqa: S608  # marks alone
        f" WHERE links.page IN ({marks})",
        best,
    )
    top = max(strength[best[0]], 1e-9)
    linked: dict[int, float] = {}
    for page, target in rows:
        if target in found:
            linked[target] = linked.get(target, 0.0) + strength[page] / top
            linked[page] = linked.get(page, 0.0) + 0.5 * strength[target] / top
    for page, value in linked.items():
        found[page]["linked"] = math.log1p(value)


def _describe(
    connection: sqlite3.Connection,
    context: HelpContext,
    programs: Sequence[str],
    parts: Mapping[str, Sequence[str]],
    found: dict[int, dict[str, float]],
) -> None:
    """Add what the page is, whether it is the program's own, and how much of its title the context names."""
    stems = {stem_of(term) for terms in parts.values() for term in terms}
    dialog = control_name(context.dialog)
    names = {control_name(name) for name in context.controls}
    for page, kind, app, title in _rows(connection, found):
        features = found[page]
        features[f"is_{kind}"] = 1.0
        features["own_part"] = float(app == programs[0])
        features["sister_part"] = float(app != programs[0] and app != programs[-1])
        words = terms_of((title,))
        about_trouble = float(not _TROUBLE.isdisjoint(title.lower().split()))
        features["trouble"] = about_trouble
        features["trouble_without_effect"] = about_trouble * float(not _NO_EFFECT.isdisjoint(context.evidence))
        features["title_covered"] = sum(stem_of(word) in stems for word in words) / len(words) if words else 0.0
        name = control_name(title)
        features["title_is_dialog"] = float(bool(dialog) and name == dialog)
        features["title_is_control"] = float(name in names)


def _rows(connection: sqlite3.Connection, pages: Iterable[int]) -> Iterable[tuple[int, PageKind, str, str]]:
    wanted = list(pages)
    for begin in range(0, len(wanted), 500):
        part = wanted[begin : begin + 500]
        marks = ",".join("?" * len(part))
        yield from connection.execute(f"SELECT id, kind, app, title FROM pages WHERE id IN ({marks})", part)  # noqa: S608  # marks alone
