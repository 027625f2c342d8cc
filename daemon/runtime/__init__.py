"""The running daemon: the core thread, its sessions, the reasons to close the gate, and the control socket's server.

It assembles `engine`, `capture`, `models` and `storage`. Begin with `run`, the command, then `Core` in `core`,
`LiveSession` in `session` and `Pipeline` in `pipeline`. Whatever looks at a session's records is in `observers`.
"""

__all__ = ["control_client", "instance", "policy_memory", "run", "study"]
