"""Turning elsewhere: people who look for help outside the program, and people who wait for something to end.

Those who turn to help need it from the start. Those who wait need none, however restless they are.
"""

from collections.abc import Callable

from evaluation.simulation.behaviors.behavior import Behavior, Need, Scene
from evaluation.simulation.behaviors.habits import into_front, look, near, point_at, read_on, some
from storage.records import State

# ---------------------------------------------------------------------- seeking help


def search_and_read(scene: Scene) -> None:
    """Search the help pages, open what fits and read it through."""
    actor, helpers = scene.actor, scene.helpers
    helpers.open_help()
    actor.think(0.8)
    while actor.has_time():
        helpers.search_help()
        actor.think(1.4)
        helpers.open_result()
        for _ in range(actor.rng.randint(3, 6)):
            if not actor.has_time():
                return
            read_on(actor, 1.9)


def skims_results(scene: Scene) -> None:
    """Open one result after the other, look at each for a moment and go on to the next."""
    actor, helpers = scene.actor, scene.helpers
    helpers.open_help()
    helpers.search_help()
    while actor.has_time():
        helpers.open_result()
        actor.think(1.4)
        if actor.chance(0.7):
            into_front(actor)
            actor.hands.scroll(-actor.rng.randint(2, 6))
            actor.think(0.9)
        if actor.chance(0.5):
            actor.hands.chord("alt+Left")
            actor.think(0.9)


def tries_the_advice(scene: Scene) -> None:
    """Read a piece of advice, try it in the program, come back for more."""
    actor, program, helpers = scene.actor, scene.program, scene.helpers
    helpers.open_help()
    helpers.search_help()
    while actor.has_time():
        if actor.chance(0.6):
            helpers.open_result()
        read_on(actor, 2.2)
        if not actor.has_time():
            return
        helpers.back_to_work()
        actor.rng.choice((program.enter_value, program.change, program.overview, program.adjust))()
        look(scene, 1.2)
        helpers.open_help()


def asks_the_help_key(scene: Scene) -> None:
    """Press F1, find little there, and go to the help pages."""
    actor, helpers = scene.actor, scene.helpers
    actor.think(0.8)
    actor.hands.chord("F1")
    actor.think(2.4)
    actor.hands.chord("Escape")
    helpers.open_help()
    actor.think(1.2)
    while actor.has_time():
        if actor.chance(0.5):
            helpers.open_result()
        else:
            helpers.search_help()
        for _ in range(actor.rng.randint(1, 3)):
            read_on(actor, 1.8)


def asks_in_other_words(scene: Scene) -> None:
    """Ask again and again in other words; none of the results looks right from afar."""
    actor, helpers = scene.actor, scene.helpers
    helpers.open_help()
    while actor.has_time():
        helpers.search_help()
        actor.think(1.8)
        into_front(actor)
        actor.wander(actor.rng.randint(0, 2), reach=90)
        if actor.chance(0.5):
            actor.hands.scroll(-actor.rng.randint(1, 3))
            actor.think(1.0)
            actor.hands.scroll(3)


def follows_step_by_step(scene: Scene) -> None:
    """Keep the help page beside the work: read a line, do that, look back for the next line."""
    actor, program, helpers = scene.actor, scene.program, scene.helpers
    helpers.open_help()
    helpers.open_result()
    while actor.has_time():
        into_front(actor)
        actor.think(1.6)
        actor.hands.scroll(-1)
        helpers.back_to_work()
        if actor.chance(0.4):
            point_at(actor, some(actor, program.tool_points(), 1, 2), 0.7)
        else:
            actor.rng.choice((program.compose, program.drag, program.repeat_useful))()
        actor.think(0.8)
        helpers.open_help()


# ---------------------------------------------------------------------- waiting


def _wait_for(scene: Scene, kind: str, meanwhile: Callable[[], None]) -> None:
    """Start something that takes most of the time left, do `meanwhile` until it is over, see that it is."""
    actor = scene.actor
    if actor.chance(0.5):
        scene.program.save()
    scene.helpers.start_progress(max(4.0, 0.8 * actor.left_s()), kind=kind)
    while not scene.helpers.progress_is_over():
        meanwhile()
    actor.think(1.2)


def watches_the_bar(scene: Scene) -> None:
    """Watch a progress bar, hands at rest, a little fidgeting at most."""
    actor = scene.actor

    def meanwhile() -> None:
        actor.think(2.6)
        if actor.chance(0.15):
            actor.wander(1)

    _wait_for(scene, "dialog", meanwhile)


def watches_an_upload(scene: Scene) -> None:
    """Wait for an upload with the pointer at the bar, following it along."""
    actor = scene.actor

    def meanwhile() -> None:
        actor.think(1.8)
        if actor.chance(0.5):
            into_front(actor)
            x, y = actor.hands.at
            actor.hands.move(min(x + actor.rng.randint(5, 60), 1800), y + actor.rng.randint(-4, 4))

    _wait_for(scene, "page", meanwhile)


def watches_lines(scene: Scene) -> None:
    """Watch the lines of a terminal come in; an Enter or a turn of the wheel out of habit."""
    actor = scene.actor

    def meanwhile() -> None:
        actor.think(2.4)
        if actor.chance(0.12):
            actor.hands.chord("Return")
        elif actor.chance(0.2):
            into_front(actor)
            actor.hands.scroll(actor.rng.choice((-1, 1)) * actor.rng.randint(1, 3))

    _wait_for(scene, "terminal", meanwhile)


def program_does_not_answer(scene: Scene) -> None:
    """Click once or twice on a program that is busy, understand, take the hand away and wait."""
    actor, program = scene.actor, scene.program
    clicks = actor.rng.randint(0, 2)

    def meanwhile() -> None:
        nonlocal clicks
        actor.think(1.6)
        if clicks:
            clicks -= 1
            actor.hands.click(*near(actor, actor.rng.choice(program.dead_points()), reach=4))
        elif actor.chance(0.25):
            actor.wander(1, reach=260)

    _wait_for(scene, "frozen", meanwhile)


def looks_elsewhere_meanwhile(scene: Scene) -> None:
    """Spend the wait with the brief: look at it now and then, come back to see how far it is."""
    actor, helpers = scene.actor, scene.helpers

    def meanwhile() -> None:
        actor.think(1.5)
        helpers.open_brief()
        for _ in range(actor.rng.randint(1, 2)):
            if not helpers.progress_is_over():
                read_on(actor, 2.4)
        helpers.back_to_work()
        actor.think(1.5)

    _wait_for(scene, "terminal", meanwhile)


def cannot_sit_still(scene: Scene) -> None:
    """Circle with the pointer, drum on a harmless key, try whether it is over; nothing but impatience."""
    actor = scene.actor

    def meanwhile() -> None:
        x, y = actor.hands.at
        for dx, dy in ((60, 0), (60, 40), (0, 40), (0, 0)):
            actor.hands.move(min(x + dx, 1860), min(y + dy, 1000))
        actor.think(0.8)
        if actor.chance(0.25):
            actor.hands.repeat("Shift_L", actor.rng.randint(1, 3), gap_s=0.2)
        actor.think(1.2)

    _wait_for(scene, actor.rng.choice(("dialog", "page")), meanwhile)


def _seek(act: Callable[[Scene], None], fitting: str, *, held_out: bool = False) -> Behavior:
    return Behavior(
        name=act.__name__,
        state=State.SEEKING_EXTERNAL_HELP,
        act=act,
        intent="learn how this is done",
        help=fitting,
        need=Need.FROM_START,
        held_out=held_out,
        seconds=(16.0, 40.0),
    )


def _waits(act: Callable[[Scene], None], *, held_out: bool = False) -> Behavior:
    intent = "go on as soon as this has ended"
    return Behavior(name=act.__name__, state=State.WAITING, act=act, intent=intent, held_out=held_out)


BEHAVIORS = (
    _seek(search_and_read, "show the steps for what was searched"),
    _seek(skims_results, "name the one page that answers it"),
    _seek(tries_the_advice, "show the advice at the place where it applies"),
    _seek(asks_the_help_key, "explain the control in use"),
    _seek(asks_in_other_words, "say what the thing is called here", held_out=True),
    _seek(follows_step_by_step, "show the next step beside the work", held_out=True),
    _waits(watches_the_bar),
    _waits(watches_an_upload),
    _waits(watches_lines),
    _waits(program_does_not_answer),
    _waits(looks_elsewhere_meanwhile, held_out=True),
    _waits(cannot_sit_still, held_out=True),
)
