"""What a study found: the causal effect of offers, the power of a design, tables by arm, and the page that shows them.

`effect` is the estimator of micro-randomised trials and needs numpy and scipy alone; `power` runs it on simulated
studies. `tables` counts offers, answers and lots from plain columns, with intervals that draw whole people; `report`
lays everything out as one HTML page. `trial_file` reads a trial from a CSV file; `commands` holds `kairos study effect`
and `kairos study power`.
"""

__all__ = ["commands", "effect", "quality", "report", "tables"]
