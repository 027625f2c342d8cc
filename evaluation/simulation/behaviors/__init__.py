"""Behaviors."""
