"""Acts of scripted people as data: a program's file says what hands do, and `ActPlayer` does it.

A file (TOML) has `places` in the window, `lists` of words, `menus` (where their titles are), and `acts`: steps by name.
A step is a verb and what it takes, with `A-B` for a number drawn between the two:

    press KEYS [COUNT [every S]]    type TEXT (with slips)    text TEXT (without)    enter TEXT (replaces a field)
    wait S    read S    click PLACE [* COUNT]    move PLACE    drag PLACE PLACE    scroll STEPS
    open MENU    dialog TITLE    tap PLACE (in the menu or dialog)    gone TITLE    close TITLE    do ACT

or a table: `{times = "1-3", steps = []}`, `{chance = 0.3, steps = [], otherwise = []}`, `{any = [[], []]}`.
A place is a name, or `X,Y`: pixels from the corner (negative: from the far edge), or parts of the size (`0.5,0.3`).
In a text `{sentence}`, `{item}`, `{heading}`, `{figure}` and `{label}` are made up, `{3-40}` is a number, `{NAME}` a
word of a list or a value set by the program, and `{next NAME}` the next word of a list each time.
"""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from demo.virtual_desktop.sample_text import SAMPLES
from demo.virtual_desktop.user import ScriptedUser
from demo.virtual_desktop.windows import Point, inside
from storage.records import Box

Act = Callable[[], None]
Step = str | Mapping[str, Any]

_MENU_Y = 12
_NAME = re.compile(r"\{([^{}]+)\}")
_RANGE = re.compile(r"(-?[\d.]+)-(-?[\d.]+)")


class ActPlayer:
    """Plays the acts of a program's file with one user's hands; `box` is where the window is.

    `values` are texts that the program sets, and `verbs` more verbs, given what follows them in a step.
    """

    def __init__(
        self, user: ScriptedUser, file: Path, verbs: Mapping[str, Callable[[str], object]] | None = None
    ) -> None:
        """Read the file."""
        self.user, self.hands, self.rng = user, user.hands, user.rng
        self.facts: Mapping[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
        self.lists = {name: list(words) for name, words in self.facts.get("lists", {}).items()}
        self.values: dict[str, str] = {}
        self.box = Box(0, 0, 1, 1)
        self._opened = Box(0, 0, 1, 1)
        self._verbs: Mapping[str, Callable[[str], object]] = {
            "press": self._press,
            "type": lambda text: user.write(self.fill(text)),
            "text": lambda text: self.hands.text(self.fill(text), rate=user.rate),
            "enter": self._enter,
            "wait": lambda seconds: self.hands.wait(self._seconds(seconds)),
            "read": lambda seconds: self.hands.pause(self._seconds(seconds), "reading"),
            "click": self._click,
            "move": lambda place: self.hands.move(*self.point(place)),
            "drag": lambda places: self.hands.drag(*map(self.point, places.split())),
            "scroll": lambda steps: self.hands.scroll(self.count(steps)),
            "open": lambda menu: self._take(user.open_menu(*self.menu(menu)).box),
            "dialog": lambda title: self._take(user.wait_dialog(self.fill(title)).box),
            "tap": lambda place: self.hands.click(*self.point(place, self._opened)),
            "gone": lambda title: user.wait_title_gone(self.fill(title)),
            "close": lambda title: user.close_dialog(self.fill(title)),
            "do": lambda name: self.play(self.fill(name)),
            **(verbs or {}),
        }

    def act(self, name: str) -> Act:
        """Return an act of the file, to be done later."""
        return lambda: self.play(name)

    def play(self, name: str) -> None:
        """Do an act of the file.

        Raises:
            KeyError: there is none of this name.
            LookupError: something that should have opened did not.
        """
        self.run(self.facts["acts"][name])

    def run(self, steps: Sequence[Step]) -> None:
        """Do one step after the other."""
        for step in steps:
            if isinstance(step, str):
                verb, _, rest = step.partition(" ")
                self._verbs[verb](rest)
            elif "any" in step:
                self.run(self.rng.choice(step["any"]))
            elif "times" in step:
                for _ in range(self.count(step["times"])):
                    self.run(step["steps"])
            else:
                self.run(step["steps"] if self.user.chance(step["chance"]) else step.get("otherwise", ()))

    def fill(self, text: str) -> str:
        """Return a text with what stands in braces filled in."""
        return _NAME.sub(lambda match: self._word(match[1]), text)

    def point(self, place: str, box: Box | None = None) -> Point:
        """Return the pixel of a place in the window, or in `box`; a hand misses a named one by what the file says."""
        box, place = box or self.box, self.fill(place)
        known: Sequence[int] | None = self.facts.get("places", {}).get(place)
        if known is not None:
            x, y, across, down = (*known, 0, 0)[:4]
            return inside(box, x + self.rng.randint(-across, across), y + self.rng.randint(-down, down))
        left, top = place.split(",")
        if "." in place:
            return box.x + int(float(left) * box.w), box.y + int(float(top) * box.h)
        return inside(box, self.count(left), self.count(top))

    def menu(self, name: str) -> Point:
        """Return where the title of a menu is."""
        return inside(self.box, self.facts["menus"][self.fill(name)], self.facts.get("menu_y", _MENU_Y))

    def _take(self, box: Box) -> None:
        self._opened = box

    def _word(self, name: str) -> str:
        """Return what a name in braces stands for; words of lists and values may have braces of their own."""
        if name in self.values:
            return self.fill(self.values[name])
        if _RANGE.fullmatch(name):
            return str(self.count(name))
        if name in SAMPLES:
            return SAMPLES[name](self.rng)
        if name.startswith("next "):
            words = self.lists[name.removeprefix("next ")]
            words.append(words.pop(0))
            return self.fill(str(words[0]))
        return self.fill(str(self.rng.choice(self.lists[name])))

    def count(self, number: str) -> int:
        """Return a whole number, drawn where there are two with a dash between."""
        found = _RANGE.fullmatch(number := self.fill(number))
        return self.rng.randint(int(found[1]), int(found[2])) if found else int(number)

    def _seconds(self, seconds: str) -> float:
        found = _RANGE.fullmatch(seconds := self.fill(seconds))
        return self.rng.uniform(float(found[1]), float(found[2])) if found else float(seconds)

    def _press(self, rest: str) -> None:
        keys, *more = self.fill(rest).split()
        if not more:
            self.hands.chord(keys)
        elif more[1:]:
            self.hands.repeat(keys, self.count(more[0]), gap_s=float(more[2]))
        else:
            self.hands.repeat(keys, self.count(more[0]))

    def _enter(self, text: str) -> None:
        self.hands.chord("ctrl+a")
        self.user.write(self.fill(text))

    def _click(self, rest: str) -> None:
        place, _, count = rest.partition(" * ")
        self.hands.click(*self.point(place), count=self.count(count or "1"))
