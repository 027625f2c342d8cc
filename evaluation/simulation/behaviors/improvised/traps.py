"""Improvised hard negatives: people who are well, over the pairs that are easiest taken for trouble.

Each is drawn anew like the rest, and each has what trouble lacks: a look in peace, a result that stays, or work that
goes on at once.
"""

from collections.abc import Callable

from evaluation.simulation.behaviors.behavior import Behavior, Scene
from evaluation.simulation.behaviors.habits import close_menus, go_down, into_front, near, next_menu, open_menu
from evaluation.simulation.behaviors.improvised.manner import Act, Manner
from storage.records import State


def calm_comparisons(scene: Scene) -> None:
    """Put on a few variants, go back through them one by one with a look at each, keep the one that pleases."""
    actor, program, own = scene.actor, scene.program, Manner(scene)
    most, settles = actor.rng.randint(1, 3), actor.rng.uniform(0.3, 1.0)
    goes_on = own.mix((program.compose, program.adjust, own.point_about), fewest=1, most=2, rest_s=1.0, run=2)
    while actor.has_time():
        steps = []
        for _ in range(actor.rng.randint(1, most)):
            steps.append(program.change())
            own.rest(1.8)
        back = actor.rng.randint(1, len(steps))
        for number in steps[-back:][::-1]:
            program.undo(number)
            own.rest(1.8)
        for number in steps[-back:][: actor.rng.randint(0, back)]:
            program.redo(number)
            own.rest(1.6)
        if actor.has_time() and actor.chance(settles):
            goes_on.spell()


def dialogs_that_work(scene: Scene) -> None:
    """Go through a dialog again and again in a round of work, and each time it has done what it should."""
    actor, program, own = scene.actor, scene.program, Manner(scene)
    rest = own.mix(
        (program.compose, program.enter_value, program.expert, own.leaf), fewest=1, most=3, rest_s=0.7, run=2
    )
    controls, pieces = actor.rng.randint(1, 2), actor.rng.randint(1, 3)
    while actor.has_time():
        for _ in range(actor.rng.randint(1, pieces)):
            if actor.has_time():
                rest.spell()
        if not actor.has_time():
            return
        program.open_dialog()
        for _ in range(actor.rng.randint(1, controls)):
            program.use_dialog()
        program.leave_dialog(apply=True)
        own.rest(0.8)


def one_slip_amid_flow(scene: Scene) -> None:
    """Work along well; one thing goes wrong in an everyday way, and the work goes on without another thought."""
    actor, program, own = scene.actor, scene.program, Manner(scene)
    offer = (program.compose, program.compose, program.adjust, program.expert, program.enter_value, program.drag)
    flow = own.mix(offer, fewest=2, most=5, rest_s=0.6)

    def click_in_vain() -> None:
        target = actor.rng.choice(program.dead_points())
        for _ in range(actor.rng.randint(1, 3)):
            actor.hands.click(*near(actor, target, reach=8))
            actor.hands.wait(actor.hands.about(0.4))

    def wrong_dialog() -> None:
        program.open_dialog()
        program.leave_dialog(apply=False)

    slips: tuple[Act, ...] = (
        click_in_vain,
        wrong_dialog,
        own.variant_and_back,
        own.value_and_back,
        own.look_into_menus,
    )
    wait = actor.rng.randint(1, 3)
    while actor.has_time():
        for _ in range(wait):
            if actor.has_time():
                flow.spell()
        if actor.has_time():
            actor.rng.choice(slips)()
            own.rest(0.5)
        if actor.has_time():
            flow.one()
        wait = actor.rng.randint(3, 5)


def finds_it_in_a_menu(scene: Scene) -> None:
    """Go through a menu or two for a command, find it, use it, and work on with it."""
    actor, program, own = scene.actor, scene.program, Manner(scene)
    use = own.mix((program.change, program.adjust, program.expert), fewest=1, most=2, rest_s=0.6, run=2)
    work = own.mix((program.compose, program.enter_value, program.drag), fewest=1, most=3, rest_s=0.7, run=2)
    entries, rest_s = actor.rng.randint(1, 4), actor.rng.uniform(0.25, 0.7)
    while actor.has_time():
        titles = program.menu_points()
        first = actor.rng.randrange(len(titles))
        go_down(actor, open_menu(actor, program, titles[first]), actor.rng.randint(1, entries), rest_s)
        if first + 1 < len(titles) and actor.chance(0.4):
            menu = next_menu(actor, program, titles[first + 1])
            go_down(actor, menu, actor.rng.randint(1, entries), rest_s)
        close_menus(actor, program)
        if actor.has_time():
            use.spell()
        if actor.has_time():
            work.spell()


def values_place_by_place(scene: Scene) -> None:
    """Put in value after value, each at another place and each to stay; one is set right now and then."""
    actor, program, own = scene.actor, scene.program, Manner(scene)
    between = own.mix((own.leaf, own.point_about, own.turn_wheel), fewest=1, most=2, rest_s=0.4, run=1)
    rights, moves = actor.rng.uniform(0.05, 0.35), actor.rng.uniform(0.2, 0.8)
    while actor.has_time():
        program.enter_value()
        own.rest(0.7)
        if actor.has_time() and actor.chance(rights):
            program.revise_value()
            own.rest(0.5)
        if actor.has_time() and actor.chance(moves):
            between.spell()


def reads_with_idle_hands(scene: Scene) -> None:
    """Read slowly with the pointer idle for long; a notch, a line, and long nothing again."""
    actor, own = scene.actor, Manner(scene)
    scene.helpers.open_brief()
    into_front(actor)
    shortest, longest = actor.rng.uniform(2.0, 4.0), actor.rng.uniform(5.0, 12.0)
    leads = actor.rng.uniform(0.0, 0.3)
    while actor.has_time():
        actor.hands.pause(min(actor.rng.uniform(shortest, longest), actor.left_s() + 0.5), "reading")
        if actor.chance(leads):
            own.along_window()
        else:
            actor.hands.scroll(-actor.rng.randint(1, 3))


def variants_in_thought(scene: Scene) -> None:
    """Think up one variant after the other, drop most of them after a long look, and think on."""
    actor, program, own = scene.actor, scene.program, Manner(scene)
    ways: list[Act] = [own.variant_and_back, own.value_and_back]
    variants = own.mix(ways, fewest=1, most=2, rest_s=1.2, run=2)
    keeps, thinks_s = actor.rng.uniform(0.05, 0.3), actor.rng.uniform(2.0, 3.5)
    while actor.has_time():
        own.rest(thinks_s)
        if actor.chance(keeps):
            own.variant_kept()
        else:
            variants.spell()
        if actor.has_time() and actor.chance(0.2):
            actor.rng.choice((program.compose, program.adjust))()


def judges_by_trying(scene: Scene) -> None:
    """Look over the result, see how one thing would look otherwise, leave it as it was, look on."""
    actor, own = scene.actor, Manner(scene)
    looks = own.mix((own.point_about, own.along_a_line, own.leaf, own.turn_wheel), fewest=1, most=3, rest_s=2.0)
    checks = actor.rng.choice((own.variant_and_back, own.look_into_dialog))
    share = actor.rng.uniform(0.1, 0.3)
    while actor.has_time():
        looks.spell()
        if actor.has_time() and actor.chance(share):
            checks()
            own.rest(2.0)


def fast_and_sure(scene: Scene) -> None:
    """Work at the pace of an angry hand, clicks and shortcuts in bursts, and all of it does something."""
    actor, program, own = scene.actor, scene.program, Manner(scene)
    offer = (program.repeat_useful, program.expert, program.adjust, program.drag, program.enter_value, program.change)
    bursts = own.mix(offer, fewest=2, most=4, rest_s=0.3, run=4)
    while actor.has_time():
        bursts.spell()
        if actor.has_time() and actor.chance(0.15):
            program.undo(1)


def _trap(act: Callable[[Scene], None], state: State, intent: str, weight: float) -> Behavior:
    return Behavior(name=act.__name__, state=state, act=act, intent=intent, hard_negative=True, weight=weight)


BEHAVIORS = (
    _trap(calm_comparisons, State.EXPLORATION, "choose between variants", 1.1),
    _trap(dialogs_that_work, State.PERFORMING_ACTIONS, "get the work done with the right settings", 0.8),
    _trap(one_slip_amid_flow, State.PERFORMING_ACTIONS, "get the work done", 1.0),
    _trap(finds_it_in_a_menu, State.PERFORMING_ACTIONS, "use a command and go on", 0.8),
    _trap(values_place_by_place, State.PERFORMING_ACTIONS, "fill in what belongs in each place", 0.8),
    _trap(reads_with_idle_hands, State.TASK_UNDERSTANDING, "understand what is to be made", 1.1),
    _trap(variants_in_thought, State.IDEATION, "find what could be made", 1.1),
    _trap(judges_by_trying, State.ASSESSMENT, "see whether it is good as it is", 1.1),
    _trap(fast_and_sure, State.PERFORMING_ACTIONS, "get the work done fast", 0.8),
)
