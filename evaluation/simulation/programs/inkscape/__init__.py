"""Inkscape."""
