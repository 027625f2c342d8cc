"""Proposes labels of recorded work: states, goals, need and help, by a model or by rules, for people to verify.

After the way in which GUIDE's labels were made (3.2 and H9 to H14). `segments` cuts a recording by what was said,
`questions` asks, `annotators` or `rules` answer, `pipeline` filters, trims, draws and writes, `constructed` is a set
whose labels are known, `wording` holds all sentences. Begin with `benchmark`.
"""

__all__ = ["benchmark"]
