"""The schemas of our two databases, as ordered migrations, each applied in one transaction with the note that it ran.

A migration never changes once it was released: the schema changes by adding another one. Only our own databases are
migrated; a foreign one is read row by row into ours. The format is described in docs/format.md.
"""

from sqlite_utils import Database, Migrations

APPLICATION_ID = 0x4B41_4952
"""Says in the header of a session's database that it is one ("KAIR")."""

SESSION = Migrations("kairos.session")
STATE = Migrations("kairos.state")

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
    """Make the one row stream, and a view per main kind for people who ask questions in SQL."""
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
    """Make the table of what outlives sessions: one JSON value a name."""
    db.execute("CREATE TABLE facts (name TEXT PRIMARY KEY, body TEXT NOT NULL)")
