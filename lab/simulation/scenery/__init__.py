"""What simulated users see besides the program: help pages, a web application, progress bars; begin with `desktop`."""

__all__ = ["desktop", "sample_pdf"]
