"""Figures, with what is known of them and how they are shown: intervals, resampling, off-policy values, plots, pages.

`intervals`, `page` and `svg` need the standard library alone, so that every command can write a page: one HTML file
without scripts and without anything from outside. All text is escaped there, so callers hand over plain text.
`resampling` and `off_policy` need numpy and are for studies and benchmarks.
"""

__all__ = ["intervals", "off_policy", "page", "resampling", "svg"]
