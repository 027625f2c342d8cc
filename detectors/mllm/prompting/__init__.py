"""Prompting."""
