"""Sessions in and out: `export`, and `import_session`, which trusts nothing that comes from outside.

`archive` unpacks into a private folder, `foreign_database` reads rows without running anything of the file's own,
`changed_rows` changes rows on their way so that they still replay, `recover` copies what is left of a damaged session.
"""

__all__ = ["archive", "changed_rows", "export", "import_session", "recover"]
