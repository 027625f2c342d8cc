"""Sent."""
