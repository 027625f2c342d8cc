"""What travels between the settings window and what reads and writes the settings file: `rows`, and the calls, `ports`.

Standard library only.
"""

__all__ = ["ports", "rows"]
