"""SQLite databases: `connection` opens them, `schemas` are ours, `codec` turns records into rows and back.

Imports the bottom modules of `storage`. Begin with `connection.open_writable`.
"""

__all__ = ["codec", "connection", "schemas"]
