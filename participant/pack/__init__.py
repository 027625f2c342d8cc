"""From the journals of recorded sessions to parcels in the outbox of a joined study; knows no network.

`fold` makes rows of records; `points` says which decisions are points of the study and follows each for 300 s, `state`
is what is remembered in between, `labels` are what people say of their own work. `packer` reads sessions, seals rows
and stores parcels together with how far it read. Begin with `fold`.
"""

from participant.pack.fold import RowFold
from participant.pack.packer import pack, take_out_deleted
from participant.pack.state import Participation, TimedRow

__all__ = ["Participation", "RowFold", "TimedRow", "pack", "take_out_deleted"]
