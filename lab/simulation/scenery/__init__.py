"""What simulated people see besides the program: help pages, progress bars and documents, made for each session.

Imports `demo.virtual_desktop`. Begin with `desktop`, which puts them on the screen.
"""

__all__ = ["desktop", "sample_pdf"]
