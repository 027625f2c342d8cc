"""Chromium."""
