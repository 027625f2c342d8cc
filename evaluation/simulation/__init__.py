"""Labelled sessions: scripted people in real programs, recorded by the real Kairos. Simulated data, never human."""
