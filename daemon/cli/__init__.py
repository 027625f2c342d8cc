"""The commands of the daemon, as a person or a script meets them: arguments in, lines or one JSON object out.

May import every package of the daemon, late where one is heavy; nothing imports from here but tests. Begin with
`main` (which commands there are) and `options` (what they share). What is printed is formatted by `storage.plain_text`.
"""

__all__ = ["main", "options"]
