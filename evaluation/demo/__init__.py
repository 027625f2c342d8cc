"""`kairos demo`: a scripted user works, gets stuck and is helped by the real Kairos; the script's log judges it.

Imports `evaluation.stage` and what commands read of a session. Begin with `command`, then `user` and `judge`.
"""
