"""Planning: users who take in the task and get ready, and users who think up what to make.

Next to nothing is produced here, yet nobody is stuck: long rests, reading and things undone belong to it.
"""

from functools import partial

from lab.simulation.behaviors.behavior import Behavior, Scene, register
from lab.simulation.behaviors.common_acts import (
    do_some_work,
    front_window_box,
    look,
    maybe_mishap,
    move_into_front,
    near,
    pick_points,
    point_at,
    read_further,
)
from storage.records import State

_READ = "understand what is to be made"
_SEE = "see what the document holds already"
_PREPARE = "get the document and the view ready for work"
_THINK = "work out what to make and how to lay it out"
BEHAVIORS: list[Behavior] = []
_reading = partial(register, BEHAVIORS, State.TASK_UNDERSTANDING)
_thinking = partial(register, BEHAVIORS, State.IDEATION)


@_reading(_READ)
def read_brief(scene: Scene) -> None:
    """Read the brief through with the wheel, line after line."""
    user = scene.user
    scene.helpers.open_brief()
    user.think(1.2)
    while user.has_time():
        read_further(user, 2.2)
        if user.chance(0.15):
            move_into_front(user)
            user.hands.scroll(user.rng.randint(3, 7))


@_reading(_READ)
def brief_and_program(scene: Scene) -> None:
    """Read a part of the brief, look for it in the program, go back to the brief."""
    user, program = scene.user, scene.program
    while user.has_time():
        scene.helpers.open_brief()
        for _ in range(user.rng.randint(1, 3)):
            read_further(user, 1.8)
        if not user.has_time():
            return
        scene.helpers.back_to_work()
        point_at(user, pick_points(user, program.content_points(), 1, 3), 1.2)
        if user.chance(0.2):
            program.page(1)
        if user.chance(0.1):
            do_some_work(scene)


@_reading(_SEE)
def document_from_top(scene: Scene) -> None:
    """Go through what is there from the top, with the pointer along the lines."""
    user, program = scene.user, scene.program
    for _ in range(user.rng.randint(1, 3)):
        program.page(-1)
    while user.has_time():
        x, y = user.rng.choice(program.content_points())
        user.hands.move(x - user.rng.randint(20, 60), y)
        user.hands.pause(user.hands.about(0.5), "reading")
        user.hands.move(x + user.rng.randint(60, 200), y + user.rng.randint(-6, 10))
        user.think(1.3)
        if user.chance(0.45):
            program.page(1)
        maybe_mishap(scene)


@_reading(_READ)
def marks_what_matters(scene: Scene) -> None:
    """Read the brief again and mark pieces of it with the mouse, as some do to keep their place."""
    user = scene.user
    scene.helpers.open_brief()
    while user.has_time():
        read_further(user, 1.4)
        box = front_window_box(user)
        left = box.x + int(user.rng.uniform(0.15, 0.4) * box.w)
        y = box.y + int(user.rng.uniform(0.3, 0.75) * box.h)
        user.hands.drag((left, y), (left + user.rng.randint(90, 320), y + user.rng.choice((0, 2, 20))))
        user.think(1.6)
        if user.chance(0.5):
            user.hands.click(box.x + int(0.8 * box.w), box.y + int(user.rng.uniform(0.3, 0.7) * box.h))


@_reading(_READ, held_out=True)
def brief_by_keys(scene: Scene) -> None:
    """Read the brief by the keyboard: page keys and arrows."""
    user = scene.user
    scene.helpers.open_brief()
    move_into_front(user)
    user.hands.click(*user.hands.at)
    while user.has_time():
        user.think(2.6)
        key = user.rng.choices(("Down", "Next", "Up", "Prior"), (6, 3, 1, 1))[0]
        user.hands.repeat(key, user.rng.randint(2, 6) if key in {"Down", "Up"} else 1, gap_s=0.2)


@_reading(_PREPARE, held_out=True)
def prepares_ground(scene: Scene) -> None:
    """Get the place ready: go once through the document, set up the view, see which tools there are."""
    user, program = scene.user, scene.program

    def set_view() -> None:
        program.overview()
        user.think(1.0)

    def walk_through() -> None:
        for _ in range(user.rng.randint(2, 4)):
            program.page(1)
            user.think(0.6)
        program.page(-1)

    def see_tools() -> None:
        point_at(user, pick_points(user, program.tool_points(), 2, 3), 0.7)

    def glance() -> None:
        scene.helpers.open_brief()
        read_further(user, 1.6)
        scene.helpers.back_to_work()

    while user.has_time():
        user.rng.choices((set_view, walk_through, see_tools, program.save, glance), (6, 5, 4, 2, 3))[0]()
        user.think(0.8)


@_thinking(_THINK)
def words_and_second_thoughts(scene: Scene) -> None:
    """Let the pointer wander, put down a little, think, change it."""
    user, program = scene.user, scene.program
    while user.has_time():
        user.wander(user.rng.randint(1, 3))
        user.think(2.2)
        program.enter_value()
        look(scene, 2.0)
        if user.has_time() and user.chance(0.6):
            program.revise_value()
            user.think(1.5)
        maybe_mishap(scene)


@_thinking(_THINK)
def sketch_and_take_back(scene: Scene) -> None:
    """Try out a sketch, look at it for a while, take it back and think on; some sketches stay."""
    user, program = scene.user, scene.program
    while user.has_time():
        steps = program.change()
        look(scene, 2.4)
        if user.chance(0.6):
            program.undo(steps)
        user.think(2.2)
        if user.chance(0.3):
            user.wander(2)


@_thinking(_THINK)
def jot_and_rearrange(scene: Scene) -> None:
    """Put down rough things one after the other and shift them about between long looks."""
    user, program = scene.user, scene.program
    while user.has_time():
        program.compose()
        user.think(2.0)
        for _ in range(user.rng.randint(0, 2)):
            if not user.has_time():
                return
            user.rng.choice((program.drag, program.adjust))()
            user.think(1.8)
        maybe_mishap(scene)


@_thinking(_THINK)
def stares_at_empty_spot(scene: Scene) -> None:
    """Look at where something is to come, walk round it with the pointer, do hardly anything."""
    user, program = scene.user, scene.program
    while user.has_time():
        user.hands.move(*near(user, user.rng.choice(program.content_points()), reach=60))
        user.think(3.2)
        if user.chance(0.35):
            user.wander(user.rng.randint(1, 3), reach=220)
        if user.chance(0.15):
            program.overview()
        if user.chance(0.12):
            do_some_work(scene)


@_thinking("settle where each part goes", held_out=True)
def draws_in_the_air(scene: Scene) -> None:
    """Trace a layout over the page with the pointer, corner by corner, and only then begin a part of it."""
    user, program = scene.user, scene.program
    while user.has_time():
        x, y = user.rng.choice(program.content_points())
        w, h = user.rng.randint(120, 360), user.rng.randint(60, 200)
        for dx, dy in ((0, 0), (w, 0), (w, h), (0, h), (0, 0)):
            user.hands.move(min(x + dx, 1860), min(y + dy, 1000))
            user.hands.wait(user.hands.about(0.25))
        user.think(2.0)
        if user.has_time() and user.chance(0.3):
            user.rng.choice((program.drag, program.compose))()
            user.think(1.0)


@_thinking("write down the steps before starting", held_out=True)
def list_of_steps(scene: Scene) -> None:
    """Write down point after point with long thoughts in between, and go over the list from its start."""
    user, program = scene.user, scene.program
    while user.has_time():
        for _ in range(user.rng.randint(1, 2)):
            user.think(2.8)
            program.compose()
            if not user.has_time():
                return
        user.think(1.5)
        program.page(-1)
        user.think(2.4)
        program.page(1)
        if user.chance(0.3):
            scene.helpers.open_brief()
            user.think(2.0)
            scene.helpers.back_to_work()
