"""What was said in recorded sessions, word by word: written down on this machine, or read from files of others.

`stretches` finds the sound of a session, `whisper` writes down what is said in it, `imports` reads WebVTT, SRT and the
JSON of Whisper and WhisperX, `command` is `kairos narration`. Imports `storage`, and what commands share; PyAV and
faster-whisper load when they are needed. Begin with `whisper`.
"""

__all__ = ["command", "imports", "whisper"]
