"""Cascade."""
