"""Fence."""
