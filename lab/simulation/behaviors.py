"""What a stretch of a simulated session stands for, and the names of the gesture scripts that older logs hold.

The older sessions in `lab/logs` were acted out by scripts of gestures that are gone; their logs stay as training data.
People with tasks act out courses (`lab.simulation.tasks`), labelled "course:task".
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from lab.simulation.persona import Split
from storage.records import State

TASK_MARK = ":"
"""Stands between course and task in the name of what people with tasks do."""


class Need(StrEnum):
    """When help is needed during a stretch."""

    NEVER = "never"
    AFTER_FAILURES = "after_failures"
    FROM_START = "from_start"


def script_of(behavior: str) -> str:
    """Return the script of a behavior by its name; in all tasks it is the same one."""
    return behavior.partition(TASK_MARK)[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What a stretch of a session stands for, and when help is needed in it."""

    name: str
    state: State | None
    intent: str
    help: str | None = None
    need: Need = Need.NEVER
    hard_negative: bool = False
    held_out: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedStretch:
    """A stretch of a session: what it means, how long it is to last, and what the user does in it.

    `act` goes on while `user.has_time()`, in steps of a few seconds, and calls `user.note_failure()` at the end of each
    try that failed.
    """

    meaning: Meaning
    seconds: float
    act: Callable[[], None]


_SCRIPTS: Mapping[State | None, str] = {
    State.TASK_UNDERSTANDING: (
        "read_brief brief_and_program document_from_top marks_what_matters brief_by_keys prepares_ground "
        "reads_for_long takes_in_brief skims_then_reads brief_and_work_in_turn sees_what_is_there reads_and_ponders "
        "reads_with_idle_hands"
    ),
    State.IDEATION: (
        "words_and_second_thoughts sketch_and_take_back jot_and_rearrange stares_at_empty_spot draws_in_the_air "
        "list_of_steps thinks_in_own_way begins_and_drops looks_for_ideas places_loosely words_by_and_by "
        "variants_in_thought"
    ),
    State.EXPLORATION: (
        "menu_tour tool_hovering dialog_look tries_looks sees_what_it_does view_toggling from_tool_to_place "
        "steps_through weighs_two_variants curious_about_menus goes_over_all reads_along_menus "
        "tries_out_and_puts_back turns_over_views looks_behind_doors calm_comparisons"
    ),
    State.PERFORMING_ACTIONS: (
        "composing adjusting steady_mix copying_runs tool_in_hand walks_and_mends settings_first clicks_to_some_end "
        "shortcuts_at_speed slow_and_careful mends_and_goes_on looks_up_and_goes_on same_dialog_for_each "
        "drags_one_by_one works_in_any_mix works_in_spells works_in_rounds builds_then_polishes works_with_looks "
        "dialogs_that_work one_slip_amid_flow finds_it_in_a_menu values_place_by_place fast_and_sure"
    ),
    State.FRUSTRATION: (
        "rage_clicks undo_storm same_menus dialog_again written_and_wiped drags_in_vain this_and_that "
        "sits_and_sighs pokes_at_a_dialog hunts_in_menus takes_all_back clicks_what_is_dead enters_it_anew "
        "hovers_for_a_name sits_before_it mashes_keys rushes_about to_and_fro comes_back_to_it "
        "tries_one_then_another gives_up_and_starts_again flares_and_slumps harder_each_time"
    ),
    State.DEBUGGING: (
        "one_value_at_a_time step_by_step_back setting_and_check compares_with_brief same_elsewhere "
        "searches_the_cause rules_things_out one_value_to_and_fro same_setting_again one_change_after_another "
        "puts_it_on_and_off asks_one_kind suspect_by_suspect halves_what_is_left checks_after_each "
        "looks_it_over_between"
    ),
    State.SEEKING_EXTERNAL_HELP: (
        "search_and_read skims_results tries_the_advice asks_the_help_key asks_in_other_words follows_step_by_step "
        "reads_what_is_found wanders_through_pages reads_then_experiments brief_first_then_help from_menu_to_pages"
    ),
    State.WAITING: (
        "watches_the_bar watches_an_upload watches_lines program_does_not_answer looks_elsewhere_meanwhile "
        "cannot_sit_still waits_for_export waits_in_own_way hands_in_lap one_wait_after_another "
        "looks_through_meanwhile tests_whether_it_answers"
    ),
    State.ASSESSMENT: (
        "pages_through zooms_to_judge points_at_items reads_over holds_against_version_before last_check "
        "stares_content goes_over_result sits_back proof_reads samples_places judges_whole_and_part "
        "judges_by_trying"
    ),
    None: "gone_away",
}

GESTURE_SCRIPTS: Mapping[str, State | None] = MappingProxyType(
    {name: state for state, names in _SCRIPTS.items() for name in names.split()}
)
"""The state of each script in the older logs, by name; None is for somebody who is away."""

_HELD_OUT = (
    "asks_in_other_words brief_by_keys cannot_sit_still curious_about_menus drags_one_by_one draws_in_the_air "
    "follows_step_by_step from_tool_to_place holds_against_version_before last_check list_of_steps "
    "looks_elsewhere_meanwhile looks_up_and_goes_on mashes_keys prepares_ground rules_things_out rushes_about "
    "same_dialog_for_each searches_the_cause settings_first steps_through to_and_fro waits_for_export "
    "walks_and_mends"
)
HELD_OUT_SCRIPTS = frozenset(_HELD_OUT.split())
"""Gesture scripts that no training session contains."""

GESTURE_PROGRAMS: Mapping[Split, tuple[str, ...]] = MappingProxyType(
    {Split.TRAIN: ("writer", "calc", "mousepad", "gimp", "chromium"), Split.TEST: ("impress", "inkscape")}
)
"""The programs of the older logs."""
