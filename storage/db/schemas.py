"""The schemas of our databases, all in version 1 (`storage.db.connection.FORMAT`): `data/*.sql`, as migrations.

A migration never changes once it was released: the schema changes by adding another one. Only our own databases are
migrated; a foreign one is read row by row into ours. The format is described in docs/format.md.

sqlite-utils is imported when a database is made: whoever knows a schema does without it.
"""

from functools import partial
from pathlib import Path
from sqlite3 import complete_statement
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlite_utils import Database, Migrations

APPLICATION_ID = 0x4B41_4952
"""`PRAGMA application_id` of a session's database ("KAIR")."""

SENT_ID = 0x4B41_5345
"""The same of the database of what was sent to models ("KASE")."""

LIBRARY_ID = 0x4B41_4C49
"""The same of the index of documentation ("KALI")."""


def _schema(database: str, migration: str, application_id: int = 0) -> "Migrations":
    """Return the schema in `data/DATABASE.sql` as the first migration of such databases."""
    from sqlite_utils import Migrations

    schema = Migrations(f"kairos.{database}")

    @schema(name=migration)
    def create(db: "Database") -> None:
        db.execute(f"PRAGMA application_id = {application_id}")
        statement = ""  # not as one script, which would commit: a new schema comes as a whole, or not at all
        for line in (Path(__file__).parent / f"data/{database}.sql").read_text(encoding="utf-8").splitlines(True):
            statement += line
            if complete_statement(statement):
                db.execute(statement)
                statement = ""

    return schema


SESSION = partial(_schema, "session", "001_records", APPLICATION_ID)
STATE = partial(_schema, "state", "001_facts")
SENT = partial(_schema, "sent", "001_requests", SENT_ID)
LIBRARY = partial(_schema, "library", "001_pages", LIBRARY_ID)
