"""Users who look for help outside the program, and users who wait for something to end.

Those who look for help need it from the start. Those who wait need none, however restless they are.
"""

from collections.abc import Callable
from functools import partial

from lab.simulation.behaviors.behavior import Behavior, Scene, register
from lab.simulation.behaviors.common_acts import look, move_into_front, near, pick_points, point_at, read_further
from storage.records import State

BEHAVIORS: list[Behavior] = []
_seeking = partial(register, BEHAVIORS, State.SEEKING_EXTERNAL_HELP, "learn how this is done", seconds=(16.0, 40.0))
_waiting = partial(register, BEHAVIORS, State.WAITING, "go on as soon as this has ended")


@_seeking("show the steps for what was searched")
def search_and_read(scene: Scene) -> None:
    """Search the help pages, open what fits and read it through."""
    user, helpers = scene.user, scene.helpers
    helpers.open_help()
    user.think(0.8)
    while user.has_time():
        helpers.search_help()
        user.think(1.4)
        helpers.open_result()
        for _ in range(user.rng.randint(3, 6)):
            if not user.has_time():
                return
            read_further(user, 1.9)


@_seeking("name the one page that answers it")
def skims_results(scene: Scene) -> None:
    """Open one result after the other, look at each for a moment and go on to the next."""
    user, helpers = scene.user, scene.helpers
    helpers.open_help()
    helpers.search_help()
    while user.has_time():
        helpers.open_result()
        user.think(1.4)
        if user.chance(0.7):
            move_into_front(user)
            user.hands.scroll(-user.rng.randint(2, 6))
            user.think(0.9)
        if user.chance(0.5):
            user.hands.chord("alt+Left")
            user.think(0.9)


@_seeking("show the advice at the place where it applies")
def tries_the_advice(scene: Scene) -> None:
    """Read a piece of advice, try it in the program, come back for more."""
    user, program, helpers = scene.user, scene.program, scene.helpers
    helpers.open_help()
    helpers.search_help()
    while user.has_time():
        if user.chance(0.6):
            helpers.open_result()
        read_further(user, 2.2)
        if not user.has_time():
            return
        helpers.back_to_work()
        user.rng.choice((program.enter_value, program.change, program.overview, program.adjust))()
        look(scene, 1.2)
        helpers.open_help()


@_seeking("explain the control in use")
def asks_the_help_key(scene: Scene) -> None:
    """Press F1, find little there, and go to the help pages."""
    user, helpers = scene.user, scene.helpers
    user.think(0.8)
    user.hands.chord("F1")
    user.think(2.4)
    user.hands.chord("Escape")
    helpers.open_help()
    user.think(1.2)
    while user.has_time():
        if user.chance(0.5):
            helpers.open_result()
        else:
            helpers.search_help()
        for _ in range(user.rng.randint(1, 3)):
            read_further(user, 1.8)


@_seeking("say what the thing is called here", held_out=True)
def asks_in_other_words(scene: Scene) -> None:
    """Ask again and again in other words; none of the results looks right from afar."""
    user, helpers = scene.user, scene.helpers
    helpers.open_help()
    while user.has_time():
        helpers.search_help()
        user.think(1.8)
        move_into_front(user)
        user.wander(user.rng.randint(0, 2), reach=90)
        if user.chance(0.5):
            user.hands.scroll(-user.rng.randint(1, 3))
            user.think(1.0)
            user.hands.scroll(3)


@_seeking("show the next step beside the work", held_out=True)
def follows_step_by_step(scene: Scene) -> None:
    """Keep the help page beside the work: read a line, do that, look back for the next line."""
    user, program, helpers = scene.user, scene.program, scene.helpers
    helpers.open_help()
    helpers.open_result()
    while user.has_time():
        move_into_front(user)
        user.think(1.6)
        user.hands.scroll(-1)
        helpers.back_to_work()
        if user.chance(0.4):
            point_at(user, pick_points(user, program.tool_points(), 1, 2), 0.7)
        else:
            user.rng.choice((program.compose, program.drag, program.repeat_useful))()
        user.think(0.8)
        helpers.open_help()


def _wait_for(scene: Scene, kind: str, meanwhile: Callable[[], None]) -> None:
    """Start something that takes most of the time left, do `meanwhile` until it is over, see that it is."""
    user = scene.user
    if user.chance(0.5):
        scene.program.save()
    scene.helpers.start_progress(max(4.0, 0.8 * user.seconds_left()), kind=kind)
    while not scene.helpers.progress_is_over():
        meanwhile()
    user.think(1.2)


@_waiting()
def watches_the_bar(scene: Scene) -> None:
    """Watch a progress bar, hands at rest, a little fidgeting at most."""
    user = scene.user

    def meanwhile() -> None:
        user.think(2.6)
        if user.chance(0.15):
            user.wander(1)

    _wait_for(scene, "dialog", meanwhile)


@_waiting()
def watches_an_upload(scene: Scene) -> None:
    """Wait for an upload with the pointer at the bar, following it along."""
    user = scene.user

    def meanwhile() -> None:
        user.think(1.8)
        if user.chance(0.5):
            move_into_front(user)
            x, y = user.hands.at
            user.hands.move(min(x + user.rng.randint(5, 60), 1800), y + user.rng.randint(-4, 4))

    _wait_for(scene, "page", meanwhile)


@_waiting()
def watches_lines(scene: Scene) -> None:
    """Watch the lines of a terminal come in; an Enter or a turn of the wheel out of habit."""
    user = scene.user

    def meanwhile() -> None:
        user.think(2.4)
        if user.chance(0.12):
            user.hands.chord("Return")
        elif user.chance(0.2):
            move_into_front(user)
            user.hands.scroll(user.rng.choice((-1, 1)) * user.rng.randint(1, 3))

    _wait_for(scene, "terminal", meanwhile)


@_waiting()
def program_does_not_answer(scene: Scene) -> None:
    """Click once or twice on a program that is busy, understand, take the hand away and wait."""
    user, program = scene.user, scene.program
    clicks = user.rng.randint(0, 2)

    def meanwhile() -> None:
        nonlocal clicks
        user.think(1.6)
        if clicks:
            clicks -= 1
            user.hands.click(*near(user, user.rng.choice(program.dead_points()), reach=4))
        elif user.chance(0.25):
            user.wander(1, reach=260)

    _wait_for(scene, "frozen", meanwhile)


@_waiting(held_out=True)
def looks_elsewhere_meanwhile(scene: Scene) -> None:
    """Spend the wait with the brief: look at it now and then, come back to see how far it is."""
    user, helpers = scene.user, scene.helpers

    def meanwhile() -> None:
        user.think(1.5)
        helpers.open_brief()
        for _ in range(user.rng.randint(1, 2)):
            if not helpers.progress_is_over():
                read_further(user, 2.4)
        helpers.back_to_work()
        user.think(1.5)

    _wait_for(scene, "terminal", meanwhile)


@_waiting(held_out=True)
def cannot_sit_still(scene: Scene) -> None:
    """Circle with the pointer, drum on a harmless key, try whether it is over; nothing but impatience."""
    user = scene.user

    def meanwhile() -> None:
        x, y = user.hands.at
        for dx, dy in ((60, 0), (60, 40), (0, 40), (0, 0)):
            user.hands.move(min(x + dx, 1860), min(y + dy, 1000))
        user.think(0.8)
        if user.chance(0.25):
            user.hands.repeat("Shift_L", user.rng.randint(1, 3), gap_s=0.2)
        user.think(1.2)

    _wait_for(scene, user.rng.choice(("dialog", "page")), meanwhile)
