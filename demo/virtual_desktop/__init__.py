"""What demos, simulations, benchmarks and tests run on: a virtual desktop, its windows, scripted input, a real daemon.

Imports storage alone; `daemon_process` starts Kairos as a child process. Begin with `desktop`, then `hands` and `user`.
"""

__all__ = [
    "browser",
    "daemon_process",
    "desktop",
    "gnome",
    "hands",
    "input_devices",
    "kwin",
    "local_page",
    "pixels",
    "sample_text",
    "sway",
    "sway_hands",
    "told_hands",
    "user",
    "windows",
]
