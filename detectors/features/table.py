"""The table of features: name, unit and definition, and the digest that ties a model to the features it names."""

from collections.abc import Iterable, Sequence
from hashlib import blake2b

from detectors.features import state_scores
from detectors.features.attempts import memory
from detectors.features.extractor import FeatureExtractor, FeatureTable
from detectors.features.extractors import CONTROLS, EXTRACTORS, REPEATS

_COUNTS: FeatureTable = {
    "inputs": ("1", "input events, merged ones counted singly"),
    "characters": ("1", "character keys"),
    "fluent_characters": ("1", "character keys less than 1 s after the one before"),
    "erasures": ("1", "backspace and delete keys"),
    "commits": ("1", "Enter and Tab keys"),
    "navigations": ("1", "arrow, page, home and end keys"),
    "undos": ("1", "undo keys"),
    "undo_run_max": ("1", "most undos in a row, nothing between them"),
    "redos": ("1", "redo keys"),
    "pastes": ("1", "paste keys"),
    "saves": ("1", "save keys"),
    "shortcuts": ("1", "other shortcuts"),
    "escapes": ("1", "Escape keys"),
    "helps": ("1", "help keys"),
    "clicks": ("1", "button presses"),
    "dead_clicks": ("1", "clicks without a response of the screen within 1.5 s"),
    "scrolls": ("1", "scroll steps"),
    "scroll_turns": ("1", "changes of scroll direction"),
    "motion_px": ("px", "length of the pointer's path"),
    "menus": ("1", "menus opened by the person"),
    "dialogs": ("1", "dialogs that took the focus"),
    "app_switches": ("1", "changes of application"),
    "frames": ("1", "frames in which something changed"),
    "unprompted_frames": ("1", "frames with a change larger than a clock, more than 2 s after the last input"),
}

_MEMORY: FeatureTable = {
    "window_s": ("s", "age of the window"),
    "erase_share": ("1", "erasures among characters and erasures"),
    "failures": ("1", "failed attempts in this application, faded and relieved: worst kind, and a part of the others"),
    "relief": ("1", "1 while there was little work since the last failure, towards 0 with work that stays"),
    "pace": ("1", "recent work, about characters, half-life 8 s"),
    "since_failure_s": ("s", "time since the last failed attempt in this application; 999: never"),
    "since_kept_s": ("s", "time since the last work that stayed in this application; 999: never"),
    "idle_s": ("s", "time since the last input"),
    "still_s": ("s", "time since the last key, button or scroll, pointer motion aside"),
    "undo_presses": ("1", "undo keys in the last minute"),
    "unanswered": ("1", "clicks of the last minute without a response of the screen"),
    "waver": ("1", "turns between undo and redo in the present comparison"),
    "hover_places": ("1", "places the pointer was moved over since the last key or button"),
    "hover_s": ("s", "how long the pointer has been moved since the last key or button"),
    "watching_s": ("s", "how long the screen has changed by itself, without input"),
    "help_app": ("0/1", "whether the application is a browser or a help viewer"),
    "since_help_s": ("s", "time since the help key; 999: never"),
    "app_s": ("s", "time since this application came to the front"),
    "failures_elsewhere": ("1", "most failed attempts in another application, faded and relieved"),
}

SOUGHT: FeatureTable = {
    "help_sought": (
        "0/1",
        "whether a browser or help viewer is in use that was turned to from a program with failures",
    ),
}
"""Features of help that was looked for: what a program is called says nothing by itself."""

QUIETLY: FeatureTable = {**REPEATS, **SOUGHT}
"""Features of quiet trouble, which the evidence detector reads beside `TRACKED`."""

WINDOW_COUNTS = tuple(_COUNTS)  # features that count from the start of the window
TRACKED: FeatureTable = {**_COUNTS, **_MEMORY, **memory.KIND_TABLE}
"""Features of `detectors.features.tracker` itself, which the evidence detector reads."""


def extracted(extractors: Sequence[type[FeatureExtractor]]) -> FeatureTable:
    """Return the features of these extractors and of what is derived beside them, for detectors that learn."""
    tables = (*(extractor.table for extractor in extractors), memory.TABLE, state_scores.TABLE, SOUGHT)
    return {name: definition for table in tables for name, definition in table.items()}


EXTRACTED = extracted(EXTRACTORS)

SENSED = tuple(CONTROLS)
"""Features of the accessibility sense: 0 without it. To train for both, blank all of them together, or none."""

BY_NAME = (
    *("help_app", "help_6s", "help_8s", "help_press", "help_scroll", "help_type"),
    *("seems_elsewhere", "seems_reading", "seems_asking"),
    *("like_task_understanding", "like_assessment", "like_ideation", "like_performing_actions"),
    "like_seeking_external_help",
)
"""Features that the mere name of a browser or a help viewer changes: models that are trained now do not read them."""

FRUITLESS, REVISITED, VIEWS_AGAIN, FAILED_RUNS = "fruitless", "revisited", "views_again", "failed_runs"
UNTRAINED = (FRUITLESS, REVISITED, VIEWS_AGAIN, FAILED_RUNS)
"""Untrained signs of trouble that are added to what a model says; models do not read them themselves."""

TABLE: FeatureTable = {**TRACKED, **EXTRACTED}
"""Name -> (unit, definition). Counts are of the window so far; the rest is memory that outlives it."""


def features_hash(names: Iterable[str], table: FeatureTable = TABLE) -> str:
    """Return a digest of name, unit and definition of exactly these features, in this order."""
    lines = "".join(f"{name}\t{table[name][0]}\t{table[name][1]}\n" for name in names)
    return blake2b(lines.encode(), digest_size=8).hexdigest()
