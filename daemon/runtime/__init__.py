"""The running daemon: the core thread, its sessions, the reasons to close the gate, and the control socket's server.

It assembles `engine`, `capture`, `models` and `storage`; only `daemon.app` starts it. Begin with `Core` in `core`, then
`LiveSession` in `session` and `Pipeline` in `pipeline`. Whatever looks at a session's records is in `observers`.
"""

__all__ = ["control_client", "core", "enrolment", "headless", "instance", "memory", "policy_memory"]
