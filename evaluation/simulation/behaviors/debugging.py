"""Debugging: people who look for the cause of what is wrong, one question at a time.

Every try is a question to the program with a look at the answer; `actor.failed()` comes after that look. Rests are
longer and acts fewer than in frustration, and what is not the cause is put back.
"""

from collections.abc import Callable

from evaluation.simulation.behaviors.behavior import Behavior, Need, Scene
from evaluation.simulation.behaviors.habits import look, near, point_at, read_on, some, work_a_little
from storage.records import State

_EPISODE_S = (30.0, 80.0)
_CHECK_S = 2.2


def _aside(scene: Scene) -> None:
    """After some tries get on with something else for a moment; a cause is seldom hunted without a break."""
    actor = scene.actor
    if len(actor.failures_ns) > 1 and actor.has_time() and actor.chance(0.15):
        work_a_little(scene)


def _put_back(scene: Scene, share: float) -> None:
    """Take back what was not the cause, most of the time: a try that failed leaves its trace."""
    if scene.actor.chance(share):
        scene.program.undo(scene.actor.rng.randint(1, 2))
        scene.actor.think(0.6)


def one_value_at_a_time(scene: Scene) -> None:
    """Enter a value, study what it does, change a part of it, study again."""
    actor, program = scene.actor, scene.program
    program.enter_value()
    look(scene, 1.6)
    while actor.has_time():
        actor.failed()
        _aside(scene)
        program.revise_value()
        look(scene, _CHECK_S)
        if actor.chance(0.3):
            point_at(actor, some(actor, program.content_points(), 1, 2), 0.8)


def step_by_step_back(scene: Scene) -> None:
    """Go back one step at a time to see where it broke, then forward again."""
    actor, program = scene.actor, scene.program
    steps = program.change()
    while actor.has_time():
        back = min(steps, actor.rng.randint(1, 3))
        for _ in range(back):
            program.undo(1)
            actor.think(0.9)
        actor.think(0.8)
        actor.failed()
        if actor.chance(0.8):
            for _ in range(back):
                program.redo(1)
                actor.think(0.4)
        else:
            steps = max(1, steps - back)
        _aside(scene)
        if len(actor.failures_ns) > 1 and actor.has_time() and actor.chance(0.4):
            steps += program.change()
            look(scene, 1.2)


def setting_and_check(scene: Scene) -> None:
    """Change one setting, confirm, look for the effect in the document, go back for the next."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        program.open_dialog()
        actor.think(0.5)
        program.use_dialog()
        program.leave_dialog(apply=actor.chance(0.8))
        point_at(actor, some(actor, program.content_points(), 1, 1), 1.1)
        actor.failed()
        if actor.chance(0.5):
            point_at(actor, some(actor, program.content_points(), 1, 1), 1.0)
        _aside(scene)


def compares_with_brief(scene: Scene) -> None:
    """Mend a small thing, hold the result against the brief, mend again."""
    actor, program = scene.actor, scene.program
    mend: Callable[[], None] = program.enter_value
    while actor.has_time():
        mend()
        if actor.chance(0.7):
            scene.helpers.open_brief()
            read_on(actor, 1.2)
            scene.helpers.back_to_work()
        else:
            look(scene, 1.4)
        actor.think(0.6)
        actor.failed()
        _put_back(scene, 0.45)
        mend = actor.rng.choice((program.revise_value, program.revise_value, program.adjust))


def same_elsewhere(scene: Scene) -> None:
    """Try the same thing in another place to see whether it fails there too."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        program.enter_value()
        look(scene, 1.4)
        actor.failed()
        _put_back(scene, 0.7)
        program.page(actor.rng.choice((1, -1)))
        point_at(actor, some(actor, program.content_points(), 1, 1), 1.0)
        if actor.has_time() and actor.chance(0.35):
            program.overview()
            actor.think(1.0)
        _aside(scene)


# ---------------------------------------------------------------------- held out


def searches_the_cause(scene: Scene) -> None:
    """Go over everything that could be the cause, item by item, and poke at a suspect now and then."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        point_at(actor, some(actor, program.content_points(), 1, 2), 0.8)
        if actor.chance(0.5):
            actor.hands.move(*near(actor, actor.rng.choice(program.tool_points()), reach=4))
            actor.think(0.6)
        poke = actor.rng.choice((program.adjust, program.drag, program.overview))
        poke()
        actor.think(1.1)
        actor.failed()
        if poke != program.overview:
            _put_back(scene, 0.7)
        if len(actor.failures_ns) > 1:
            program.page(actor.rng.choice((1, 1, -1)))
            actor.think(1.4)


def rules_things_out(scene: Scene) -> None:
    """Try one general remedy after the other, each followed by a look at the same spot."""
    actor, program = scene.actor, scene.program
    spot = actor.rng.choice(program.content_points())

    def other_settings() -> None:
        program.open_dialog()
        actor.think(0.8)
        program.use_dialog()
        program.leave_dialog(apply=False)

    def moved() -> None:
        program.drag()
        actor.think(0.8)
        _put_back(scene, 0.8)

    remedies = [program.save, program.overview, moved, program.repeat_useful, other_settings]
    actor.rng.shuffle(remedies)
    number = 0
    while actor.has_time():
        remedies[number % len(remedies)]()
        number += 1
        actor.hands.move(*near(actor, spot))
        actor.think(_CHECK_S)
        actor.failed()
        if actor.chance(0.2):
            scene.program.page(1)
            scene.program.page(-1)


def hunt(act: Callable[[Scene], None], intent: str, fitting: str, *, held_out: bool = False) -> Behavior:
    """Return a behavior of debugging, in which help comes to be needed."""
    return Behavior(
        name=act.__name__,
        state=State.DEBUGGING,
        act=act,
        intent=intent,
        help=fitting,
        need=Need.AFTER_FAILURES,
        held_out=held_out,
        seconds=_EPISODE_S,
    )


BEHAVIORS = (
    hunt(one_value_at_a_time, "find the value that gives the wanted result", "explain how the value is used"),
    hunt(step_by_step_back, "find the step at which it broke", "point out the step that changed it"),
    hunt(setting_and_check, "find the setting that causes the effect", "name the setting behind the effect"),
    hunt(compares_with_brief, "find what differs from the brief", "point out the difference"),
    hunt(same_elsewhere, "find out whether it is the place or the thing", "say what is special about the place"),
    hunt(searches_the_cause, "find which part is the cause", "point at the part that is the cause", held_out=True),
    hunt(rules_things_out, "rule out causes one by one", "name the likeliest cause and its remedy", held_out=True),
)
