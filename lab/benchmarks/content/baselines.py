"""What the ranking is measured against: BM25 on the same words, BM25 on titles, and chance."""

import random
import sqlite3
from collections.abc import Sequence

from daemon.help.context import HelpContext
from daemon.help.library.programs import app_word, programs_read_for
from daemon.help.library.terms import any_of, terms_of

DEPTH = 100
"""Pages that a baseline returns; a gold page behind them counts as not found."""

BM25_WEIGHTS = (1.0, 3.0, 3.0, 1.0, 0.3)
"""Of title, keywords, controls, headings and body: the best of 36 on the tuning half (`fit.bm25_weights`)."""


def bm25(
    connection: sqlite3.Connection,
    context: HelpContext,
    *,
    weights: Sequence[float] = BM25_WEIGHTS,
    columns: str = "title keywords controls headings body",
) -> tuple[str, ...]:
    """Return pages by BM25 of all words of the context, with the same stemming and the same programs' pages."""
    parts = ((context.words,), (context.dialog,), context.controls, context.undone, context.messages, (context.title,))
    terms = tuple(dict.fromkeys(term for part in parts for term in terms_of(part)))
    if not terms:
        return ()
    apps = " OR ".join(f'"{app_word(program)}"' for program in programs_read_for(context.app))
    rows = connection.execute(
        "SELECT pages.page_id FROM words JOIN pages ON pages.id = words.rowid WHERE words MATCH ?"
        " ORDER BY bm25(words, 0.0, ?, ?, ?, ?, ?), words.rowid LIMIT ?",
        (f"app : ({apps}) AND {{{columns}}} : ({any_of(terms)})", *weights, DEPTH),
    )
    return tuple(page_id for (page_id,) in rows)


def shuffled(connection: sqlite3.Connection, context: HelpContext, seed: str) -> tuple[str, ...]:
    """Return the pages of the context's programs in an order by chance."""
    programs = programs_read_for(context.app)
    marks = ",".join("?" * len(programs))
    query = f"SELECT page_id FROM pages WHERE app IN ({marks}) ORDER BY page_id"  # noqa: S608  # marks alone
    found = [page_id for (page_id,) in connection.execute(query, programs)]
    random.Random(seed).shuffle(found)  # noqa: S311  # an order, no secret
    return tuple(found)
