"""mosquitto for a study: its configuration, certificates, and the proof by trying that it lets through what it should.

Begin with `configuration`. `certificates` makes an authority of the study's own; `check` tries; `command` holds
`kairos study broker`.
"""

__all__ = ["certificates", "check", "configuration"]
