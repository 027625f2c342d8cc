"""What improvised behaviors are made of: a style drawn once, small acts in that style, and mixes of acts.

A script that always does the same few things teaches its own order of acts, not the state it stands for. So each
occurrence of an improvised behavior draws anew which acts it consists of and how often each comes, how long the rests
are and of what kind, how long it keeps to one act, and how much is done at a time. What defines the state is in the
offer of acts and in the rests, and holds in every occurrence. Nothing here is used by a held-out behavior.
"""

from collections.abc import Callable, Sequence

from lab.simulation.behaviors.behavior import Scene
from lab.simulation.behaviors.common_acts import (
    close_menus,
    front_window_box,
    hover_entries,
    maybe_mishap,
    move_into_front,
    near,
    next_menu,
    open_menu,
    pick_points,
    point_at,
)

Act = Callable[[], object]

LONGEST_REST_S = 8.0


class Style:
    """One occurrence's way of doing things, and the small acts done in that way; drawn when made."""

    def __init__(self, scene: Scene) -> None:
        """Draw all there is to draw from the user's random numbers."""
        user, program = scene.user, scene.program
        rng = self.rng = user.rng
        self._scene, self._user, self._program = scene, user, program
        self._slow = min(2.0, max(0.55, rng.lognormvariate(0.0, 0.4)))
        self._spread = rng.uniform(0.2, 0.8)
        self._rests = [rng.lognormvariate(0.0, 1.0) * share for share in (2.0, 1.5, 0.6, 0.6)]
        self._dwell_s = rng.uniform(0.3, 1.5)
        self._most_points = rng.randint(1, 4)
        self._most_entries = rng.randint(1, 5)
        self._most_menus = rng.randint(0, 2)
        self._menu = rng.randrange(20)
        self._notches = rng.randint(1, 4)
        self._back_share = rng.uniform(0.05, 0.45)
        self._controls = rng.randint(0, 2)
        self._extra = rng.uniform(0.0, 0.4)

    def rest(self, median_s: float) -> None:
        """Rest for about so long times this occurrence's factor: still, as usual, drifting, or at some place."""
        user = self._user
        wanted_s = median_s * self._slow
        kind = self.rng.choices(("still", "think", "drift", "place"), self._rests)[0]
        if kind == "think":
            user.think(min(wanted_s, LONGEST_REST_S / 2), self._spread)
            return
        if kind == "drift":
            user.wander(1, reach=self.rng.randint(40, 260))
        elif kind == "place":
            user.hands.move(*near(user, self.rng.choice(self._program.content_points()), reach=40))
        seconds = user.hands.about(wanted_s * user.persona.pause, self._spread)
        user.hands.pause(min(seconds, LONGEST_REST_S), "resting")

    def point_about(self) -> None:
        """Point at a few places of the document."""
        point_at(
            self._user, pick_points(self._user, self._program.content_points(), 1, self._most_points), self._dwell_s
        )

    def hover_tools(self) -> None:
        """Rest on a few buttons."""
        for tool in pick_points(self._user, self._program.tool_points(), 1, self._most_points):
            self._user.hands.move(*near(self._user, tool, reach=4))
            self._user.think(self._dwell_s)

    def along_a_line(self) -> None:
        """Lead the eyes along a line with the pointer."""
        x, y = self.rng.choice(self._program.content_points())
        hands = self._user.hands
        for _ in range(self.rng.randint(1, 3)):
            hands.move(*near(self._user, (x, y), reach=8))
            hands.pause(hands.about(self._dwell_s), "reading")
            x = min(x + self.rng.randint(30, 160), 1800)

    def turn_wheel(self) -> None:
        """Move on by a few notches, now and then back, over the document."""
        user = self._user
        user.hands.move(*near(user, self.rng.choice(self._program.content_points()), reach=30))
        way = 1 if user.chance(self._back_share) else -1
        user.hands.scroll(way * self.rng.randint(1, self._notches))

    def leaf(self) -> None:
        """Leaf through the document by one step or two."""
        way = -1 if self._user.chance(self._back_share) else 1
        for _ in range(self.rng.randint(1, 2)):
            self._program.page(way)

    def read_window(self) -> None:
        """Read on in the window in front, whatever it is."""
        user = self._user
        move_into_front(user)
        self.rest(1.8)
        way = 1 if user.chance(self._back_share / 2) else -1
        user.hands.scroll(way * self.rng.randint(1, self._notches))

    def along_window(self) -> None:
        """Lead the eyes along lines of the window in front, whatever it is."""
        box, hands = front_window_box(self._user), self._user.hands
        x = box.x + int(self.rng.uniform(0.15, 0.4) * box.w)
        y = box.y + int(self.rng.uniform(0.3, 0.75) * box.h)
        for _ in range(self.rng.randint(1, 3)):
            hands.move(x, y)
            hands.pause(hands.about(self._dwell_s), "reading")
            x, y = x + self.rng.randint(20, max(21, box.w // 6)), y + self.rng.randint(-3, 14)

    def look_into_menus(self) -> None:
        """Read in one menu or in a few side by side, the next time in the one after; choose nothing."""
        user, program = self._user, self._program
        titles = program.menu_points()
        first = self._menu % len(titles)
        self._menu += 1
        hover_entries(
            user, open_menu(user, program, titles[first]), self.rng.randint(1, self._most_entries), 0.6 * self._dwell_s
        )
        for title in titles[first + 1 : first + 1 + self.rng.randint(0, self._most_menus)]:
            if not user.has_time():
                break
            menu = next_menu(user, program, title)
            hover_entries(user, menu, self.rng.randint(1, self._most_entries), 0.6 * self._dwell_s)
        close_menus(user, program)

    def look_into_dialog(self) -> None:
        """See what can be set in the dialog and leave it as it was."""
        self._program.open_dialog()
        self._user.think(self._dwell_s)
        for _ in range(self.rng.randint(0, self._controls)):
            self._program.use_dialog()
        self._user.think(self._dwell_s / 2)
        self._program.leave_dialog(apply=False)

    def set_in_dialog(self) -> None:
        """Set something in the dialog and keep it."""
        self._program.open_dialog()
        self._program.use_dialog()
        self._program.leave_dialog(apply=True)

    def variant_and_back(self) -> None:
        """Try a variant, look at it, take it back."""
        steps = self._program.change()
        self.rest(1.4)
        self._program.undo(steps)

    def variant_kept(self) -> None:
        """Put a variant on and leave it."""
        self._program.change()
        self.rest(1.0)

    def value_and_back(self) -> None:
        """Put a value in, look at it, take it out again."""
        self._program.enter_value()
        self.rest(1.2)
        self._program.undo(1)

    def once_too_far(self) -> int:
        """Return how many steps more are taken back than were wanted; mostly none."""
        return self.rng.randint(1, 2) if self._user.chance(self._extra) else 0

    def mix(self, offer: Sequence[Act], *, fewest: int, most: int, rest_s: float, run: int = 3) -> "Mix":
        """Return a mix of some of the acts on offer, resting about `rest_s`, keeping to an act at most `run` times."""
        return Mix(self, self._scene, offer, fewest=fewest, most=most, rest_s=rest_s, run=run)


class Mix:
    """Some acts, each with a weight of its own, done one after the other with rests between."""

    def __init__(
        self, style: Style, scene: Scene, offer: Sequence[Act], *, fewest: int, most: int, rest_s: float, run: int
    ) -> None:
        """Draw the acts, their weights, how long one is repeated and how much shorter rests are within such a run."""
        rng = scene.user.rng
        self._style, self._scene, self._rng = style, scene, rng
        self.acts = rng.sample(list(offer), min(len(offer), rng.randint(fewest, most)))
        self.weights = [rng.lognormvariate(0.0, 0.8) for _ in self.acts]
        self._rest_s = rest_s * min(1.8, max(0.6, rng.lognormvariate(0.0, 0.3)))
        self._run = rng.randint(1, run)
        self._within = rng.uniform(0.25, 1.0)

    def do_one(self) -> None:
        """Do one of the acts, once."""
        self._rng.choices(self.acts, self.weights)[0]()

    def do_run(self) -> None:
        """Keep to one act for a while, then rest."""
        act = self._rng.choices(self.acts, self.weights)[0]
        for number in range(self._rng.randint(1, self._run)):
            if number:
                self._style.rest(self._rest_s * self._within)
                if not self._scene.user.has_time():
                    break
            act()
        self._style.rest(self._rest_s)

    def do_runs(self, count: int) -> None:
        """Do several runs, as long as there is time."""
        for _ in range(count):
            if self._scene.user.has_time():
                self.do_run()

    def do_until_end(self, *, mishaps: bool = True) -> None:
        """Do runs until the time is over; small things go wrong as they do everywhere."""
        while self._scene.user.has_time():
            self.do_run()
            if mishaps and self._scene.user.has_time():
                maybe_mishap(self._scene)
