"""Features: numbers about how someone works, computed record by record, from which detectors estimate.

May import records and the clock from `storage`. Begin with `tracker`, which the engine feeds; `table` defines every
feature. To add one, write a class in `extractors` (see `extractor`) and list it there. `attempts` remembers failures;
`state_scores` rates the nine states by hand. Outsiders use `tracker` and `table`.
"""

__all__ = ["attempts", "state_scores", "table", "tracker"]
