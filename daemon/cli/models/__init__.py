"""`kairos models`: lists model servers, probes and tests one, and shows what was sent; begin with `command`."""

__all__ = ["tiers"]
