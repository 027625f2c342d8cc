"""Sets of trajectories that others recorded, by the layout of their files; nothing is downloaded.

Begin with `layouts`, which recognizes a layout and loads it; `rows` reads what is hostile until proven else.
"""

__all__ = ["LAYOUTS", "layouts", "mind2web"]


LAYOUTS = ("plain", "agent-reward-bench", "android-bench", "mind2web", "aitz")
"""The names that `layouts` knows, for parsers, which load no more than this."""
