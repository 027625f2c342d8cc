"""The Qt interface: tray, card, consent. Only this room (and `daemon.app`) imports PySide6."""
