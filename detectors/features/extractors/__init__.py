"""Extractors."""
