"""Improvised."""
