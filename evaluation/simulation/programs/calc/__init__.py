"""Calc."""
