"""Cups."""
