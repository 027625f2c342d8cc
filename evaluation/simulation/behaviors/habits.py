"""Small habits that many behaviors share: looking, pointing, reading, going through menus, everyday mishaps.

None of them is a behavior: each takes a few seconds, means nothing by itself and leaves no label. What only one
behavior does stays with that behavior, so that held-out ones are not made of the same stuff as those trained on.
"""

from collections.abc import Sequence

from evaluation.simulation.actor import Actor
from evaluation.simulation.behaviors.behavior import Scene
from evaluation.simulation.program import Point, Program
from storage.records import Box

MISHAPS = 0.09
"""Share of steps of ordinary work that go a little wrong."""

_SCREEN = Box(0, 0, 1920, 1080)
_MENU_ENTRY = 25


# ---------------------------------------------------------------------- looking and pointing


def near(actor: Actor, point: Point, *, reach: int = 12) -> Point:
    """Return a place close to a point: nobody hits the same pixel twice."""
    return point[0] + actor.rng.randint(-reach, reach), point[1] + actor.rng.randint(-reach // 2, reach // 2)


def point_at(actor: Actor, points: Sequence[Point], rest_s: float) -> None:
    """Move to one point after the other and rest on each."""
    for point in points:
        actor.hands.move(*near(actor, point))
        actor.think(rest_s)


def some(actor: Actor, points: Sequence[Point], fewest: int, most: int) -> list[Point]:
    """Return a few of the points in random order."""
    return actor.rng.sample(list(points), min(len(points), actor.rng.randint(fewest, most)))


def look(scene: Scene, median_s: float) -> None:
    """Look at what came out; some lead their eyes with the pointer."""
    actor = scene.actor
    if actor.chance(0.4):
        actor.hands.move(*near(actor, actor.rng.choice(scene.program.content_points()), reach=40))
    actor.think(median_s)


# ---------------------------------------------------------------------- reading another window


def front_box(actor: Actor) -> Box:
    """Return where the window in front is (the whole screen if none is)."""
    window = actor.windows.active()
    return _SCREEN if window is None else window.box


def into_front(actor: Actor) -> None:
    """Move the pointer into the window in front unless it is there: the wheel turns what lies under it."""
    box = front_box(actor)
    x, y = actor.hands.at
    if not (box.x + 40 < x < box.x + box.w - 40 and box.y + 120 < y < box.y + box.h - 60):
        across, down = actor.rng.uniform(0.25, 0.7), actor.rng.uniform(0.35, 0.7)
        actor.hands.move(box.x + int(across * box.w), box.y + int(down * box.h))


def read_on(actor: Actor, median_s: float) -> None:
    """Read some lines of the window in front and move on by a few notches, now and then back by one."""
    into_front(actor)
    actor.think(median_s)
    actor.hands.scroll(1 if actor.chance(0.12) else -actor.rng.randint(1, 4))


# ---------------------------------------------------------------------- menus


def open_menu(actor: Actor, program: Program, title: Point) -> Box:
    """Open a menu by a click on its title and return about where its entries are."""
    if program.has_menu_windows():
        return actor.open_menu(*title).box
    actor.hands.click(*title)
    actor.hands.wait(0.4)
    return Box(title[0] - 10, title[1] + 12, 200, 220)


def next_menu(actor: Actor, program: Program, title: Point) -> Box:
    """Go on to another menu while one is open."""
    if program.has_menu_windows():
        return actor.next_menu(*title).box
    actor.hands.chord("Escape")
    return open_menu(actor, program, title)


def go_down(actor: Actor, menu: Box, entries: int, rest_s: float) -> None:
    """Go down some entries of an open menu and rest on each; none is chosen."""
    y = menu.y + 14 + _MENU_ENTRY * actor.rng.randint(0, 2)
    for _ in range(entries):
        if y > menu.y + menu.h - 8:
            break
        actor.hands.move(menu.x + actor.rng.randint(25, max(30, min(90, menu.w - 10))), y)
        actor.think(rest_s)
        y += _MENU_ENTRY * actor.rng.randint(1, 2)


def close_menus(actor: Actor, program: Program) -> None:
    """Leave whatever menu is open without choosing."""
    if program.has_menu_windows():
        actor.close_menus()
    else:
        actor.hands.chord("Escape")


# ---------------------------------------------------------------------- everyday life


def mishap(scene: Scene) -> None:
    """Let something small go wrong in a few per cent of the steps, as it does to everybody who works."""
    actor, program = scene.actor, scene.program
    if not actor.chance(MISHAPS):
        return
    kind = actor.rng.choice(("undo", "undo", "dead click", "wrong menu", "overshoot"))
    if kind == "undo":
        steps = program.change()
        actor.think(0.8)
        program.undo(steps)
    elif kind == "dead click":
        actor.hands.click(*near(actor, actor.rng.choice(program.dead_points()), reach=4))
        actor.think(0.6)
    elif kind == "wrong menu":
        menu = open_menu(actor, program, actor.rng.choice(program.menu_points()))
        go_down(actor, menu, 1, 0.4)
        close_menus(actor, program)
    else:
        program.page(1)
        program.page(-1)


def work_a_little(scene: Scene) -> None:
    """Do one ordinary piece of work that succeeds."""
    actor, program = scene.actor, scene.program
    piece = actor.rng.choices((program.adjust, program.compose, program.save, program.expert), (4, 3, 1, 1))[0]
    piece()
