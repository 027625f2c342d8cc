"""Opening: a collector's parcels become tables on the machine with the keys; report and deletion work on these.

`parcels` checks and opens, `tables` writes and reads `opened/`, `columns` turns rows into what the analysis takes, and
`report` makes the page, `recordings` opens what somebody gave. `deletion` destroys keys and rewrites the tables,
`ledger` keeps what was done in writing. Begin with `parcels`.
"""

__all__ = ["columns", "deletion", "ledger", "parcels", "recordings", "report", "tables"]
