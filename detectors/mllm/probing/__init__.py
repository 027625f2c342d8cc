"""Probing."""
