"""The engine: derives windows, prefixes, estimates, decisions and offers from source records.

Pure and synchronous, so live sessions, replays, imports and training all run this code. It may import `storage`,
`detectors` and `policies`, nothing that senses or writes. Begin with `Engine.take` in `engine`; `offers` has the rules
of offers, which the policy benchmark shares.
"""

__all__ = ["context", "engine", "estimated_need", "offers", "session_start", "ticks", "window"]
