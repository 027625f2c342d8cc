"""Policies: whether and when to offer help. Pure functions, no third-party package."""
