"""Attempts and what came of them: changed, undone, refused, nothing, error; and errors that come back.

May import what `detectors.features` shares. Begin with `attempts`, which makes attempts of input, screen and meaning;
`errors` follows refusals and errors by their digests. The extractors `AttemptOutcomes` and `TouchedControls` feed them.
"""

__all__ = ["attempts", "errors"]
