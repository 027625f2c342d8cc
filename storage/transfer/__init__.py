"""Sessions in and out: `export`, and `import_session`, which trusts nothing that comes from outside.

`changed_rows` changes rows on their way without breaking their replay, `archive` unpacks into a private folder, `foreign_database` reads rows without running anything of the file's own,
`video_sandbox` opens videos in a limited child process. Imports the bottom modules of `storage` and `storage.session`.
"""
