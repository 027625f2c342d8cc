"""Figures, with what is known of them and how they are shown: intervals, resampling, plots, pages.

`intervals`, `page` and `svg` need the standard library alone, so that every command can write a page: one HTML file
without scripts and without anything from outside. All text is escaped there, so callers hand over plain text.
`resampling` needs numpy and is for studies and benchmarks.
"""

__all__ = ["intervals", "page", "resampling", "svg"]
