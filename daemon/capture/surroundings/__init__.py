"""Surroundings."""
