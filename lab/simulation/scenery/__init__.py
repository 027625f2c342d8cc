"""What simulated users see besides the program: help pages, progress bars; begin with `desktop`."""

__all__ = ["desktop", "sample_pdf"]
