"""Opening: a collector's parcels become tables on the machine with the keys; report, audit and deletion work on these.

`parcels` checks and opens, `table_rows` and `tables` write and read `opened/`, `columns` turns rows into what the
analysis takes, and `study_report` makes the page. `audit` draws lots again; `deletion` destroys a key and rewrites the
tables. May import everything of studies but the participant's side. Begin with `parcels`.
"""

__all__ = ["audit", "closing", "columns", "ledger", "open_study", "parcels", "study_report", "tables"]
