"""Improvised: users who hunt for the cause of what is wrong.

Debugging asks one question at a time: a thought, one change, a look at the result, and what was not it is put back; the
hunt narrows down. A try has failed once the answer was seen.
"""

from collections.abc import Callable
from functools import partial

from lab.simulation.behaviors.behavior import Behavior, Scene, register
from lab.simulation.behaviors.common_acts import do_some_work, near
from lab.simulation.behaviors.improvised.style import Style
from storage.records import State

_PATIENCE = 2
BEHAVIORS: list[Behavior] = []
_hunt = partial(register, BEHAVIORS, State.DEBUGGING, seconds=(24.0, 60.0), weight=1.5)


class Questions:
    """One occurrence's way of asking a program: what is changed, how the result is looked at, what is put back."""

    def __init__(self, scene: Scene, style: Style) -> None:
        """Draw how much is put back and in what way results are looked at."""
        self._scene, self._user, self._program, self._style = scene, scene.user, scene.program, style
        rng = self._rng = scene.user.rng
        self._puts_back = rng.uniform(0.5, 1.0)
        self._changed = self._entered = False
        self._places = list(scene.program.content_points())
        rng.shuffle(self._places)
        looks = (
            self._at_places,
            self._at_places,
            style.along_a_line,
            style.turn_wheel,
            self._there_and_back,
            self._still,
        )
        self._looks = rng.sample(looks, rng.randint(1, 3))

    def all(self) -> list[Callable[[], int]]:
        """Return every kind of question; each returns how many undos put it back."""
        return [self.value, self.other_value, self._program.change, self.setting, self.back]

    def value(self) -> int:
        """Put in a value to see what comes of it."""
        self._program.enter_value()
        self._changed = self._entered = True
        return 1

    def other_value(self) -> int:
        """Put in the value before with one part of it changed."""
        if not self._entered:
            return self.value()
        self._program.revise_value()
        return 1

    def setting(self) -> int:
        """Change one setting and confirm it; it is put back in the dialog, if at all."""
        self._program.open_dialog()
        self._program.use_dialog()
        self._program.leave_dialog(apply=self._user.chance(0.8))
        return 0

    def back(self) -> int:
        """Go back a step to see whether it was that, and forward again; where nothing was done yet, do something."""
        steps = self._rng.randint(1, 2)
        if not self._changed:
            steps = self._program.change()
            self._changed = True
        self._program.undo(steps)
        self._style.rest(0.8)
        self._program.redo(steps)
        return 0

    def look(self) -> None:
        """Look at the result in one of this occurrence's ways."""
        self._rng.choice(self._looks)()
        self._style.rest(0.4)

    def put_back(self, steps: int) -> None:
        """Put back what was not it, mostly."""
        if steps and self._user.chance(self._puts_back):
            self._program.undo(steps)
            self._style.rest(0.5)

    def narrow(self) -> None:
        """Leave out a place that is not suspected any more."""
        if len(self._places) > 1:
            self._places.pop()

    def _at_places(self) -> None:
        for place in self._rng.sample(self._places, min(len(self._places), self._rng.randint(1, 2))):
            self._user.hands.move(*near(self._user, place, reach=16))
            self._user.think(0.7)

    def _there_and_back(self) -> None:
        self._program.page(1)
        self._style.rest(0.7)
        self._program.page(-1)

    def _still(self) -> None:
        self._user.hands.pause(self._user.rng.uniform(1.2, 3.0), "looking")


def _pause_in_hunt(scene: Scene, style: Style, share: float) -> None:
    """After some failures now and then do something else for a moment, or think it over."""
    user = scene.user
    if len(user.failures_ns) >= _PATIENCE and user.has_time() and user.chance(share):
        user.rng.choice((lambda: do_some_work(scene), lambda: style.rest(3.5), style.leaf))()


@_hunt("find what this depends on", "explain what it depends on")
def asks_one_kind(scene: Scene) -> None:
    """Keep to one kind of question and learn a little from each answer."""
    user, style = scene.user, Style(scene)
    questions = Questions(scene, style)
    ask = user.rng.choice(questions.all())
    thinks_s, pauses = user.rng.uniform(0.3, 1.8), user.rng.uniform(0.0, 0.25)
    while user.has_time():
        steps = ask()
        questions.look()
        user.note_failure()
        questions.put_back(steps)
        questions.narrow()
        style.rest(thinks_s if len(user.failures_ns) >= _PATIENCE else 0.5)
        _pause_in_hunt(scene, style, pauses)


@_hunt("find which of a few things is the cause", "name the likeliest cause")
def suspect_by_suspect(scene: Scene) -> None:
    """Go through a few suspects in order, one change each; then once more through those that are left."""
    user, style = scene.user, Style(scene)
    questions = Questions(scene, style)
    suspects = user.rng.sample(questions.all(), user.rng.randint(2, 4))
    thinks_s, pauses = user.rng.uniform(0.4, 1.5), user.rng.uniform(0.0, 0.2)
    while user.has_time():
        for ask in tuple(suspects):
            if not user.has_time():
                return
            steps = ask()
            questions.look()
            user.note_failure()
            questions.put_back(steps)
            style.rest(thinks_s if len(user.failures_ns) >= _PATIENCE else 0.5)
            if len(suspects) > 1 and user.chance(0.3):
                suspects.remove(ask)
        questions.narrow()
        _pause_in_hunt(scene, style, pauses)


@_hunt("find the step at which it broke", "point out the step that changed it")
def halves_what_is_left(scene: Scene) -> None:
    """Make some changes, take back half of them, look, and go on with the half in which it must be."""
    user, program, style = scene.user, scene.program, Style(scene)
    questions = Questions(scene, style)
    steps = program.change()
    if user.chance(0.5):
        steps += program.change()
    while user.has_time():
        half = max(1, steps // 2)
        program.undo(half)
        questions.look()
        user.note_failure()
        if user.chance(0.5):
            program.redo(half)
            style.rest(0.7)
        else:
            steps -= half
        if user.has_time() and steps <= 1:
            steps += program.change()
        _pause_in_hunt(scene, style, 0.15)


@_hunt("understand why the result is not as meant", "explain how the result comes about")
def checks_after_each(scene: Scene) -> None:
    """Think for long, change one thing, check it in two ways, put it back, think again."""
    user, style = scene.user, Style(scene)
    questions = Questions(scene, style)
    kinds = user.rng.sample(questions.all(), user.rng.randint(1, 3))
    checks, thinks_s = user.rng.randint(1, 2), user.rng.uniform(1.0, 2.4)
    while user.has_time():
        steps = user.rng.choice(kinds)()
        for _ in range(checks if len(user.failures_ns) >= _PATIENCE else 1):
            questions.look()
        user.note_failure()
        questions.put_back(steps)
        style.rest(thinks_s if len(user.failures_ns) >= _PATIENCE else 0.7)
        _pause_in_hunt(scene, style, 0.1)


@_hunt("get an idea of the cause", "point at the part that is the cause")
def looks_it_over_between(scene: Scene) -> None:
    """Ask, look, and go over the surroundings for a new idea before the next question."""
    user, style = scene.user, Style(scene)
    questions = Questions(scene, style)
    kinds = user.rng.sample(questions.all(), user.rng.randint(1, 3))
    ideas = style.mix(
        (style.along_a_line, style.look_into_menus, style.leaf, style.turn_wheel), fewest=1, most=2, rest_s=0.8, run=1
    )
    searches = user.rng.uniform(0.2, 0.7)
    while user.has_time():
        steps = user.rng.choice(kinds)()
        questions.look()
        user.note_failure()
        questions.put_back(steps)
        if user.has_time() and len(user.failures_ns) >= _PATIENCE and user.chance(searches):
            ideas.do_run()
            questions.narrow()
        style.rest(0.8)
