"""Improvised: users who are stuck and angry, and keep coming back to the same thing without a plan.

Every failed try leaves something that can be seen: it is undone, done over, left without effect or without an answer.
The second one mostly fails 5 to 16 s after the start.
"""

from collections.abc import Callable
from functools import partial

from lab.simulation.behaviors.behavior import Behavior, Scene, register
from lab.simulation.behaviors.common_acts import close_menus, do_some_work, hover_entries, near, open_menu
from lab.simulation.behaviors.improvised.style import Style
from storage.records import State

Try = Callable[[int], None]
_PATIENCE = 2
BEHAVIORS: list[Behavior] = []
_stuck = partial(register, BEHAVIORS, State.FRUSTRATION, seconds=(24.0, 60.0), weight=2.4)


class Tries:
    """One occurrence's tries in vain: where they go, how angry the pace is, how they grow."""

    def __init__(self, scene: Scene, style: Style) -> None:
        """Draw the targets, the pace and the growth."""
        user = self._user = scene.user
        self._program, self._style, self._rng = scene.program, style, user.rng
        self._pace = user.rng.uniform(0.6, 1.2) * (1.3 - 0.8 * user.persona.temper)
        self._growth = user.rng.uniform(0.0, 1.2)
        self._target = user.rng.choice(scene.program.dead_points())
        self._title = user.rng.choice(scene.program.menu_points())

    def gap(self, median_s: float) -> None:
        """Leave a short angry gap."""
        self._user.hands.wait(self._user.hands.about(median_s * self._pace))

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
            self._user.hands.click(*near(self._user, self._target, reach=10))
            self.gap(0.4)

    def menu(self, number: int) -> None:
        """Look in the menu where it ought to be; it still is not there."""
        hover_entries(self._user, open_menu(self._user, self._program, self._title), self._rng.randint(1, 3), 0.3)
        close_menus(self._user, self._program)
        if number and self._user.chance(0.25):
            self._title = self._rng.choice(self._program.menu_points())

    def change(self, number: int) -> None:
        """Make a change that comes out wrong and take it back, sometimes with more than was wanted."""
        steps = self._program.change()
        self.gap(0.9)
        self._program.undo(steps + (self._style.once_too_far() if number else 0))

    def value(self, number: int) -> None:
        """Put in what is not taken, wipe it out or put it in over again."""
        if number and self._user.chance(0.4):
            self._program.revise_value()
        else:
            self._program.enter_value()
        self.gap(0.8)
        if number < _PATIENCE or self._user.chance(0.6):
            self._program.undo(1)

    def pull(self, number: int) -> None:
        """Pull at something, see it in the wrong place, take it back."""
        self._program.drag()
        self.gap(0.7)
        self._program.undo(1)
        if number >= _PATIENCE and self._user.chance(0.3):
            self._program.drag()
            self._program.undo(1)

    def dialog(self, _number: int) -> None:
        """Go into the dialog, find nothing that helps, throw it away."""
        self._program.open_dialog()
        if self._user.chance(0.6):
            self._program.use_dialog()
        self._program.leave_dialog(apply=False)
        self.gap(0.8)

    def click_and_menu(self, number: int) -> None:
        """Click on what does not answer, then look for it in a menu."""
        self._user.hands.click(*near(self._user, self._target, reach=10))
        self.gap(0.5)
        self.menu(number)

    def words(self, number: int) -> None:
        """Make something with more effort and throw it away again."""
        (self._program.compose if number >= _PATIENCE else self._program.enter_value)()
        self.gap(0.6)
        self._program.undo(self._rng.randint(1, 2))


def _at_a_loss(scene: Scene, style: Style, share: float) -> None:
    """After the first failures now and then rest, look about or do something else, and come back to it."""
    user = scene.user
    if len(user.failures_ns) < _PATIENCE or not user.has_time() or not user.chance(share):
        return
    kind = user.rng.choice(("rest", "rest", "leaf", "work", "drift"))
    if kind == "rest":
        user.hands.pause(user.rng.uniform(1.5, 5.5), "at a loss")
    elif kind == "leaf":
        style.leaf()
    elif kind == "work":
        do_some_work(scene)
    else:
        user.wander(user.rng.randint(1, 3), reach=220)


@_stuck("get this one thing to work", "say what it is waiting for or how it is done")
def comes_back_to_it(scene: Scene) -> None:
    """Try the one thing again and again, with a stab at something else in between, and come back to it."""
    user, style = scene.user, Style(scene)
    tries = Tries(scene, style)
    main, *others = user.rng.sample(tries.all(), user.rng.randint(2, 3))
    faith, asides, rest_s = user.rng.uniform(0.5, 0.95), user.rng.uniform(0.05, 0.3), user.rng.uniform(0.5, 1.6)
    while user.has_time():
        way = main if user.chance(faith) else user.rng.choice(others)
        way(len(user.failures_ns))
        user.note_failure()
        style.rest(rest_s)
        _at_a_loss(scene, style, asides)


@_stuck("get past what is in the way", "name the one way that works here")
def tries_one_then_another(scene: Scene) -> None:
    """Try one thing a few times in a row, then another, then the first again, with no plan in it."""
    user, style = scene.user, Style(scene)
    tries = Tries(scene, style)
    ways = user.rng.sample(tries.all(), user.rng.randint(2, 5))
    longest, asides = user.rng.randint(1, 3), user.rng.uniform(0.05, 0.25)
    while user.has_time():
        way = user.rng.choice(ways)
        for number in range(user.rng.randint(1, longest)):
            if not user.has_time():
                return
            way(number)
            user.note_failure()
            tries.gap(0.9)
        style.rest(0.8)
        _at_a_loss(scene, style, asides)


@_stuck("get it done as meant from the start", "show the steps in their order")
def gives_up_and_starts_again(scene: Scene) -> None:
    """Begin, spoil it, throw it all away, sit there, and begin the same thing over."""
    user, program, style = scene.user, scene.program, Style(scene)
    tries = Tries(scene, style)

    def value() -> int:
        program.enter_value()
        return 1

    def pull() -> int:
        program.drag()
        return 1

    beginnings = user.rng.sample((value, pull, program.change), user.rng.randint(1, 2))
    spoils = user.rng.choice((tries.clicks, tries.menu, tries.click_and_menu))
    fuss, sits_s = user.rng.uniform(0.1, 0.6), user.rng.uniform(0.8, 3.0)
    while user.has_time():
        steps = 0
        for _ in range(1 if len(user.failures_ns) < _PATIENCE else user.rng.randint(1, 2)):
            steps += user.rng.choice(beginnings)()
            tries.gap(0.6)
        if len(user.failures_ns) >= _PATIENCE and user.chance(fuss):
            spoils(1)
        program.undo(steps + style.once_too_far())
        tries.gap(0.6)
        user.note_failure()
        style.rest(sits_s)


@_stuck("find any way on", "offer a next step")
def flares_and_slumps(scene: Scene) -> None:
    """Try twice or thrice in anger, sink back, flare up again."""
    user, style = scene.user, Style(scene)
    tries = Tries(scene, style)
    ways = user.rng.sample(tries.all(), user.rng.randint(1, 3))
    flare, slump_s = user.rng.randint(2, 3), user.rng.uniform(2.0, 5.0)
    while user.has_time():
        for number in range(user.rng.randint(2, flare)):
            if not user.has_time():
                return
            user.rng.choice(ways)(number + 1)
            user.note_failure()
            tries.gap(0.6)
        user.hands.pause(min(user.hands.about(slump_s), 8.0), "at a loss")
        if user.chance(user.persona.fidget):
            user.wander(user.rng.randint(1, 2), reach=200)


@_stuck("make it do what it should", "say why it does not react to this")
def harder_each_time(scene: Scene) -> None:
    """Do the same with more force each time, drop it, and take up another thing in the same way."""
    user, style = scene.user, Style(scene)
    tries = Tries(scene, style)
    ways = user.rng.sample(tries.all(), 2)
    drops, number = user.rng.uniform(0.1, 0.35), 0
    while user.has_time():
        for _ in range(1 + min(number // 2, 2)):
            ways[0](number)
            tries.gap(0.3)
            if not user.has_time():
                break
        user.note_failure()
        style.rest(1.2 / (1.0 + 0.2 * number))
        number += 1
        if number >= _PATIENCE and user.chance(drops):
            ways.reverse()
            number = 1
