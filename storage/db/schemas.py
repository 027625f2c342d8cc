"""The schemas of our databases, all in version 1 (`storage.db.connection.FORMAT`): `data/*.sql`.

A schema never changes once it was released. The format is described in docs/format.md.
"""

from functools import partial
from pathlib import Path
from sqlite3 import Connection, complete_statement

APPLICATION_ID = 0x4B41_4952
"""`PRAGMA application_id` of a session's database ("KAIR")."""

SENT_ID = 0x4B41_5345
"""The same of the database of what was sent to models ("KASE")."""

LIBRARY_ID = 0x4B41_4C49
"""The same of the index of documentation ("KALI")."""


def _create(database: str, application_id: int, connection: Connection) -> None:
    connection.execute(f"PRAGMA application_id = {application_id}")
    statement = ""  # not as one script, which would commit: a new schema comes as a whole, or not at all
    for line in (Path(__file__).parent / f"data/{database}.sql").read_text(encoding="utf-8").splitlines(True):
        statement += line
        if complete_statement(statement):
            connection.execute(statement)
            statement = ""


SESSION = partial(_create, "session", APPLICATION_ID)
STATE = partial(_create, "state", 0)
SENT = partial(_create, "sent", SENT_ID)
LIBRARY = partial(_create, "library", LIBRARY_ID)
