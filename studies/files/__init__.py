"""Parcels and receipts as files, where there is no way to the broker.

`container` is the file, `participant` packs parcels and takes receipts in, `collector` takes parcels in and writes the
receipts. What travels is what the broker would carry, checked in the same way. The commands are in `studies.delivery`.
"""
