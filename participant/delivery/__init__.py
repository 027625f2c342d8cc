"""Parcels from the outbox to the collector, and its answers back, through the broker or as files.

`outbox` is the one file in which parcels wait, `review` lets the person look at them first, `writer` seals and chains
them. `sender` is a process of its own that opens the outbox and no other file of the data folder; `exchange` carries
the same without a network. Both take what comes back through `answers`. Begin with `outbox`.
"""

__all__ = ["answers", "exchange", "outbox", "review", "writer"]
