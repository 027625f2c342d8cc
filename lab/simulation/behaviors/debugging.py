"""Debugging: users who look for the cause of what is wrong, one question at a time.

Every try is a question to the program with a look at the answer; `note_failure()` comes after that look. Rests are
longer and acts fewer than in frustration, and what is not the cause is put back. Plain debugging asks the same question
again and again at one place and does nothing else: the user is sure that it is this value, this setting or this change.
"""

from collections.abc import Callable
from functools import partial

from lab.simulation.behaviors.behavior import EPISODE_S, PLAIN_S, Behavior, Scene, register
from lab.simulation.behaviors.common_acts import do_some_work, look, near, pick_points, point_at, read_further
from storage.records import State

_CHECK_S = 2.2
BEHAVIORS: list[Behavior] = []
_hunt = partial(register, BEHAVIORS, State.DEBUGGING, seconds=EPISODE_S)
_plain_hunt = partial(register, BEHAVIORS, State.DEBUGGING, plain=True, seconds=PLAIN_S)


def _aside(scene: Scene) -> None:
    """After some tries get on with something else for a moment; a cause is seldom hunted without a break."""
    user = scene.user
    if len(user.failures_ns) > 1 and user.has_time() and user.chance(0.15):
        do_some_work(scene)


def _put_back(scene: Scene, share: float) -> None:
    """Take back what was not the cause, most of the time: a try that failed leaves its trace."""
    if scene.user.chance(share):
        scene.program.undo(scene.user.rng.randint(1, 2))
        scene.user.think(0.6)


@_hunt("find the value that gives the wanted result", "explain how the value is used")
def one_value_at_a_time(scene: Scene) -> None:
    """Enter a value, study what it does, change a part of it, study again."""
    user, program = scene.user, scene.program
    program.enter_value()
    look(scene, 1.6)
    while user.has_time():
        user.note_failure()
        _aside(scene)
        program.revise_value()
        look(scene, _CHECK_S)
        if user.chance(0.3):
            point_at(user, pick_points(user, program.content_points(), 1, 2), 0.8)


@_hunt("find the step at which it broke", "point out the step that changed it")
def step_by_step_back(scene: Scene) -> None:
    """Go back one step at a time to see where it broke, then forward again."""
    user, program = scene.user, scene.program
    steps = program.change()
    while user.has_time():
        back = min(steps, user.rng.randint(1, 3))
        for _ in range(back):
            program.undo(1)
            user.think(0.9)
        user.think(0.8)
        user.note_failure()
        if user.chance(0.8):
            for _ in range(back):
                program.redo(1)
                user.think(0.4)
        else:
            steps = max(1, steps - back)
        _aside(scene)
        if len(user.failures_ns) > 1 and user.has_time() and user.chance(0.4):
            steps += program.change()
            look(scene, 1.2)


@_hunt("find the setting that causes the effect", "name the setting behind the effect")
def setting_and_check(scene: Scene) -> None:
    """Change one setting, confirm, look for the effect in the document, go back for the next."""
    user, program = scene.user, scene.program
    while user.has_time():
        program.open_dialog()
        user.think(0.5)
        program.use_dialog()
        program.leave_dialog(apply=user.chance(0.8))
        point_at(user, pick_points(user, program.content_points(), 1, 1), 1.1)
        user.note_failure()
        if user.chance(0.5):
            point_at(user, pick_points(user, program.content_points(), 1, 1), 1.0)
        _aside(scene)


@_hunt("find what differs from the brief", "point out the difference")
def compares_with_brief(scene: Scene) -> None:
    """Mend a small thing, hold the result against the brief, mend again."""
    user, program = scene.user, scene.program
    mend: Callable[[], None] = program.enter_value
    while user.has_time():
        mend()
        if user.chance(0.7):
            scene.helpers.open_brief()
            read_further(user, 1.2)
            scene.helpers.back_to_work()
        else:
            look(scene, 1.4)
        user.think(0.6)
        user.note_failure()
        _put_back(scene, 0.45)
        mend = user.rng.choice((program.revise_value, program.revise_value, program.adjust))


@_hunt("find out whether it is the place or the thing", "say what is special about the place")
def same_elsewhere(scene: Scene) -> None:
    """Try the same thing in another place to see whether it fails there too."""
    user, program = scene.user, scene.program
    while user.has_time():
        program.enter_value()
        look(scene, 1.4)
        user.note_failure()
        _put_back(scene, 0.7)
        program.page(user.rng.choice((1, -1)))
        point_at(user, pick_points(user, program.content_points(), 1, 1), 1.0)
        if user.has_time() and user.chance(0.35):
            program.overview()
            user.think(1.0)
        _aside(scene)


@_hunt("find which part is the cause", "point at the part that is the cause", held_out=True)
def searches_the_cause(scene: Scene) -> None:
    """Go over everything that could be the cause, item by item, and poke at a suspect now and then."""
    user, program = scene.user, scene.program
    while user.has_time():
        point_at(user, pick_points(user, program.content_points(), 1, 2), 0.8)
        if user.chance(0.5):
            user.hands.move(*near(user, user.rng.choice(program.tool_points()), reach=4))
            user.think(0.6)
        poke = user.rng.choice((program.adjust, program.drag, program.overview))
        poke()
        user.think(1.1)
        user.note_failure()
        if poke != program.overview:
            _put_back(scene, 0.7)
        if len(user.failures_ns) > 1:
            program.page(user.rng.choice((1, 1, -1)))
            user.think(1.4)


@_hunt("rule out causes one by one", "name the likeliest cause and its remedy", held_out=True)
def rules_things_out(scene: Scene) -> None:
    """Try one general remedy after the other, each followed by a look at the same spot."""
    user, program = scene.user, scene.program
    spot = user.rng.choice(program.content_points())

    def other_settings() -> None:
        program.open_dialog()
        user.think(0.8)
        program.use_dialog()
        program.leave_dialog(apply=False)

    def moved() -> None:
        program.drag()
        user.think(0.8)
        _put_back(scene, 0.8)

    remedies = [program.save, program.overview, moved, program.repeat_useful, other_settings]
    user.rng.shuffle(remedies)
    number = 0
    while user.has_time():
        remedies[number % len(remedies)]()
        number += 1
        user.hands.move(*near(user, spot))
        user.think(_CHECK_S)
        user.note_failure()
        if user.chance(0.2):
            scene.program.page(1)
            scene.program.page(-1)


@_plain_hunt("find the value that gives the wanted result", "explain how the value is used")
def one_value_to_and_fro(scene: Scene) -> None:
    """Enter a value, look what it does, and change it at the same place; then change it again."""
    user, program = scene.user, scene.program
    program.enter_value()
    user.think(1.2)
    while user.has_time():
        program.revise_value()
        user.think(1.2)
        user.note_failure()
        user.think(0.6)


@_plain_hunt("find how this has to be set", "say what the setting acts on")
def same_setting_again(scene: Scene) -> None:
    """Set something in a dialog, see that it is not right, go back to the same dialog and set it otherwise."""
    user, program = scene.user, scene.program
    while user.has_time():
        program.open_dialog()
        program.use_dialog()
        program.leave_dialog(apply=True)
        user.think(1.3)
        user.note_failure()


@_plain_hunt("find the change that mends it", "name the likeliest cause")
def one_change_after_another(scene: Scene) -> None:
    """Change one thing, look at the spot that matters, take the change back and try the next."""
    user, program = scene.user, scene.program
    spot = user.rng.choice(program.content_points())
    while user.has_time():
        steps = program.change()
        user.hands.move(*near(user, spot))
        user.think(1.3)
        user.note_failure()
        program.undo(steps)
        user.think(0.7)


@_plain_hunt("see what makes it look wrong", "say what else has to be set with it")
def puts_it_on_and_off(scene: Scene) -> None:
    """Put one thing on, look, put it off, look, and on again: neither is right."""
    user, program = scene.user, scene.program
    anew = True
    while user.has_time():
        for _ in range(2 * user.rng.randint(1, 2)):
            program.toggle(anew=anew)
            anew = False
            user.think(0.7)
        user.note_failure()
        user.think(1.2)
        anew = user.chance(0.15)
