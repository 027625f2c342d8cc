"""Adapters to the machine: screen, input, focus. Display-bound imports live only in here."""
