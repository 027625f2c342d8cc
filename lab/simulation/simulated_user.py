"""The simulated user: a persona that acts out behaviors, never sees the assistant and never waits for it."""

from demo.virtual_desktop.hands import Hands, ScriptLog
from demo.virtual_desktop.user import ScriptedUser
from demo.virtual_desktop.windows import Windows
from lab.simulation.persona import Persona
from storage.clock import NS_PER_S, Clock


class SimulatedUser(ScriptedUser):
    """Does what a behavior says, in the pace and with the habits of a persona."""

    def __init__(self, hands: Hands, windows: Windows, log: ScriptLog, *, clock: Clock, persona: Persona) -> None:
        """Take on `persona`; all other variation comes from the random numbers of the hands."""
        super().__init__(hands, windows, log, clock=clock)
        hands.tempo = persona.hand
        self.persona = persona
        self.rate = persona.keys_per_s
        self.slips = persona.slips
        self._end_ns = 0
        self.failures_ns: list[int] = []

    def begin(self, seconds: float) -> None:
        """Start a behavior that is to last about so long."""
        self._end_ns = self.clock.now_ns() + int(seconds * NS_PER_S)
        self.failures_ns = []

    def has_time(self) -> bool:
        """Return whether the behavior is to go on; ask before each step, and keep steps under about eight seconds."""
        return self.clock.now_ns() < self._end_ns

    def seconds_left(self) -> float:
        """Return how much of the behavior's time is left, 0 when it is over."""
        return max(0, self._end_ns - self.clock.now_ns()) / NS_PER_S

    def note_failure(self) -> None:
        """Note that what was just tried has failed in this user's eyes."""
        self.failures_ns.append(self.log.write("failed"))

    def think(self, median_s: float, spread: float = 0.5) -> None:
        """Rest for about `median_s` (log-normal, times the persona's factor); some fidget with the pointer."""
        seconds = min(self.hands.about(median_s * self.persona.pause, spread), 6.0 * median_s)
        if seconds > 1.0 and self.chance(self.persona.fidget):
            self.wander(1)
            seconds *= 0.6
        self.hands.pause(seconds, "thinking")

    def wander(self, moves: int, *, reach: int = 160) -> None:
        """Move the pointer about where it is, without purpose."""
        for _ in range(moves):
            x, y = self.hands.at
            wanted = (x + self.rng.randint(-reach, reach), y + self.rng.randint(-reach // 2, reach // 2))
            self.hands.move(min(max(wanted[0], 60), 1860), min(max(wanted[1], 60), 1000))
            self.hands.wait(self.hands.about(0.3))

    def by_key(self) -> bool:
        """Return whether this user does it by shortcut this time, where there are two ways."""
        return self.chance(self.persona.keyboard)

    def count(self, fewest: int, most: int) -> int:
        """Return a number between the two, larger for hot tempers."""
        lean = 0.5 + self.persona.temper
        return min(most, max(fewest, round(fewest + (most - fewest) * self.rng.random() * lean)))
