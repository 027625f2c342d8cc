"""Readers of documentation: a file of foreign text in, a plain page out, or a reason why not.

Imports the standard library alone. Pages are untrusted: nothing is expanded, followed or run, markup never reaches the
text, and time and memory grow no faster than the file. Begin with `formats`, which chooses the reader.
"""

__all__ = ["formats", "markdown", "parsed"]
