"""The sender: a process of its own that takes parcels from one outbox to the broker, awaits receipts and ends.

    python -m participant.send OUTBOX [--all]

It opens the outbox and no other file of the data folder: neither the journal nor settings, nor the person's key.
"""
