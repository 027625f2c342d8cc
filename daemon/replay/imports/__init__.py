"""Recordings from elsewhere become sessions: lists of records (`derive`), and the AgentNet recorder's folders.

An import derives everything with `engine`, as a live session does. A limited child process decodes foreign videos
(`video_frames`). Begin with `derive_rows` in `derive`.
"""

__all__ = ["agentnet", "derive"]
