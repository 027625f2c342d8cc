"""How one person goes about one task: the pace of the tries, and what lies between them.

Real trouble is mostly quiet: five to ten seconds between tries, no undo, one wrong idea pursued calmly. So two of
three occurrences are quiet, and the others as brisk as the persona's temper.
"""

from demo.virtual_desktop.windows import Point
from lab.simulation.simulated_user import SimulatedUser
from lab.simulation.tasks.task import TaskScene

QUIET = 0.65
"""Share of occurrences that are quiet."""

_QUIET_S = (3.5, 8.0)
_BRISK_S = (0.8, 2.5)
_LONGEST_S = 12.0


class Rhythm:
    """One occurrence's pace, drawn when made."""

    def __init__(self, scene: TaskScene) -> None:
        """Draw all there is to draw from the user's random numbers."""
        user = scene.user
        self._scene, self._user, self._rng = scene, user, user.rng
        self.quiet = user.chance(QUIET)
        self._gap_s = self._rng.uniform(*(_QUIET_S if self.quiet else _BRISK_S)) * user.persona.pause**0.5
        self._drifts = self._rng.uniform(0.0, 0.5)
        self._looks_over = self._rng.uniform(0.0, 0.25)

    def gap(self, factor: float = 1.0) -> None:
        """Rest between two tries: look at the answer, point at things, now and then move through the view."""
        user = self._user
        seconds = min(user.hands.about(self._gap_s * factor, 0.4), _LONGEST_S)
        if user.chance(self._looks_over):
            self._scene.program.look_over()
            seconds *= 0.6
        if user.chance(self._drifts):
            user.hands.move(*near(user, self._rng.choice(list(self._scene.program.places())), reach=20))
            seconds *= 0.7
        user.hands.pause(max(0.3, seconds), "looking at the answer")

    def short(self) -> None:
        """Rest as in fluent work."""
        self._user.think(0.6)


def near(user: SimulatedUser, point: Point, *, reach: int = 10) -> Point:
    """Return a place close to a point: no hand hits the same pixel twice."""
    return point[0] + user.rng.randint(-reach, reach), point[1] + user.rng.randint(-reach // 2, reach // 2)


def point_at_places(scene: TaskScene, most: int) -> None:
    """Point at up to `most` places of the program, one after the other, and look at each."""
    user = scene.user
    for _ in range(user.rng.randint(1, most)):
        if user.has_time():
            user.hands.move(*near(user, user.rng.choice(list(scene.program.places()))))
            user.think(0.9)


def rest(user: SimulatedUser, shortest_s: float, longest_s: float, why: str) -> None:
    """Read or think for so long, with the hands off everything, and hardly beyond the course's end."""
    user.hands.pause(min(user.rng.uniform(shortest_s, longest_s), user.seconds_left() + 0.5), why)


def read_brief(scene: TaskScene, shortest_s: float, longest_s: float) -> None:
    """Look into the brief, in its own window, and come back."""
    scene.helpers.open_brief()
    rest(scene.user, shortest_s, longest_s, "reading")
    scene.helpers.back_to_work()
