"""The schemas of our databases, all in version 1 (`storage.db.FORMAT`), as migrations of sqlite-utils.

A migration never changes once it was released: the schema changes by adding another one. Only our own databases are
migrated; a foreign one is read row by row into ours. The format is described in docs/format.md.
"""

from sqlite_utils import Database, Migrations

APPLICATION_ID = 0x4B41_4952
"""`PRAGMA application_id` of a session's database ("KAIR")."""

SENT_ID = 0x4B41_5345
"""The same of the database of what was sent to models ("KASE")."""

LIBRARY_ID = 0x4B41_4C49
"""The same of the index of documentation ("KALI")."""

SESSION = Migrations("kairos.session")
STATE = Migrations("kairos.state")
SENT = Migrations("kairos.sent")
LIBRARY = Migrations("kairos.library")

_VIEWS = {
    "frames": ("frame", "t_ns monitor size digest changed own covered image_ref"),
    "inputs": ("input_event", "t_ns kind key_class button x y dx dy path count own"),
    "focus": ("focus", "t_ns app window title_digest title dialog own geometry"),
    "windows": ("window", "window_id start_ns end_ns planned_ns events closed_by app frames"),
    "prefixes": ("prefix", "prefix_id window_id fraction start_ns end_ns truncated app features slots"),
    "estimates": (
        "estimate",
        "prefix_id window_id fraction detector help_need abstained error app state_probs evidence confidence_source",
    ),
    "decisions": ("decision", "verdict gate reason topic withdraw propensity next_tick_ns numbers prefix_ids"),
    "offers": ("offer", "offer_id decision_seq app topic state help_need shown_at_ns expires_at_ns counterfactual"),
    "feedback": ("feedback", "offer_id kind by"),
}


@SESSION(name="001_records")
def _records(db: Database) -> None:
    """Create the one row stream, and a view per main kind for questions in SQL."""
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(
        "CREATE TABLE records (seq INTEGER PRIMARY KEY, at_ns INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL)"
    )
    for view, (kind, names) in _VIEWS.items():
        columns = ", ".join(f"json_extract(body, '$.{name}') AS {name}" for name in names.split())
        select = f"SELECT seq, at_ns, {columns} FROM records WHERE records.kind = '{kind}'"  # noqa: S608  # constants
        db.create_view(view, select)


@STATE(name="001_facts")
def _facts(db: Database) -> None:
    """Create the tables of what outlives sessions (one JSON value a name) and of what models cost a local day."""
    db.execute("CREATE TABLE facts (name TEXT PRIMARY KEY, body TEXT NOT NULL)")
    db.execute(
        "CREATE TABLE spending (day TEXT NOT NULL, tier TEXT NOT NULL, calls INTEGER NOT NULL, tokens INTEGER NOT NULL,"
        " dollars REAL NOT NULL, PRIMARY KEY (day, tier)) WITHOUT ROWID"
    )


@SENT(name="001_requests")
def _requests(db: Database) -> None:
    """Create the tables of what was sent; triggers let no part outlive its request and no picture its last part.

    Numbers of requests are never reused, because session logs name them.
    """
    db.execute(f"PRAGMA application_id = {SENT_ID}")
    db.execute(
        "CREATE TABLE requests (id INTEGER PRIMARY KEY AUTOINCREMENT, at_wall_ns INTEGER NOT NULL, session TEXT NOT"
        " NULL, purpose TEXT NOT NULL, endpoint TEXT NOT NULL, address TEXT NOT NULL, path TEXT NOT NULL, headers TEXT"
        " NOT NULL, model TEXT NOT NULL, digest TEXT NOT NULL, bytes INTEGER NOT NULL, outcome TEXT, ended_wall_ns"
        " INTEGER, tokens_in INTEGER NOT NULL DEFAULT 0, tokens_out INTEGER NOT NULL DEFAULT 0, cached INTEGER NOT NULL"
        " DEFAULT 0, dollars REAL NOT NULL DEFAULT 0)"
    )
    db.execute("CREATE INDEX requests_by_session ON requests (session)")
    db.execute("CREATE TABLE pictures (id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, jpeg BLOB NOT NULL)")
    db.execute(
        "CREATE TABLE parts (request INTEGER NOT NULL REFERENCES requests (id), n INTEGER NOT NULL, text BLOB,"
        " picture INTEGER REFERENCES pictures (id), PRIMARY KEY (request, n),"
        " CHECK ((text IS NULL) != (picture IS NULL))) WITHOUT ROWID"
    )
    db.execute("CREATE INDEX parts_by_picture ON parts (picture) WHERE picture IS NOT NULL")
    db.execute(
        "CREATE TRIGGER request_gone AFTER DELETE ON requests BEGIN DELETE FROM parts WHERE request = OLD.id; END"
    )
    db.execute(
        "CREATE TRIGGER part_gone AFTER DELETE ON parts WHEN OLD.picture IS NOT NULL"
        " AND NOT EXISTS (SELECT 1 FROM parts WHERE picture = OLD.picture)"
        " BEGIN DELETE FROM pictures WHERE id = OLD.picture; END"
    )
    # pictures that were sent and not stored: without consent to the recording
    db.execute(
        "CREATE TABLE unkept (request INTEGER NOT NULL REFERENCES requests (id), n INTEGER NOT NULL, digest TEXT NOT"
        " NULL, bytes INTEGER NOT NULL, PRIMARY KEY (request, n)) WITHOUT ROWID"
    )
    db.execute(
        "CREATE TRIGGER unkept_gone AFTER DELETE ON requests BEGIN DELETE FROM unkept WHERE request = OLD.id; END"
    )


@LIBRARY(name="001_pages")
def _pages(db: Database) -> None:
    """Create the index of documentation: folders, their files, pages, the words in them, controls and links.

    `files.read_by` is a digest of the code that read a file, `checked` when all installed programs were looked at.
    """
    db.execute(f"PRAGMA application_id = {LIBRARY_ID}")
    db.execute(
        "CREATE TABLE documentation (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, app TEXT NOT NULL, folder TEXT"
        " NOT NULL, label TEXT NOT NULL, own INTEGER NOT NULL)"
    )
    db.execute(
        "CREATE TABLE files (documentation INTEGER NOT NULL REFERENCES documentation (id), path TEXT NOT NULL,"
        " mtime_ns INTEGER NOT NULL, size INTEGER NOT NULL, page INTEGER, problem TEXT, read_by TEXT NOT NULL,"
        " PRIMARY KEY (documentation, path)) WITHOUT ROWID"
    )
    db.execute(
        "CREATE TABLE pages (id INTEGER PRIMARY KEY, page_id TEXT NOT NULL UNIQUE, documentation INTEGER NOT NULL"
        " REFERENCES documentation (id), app TEXT NOT NULL, kind TEXT NOT NULL, title TEXT NOT NULL, steps TEXT NOT"
        " NULL)"
    )
    db.execute("CREATE INDEX pages_by_app ON pages (app)")
    db.execute(
        "CREATE VIRTUAL TABLE words USING fts5(app, title, keywords, controls, headings, body,"
        " tokenize = 'porter unicode61 remove_diacritics 2')"
    )
    db.execute(
        "CREATE TABLE controls (name TEXT NOT NULL, page INTEGER NOT NULL, place INTEGER NOT NULL,"
        " PRIMARY KEY (name, page)) WITHOUT ROWID"
    )
    db.execute("CREATE INDEX controls_by_page ON controls (page)")
    db.execute(
        "CREATE TABLE links (page INTEGER NOT NULL, target TEXT NOT NULL, PRIMARY KEY (page, target)) WITHOUT ROWID"
    )
    db.execute("CREATE TABLE checked (id INTEGER PRIMARY KEY CHECK (id = 1), at_wall_ns INTEGER NOT NULL)")
