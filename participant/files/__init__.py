"""Parcels and receipts as files, where there is no way to the broker.

`container` is the file, `exchange` packs parcels and takes receipts in. What travels is what the broker would carry,
checked in the same way. The commands are in `participant.commands.delivery`.
"""

__all__ = ["container", "exchange"]
