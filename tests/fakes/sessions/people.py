"""Simulated people at a desk: fluent ones, and ones who get stuck in the ways novices do (simulated, said loudly).

A fluent behavior takes some seconds; `FLUENT` mixes freely. A stuck behavior returns the moment of its onset: the
second try that failed.
"""

from collections.abc import Callable

from storage.records import Box, EventKind, KeyClass
from tests.fakes.sessions.desk import Desk

MENU = Box(130, 90, 260, 420)
OTHER_MENU = Box(220, 90, 280, 500)

# ------------------------------------------------------------ fluent


def write_prose(desk: Desk) -> None:
    for _ in range(desk.rng.randint(4, 10)):
        desk.type(desk.rng.randint(3, 9), desk.rng.uniform(0.1, 0.22))
        if desk.rng.random() < 0.25:
            desk.erase(desk.rng.randint(1, 3))
        if desk.rng.random() < 0.1:
            desk.about(2.0)
    if desk.rng.random() < 0.5:
        desk.key(KeyClass.ENTER)
        desk.caret = (300, desk.caret[1] + 20)
        desk.change(Box(300, 300, 20, 400))
    desk.about(0.8)


def rewrite_word(desk: Desk) -> None:
    desk.type(12)
    desk.erase(6)
    desk.type(14)
    desk.about(1.0)


def one_undo(desk: Desk) -> None:
    desk.type(12)
    desk.undo(desk.rng.randint(1, 2))
    desk.about(0.7)
    desk.type(25)


def pick_menu(desk: Desk) -> None:
    desk.move(160, 75)
    desk.press(*desk.jitter(160, 75))
    desk.open_popup(MENU)
    desk.about(1.2)
    desk.move(200, 250)
    desk.press(*desk.jitter(200, 250))
    desk.close_popup(MENU)
    desk.change(Box(300, 300, 500, 300))
    desk.about(1.5)


def save(desk: Desk) -> None:
    desk.key(KeyClass.SAVE)
    desk.paint(Box(100, 60, 1400, 24))
    desk.about(1.0)


def read_on(desk: Desk) -> None:
    for _ in range(desk.rng.randint(4, 9)):
        desk.event(EventKind.SCROLL, x=600, y=500, dy=-1 if desk.rng.random() < 0.85 else 1)
        desk.paint(MENU._replace(w=1200, h=800))
        desk.about(1.6)


def read_still(desk: Desk) -> None:
    desk.about(14.0)


def select_and_copy(desk: Desk) -> None:
    desk.move(500, 400)
    x, y = desk.jitter(500, 400)
    for _ in range(2):
        desk.press(x, y)
        desk.wait(0.1)
    desk.paint(Box(470, 390, 70, 20))
    desk.about(0.6)
    desk.key(KeyClass.COPY)
    desk.about(0.8)
    desk.press(*desk.jitter(700, 600))
    desk.caret = (700, 595)
    desk.paint(Box(470, 390, 70, 20), Box(700, 595, 2, 18))
    desk.about(0.5)
    desk.key(KeyClass.PASTE)
    desk.change()
    desk.about(1.2)


def fill_cells(desk: Desk) -> None:
    for _ in range(desk.rng.randint(6, 12)):
        desk.type(desk.rng.randint(1, 6), 0.2)
        desk.key(KeyClass.TAB if desk.rng.random() < 0.6 else KeyClass.ENTER)
        desk.caret = (300 + desk.rng.randint(0, 8) * 90, 300 + desk.rng.randint(0, 20) * 20)
        desk.change(Box(desk.caret[0], desk.caret[1], 90, 20), Box(200, 120, 300, 22), Box(110, desk.caret[1], 40, 20))
        desk.about(0.6)


def fill_down(desk: Desk) -> None:
    for _ in range(desk.rng.randint(4, 8)):
        desk.type(desk.rng.randint(1, 5), 0.2)
        desk.key(KeyClass.NAVIGATION)
        desk.caret = (desk.caret[0], desk.caret[1] + 20)
        desk.change(Box(300, desk.caret[1], 90, 20), Box(200, 120, 300, 22))
        desk.about(0.7)


def expert(desk: Desk) -> None:
    for _ in range(desk.rng.randint(5, 9)):
        desk.key(KeyClass.NAVIGATION)
        desk.wait(0.15)
        desk.key(KeyClass.SHORTCUT)
        desk.change(Box(400, 400, 300, 60))
        desk.about(0.5)
    desk.type(15, 0.09)


def compare(desk: Desk) -> None:
    desk.change(Box(400, 400, 300, 300))
    desk.about(1.0)
    for _ in range(desk.rng.randint(1, 2)):
        desk.undo(1)
        desk.about(1.2)
        desk.redo()
        desk.about(1.2)
    desk.type(10)


def step_up(desk: Desk) -> None:
    """Click a stepper again and again; every click changes the value."""
    desk.move(900, 500)
    for _ in range(desk.rng.randint(4, 9)):
        desk.press(*desk.jitter(900, 500))
        desk.change(Box(820, 490, 70, 22))
        desk.about(0.6)
    desk.about(1.0)


def draw(desk: Desk) -> None:
    for _ in range(desk.rng.randint(3, 7)):
        x, y = desk.rng.randint(300, 900), desk.rng.randint(300, 700)
        desk.event(EventKind.BUTTON_DOWN, button="left", x=x, y=y)
        for step in range(6):
            desk.wait(0.1)
            desk.event(EventKind.MOTION, x=x + 15 * step, y=y + 9 * step, path=18)
        desk.event(EventKind.BUTTON_UP, button="left", x=x + 90, y=y + 54)
        desk.change(Box(x, y, 90, 54))
        desk.about(0.8)


def use_dialog(desk: Desk) -> None:
    desk.key(KeyClass.SHORTCUT)
    desk.open_dialog("goto")
    desk.about(1.0)
    desk.type(desk.rng.randint(2, 8))
    desk.key(KeyClass.ENTER)
    desk.close_dialog("goto")
    desk.change(Box(200, 200, 900, 600))
    desk.about(1.5)


def find(desk: Desk) -> None:
    desk.key(KeyClass.FIND)
    desk.open_dialog("find")
    desk.type(5)
    for _ in range(3):
        desk.key(KeyClass.ENTER)
        desk.paint(Box(200, 200, 900, 600))
        desk.about(0.9)
    desk.key(KeyClass.ESCAPE)
    desk.close_dialog("find")
    desk.about(1.0)


def click_about(desk: Desk) -> None:
    """Click into the text here and there to place the caret."""
    for _ in range(desk.rng.randint(1, 3)):
        x, y = desk.rng.randint(300, 900), desk.rng.randint(300, 700)
        desk.press(x, y)
        desk.paint(Box(*desk.caret, 2, 18), Box(x, y - 8, 2, 18))
        desk.caret = (x, y - 8)
        desk.about(0.9)
        desk.type(desk.rng.randint(4, 12))


def leave_menu_once(desk: Desk) -> None:
    desk.press(160, 75)
    desk.open_popup(MENU)
    desk.about(1.2)
    desk.key(KeyClass.ESCAPE)
    desk.close_popup(MENU)
    desk.type(20)


def one_dead_click(desk: Desk) -> None:
    desk.press(1300, 900)
    desk.about(1.2)
    desk.type(10)


def completion(desk: Desk) -> None:
    """Type while a completion list comes and goes, and tool tips show."""
    for _ in range(3):
        desk.type(6)
        desk.open_popup(Box(400, 320, 200, 160))
        desk.type(2)
        desk.close_popup(Box(400, 320, 200, 160))
        desk.type(5)
    desk.move(700, 100)
    desk.wait(0.6)
    desk.open_popup(Box(700, 120, 90, 24))
    desk.wait(1.0)
    desk.close_popup(Box(700, 120, 90, 24))


def watch(desk: Desk) -> None:
    for _ in range(desk.rng.randint(5, 10)):
        desk.wait(2.0)
        desk.change(Box(400, 300, 640, 360))


def leave(desk: Desk) -> None:
    desk.wait(50.0)


def look_up(desk: Desk) -> None:
    desk.focus("chromium", title="page")
    desk.paint(MENU)
    desk.about(1.0)
    read_on(desk)
    desk.focus("editor")
    desk.paint(MENU)
    desk.about(1.0)


def work(desk: Desk, until_s: float) -> list[tuple[float, str]]:
    """Work fluently until then; nothing is done twice in a row. Returns when what began."""
    done = []
    deck: list[Callable[[Desk], None]] = []
    while desk.now < until_s:
        if not deck:
            deck = desk.rng.sample(FLUENT, len(FLUENT))
        behavior = deck.pop()
        done.append((desk.now, behavior.__name__))
        behavior(desk)
    return done


FLUENT: tuple[Callable[[Desk], None], ...] = (
    write_prose, write_prose, write_prose, rewrite_word, one_undo, pick_menu, save, read_on, read_still,
    select_and_copy, fill_cells, fill_down, expert, compare, step_up, draw, use_dialog, find, click_about,
    leave_menu_once, one_dead_click, completion, watch, leave, look_up,
)  # fmt: skip

# ------------------------------------------------------------ stuck


def undo_loop(desk: Desk) -> float:
    onset = 0.0
    presses = desk.rng.choice((1, 2, 3, 5))
    for turn in range(6):
        desk.type(desk.rng.randint(4, 14), 0.2)
        desk.about(1.0)
        desk.undo(presses)
        onset = desk.now if turn == 1 else onset
        desk.about(1.3)
    return onset


def undo_format_loop(desk: Desk) -> float:
    onset = 0.0
    for turn in range(6):
        desk.press(*desk.jitter(160, 75))
        desk.open_popup(MENU)
        desk.about(0.7)
        desk.press(200, desk.rng.randint(120, 400))
        desk.close_popup(MENU)
        desk.change(Box(300, 300, 500, 300))
        desk.about(1.0)
        desk.undo(1)
        onset = desk.now if turn == 1 else onset
        desk.about(1.0)
    return onset


def wander_menus(desk: Desk) -> float:
    onset = 0.0
    beside = desk.rng.random() < 0.3
    for turn in range(7):
        box = (MENU, OTHER_MENU)[turn % 2]
        desk.move(box.x + 30, 75, 3)
        desk.press(*desk.jitter(box.x + 30, 75))
        desk.open_popup(box)
        desk.about(1.4)
        desk.move(box.x + 60, 300, 3)
        desk.about(0.6)
        if beside:
            desk.press(1200, 800)
        else:
            desk.key(KeyClass.ESCAPE)
        desk.close_popup(box)
        onset = desk.now if turn == 1 else onset
        desk.about(0.9)
    return onset


def walk_menu_bar(desk: Desk) -> float:
    onset = 0.0
    for turn in range(6):
        desk.key(KeyClass.MENU)
        for box in (MENU, OTHER_MENU):
            desk.open_popup(box)
            desk.about(1.0)
            desk.key(KeyClass.NAVIGATION)
            desk.close_popup(box)
        desk.open_popup(MENU)
        desk.about(0.8)
        desk.key(KeyClass.ESCAPE)
        desk.close_popup(MENU)
        onset = desk.now if turn == 1 else onset
        desk.about(1.0)
    return onset


def dialog_loop(desk: Desk) -> float:
    """Open the same dialog, look around, leave it by Escape or its button."""
    onset = 0.0
    button = desk.rng.random() < 0.5
    for turn in range(6):
        desk.key(KeyClass.SHORTCUT)
        box = desk.open_dialog("format")
        desk.about(1.6)
        desk.press(*desk.jitter(box.x + 80, box.y + 40))
        desk.paint(Box(box.x + 10, box.y + 60, 560, 300))
        desk.about(1.2)
        if button:
            desk.press(*desk.jitter(box.x + 500, box.y + 370))
        else:
            desk.key(KeyClass.ESCAPE)
        desk.close_dialog("format")
        onset = desk.now if turn == 1 else onset
        desk.about(1.2)
    return onset


def dead_clicks(desk: Desk) -> float:
    """Click on something that does not answer, slowly or in a rage."""
    onset = 0.0
    pace = desk.rng.choice((0.5, 1.5, 2.5))
    desk.move(820, 640)
    desk.paint(Box(790, 625, 90, 30))  # it lights up under the pointer, and that is all
    for turn in range(round(20 / pace)):
        desk.press(*desk.jitter(820, 640))
        onset = desk.now if turn == 1 else onset
        desk.about(pace, 0.2)
    return onset


def cell_flip_flop(desk: Desk) -> float:
    """Enter a value, go back, enter another, and again."""
    onset = 0.0
    way = desk.rng.choice(("up", "click", "escape", "erase"))
    cell = Box(480, 400, 90, 20)
    for turn in range(7):
        if way == "click":
            desk.press(*desk.jitter(cell.x + 30, cell.y + 10))
            desk.paint(cell, Box(200, 120, 300, 22))
            desk.about(0.8)
        desk.caret = (cell.x + 60, cell.y)
        desk.type(desk.rng.randint(2, 6), 0.25)
        desk.change(cell, Box(200, 120, 300, 22))
        desk.about(0.7)
        if way == "erase":
            desk.erase(6)
        else:
            desk.key(KeyClass.ESCAPE if way == "escape" else KeyClass.ENTER)
            desk.change(cell, Box(200, 120, 300, 22))
        desk.about(0.9)
        if way == "up":
            desk.key(KeyClass.NAVIGATION)
            desk.change(cell, Box(200, 120, 300, 22))
            desk.about(0.6)
        onset = desk.now if turn == 1 else onset
    return onset


def line_flip_flop(desk: Desk) -> float:
    """Write a phrase, erase it, write another."""
    onset = 0.0
    for turn in range(6):
        count = desk.rng.randint(8, 18)
        desk.type(count, 0.18)
        desk.about(0.8)
        desk.erase(count, 0.1)
        onset = desk.now if turn == 1 else onset
        desk.about(1.0)
    return onset


def stuck_pause(desk: Desk) -> float:
    """Fail twice, then stare."""
    onset = 0.0
    for turn in range(2):
        desk.type(10, 0.2)
        desk.about(0.8)
        desk.undo(3)
        onset = desk.now if turn == 1 else onset
        desk.about(0.8)
    desk.wait(25.0)
    return onset


STUCK: tuple[Callable[[Desk], float], ...] = (
    undo_loop, undo_format_loop, wander_menus, walk_menu_bar, dialog_loop, dead_clicks, cell_flip_flop,
    line_flip_flop, stuck_pause,
)  # fmt: skip
