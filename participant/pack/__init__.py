"""From the journals of recorded sessions to parcels in the outbox of a joined study; knows no network.

`fold` makes rows of records: `moments` says which decisions are points, `outcomes` follows one for 300 s, `answers` are
rows of questions. `journals` reads sessions, `packer` seals rows and stores parcels together with how far it read.
Begin with `fold`.
"""

from participant.pack.fold import rows_of_session, rows_of_sessions
from participant.pack.packer import PackOutcome, PackResult, pack
from participant.pack.participation import Participation, TimedRow

__all__ = ["PackOutcome", "PackResult", "Participation", "TimedRow", "pack", "rows_of_session", "rows_of_sessions"]
