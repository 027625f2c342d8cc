"""Rehearsal of a study with simulated people, before anybody is asked: does an effect that was planted come back?

Nobody is involved, and nothing of a real study is touched. `person` says what simulated people do, `journals` lets the
engine of the daemon watch them, `own_words` has them say something of it, `people` lets each take part in a
`study_copy`, `route` takes what they send to a collector, and `rehearse` follows their rows to the estimate.
"""

__all__ = ["rehearse", "route", "study_copy"]
