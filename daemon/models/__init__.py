"""Asks language models beside the built-in detector during a session, and accounts for what that costs.

May import `detectors.mllm`, `storage`, `policies` and `daemon.gate`; a session without models must not load it.
Begin with `scheduler` (whom to ask, and when), then `request` (what is asked) and `tiers` (how a model is opened).
"""
