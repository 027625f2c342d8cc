"""Scenery."""
