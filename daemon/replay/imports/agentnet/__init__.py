"""Recordings of AgentNet and of its predecessor DuckTrack: their events, focus, controls and video.

Begin with `import_recording` in `importer`.
"""

__all__ = ["importer"]
