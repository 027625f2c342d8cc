"""States of programmers, and which suggestions to hold back, on the CUPS study."""
