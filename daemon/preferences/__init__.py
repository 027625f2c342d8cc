"""What a person chooses: the settings file checked and changed, autostart, and the service of the settings window.

Begin at `change`, which `kairos config` and the window share. May import the rest of the daemon but its command line.
"""

__all__ = ["autostart", "change", "service"]
