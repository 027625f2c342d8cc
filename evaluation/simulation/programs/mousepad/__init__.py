"""Mousepad."""
