"""The collector: takes parcels in from the broker, commits them and signs receipts. It can read none of them.

`store` is the one file it writes. Begin there.
"""

__all__ = ["collector", "invited", "store"]
