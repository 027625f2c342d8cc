"""The topics of a study at its broker; nothing else spells them.

Each participant writes to one topic and reads another. What the collector announces to everybody is retained: one more
such topic is a line here, and what publishes and what takes it.
"""

COLLECTOR = "collector"
"""The collector's login at the broker; a participant's is their id, which is longer."""

LOGIN = "%u"
"""Stands for a login in mosquitto's patterns."""


class Topics:
    """The topics of one study.

    Attributes:
        notice: that of the signed study.
        closing: that of the signed end of the study, once it was closed.
        announced: both, which are retained and which everybody in the study may read.
        shared: what collectors subscribe to: each parcel goes to one of them.
    """

    def __init__(self, study: str) -> None:
        """Take the name of the study."""
        self._base = f"kairos/v1/{study}"
        self.notice = f"{self._base}/notice"
        self.closing = f"{self._base}/closing"
        self.announced = (self.notice, self.closing)
        self.shared = f"$share/collectors/{self.up()}"

    def up(self, participant: str = "+") -> str:
        """Return the topic that a participant alone may write; by default those of everybody."""
        return f"{self._base}/up/{participant}"

    def down(self, participant: str = "+") -> str:
        """Return the topic that a participant alone may read; by default those of everybody."""
        return f"{self._base}/down/{participant}"
