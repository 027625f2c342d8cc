"""Sets of trajectories that others recorded, by the layout of their files; nothing is downloaded.

Begin with `layouts`, which recognizes a layout and loads it; `rows` reads what is hostile until proven else.
"""

__all__ = ["layouts", "mind2web"]
