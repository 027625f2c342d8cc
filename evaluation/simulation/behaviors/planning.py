"""Planning: people who take in the task and get ready, and people who think up what to make.

Next to nothing is produced here, yet nobody at it is stuck: long rests, reading and things taken back belong to it.
"""

from evaluation.simulation.behaviors.behavior import Behavior, Scene
from evaluation.simulation.behaviors.habits import (
    front_box,
    into_front,
    look,
    mishap,
    near,
    point_at,
    read_on,
    some,
    work_a_little,
)
from storage.records import State

# ---------------------------------------------------------------------- taking in the task


def read_brief(scene: Scene) -> None:
    """Read the brief through with the wheel, line after line."""
    actor = scene.actor
    scene.helpers.open_brief()
    actor.think(1.2)
    while actor.has_time():
        read_on(actor, 2.2)
        if actor.chance(0.15):
            into_front(actor)
            actor.hands.scroll(actor.rng.randint(3, 7))


def brief_and_program(scene: Scene) -> None:
    """Read a part of the brief, look for it in the program, go back to the brief."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        scene.helpers.open_brief()
        for _ in range(actor.rng.randint(1, 3)):
            read_on(actor, 1.8)
        if not actor.has_time():
            return
        scene.helpers.back_to_work()
        point_at(actor, some(actor, program.content_points(), 1, 3), 1.2)
        if actor.chance(0.2):
            program.page(1)
        if actor.chance(0.1):
            work_a_little(scene)


def document_from_top(scene: Scene) -> None:
    """Go through what is there from the top, with the pointer along the lines."""
    actor, program = scene.actor, scene.program
    for _ in range(actor.rng.randint(1, 3)):
        program.page(-1)
    while actor.has_time():
        x, y = actor.rng.choice(program.content_points())
        actor.hands.move(x - actor.rng.randint(20, 60), y)
        actor.hands.pause(actor.hands.about(0.5), "reading")
        actor.hands.move(x + actor.rng.randint(60, 200), y + actor.rng.randint(-6, 10))
        actor.think(1.3)
        if actor.chance(0.45):
            program.page(1)
        mishap(scene)


def marks_what_matters(scene: Scene) -> None:
    """Read the brief again and mark pieces of it with the mouse, as some do to keep their place."""
    actor = scene.actor
    scene.helpers.open_brief()
    while actor.has_time():
        read_on(actor, 1.4)
        box = front_box(actor)
        left = box.x + int(actor.rng.uniform(0.15, 0.4) * box.w)
        y = box.y + int(actor.rng.uniform(0.3, 0.75) * box.h)
        actor.hands.drag((left, y), (left + actor.rng.randint(90, 320), y + actor.rng.choice((0, 2, 20))))
        actor.think(1.6)
        if actor.chance(0.5):
            actor.hands.click(box.x + int(0.8 * box.w), box.y + int(actor.rng.uniform(0.3, 0.7) * box.h))


def brief_by_keys(scene: Scene) -> None:
    """Read the brief by the keyboard: page keys and arrows."""
    actor = scene.actor
    scene.helpers.open_brief()
    into_front(actor)
    actor.hands.click(*actor.hands.at)
    while actor.has_time():
        actor.think(2.6)
        key = actor.rng.choices(("Down", "Next", "Up", "Prior"), (6, 3, 1, 1))[0]
        actor.hands.repeat(key, actor.rng.randint(2, 6) if key in {"Down", "Up"} else 1, gap_s=0.2)


def prepares_ground(scene: Scene) -> None:
    """Get the place ready: go once through the document, set up the view, see which tools there are."""
    actor, program = scene.actor, scene.program

    def set_view() -> None:
        program.overview()
        actor.think(1.0)

    def walk_through() -> None:
        for _ in range(actor.rng.randint(2, 4)):
            program.page(1)
            actor.think(0.6)
        program.page(-1)

    def see_tools() -> None:
        point_at(actor, some(actor, program.tool_points(), 2, 3), 0.7)

    def glance() -> None:
        scene.helpers.open_brief()
        read_on(actor, 1.6)
        scene.helpers.back_to_work()

    while actor.has_time():
        actor.rng.choices((set_view, walk_through, see_tools, program.save, glance), (6, 5, 4, 2, 3))[0]()
        actor.think(0.8)


# ---------------------------------------------------------------------- thinking it up


def words_and_second_thoughts(scene: Scene) -> None:
    """Let the pointer wander, put down a little, think, change it."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        actor.wander(actor.rng.randint(1, 3))
        actor.think(2.2)
        program.enter_value()
        look(scene, 2.0)
        if actor.has_time() and actor.chance(0.6):
            program.revise_value()
            actor.think(1.5)
        mishap(scene)


def sketch_and_take_back(scene: Scene) -> None:
    """Try out a sketch, look at it for a while, take it back and think on; some sketches stay."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        steps = program.change()
        look(scene, 2.4)
        if actor.chance(0.6):
            program.undo(steps)
        actor.think(2.2)
        if actor.chance(0.3):
            actor.wander(2)


def jot_and_rearrange(scene: Scene) -> None:
    """Put down rough things one after the other and shift them about between long looks."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        program.compose()
        actor.think(2.0)
        for _ in range(actor.rng.randint(0, 2)):
            if not actor.has_time():
                return
            actor.rng.choice((program.drag, program.adjust))()
            actor.think(1.8)
        mishap(scene)


def stares_at_empty_spot(scene: Scene) -> None:
    """Look at where something is to come, walk round it with the pointer, do hardly anything."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        actor.hands.move(*near(actor, actor.rng.choice(program.content_points()), reach=60))
        actor.think(3.2)
        if actor.chance(0.35):
            actor.wander(actor.rng.randint(1, 3), reach=220)
        if actor.chance(0.15):
            program.overview()
        if actor.chance(0.12):
            work_a_little(scene)


def draws_in_the_air(scene: Scene) -> None:
    """Trace a layout over the page with the pointer, corner by corner, and only then begin a part of it."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        x, y = actor.rng.choice(program.content_points())
        w, h = actor.rng.randint(120, 360), actor.rng.randint(60, 200)
        for dx, dy in ((0, 0), (w, 0), (w, h), (0, h), (0, 0)):
            actor.hands.move(min(x + dx, 1860), min(y + dy, 1000))
            actor.hands.wait(actor.hands.about(0.25))
        actor.think(2.0)
        if actor.has_time() and actor.chance(0.3):
            actor.rng.choice((program.drag, program.compose))()
            actor.think(1.0)


def list_of_steps(scene: Scene) -> None:
    """Write down point after point with long thoughts in between, and go over the list from its start."""
    actor, program = scene.actor, scene.program
    while actor.has_time():
        for _ in range(actor.rng.randint(1, 2)):
            actor.think(2.8)
            program.compose()
            if not actor.has_time():
                return
        actor.think(1.5)
        program.page(-1)
        actor.think(2.4)
        program.page(1)
        if actor.chance(0.3):
            scene.helpers.open_brief()
            actor.think(2.0)
            scene.helpers.back_to_work()


_READ = "understand what is to be made"
_SEE = "see what the document holds already"
_PREPARE = "get the document and the view ready for work"
_THINK = "work out what to make and how to lay it out"

BEHAVIORS = (
    Behavior(name="read_brief", state=State.TASK_UNDERSTANDING, act=read_brief, intent=_READ),
    Behavior(name="brief_and_program", state=State.TASK_UNDERSTANDING, act=brief_and_program, intent=_READ),
    Behavior(name="document_from_top", state=State.TASK_UNDERSTANDING, act=document_from_top, intent=_SEE),
    Behavior(name="marks_what_matters", state=State.TASK_UNDERSTANDING, act=marks_what_matters, intent=_READ),
    Behavior(name="brief_by_keys", state=State.TASK_UNDERSTANDING, act=brief_by_keys, intent=_READ, held_out=True),
    Behavior(
        name="prepares_ground", state=State.TASK_UNDERSTANDING, act=prepares_ground, intent=_PREPARE, held_out=True
    ),
    Behavior(name="words_and_second_thoughts", state=State.IDEATION, act=words_and_second_thoughts, intent=_THINK),
    Behavior(name="sketch_and_take_back", state=State.IDEATION, act=sketch_and_take_back, intent=_THINK),
    Behavior(name="jot_and_rearrange", state=State.IDEATION, act=jot_and_rearrange, intent=_THINK),
    Behavior(name="stares_at_empty_spot", state=State.IDEATION, act=stares_at_empty_spot, intent=_THINK),
    Behavior(
        name="draws_in_the_air",
        state=State.IDEATION,
        act=draws_in_the_air,
        intent="settle where each part goes",
        held_out=True,
    ),
    Behavior(
        name="list_of_steps",
        state=State.IDEATION,
        act=list_of_steps,
        intent="write down the steps before starting",
        held_out=True,
    ),
)
