"""The researcher's side of opt-in studies: create, sign, rehearse, collect, monitor, open, analyse and audit them.

A distribution of its own, kairos-study; may import the product but `ui`, and nothing imports it. What travels between
both sides is in `participant.documents`. Begin with `commands`, then in the order of a study: `researcher` (create,
sign, invite), `rehearsal`, `broker`, `collector`, `monitor`, `opening`, `analysis`, and `audit` for assignments.
"""
