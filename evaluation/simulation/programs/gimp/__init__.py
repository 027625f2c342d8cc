"""Gimp."""
