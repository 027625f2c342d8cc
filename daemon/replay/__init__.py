"""Replay of recorded sessions: the same engine, faster than time, to check a build or to try another one.

It may import `engine`, `storage`, `detectors` and `policies`, and senses nothing. Begin with `replay` in `replay`;
`run_job` is the same as a job for `parallel`. `imports` makes sessions of recordings from elsewhere.
"""

__all__ = ["imports", "parallel", "replay"]
