"""The collector: takes parcels in from the broker or a file, commits them and signs receipts. It can read none of them.

`store` is the one file that it writes, `collector` decides what is taken in, `connection` serves it at the broker.
Begin with `store`.
"""

__all__ = ["collector", "connection", "store"]
