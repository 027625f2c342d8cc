"""The running program: capture, fence, window, engine, replay, control and the command line."""
