"""What a study found: the causal effect of offers, the power of a design, tables by arm, and the page that shows them.

`effect` is the estimator of micro-randomised trials; `power` runs it on simulated studies.
`tables` counts offers, answers and assignments from plain columns, with intervals that draw whole people; `report`
lays everything out as one HTML page. Begin with `effect`.
"""

__all__ = ["effect", "power", "report", "tables"]
