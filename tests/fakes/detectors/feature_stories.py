"""Two stories for each streaming feature: one in which it is higher, and one in which it is lower (simulated)."""

from collections.abc import Callable

from storage.records import Box, ControlState, MessageClass
from tests.fakes.sessions.strokes import VIEW, WORD, Strokes

Story = Callable[[Strokes], object]
CARET = (Box(0, 0, 64, 32),)
TIP = Box(700, 60, 120, 24)
OTHER = Box(1400, 800, 256, 32)
FAR = ((300, 200), (1500, 800), (400, 700), (1600, 150))
TOOLS = ((100, 60), (300, 60), (500, 60), (700, 60), (900, 60))


def typing(s: Strokes) -> object:
    """Type."""
    return s.keys("c" * 60)


def resting(s: Strokes) -> object:
    """Press a key and rest."""
    return s.keys("c").wait(12.0)


def reading(s: Strokes) -> object:
    """Scroll down and rest, and so on."""
    for _ in range(6):
        s.scroll(-1, -1).wait(2.0)
    return s


def hovering(s: Strokes) -> object:
    """Rest on one tool after the other."""
    return s.move(*TOOLS, rest=0.8)


def clicking(s: Strokes) -> object:
    """Press here and there."""
    for x, y in FAR * 3:
        s.press(x, y, gap=0.8)
    return s


def raging(s: Strokes) -> object:
    """Press the same place again and again, fast, with no answer."""
    for _ in range(12):
        s.press(700, 500, gap=0.15)
    return s.wait(1.0)


def repeated(keys: str, times: int = 4, gap: float = 0.4, wait: float = 0.0) -> Story:
    """Return a story of the same keys again and again."""

    def story(s: Strokes) -> object:
        for _ in range(times):
            s.keys(keys, gap).wait(wait)
        return s

    return story


def one_by_one(*acts: Story, times: int = 4) -> Story:
    """Return a story of acts in turn, again and again."""

    def story(s: Strokes) -> object:
        for _ in range(times):
            for act in acts:
                act(s)
        return s

    return story


def keys(text: str, gap: float = 0.3) -> Story:
    """Return a story of keys."""
    return lambda s: s.keys(text, gap)


def press(x: int = 900, y: int = 500, *, hold: float = 0.08, gap: float = 0.5, button: str = "left") -> Story:
    """Return a story of one press."""
    return lambda s: s.press(x, y, hold=hold, gap=gap, button=button)


def drag(s: Strokes) -> object:
    """Drag something."""
    return s.press(500, 500, to=(800, 600))


def scroll(*steps: int) -> Story:
    """Return a story of turns of the wheel, a moment apart."""
    return lambda s: [s.scroll(step).wait(0.8) for step in steps]


def wait(seconds: float) -> Story:
    """Return a story of rest."""
    return lambda s: s.wait(seconds)


def answered(act: Story, *boxes: Box, digests: tuple[str, ...] = (), after: float = 0.2, times: int = 6) -> Story:
    """Return a story of an act, answered each time: by something new, or by pictures in turn."""

    def story(s: Strokes) -> object:
        for number in range(times):
            act(s)
            s.answered(after, *boxes, digest=digests[number % len(digests)] if digests else None)
        return s

    return story


def wandering(act: Story) -> Story:
    """Return a story of an act, answered each time elsewhere on the screen."""

    def story(s: Strokes) -> object:
        for number in range(6):
            act(s)
            s.answered(0.2, Box(64 + 300 * number, 96 + 128 * number, 256, 32))
        return s

    return story


def unasked(*gaps: float, boxes: tuple[Box, ...] = (WORD,), digests: tuple[str, ...] = ()) -> Story:
    """Return a story of rest in which the screen changes by itself."""

    def story(s: Strokes) -> object:
        s.keys("c").wait(3.0)
        for number, gap in enumerate(gaps):
            s.frame(boxes[number % len(boxes)], digest=digests[number % len(digests)] if digests else None).wait(gap)
        return s

    return story


def menu(end: str = "e", *, x: int = 100, rest: float = 0.6) -> Story:
    """Return a story of a menu, left by a key or (for "pick") by a press in it."""

    def story(s: Strokes) -> object:
        box = Box(x, 40, 200, 300)
        s.press(x + 20, 20, gap=0.2).popup(box).wait(rest)
        if end == "pick":
            s.press(x + 50, 150, gap=0.1)
        else:
            s.keys(end, 0.1)
        return s.popup(box, gone=True).wait(0.8)

    return story


def dialog(title: str = "options", inside: str = "cc", rest: float = 1.0) -> Story:
    """Return a story of a dialog, with keys pressed inside."""

    def story(s: Strokes) -> object:
        s.keys("k").focus("editor", title=title, dialog=True).wait(rest).keys(inside)
        return s.focus("editor").wait(0.8)

    return story


def dialogs(s: Strokes) -> object:
    """Go through different dialogs."""
    for number in range(4):
        dialog(f"options {number}")(s)
    return s


def menus(s: Strokes) -> object:
    """Go through different menus."""
    for number in range(4):
        menu(x=100 + 250 * number)(s)
    return s


def visit(app: str, act: Story, *, back: str = "editor") -> Story:
    """Return a story of something done in another application."""

    def story(s: Strokes) -> object:
        s.focus(app, window=7).wait(0.4)
        act(s)
        return s.focus(back).wait(0.4)

    return story


def left_for(app: str, act: Story) -> Story:
    """Return a story of work in the editor and then something in another application."""

    def story(s: Strokes) -> object:
        typing(s)
        s.focus(app, window=7)
        return act(s)

    return story


def titles(*names: str, window: int = 1) -> Story:
    """Return a story of titles, or windows, that follow each other."""

    def story(s: Strokes) -> object:
        for at, name in enumerate(names):
            s.focus("editor", title=name, window=1 if window == 1 else at + 1).wait(2.0)
        return s

    return story


def shaking(s: Strokes) -> object:
    """Throw the pointer to and fro."""
    return s.move(*((1000, 500), (600, 500)) * 6)


def crossing(s: Strokes) -> object:
    """Move the pointer slowly across, in one go."""
    for x in range(100, 1700, 40):
        s.move((x, 500))
    return s


def aiming(s: Strokes) -> object:
    """Move to a place and press there, again and again."""
    for x, y in FAR * 2:
        s.move((x, y)).wait(0.2).press(x, y)
    return s


def circling(s: Strokes) -> object:
    """Go round in circles."""
    return s.move(*((700, 300), (1000, 300), (1000, 600), (700, 600)) * 4)


def failed(*gaps: float) -> Story:
    """Return a story of tries that are undone."""

    def story(s: Strokes) -> object:
        for gap in gaps:
            s.keys("cccu").wait(gap)
        return s

    return story


def slow_key(s: Strokes) -> object:
    """Press a key after a while."""
    return s.wait(3.0).keys("c")


def ever_new(s: Strokes) -> object:
    """Go from one application to the next."""
    for number in range(5):
        s.focus(f"app{number}").wait(1.0)
    return s


def typed_titles(s: Strokes) -> object:
    """Change the title by typing."""
    for title in "abab":
        s.keys("c").focus("editor", title=title).wait(1.0)
    return s


def searching(s: Strokes) -> object:
    """Look something up in a browser: words, Enter, another page, a result, and read."""
    s.keys("ccc").focus("firefox", window=7).wait(0.5)
    for _ in range(2):
        s.press(600, 300).keys("cccccc").keys("x").answered(0.3, VIEW).wait(1.0)
        s.press(500, 400).answered(0.3, VIEW).wait(1.0)
        for _ in range(3):
            s.scroll(-1).answered(0.2, VIEW).wait(1.5)
    return s


def reading_elsewhere(s: Strokes) -> object:
    """Read a page in a browser."""
    s.keys("ccc").focus("firefox", window=7)
    return viewing(s)


def viewing(s: Strokes) -> object:
    """Go on a page and look at it, and so on."""
    for _ in range(6):
        s.scroll(-1).answered(0.1, VIEW).wait(2.0)
    return s


def thinking(s: Strokes) -> object:
    """Move the pointer about in the middle, with long rests."""
    return s.move((600, 500), (900, 700), (700, 400), (1000, 600), (800, 500), rest=3.2)


def values_again(s: Strokes) -> object:
    """Enter a value at one place, look, enter it anew, look."""
    for number in range(5):
        s.press(500, 500, gap=0.3).keys("ccc").answered(0.1, WORD, digest=f"v{number}").keys("x").wait(1.8)
    return s


def slow_menus(s: Strokes) -> object:
    """Read through different menus."""
    for number in range(4):
        menu(x=100 + 250 * number, rest=3.0)(s)
    return s


def slow_undo(s: Strokes) -> object:
    """Try a thing, look at it for long, take it back."""
    for _ in range(4):
        s.keys("k").answered(0.2).wait(3.0).keys("u").answered(0.2).wait(0.8)
    return s


def touring_fields(*, typed: bool) -> Story:
    """Return a story of three places pressed in turn, three times round, with something typed there or not."""

    def story(s: Strokes) -> object:
        for y in (200, 350, 500) * 3:
            s.press(500, y, gap=0.3)
            if typed:
                s.keys("ccc")
            s.wait(1.0)
        return s

    return story


def stepping(s: Strokes) -> object:
    """Press the same arrow again and again; each press shows something new."""
    for _ in range(6):
        s.press(700, 500, gap=1.2).answered(0.2, WORD)
    return s


def wiping(s: Strokes) -> object:
    """Type a value, erase it, type another."""
    for _ in range(5):
        s.press(500, 500, gap=0.3).keys("cccccbbbbbccc").wait(0.5)
    return s


def tour_after_view(s: Strokes) -> object:
    """Turn the view round, then lead the pointer over it."""
    s.press(900, 500).answered(0.2, VIEW)
    return s.move(*FAR, *FAR, rest=0.3)


def sought(s: Strokes) -> object:
    """Fail twice and turn to a browser."""
    s.keys("cccu").wait(2.0).keys("cccu").wait(2.0)
    return s.focus("firefox", window=7).keys("cc")


BAR = unasked(*[1.0] * 12, boxes=CARET)
WORK_UNDO = repeated("kku")
TYPED = answered(keys("c"))


def pictures(*shown: str, times: int = 3) -> Story:
    """Return a story of presses at one button, each answered by the next of some pictures; `*` is one never seen."""

    def story(s: Strokes) -> object:
        for number in range(times):
            for picture in shown:
                s.press(900, 300, gap=0.2).shows(picture.replace("*", f"new {number}")).wait(1.0)
        return s

    return story


def views(*shown: str) -> Story:
    """Return a story of turning the wheel, which shows views in turn."""

    def story(s: Strokes) -> object:
        for view in shown * 3:
            s.scroll(-1).shows(view, VIEW).wait(1.2)
        return s

    return story


TO_AND_FRO = pictures("a", "b")
ON_AND_ON = pictures("*", "* too")
LOOKING_TO_AND_FRO = views("a", "b")


def scrolled_through(*lines: int) -> Story:
    """Return a story in which a text is scrolled to these lines in turn, again and again."""

    def story(s: Strokes) -> object:
        for line in lines * 3:
            s.scroll(-1).scrolls_to(line).wait(1.2)
        return s

    return story


BACK_AND_QUIET = one_by_one(TO_AND_FRO, wait(6.0), times=1)


def sensed(*acts: Story, times: int = 4) -> Story:
    """Return a story of acts in turn, again and again, while controls are understood."""

    def story(s: Strokes) -> object:
        return one_by_one(*acts, times=times)(s.sense())

    return story


def touch(name: str = "apply", *, state: ControlState = ControlState.PLAIN, at: int = 500) -> Story:
    """Return a story of a press on a control that the program names."""
    return lambda s: s.touch(name, state=state, at=(900, at)).wait(2.0)


def refused(text: str = "wrong", about: MessageClass = MessageClass.ERROR) -> Story:
    """Return a story of a press that is answered by a message."""
    return lambda s: s.touch("apply").says(text, about).wait(2.0)


def done(s: Strokes) -> object:
    """Press a control; each time something new is shown."""
    return s.touch("apply", gap=0.2).answered(0.2, WORD).wait(1.0)


def help_between(name: str) -> Story:
    """Return a story of a press without an effect, a look into a help viewer, and the same or another press."""

    def story(s: Strokes) -> object:
        s.press(900, 500).wait(2.0).focus("yelp", window=7).wait(4.0).focus("editor").wait(1.0)
        return s.press(900, 500 if name == "same" else 800).wait(2.0)

    return story


def touched_after_help(name: str) -> Story:
    """Return the same with controls that are named."""

    def story(s: Strokes) -> object:
        s.sense().touch("apply").wait(2.0).focus("yelp", window=7).wait(4.0).focus("editor").wait(1.0)
        return s.touch(name, at=(300, 300)).wait(2.0)

    return story


def undone(*labels: str) -> Story:
    """Return a story of acts that the program names, each taken back."""

    def story(s: Strokes) -> object:
        s.sense()
        for label in labels:
            s.keys("k").names_undo(label).wait(1.0).keys("u").names_undo("before").wait(1.0)
        return s

    return story


def toggling(*states: bool) -> Story:
    """Return a story of a check box that is put into states in turn."""

    def story(s: Strokes) -> object:
        s.sense()
        for on in states:
            s.toggles("wrap", on=on).wait(1.0)
        return s

    return story


DEAD = one_by_one(press(gap=2.5), times=4)
DEAD_TURNS = one_by_one(press(900, 300, gap=2.5), press(900, 700, gap=2.5), times=3)
SPREAD = one_by_one(*(press(x, y, gap=2.5) for x, y in FAR), times=1)
TOUCHED = sensed(touch())
TOUCHED_SPREAD = sensed(*(touch(f"tool {number}", at=300 + 100 * number) for number in range(4)), times=1)
SUCCESSFUL = sensed(done)
ERROR = sensed(refused())
ERRORS = sensed(*(refused(f"wrong {number}") for number in range(4)), times=1)

CASES: dict[str, tuple[Story, Story]] = {
    "tried_in_vain": (DEAD, stepping),
    "tried_again": (DEAD, SPREAD),
    "tried_turns": (DEAD_TURNS, DEAD),
    "tried_after_help": (help_between("same"), help_between("other")),
    "tried_succeeded": (stepping, DEAD),
    "tried_success_share": (stepping, DEAD),
    "tried_quiet": (one_by_one(DEAD, wait(6.0), times=1), one_by_one(stepping, wait(6.0), times=1)),
    "controls_seen": (sensed(wait(1.0)), DEAD),
    "controls_named": (TOUCHED, sensed(press(gap=2.5))),
    "touched_in_vain": (TOUCHED, SUCCESSFUL),
    "touched_again": (TOUCHED, TOUCHED_SPREAD),
    "touched_turns": (sensed(touch("one"), touch("other")), TOUCHED),
    "touched_after_help": (touched_after_help("apply"), touched_after_help("close")),
    "touched_succeeded": (SUCCESSFUL, TOUCHED),
    "touched_success_share": (SUCCESSFUL, TOUCHED),
    "touched_quiet": (sensed(touch(), touch(), wait(6.0), times=1), sensed(done, done, wait(6.0), times=1)),
    "touched_grey": (sensed(touch(state=ControlState.DISABLED)), TOUCHED),
    "toggled_back": (toggling(True, False, True), toggling(True)),
    "errors": (ERROR, SUCCESSFUL),
    "errors_again": (ERROR, ERRORS),
    "errors_other": (ERRORS, ERROR),
    "errors_last": (ERROR, sensed(refused(), done, times=2)),
    "error_recency": (ERROR, sensed(refused(), wait(20.0), times=1)),
    "notices_again": (sensed(refused("saved", MessageClass.OTHER)), ERROR),
    "failed_runs": (lambda s: s.runs("no name").runs("no name"), lambda s: s.runs("no name").runs("no sum")),
    "undone_again": (undone("bold", "bold", "bold"), undone("bold", "italic", "large")),
    "tiles_seen": (ON_AND_ON, clicking),
    "returned": (TO_AND_FRO, ON_AND_ON),
    "stale": (TO_AND_FRO, ON_AND_ON),
    "quiet_back": (BACK_AND_QUIET, one_by_one(ON_AND_ON, wait(6.0), times=1)),
    "same_end": (one_by_one(ON_AND_ON, press(gap=2.0), times=4), ON_AND_ON),
    "new_content": (one_by_one(ON_AND_ON, wait(6.0), times=1), ON_AND_ON),
    "circling": (BACK_AND_QUIET, ON_AND_ON),
    "fruitless": (BACK_AND_QUIET, ON_AND_ON),
    "revisited": (LOOKING_TO_AND_FRO, TO_AND_FRO),
    "views_again": (scrolled_through(0, 20, 41, 21), scrolled_through(*range(0, 80, 20))),
    "spent_typing": (typing, reading),
    "spent_erasing": (repeated("bbbb"), typing),
    "spent_keys": (repeated("nnxn"), typing),
    "spent_history": (repeated("uurr"), typing),
    "spent_commands": (repeated("kkyp"), typing),
    "spent_pressing": (clicking, hovering),
    "spent_scrolling": (reading, typing),
    "spent_pointing": (hovering, clicking),
    "spent_rest": (resting, typing),
    "runs_text": (repeated("cck"), repeated("bbk")),
    "runs_erase": (repeated("ccb"), repeated("cck")),
    "runs_commit": (repeated("ccx"), repeated("cck")),
    "runs_step": (repeated("ccn"), repeated("cck")),
    "runs_undo": (repeated("ccu"), repeated("cck")),
    "runs_redo": (repeated("ur"), repeated("uc")),
    "runs_clip": (repeated("nyp"), repeated("nkk")),
    "runs_command": (repeated("cck"), repeated("ccx")),
    "runs_escape": (repeated("cce"), repeated("cck")),
    "runs_press": (one_by_one(press(), keys("cc")), repeated("cck")),
    "runs_scroll": (one_by_one(scroll(-1), keys("cc")), repeated("cck")),
    "run_rate": (repeated("cb", 10), typing),
    "variety": (repeated("cbxnuyke", 3), typing),
    "busy_change": (one_by_one(wait(12.0), keys("cccccccccccc"), times=1), one_by_one(typing, wait(6.0), times=1)),
    "key_gap": (keys("c" * 20, 0.6), keys("c" * 20, 0.12)),
    "key_unevenness": (repeated("cc", 8, 0.1, 0.9), keys("c" * 20, 0.3)),
    "act_gap": (keys("kkkkkkkk", 1.5), keys("kkkkkkkk", 0.2)),
    "act_unevenness": (repeated("kk", 6, 0.1, 3.0), keys("k" * 12, 0.5)),
    "act_rate": (keys("k" * 20, 0.15), keys("kkkkkkkk", 1.5)),
    "pause_rate": (repeated("c", 5, 0.2, 2.6), repeated("c", 12, 0.2, 0.8)),
    "pause_length": (repeated("c", 4, 0.2, 8.0), repeated("c", 5, 0.2, 2.6)),
    "pause_now": (resting, typing),
    "run_length": (repeated("c" * 12 + "x", 3), repeated("cx", 10)),
    "hasty_share": (raging, clicking),
    "hold_length": (one_by_one(press(hold=0.9)), one_by_one(press(hold=0.06))),
    "pause_to_edit": (repeated("c", 4, 0.2, 3.0), repeated("u", 4, 0.2, 3.0)),
    "pause_to_mend": (repeated("u", 4, 0.2, 3.0), repeated("c", 4, 0.2, 3.0)),
    "pause_to_press": (one_by_one(wait(3.0), press()), repeated("c", 4, 0.2, 3.0)),
    "pause_to_look": (one_by_one(wait(3.0), scroll(-1)), repeated("c", 4, 0.2, 3.0)),
    "path_rate": (shaking, hovering),
    "trip_rate": (hovering, crossing),
    "trip_length": (aiming, hovering),
    "trip_straightness": (hovering, circling),
    "aimed_share": (aiming, hovering),
    "stop_rate": (hovering, aiming),
    "stop_length": (lambda s: s.move(*FAR, rest=3.0), hovering),
    "stop_again": (lambda s: s.move(*TOOLS[:2] * 4, rest=0.8), hovering),
    "stop_top": (hovering, lambda s: s.move(*FAR, rest=0.8)),
    "stop_middle": (lambda s: s.move(*FAR, rest=0.8), hovering),
    "stop_now": (lambda s: s.move(*TOOLS, rest=0.8).wait(3.0), typing),
    "turn_share": (shaking, crossing),
    "shake_rate": (shaking, hovering),
    "directness": (crossing, lambda s: s.keys("c")),
    "pointer_speed": (shaking, crossing),
    "pointer_spread": (lambda s: s.move(*FAR * 2), shaking),
    "pointing_top": (hovering, circling),
    "pointing_side": (lambda s: s.move(*((1700, 300), (1700, 700)) * 4), circling),
    "pointing_outside": (lambda s: s.move(*((900, 1060), (400, 1060)) * 4), circling),
    "dead_typing": (keys("c" * 20), TYPED),
    "dead_command": (one_by_one(keys("k"), wait(2.0)), answered(keys("k"))),
    "dead_press": (one_by_one(press(), wait(2.0)), answered(press())),
    "dead_moving": (one_by_one(scroll(-1), wait(2.0)), answered(scroll(-1))),
    "area_typing": (answered(keys("c"), VIEW), TYPED),
    "area_command": (answered(keys("k"), VIEW), answered(keys("k"))),
    "area_press": (answered(press(), VIEW), answered(press())),
    "area_moving": (answered(scroll(-1), VIEW), answered(scroll(-1))),
    "view_typing": (answered(keys("x"), VIEW), TYPED),
    "view_command": (answered(keys("k"), VIEW), answered(keys("k"))),
    "view_press": (answered(press(), VIEW), answered(press())),
    "view_moving": (answered(scroll(-1), VIEW), answered(scroll(-1))),
    "back_typing": (answered(keys("x"), digests=("a", "b")), answered(keys("x"))),
    "back_command": (answered(keys("u"), digests=("a", "b")), answered(keys("u"))),
    "back_press": (answered(press(), digests=("a", "b")), answered(press())),
    "back_moving": (answered(scroll(-1), VIEW, digests=("a", "b")), answered(scroll(-1), VIEW)),
    "dead": (raging, TYPED),
    "dead_rate": (one_by_one(press(), wait(2.0)), TYPED),
    "unanswered_now": (one_by_one(press(), wait(6.0), times=1), answered(press())),
    "answer_delay": (answered(keys("k"), after=0.9), answered(keys("k"), after=0.1)),
    "change_rate": (TYPED, typing),
    "view_share": (answered(scroll(-1), VIEW), TYPED),
    "local_share": (TYPED, answered(scroll(-1), VIEW)),
    "back_share": (answered(keys("u"), digests=("a", "b")), answered(keys("u"))),
    "back_rate": (answered(keys("u"), digests=("a", "b")), answered(keys("u"))),
    "fresh_rate": (TYPED, answered(keys("c"), digests=("a",))),
    "fresh_now": (one_by_one(TYPED, wait(9.0), times=1), TYPED),
    "change_now": (one_by_one(TYPED, wait(9.0), times=1), TYPED),
    "change_spread": (wandering(keys("c")), TYPED),
    "change_jump": (wandering(keys("c")), TYPED),
    "own_rate": (unasked(1.0, 1.0, 1.0, 1.0), TYPED),
    "own_fresh": (unasked(*[1.0] * 6, boxes=CARET), unasked(*[1.0] * 6, boxes=CARET, digests=("on", "off"))),
    "own_focus_rate": (one_by_one(wait(3.0), titles("a", "b")), typed_titles),
    "own_small_rate": (unasked(1.0, 1.0, 1.0, 1.0, boxes=CARET), unasked(1.0, 1.0, 1.0, 1.0)),
    "own_gap": (unasked(4.0, 4.0, 4.0), unasked(1.0, 1.0, 1.0, 1.0)),
    "own_unevenness": (unasked(0.6, 6.0, 0.6, 6.0), unasked(2.0, 2.0, 2.0, 2.0)),
    "own_area": (unasked(2.0, 2.0, 2.0, boxes=(VIEW,)), unasked(2.0, 2.0, 2.0)),
    "own_same_place": (unasked(2.0, 2.0, 2.0, 2.0), unasked(2.0, 2.0, 2.0, 2.0, boxes=(WORD, OTHER))),
    "press_top": (one_by_one(press(300, 50)), one_by_one(press())),
    "press_side": (one_by_one(press(1800, 500)), one_by_one(press())),
    "press_outside": (one_by_one(press(900, 1050)), one_by_one(press())),
    "press_again": (one_by_one(press(300, 300), press(1200, 700)), lambda s: [s.press(x, y) for x, y in FAR]),
    "press_same": (one_by_one(press(gap=0.8)), clicking),
    "press_way": (clicking, raging),
    "press_drag": (one_by_one(drag), clicking),
    "press_right": (one_by_one(press(button="right")), clicking),
    "press_double": (one_by_one(press(gap=0.1), press(gap=0.8)), one_by_one(press(gap=0.8))),
    "wheel_rest": (one_by_one(scroll(-1), wait(4.0)), one_by_one(scroll(-1))),
    "wheel_steps": (one_by_one(lambda s: s.scroll(-1, -1, -1, -1, -1), wait(1.0)), one_by_one(scroll(-1), wait(1.0))),
    "wheel_back": (scroll(-1, 1, -1, 1, -1, 1), scroll(-1, -1, -1, -1, -1, -1)),
    "wheel_way": (scroll(-1, -1, -1, -1, -1, -1), scroll(-1, 1, -1, 1, -1, 1)),
    "do_rate": (repeated("ccc", 5, 0.2, 2.5), typing),
    "mend_rate": (WORK_UNDO, typing),
    "look_rate": (reading, typing),
    "do_length": (repeated("c" * 40, 2, 0.2, 3.0), repeated("cc", 5, 0.2, 3.0)),
    "do_unevenness": (one_by_one(keys("c" * 30), wait(3.0), keys("c"), wait(3.0)), repeated("cccc", 5, 0.3, 3.0)),
    "do_acts": (repeated("c" * 40, 2, 0.2, 3.0), repeated("cc", 5, 0.2, 3.0)),
    "do_again": (answered(slow_key), wandering(slow_key)),
    "do_mended": (WORK_UNDO, repeated("kk", 4, 0.4, 2.5)),
    "look_length": (repeated("c", 4, 0.2, 8.0), repeated("c", 5, 0.2, 2.6)),
    "phase_now": (one_by_one(typing, wait(2.0), typing, times=1), repeated("cu", 4)),
    "pair_text_erase": (repeated("ccb"), repeated("ccx")),
    "pair_erase_text": (repeated("bcc"), repeated("xcc")),
    "pair_work_undo": (WORK_UNDO, repeated("ccx")),
    "pair_undo_work": (repeated("uk"), repeated("ccx")),
    "pair_undo_redo": (repeated("ur"), repeated("uk")),
    "pair_press_press": (clicking, one_by_one(press(), keys("c"))),
    "pair_press_escape": (one_by_one(press(), keys("e")), clicking),
    "pair_escape_press": (one_by_one(press(), keys("e")), clicking),
    "pair_scroll_work": (one_by_one(scroll(-1), keys("c")), repeated("nc")),
    "pair_work_scroll": (one_by_one(scroll(-1), keys("c")), repeated("nc")),
    "mend_delay": (one_by_one(keys("k"), wait(3.0), keys("u")), WORK_UNDO),
    "mend_gap": (one_by_one(keys("kk"), keys("uuu", 1.2)), one_by_one(keys("kk"), keys("uuu", 0.2))),
    "mend_steps": (one_by_one(keys("kk"), keys("uuuuu")), WORK_UNDO),
    "mend_after": (one_by_one(keys("ku"), wait(3.0)), repeated("ku")),
    "mend_redone": (repeated("kur"), WORK_UNDO),
    "menu_rate": (menus, clicking),
    "menu_again": (one_by_one(menu()), menus),
    "menu_length": (one_by_one(menu(rest=4.0)), one_by_one(menu())),
    "menu_left": (one_by_one(menu()), one_by_one(menu("pick"))),
    "tip_rate": (lambda s: [s.move((x, y), rest=1.6).popup(TIP).wait(0.5) for x, y in TOOLS], menus),
    "dialog_rate": (dialogs, typing),
    "dialog_again": (one_by_one(dialog()), dialogs),
    "dialog_length": (one_by_one(dialog(rest=6.0)), one_by_one(dialog())),
    "dialog_acts": (one_by_one(dialog(inside="cccccccc")), one_by_one(dialog(inside="c"))),
    "dialog_cancelled": (one_by_one(dialog(inside="e")), one_by_one(dialog(inside="x"))),
    "inside": (one_by_one(dialog(rest=4.0)), clicking),
    "away": (left_for("Terminal", reading), typing),
    "help": (left_for("firefox", reading), left_for("Terminal", reading)),
    "away_now": (left_for("Terminal", reading), typing),
    "switch_rate": (one_by_one(visit("Terminal", scroll(-1))), titles("a", "b", "c", "d")),
    "switch_back": (one_by_one(visit("Terminal", scroll(-1))), ever_new),
    "switch_new": (ever_new, one_by_one(visit("Terminal", scroll(-1)))),
    "stay_length": (one_by_one(visit("Terminal", wait(9.0)), times=2), one_by_one(visit("Terminal", wait(1.0)))),
    "stay_now": (one_by_one(visit("Terminal", wait(1.0)), wait(9.0), times=1), visit("Terminal", wait(9.0))),
    "title_rate": (titles("a", "b", "c", "d"), one_by_one(visit("Terminal", scroll(-1)))),
    "title_back": (titles("a", "b", "a", "b", "a"), titles("a", "b", "c", "d", "e")),
    "window_rate": (titles("a", "b", "c", "d", window=2), titles("a", "b", "c", "d")),
    "help_type": (left_for("firefox", typing), left_for("Terminal", typing)),
    "help_press": (left_for("firefox", clicking), left_for("firefox", typing)),
    "help_scroll": (left_for("firefox", reading), left_for("firefox", typing)),
    "failed_15s": (failed(2.5, 2.5, 2.5), failed(12.0, 12.0, 12.0)),
    "failed_30s": (failed(2.5, 2.5, 2.5), typing),
    "failed_kinds": (one_by_one(failed(2.5), menu(), times=2), failed(2.5, 2.5, 2.5)),
    "failed_alike": (failed(2.5, 2.5), one_by_one(failed(2.5), menu(), wait(1.0), times=1)),
    "failed_gap": (failed(9.0, 9.0), failed(2.5, 2.5)),
    "failed_first": (failed(9.0, 9.0, 9.0), failed(2.5, 2.5)),
    "like_task_understanding": (reading_elsewhere, TYPED),
    "like_ideation": (thinking, TYPED),
    "like_exploration": (hovering, TYPED),
    "like_performing_actions": (answered(keys("cc"), times=20), reading),
    "like_frustration": (raging, TYPED),
    "like_debugging": (values_again, TYPED),
    "like_seeking_external_help": (searching, reading_elsewhere),
    "like_waiting": (BAR, resting),
    "like_assessment": (viewing, TYPED),
    "seems_working": (TYPED, reading),
    "seems_keeping": (typing, reading),
    "seems_editing": (typing, reading),
    "seems_unasked": (BAR, resting),
    "seems_still": (resting, typing),
    "seems_elsewhere": (reading_elsewhere, reading),
    "seems_asking": (searching, reading_elsewhere),
    "seems_reading": (reading_elsewhere, searching),
    "seems_failing": (raging, TYPED),
    "seems_senseless": (raging, values_again),
    "seems_again": (answered(slow_key), wandering(slow_key)),
    "seems_touring": (hovering, TYPED),
    "seems_comparing": (one_by_one(slow_undo, keys("r"), times=2), WORK_UNDO),
    "seems_browsing": (one_by_one(dialog(rest=6.0)), one_by_one(dialog())),
    "seems_pointing": (thinking, aiming),
    "seems_viewing": (answered(scroll(-1), VIEW), TYPED),
    "same_place": (stepping, clicking),
    "same_place_fresh": (stepping, typing),
    "place_returns": (touring_fields(typed=False), stepping),
    "place_return_fresh": (touring_fields(typed=False), stepping),
    "field_returns": (touring_fields(typed=True), touring_fields(typed=False)),
    "field_return_fresh": (touring_fields(typed=True), touring_fields(typed=False)),
    "value_wipes": (wiping, typing),
    "value_wipe_fresh": (wiping, typing),
    "value_wipe_excess": (wiping, typing),
    "value_entries": (values_again, typing),
    "erase_excess": (one_by_one(typing, keys("b" * 15), times=1), typing),
    "wander_s": (one_by_one(press(), lambda s: s.move(*FAR, *FAR, rest=0.3), times=1), aiming),
    "wander_view_s": (tour_after_view, one_by_one(press(), lambda s: s.move(*FAR, *FAR, rest=0.3), times=1)),
    "help_sought": (sought, searching),
    "kept_since": (one_by_one(failed(2.5), typing, times=1), failed(2.5, 2.5)),
}  # fmt: skip
"""A feature, or several that differ in half-life -> a story in which it is higher, and one in which it is lower."""


def stem(name: str) -> str:
    """Return a name without its half-life."""
    return name if name in CASES else name.rpartition("_")[0]


def features_after(story: Story) -> dict[str, float]:
    """Return the features at the end of a story."""
    strokes = Strokes()
    story(strokes)
    return strokes.values()
