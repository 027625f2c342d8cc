"""Policies on the same sessions and estimates, beside baselines and an oracle; `data/costs.toml` has the costs."""

__all__ = ["trace", "truth"]
