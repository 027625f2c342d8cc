"""Figures with what is known of them: intervals of counts and shares, resampled intervals, off-policy values.

`intervals` needs the standard library alone and is what commands print; `resampling` and `off_policy` need numpy and
are for studies and benchmarks.
"""

__all__ = ["intervals", "off_policy", "resampling"]
