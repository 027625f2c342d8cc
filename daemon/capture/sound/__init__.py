"""What somebody says, by choice: the microphone, read by the sound server's own client. Begin with `microphone`.

It may import what the rest of `daemon.capture` may. Whether it may listen, the gate and the observer's `ear` say.
"""

__all__ = ["microphone"]
