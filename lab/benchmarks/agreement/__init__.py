"""How far raters of the same recordings agree (`kairos label`), and whom to ask again about what.

Begin with `benchmark`.
"""
