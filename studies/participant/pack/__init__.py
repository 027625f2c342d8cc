"""From the journals of recorded sessions to parcels in the outbox of a joined study; knows no network.

`moments` says which decisions are points, `outcomes` follows one for 300 s, `fold` makes rows of records, `journals`
reads sessions, `packer` seals rows and stores parcels together with how far it read. Begin with `fold`.
"""

from studies.participant.pack.packer import Outcome, PackResult, pack

__all__ = ["Outcome", "PackResult", "pack"]
