"""Judges that the segmented one of `kairos diagnose` is compared with, and the same with a stage left out.

Begin with `judges`; `inquiries` is what they ask, and `data/words.toml` in which words.
"""

__all__ = ["inquiries", "judges", "plan"]
