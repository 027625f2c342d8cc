"""Proactivebench."""
