"""What an offer can name: what came back, was tried in vain or stands there, found in the records of the last minute.

`recent` collects records and chooses one sighting for an offer; `controls` reads what the accessibility sense saw,
`gestures` keys, clicks and changes of the screen. All counts are of records, so they are never above what was seen, and
what cannot be told from them is not said. Imports `storage` alone. Begin with `recent`.
"""

__all__ = ["recent"]
