"""Improvised: people who are stuck and angry, and keep coming back to the same thing without a plan.

Every failed try leaves something that can be seen: it is taken back, done over, left without effect or without an
answer. The second one mostly fails 5 to 16 s after the start.
"""

from collections.abc import Callable

from evaluation.simulation.behaviors.behavior import Behavior, Need, Scene
from evaluation.simulation.behaviors.habits import close_menus, go_down, near, open_menu, work_a_little
from evaluation.simulation.behaviors.improvised.manner import Manner
from storage.records import State

Try = Callable[[int], None]
"""One try in vain; the number says how often this has been tried before, and anger grows with it."""

_PATIENCE = 2


class Tries:
    """One occurrence's tries in vain: where they go, how angry the pace is, how they grow."""

    def __init__(self, scene: Scene, own: Manner) -> None:
        """Draw the targets, the pace and the growth."""
        actor = self._actor = scene.actor
        self._program, self._own, self._rng = scene.program, own, actor.rng
        self._pace = actor.rng.uniform(0.6, 1.2) * (1.3 - 0.8 * actor.temperament.temper)
        self._growth = actor.rng.uniform(0.0, 1.2)
        self._target = actor.rng.choice(scene.program.dead_points())
        self._title = actor.rng.choice(scene.program.menu_points())

    def gap(self, median_s: float) -> None:
        """Leave a short angry gap."""
        self._actor.hands.wait(self._actor.hands.about(median_s * self._pace))

    def all(self) -> list[Try]:
        """Return every way of trying in vain."""
        return [
            self.clicks,
            self.menu,
            self.change,
            self.value,
            self.pull,
            self.dialog,
            self.click_and_menu,
            self.words,
        ]

    def clicks(self, number: int) -> None:
        """Click on what does not answer, more often each time."""
        for _ in range(self._rng.randint(1, 3) + int(min(number, 4) * self._growth)):
            self._actor.hands.click(*near(self._actor, self._target, reach=10))
            self.gap(0.4)

    def menu(self, number: int) -> None:
        """Look in the menu where it ought to be; it still is not there."""
        go_down(self._actor, open_menu(self._actor, self._program, self._title), self._rng.randint(1, 3), 0.3)
        close_menus(self._actor, self._program)
        if number and self._actor.chance(0.25):
            self._title = self._rng.choice(self._program.menu_points())

    def change(self, number: int) -> None:
        """Make a change that comes out wrong and take it back, sometimes with more than was wanted."""
        steps = self._program.change()
        self.gap(0.9)
        self._program.undo(steps + (self._own.once_too_far() if number else 0))

    def value(self, number: int) -> None:
        """Put in what is not taken, wipe it out or put it in over again."""
        if number and self._actor.chance(0.4):
            self._program.revise_value()
        else:
            self._program.enter_value()
        self.gap(0.8)
        if number < _PATIENCE or self._actor.chance(0.6):
            self._program.undo(1)

    def pull(self, number: int) -> None:
        """Pull at something, see it in the wrong place, take it back."""
        self._program.drag()
        self.gap(0.7)
        self._program.undo(1)
        if number >= _PATIENCE and self._actor.chance(0.3):
            self._program.drag()
            self._program.undo(1)

    def dialog(self, _number: int) -> None:
        """Go into the dialog, find nothing that helps, throw it away."""
        self._program.open_dialog()
        if self._actor.chance(0.6):
            self._program.use_dialog()
        self._program.leave_dialog(apply=False)
        self.gap(0.8)

    def click_and_menu(self, number: int) -> None:
        """Click on what does not answer, then look for it in a menu."""
        self._actor.hands.click(*near(self._actor, self._target, reach=10))
        self.gap(0.5)
        self.menu(number)

    def words(self, number: int) -> None:
        """Make something with more effort and throw it away again."""
        (self._program.compose if number >= _PATIENCE else self._program.enter_value)()
        self.gap(0.6)
        self._program.undo(self._rng.randint(1, 2))


def _at_a_loss(scene: Scene, own: Manner, share: float) -> None:
    """After the first failures now and then rest, look about or do something else, and come back to it."""
    actor = scene.actor
    if len(actor.failures_ns) < _PATIENCE or not actor.has_time() or not actor.chance(share):
        return
    kind = actor.rng.choice(("rest", "rest", "leaf", "work", "drift"))
    if kind == "rest":
        actor.hands.pause(actor.rng.uniform(1.5, 5.5), "at a loss")
    elif kind == "leaf":
        own.leaf()
    elif kind == "work":
        work_a_little(scene)
    else:
        actor.wander(actor.rng.randint(1, 3), reach=220)


# ---------------------------------------------------------------------- frustration


def comes_back_to_it(scene: Scene) -> None:
    """Try the one thing again and again, with a stab at something else in between, and come back to it."""
    actor, own = scene.actor, Manner(scene)
    tries = Tries(scene, own)
    main, *others = actor.rng.sample(tries.all(), actor.rng.randint(2, 3))
    faith, asides, rest_s = actor.rng.uniform(0.5, 0.95), actor.rng.uniform(0.05, 0.3), actor.rng.uniform(0.5, 1.6)
    while actor.has_time():
        way = main if actor.chance(faith) else actor.rng.choice(others)
        way(len(actor.failures_ns))
        actor.failed()
        own.rest(rest_s)
        _at_a_loss(scene, own, asides)


def tries_one_then_another(scene: Scene) -> None:
    """Try one thing a few times in a row, then another, then the first again, with no plan in it."""
    actor, own = scene.actor, Manner(scene)
    tries = Tries(scene, own)
    ways = actor.rng.sample(tries.all(), actor.rng.randint(2, 5))
    longest, asides = actor.rng.randint(1, 3), actor.rng.uniform(0.05, 0.25)
    while actor.has_time():
        way = actor.rng.choice(ways)
        for number in range(actor.rng.randint(1, longest)):
            if not actor.has_time():
                return
            way(number)
            actor.failed()
            tries.gap(0.9)
        own.rest(0.8)
        _at_a_loss(scene, own, asides)


def gives_up_and_starts_again(scene: Scene) -> None:
    """Begin, spoil it, throw it all away, sit there, and begin the same thing over."""
    actor, program, own = scene.actor, scene.program, Manner(scene)
    tries = Tries(scene, own)

    def value() -> int:
        program.enter_value()
        return 1

    def pull() -> int:
        program.drag()
        return 1

    beginnings = actor.rng.sample((value, pull, program.change), actor.rng.randint(1, 2))
    spoils = actor.rng.choice((tries.clicks, tries.menu, tries.click_and_menu))
    fuss, sits_s = actor.rng.uniform(0.1, 0.6), actor.rng.uniform(0.8, 3.0)
    while actor.has_time():
        steps = 0
        for _ in range(1 if len(actor.failures_ns) < _PATIENCE else actor.rng.randint(1, 2)):
            steps += actor.rng.choice(beginnings)()
            tries.gap(0.6)
        if len(actor.failures_ns) >= _PATIENCE and actor.chance(fuss):
            spoils(1)
        program.undo(steps + own.once_too_far())
        tries.gap(0.6)
        actor.failed()
        own.rest(sits_s)


def flares_and_slumps(scene: Scene) -> None:
    """Try twice or thrice in anger, sink back, flare up again."""
    actor, own = scene.actor, Manner(scene)
    tries = Tries(scene, own)
    ways = actor.rng.sample(tries.all(), actor.rng.randint(1, 3))
    flare, slump_s = actor.rng.randint(2, 3), actor.rng.uniform(2.0, 5.0)
    while actor.has_time():
        for number in range(actor.rng.randint(2, flare)):
            if not actor.has_time():
                return
            actor.rng.choice(ways)(number + 1)
            actor.failed()
            tries.gap(0.6)
        actor.hands.pause(min(actor.hands.about(slump_s), 8.0), "at a loss")
        if actor.chance(actor.temperament.fidget):
            actor.wander(actor.rng.randint(1, 2), reach=200)


def harder_each_time(scene: Scene) -> None:
    """Do the same with more force each time, drop it, and take up another thing in the same way."""
    actor, own = scene.actor, Manner(scene)
    tries = Tries(scene, own)
    ways = actor.rng.sample(tries.all(), 2)
    drops, number = actor.rng.uniform(0.1, 0.35), 0
    while actor.has_time():
        for _ in range(1 + min(number // 2, 2)):
            ways[0](number)
            tries.gap(0.3)
            if not actor.has_time():
                break
        actor.failed()
        own.rest(1.2 / (1.0 + 0.2 * number))
        number += 1
        if number >= _PATIENCE and actor.chance(drops):
            ways.reverse()
            number = 1


def _stuck(act: Callable[[Scene], None], intent: str, fitting: str) -> Behavior:
    return Behavior(
        name=act.__name__,
        state=State.FRUSTRATION,
        act=act,
        intent=intent,
        help=fitting,
        need=Need.AFTER_FAILURES,
        seconds=(24.0, 60.0),
        weight=2.4,
    )


BEHAVIORS = (
    _stuck(comes_back_to_it, "get this one thing to work", "say what it is waiting for or how it is done"),
    _stuck(tries_one_then_another, "get past what is in the way", "name the one way that works here"),
    _stuck(gives_up_and_starts_again, "get it done as meant from the start", "show the steps in their order"),
    _stuck(flares_and_slumps, "find any way on", "offer a next step"),
    _stuck(harder_each_time, "make it do what it should", "say why it does not react to this"),
)
