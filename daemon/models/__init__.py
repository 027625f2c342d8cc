"""Asks language models during a session, beside the detector and for answers on the card; accounts for the cost.

May import `detectors.mllm`, `storage`, `policies`, `daemon.capture.gate`, pictures of `daemon.capture` and moments of
`daemon.help`; a session without models must not load it. Begin with `scheduler` (whom to ask, and when), then `request`
(what is asked) and `tiers` (how a model is opened); `answers` has what is shown to people.
"""

__all__ = ["answers", "disclosure", "restrictions", "sent_writer", "session", "tiers", "usage"]
