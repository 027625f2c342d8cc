"""The topics of a study at its broker; nothing else spells them.

Each participant writes to one topic and reads another. What the collector announces to everybody is retained: one more
such topic is a line here, and what publishes and what takes it.
"""

from dataclasses import dataclass

COLLECTOR = "collector"
"""The collector's login at the broker; a participant's is their id, which is longer."""

LOGIN = "%u"
"""Stands for a login in mosquitto's patterns."""

_ANNOUNCED = ("notice", "closing")
"""The signed study, and its signed end."""


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics of one study."""

    study: str

    @property
    def base(self) -> str:
        """What all of them begin with."""
        return f"kairos/v1/{self.study}"

    def up(self, participant: str = "+") -> str:
        """Return the topic that a participant alone may write; by default those of everybody."""
        return f"{self.base}/up/{participant}"

    def down(self, participant: str = "+") -> str:
        """Return the topic that a participant alone may read; by default those of everybody."""
        return f"{self.base}/down/{participant}"

    @property
    def shared(self) -> str:
        """What collectors subscribe to: each parcel goes to one of them."""
        return f"$share/collectors/{self.up()}"

    @property
    def announced(self) -> tuple[str, ...]:
        """The retained topics that everybody in the study may read."""
        return tuple(f"{self.base}/{name}" for name in _ANNOUNCED)

    @property
    def notice(self) -> str:
        """The topic of the signed study."""
        return self.announced[0]

    @property
    def closing(self) -> str:
        """The topic of the signed end of the study, once it was closed."""
        return self.announced[1]
