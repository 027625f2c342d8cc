"""What is excluded while Kairos runs: it counts at the next look, and nothing is ever taken off."""

from dataclasses import replace

from daemon.capture.fence.exclusions import Exclusions
from daemon.capture.fence.rules import Fence, Visibility
from storage.clock import NS_PER_S
from storage.settings import FenceSettings
from tests.fakes.desktop.windows import LEFT, OWN_PID, RIGHT, scene, window

NOW_NS = 10 * NS_PER_S


def test_what_is_excluded_now_is_covered_at_the_next_look() -> None:
    """A window that nothing happens to is covered too; without a new list the same look leaves it open."""
    exclusions = Exclusions(FenceSettings())
    fence = Fence(exclusions.fence, OWN_PID)
    fence.update([scene(window(1, "editor", LEFT), window(2, "mail", RIGHT))], NOW_NS)
    fence.exclude(exclusions.fence)
    assert fence.update([], NOW_NS + 1).covered == frozenset()  # the control
    assert exclusions.tighten(FenceSettings(excluded_apps=("mail",), excluded_titles=("salary",)))
    fence.exclude(exclusions.fence)
    assert fence.update([], NOW_NS + 2).covered == {RIGHT}
    assert fence.visibility(1) is Visibility.ALLOWED
    assert fence.visibility(2) is Visibility.COVERED


def test_nothing_is_taken_off_a_list_and_nothing_is_told_twice() -> None:
    """A shorter list changes nothing until the next start, nor does the same one; every other setting stays."""
    told: list[int] = []
    begun = FenceSettings(excluded_apps=("signal",), settle_s=5.0)
    exclusions = Exclusions(begun)
    exclusions.watch(lambda: told.append(len(exclusions.fence.excluded_apps)))
    assert not exclusions.tighten(FenceSettings())
    assert exclusions.fence is begun
    assert exclusions.tighten(FenceSettings(excluded_apps=("mail",), settle_s=0.0))
    assert exclusions.fence == replace(begun, excluded_apps=("signal", "mail"))
    assert not exclusions.tighten(FenceSettings(excluded_apps=("mail",)))
    assert told == [2]
