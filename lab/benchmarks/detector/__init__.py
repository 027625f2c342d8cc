"""The embedded detector against its acceptance criteria on held-out simulated sessions, beside baselines."""

__all__ = ["benchmark"]
