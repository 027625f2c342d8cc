"""Office."""
