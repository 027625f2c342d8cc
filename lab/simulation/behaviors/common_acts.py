"""Small acts that many behaviors share: looking, pointing, reading, going through menus, everyday mishaps.

None of them is a behavior: each takes a few seconds, means nothing by itself and leaves no label. What only one
behavior does stays with that behavior, so that held-out ones are not made of the same stuff as those trained on.
"""

from collections.abc import Sequence

from lab.simulation.behaviors.behavior import Scene
from lab.simulation.program import Point, Program
from lab.simulation.simulated_user import SimulatedUser
from storage.records import Box

MISHAPS = 0.09
"""Share of steps of ordinary work that go a little wrong."""

_SCREEN = Box(0, 0, 1920, 1080)
_MENU_ENTRY = 25


def near(user: SimulatedUser, point: Point, *, reach: int = 12) -> Point:
    """Return a place close to a point: no hand hits the same pixel twice."""
    return point[0] + user.rng.randint(-reach, reach), point[1] + user.rng.randint(-reach // 2, reach // 2)


def point_at(user: SimulatedUser, points: Sequence[Point], rest_s: float) -> None:
    """Move to one point after the other and rest on each."""
    for point in points:
        user.hands.move(*near(user, point))
        user.think(rest_s)


def pick_points(user: SimulatedUser, points: Sequence[Point], fewest: int, most: int) -> list[Point]:
    """Return a few of the points in random order."""
    return user.rng.sample(list(points), min(len(points), user.rng.randint(fewest, most)))


def look(scene: Scene, median_s: float) -> None:
    """Look at what came out; some lead their eyes with the pointer."""
    user = scene.user
    if user.chance(0.4):
        user.hands.move(*near(user, user.rng.choice(scene.program.content_points()), reach=40))
    user.think(median_s)


def front_window_box(user: SimulatedUser) -> Box:
    """Return where the window in front is (the whole screen if none is)."""
    window = user.windows.active()
    return _SCREEN if window is None else window.box


def move_into_front(user: SimulatedUser) -> None:
    """Move the pointer into the window in front unless it is there: the wheel scrolls what is under it."""
    box = front_window_box(user)
    x, y = user.hands.at
    if not (box.x + 40 < x < box.x + box.w - 40 and box.y + 120 < y < box.y + box.h - 60):
        across, down = user.rng.uniform(0.25, 0.7), user.rng.uniform(0.35, 0.7)
        user.hands.move(box.x + int(across * box.w), box.y + int(down * box.h))


def read_further(user: SimulatedUser, median_s: float) -> None:
    """Read some lines of the window in front and move on by a few notches, now and then back by one."""
    move_into_front(user)
    user.think(median_s)
    user.hands.scroll(1 if user.chance(0.12) else -user.rng.randint(1, 4))


def open_menu(user: SimulatedUser, program: Program, title: Point) -> Box:
    """Open a menu by a click on its title and return about where its entries are."""
    if program.has_menu_windows():
        return user.open_menu(*title).box
    user.hands.click(*title)
    user.hands.wait(0.4)
    return Box(title[0] - 10, title[1] + 12, 200, 220)


def next_menu(user: SimulatedUser, program: Program, title: Point) -> Box:
    """Go on to another menu while one is open."""
    if program.has_menu_windows():
        return user.next_menu(*title).box
    user.hands.chord("Escape")
    return open_menu(user, program, title)


def hover_entries(user: SimulatedUser, menu: Box, entries: int, rest_s: float) -> None:
    """Go down some entries of an open menu and rest on each; none is chosen."""
    y = menu.y + 14 + _MENU_ENTRY * user.rng.randint(0, 2)
    for _ in range(entries):
        if y > menu.y + menu.h - 8:
            break
        user.hands.move(menu.x + user.rng.randint(25, max(30, min(90, menu.w - 10))), y)
        user.think(rest_s)
        y += _MENU_ENTRY * user.rng.randint(1, 2)


def close_menus(user: SimulatedUser, program: Program) -> None:
    """Leave whatever menu is open without choosing."""
    if program.has_menu_windows():
        user.close_menus()
    else:
        user.hands.chord("Escape")


def maybe_mishap(scene: Scene) -> None:
    """Let something small go wrong in a few per cent of the steps, as it does to everybody who works."""
    user, program = scene.user, scene.program
    if not user.chance(MISHAPS):
        return
    kind = user.rng.choice(("undo", "undo", "dead click", "wrong menu", "overshoot"))
    if kind == "undo":
        steps = program.change()
        user.think(0.8)
        program.undo(steps)
    elif kind == "dead click":
        user.hands.click(*near(user, user.rng.choice(program.dead_points()), reach=4))
        user.think(0.6)
    elif kind == "wrong menu":
        menu = open_menu(user, program, user.rng.choice(program.menu_points()))
        hover_entries(user, menu, 1, 0.4)
        close_menus(user, program)
    else:
        program.page(1)
        program.page(-1)


def do_some_work(scene: Scene) -> None:
    """Do one ordinary piece of work that succeeds."""
    user, program = scene.user, scene.program
    piece = user.rng.choices((program.adjust, program.compose, program.save, program.expert), (4, 3, 1, 1))[0]
    piece()
