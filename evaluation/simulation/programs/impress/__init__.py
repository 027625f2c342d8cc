"""Impress."""
