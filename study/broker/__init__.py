"""mosquitto for a study: its configuration, certificates, and the proof by trying that it lets through what it should.

Begin with `configuration`, which also makes an authority of the study's own; `check` tries each limit.
"""

__all__ = ["check", "configuration"]
