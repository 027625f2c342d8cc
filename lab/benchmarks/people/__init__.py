"""The shipped detector and policy on recordings of real people at work (`lab.people`), which nobody scripted.

`benchmark` runs each recording through the engine and counts offers and need.
"""
