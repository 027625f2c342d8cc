"""What the window "What Kairos saw" requests, and the frozen values it gets: two Protocols and the rows between them.

Standard library only. `daemon.history.timeline` implements `TimelineRequests`, `ui.timeline` the `TimelineView`; and
it, the tray and `ui.dialogs.forget` call the former. Neither side imports the other. Begin with `ports`; `rows` is what
travels.
"""

__all__ = ["ports", "rows"]
