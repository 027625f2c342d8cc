"""What the system says of the programs whose windows are seen: processes, browser profiles, terminals' echo.

Read from /proc and files, never from a program itself. Start with `processes`.
"""

__all__ = ["processes", "terminals"]
