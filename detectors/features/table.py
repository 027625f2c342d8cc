"""The table of features: name, unit and definition of each, in the order in which they are given."""

from collections.abc import Mapping
from hashlib import blake2b

from detectors.features import feature_set as streams
from detectors.features import state_scores as readings
from detectors.features.attempts import failures as failing
from detectors.features.attempts.memory import KINDS

WINDOW_COUNTS = (
    "inputs", "characters", "fluent_characters", "erasures", "commits", "navigations", "undos", "undo_run_max",
    "redos", "pastes", "saves", "shortcuts", "escapes", "helps", "clicks", "dead_clicks", "scrolls", "scroll_turns",
    "motion_px", "menus", "dialogs", "app_switches", "frames", "unprompted_frames",
)  # fmt: skip

_COUNTS: Mapping[str, tuple[str, str]] = {
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
    "dead_clicks": ("1", "clicks that the screen did not answer within 1.5 s"),
    "scrolls": ("1", "scroll steps"),
    "scroll_turns": ("1", "changes of scroll direction"),
    "motion_px": ("px", "length of the pointer's path"),
    "menus": ("1", "menus opened by the person"),
    "dialogs": ("1", "dialogs that took the focus"),
    "app_switches": ("1", "changes of application"),
    "frames": ("1", "frames in which something changed"),
    "unprompted_frames": ("1", "frames with a change larger than a clock, more than 2 s after the last input"),
}

_MEMORY: Mapping[str, tuple[str, str]] = {
    "window_s": ("s", "age of the window"),
    "erase_share": ("1", "erasures among characters and erasures"),
    "failures": ("1", "failed tries still felt in this application: worst kind, and half of the others"),
    "relief": ("1", "1 while little was kept since the last failure, towards 0 with work that stays"),
    "pace": ("1", "work kept lately, about characters, half-life 8 s"),
    "since_failure_s": ("s", "time since the last failed try in this application; 999: never"),
    "since_kept_s": ("s", "time since work was last kept in this application; 999: never"),
    "idle_s": ("s", "time since the last input"),
    "still_s": ("s", "time since the last key, button or scroll, pointer motion aside"),
    "undo_presses": ("1", "undo keys in the last minute"),
    "unanswered": ("1", "clicks of the last minute that the screen did not answer"),
    "waver": ("1", "turns between undo and redo in the present comparison"),
    "hover_places": ("1", "places the pointer was moved over since the last key or button"),
    "hover_s": ("s", "how long the pointer has been moved since the last key or button"),
    "watching_s": ("s", "how long the screen has changed by itself, without input"),
    "help_app": ("0/1", "whether the application is a browser or a help viewer"),
    "since_help_s": ("s", "time since the help key; 999: never"),
    "app_s": ("s", "time since this application came to the front"),
    "failures_elsewhere": ("1", "most failed tries still felt in another application"),
}

_PER_KIND: Mapping[str, str] = {
    "undo": "undo bursts",
    "dead_click": "bursts of clicks without an answer",
    "repeat_click": "clicks at the same place after which the screen was as before",
    "menu": "menus left without an act",
    "dialog": "dialogs left without an effect",
    "retype": "entries taken back or made again at the same place",
}

OWN: Mapping[str, tuple[str, str]] = {
    **_COUNTS,
    **_MEMORY,
    **{f"{kind}_level": ("1", f"{_PER_KIND[kind]}, fading by half in 40 s, relieved by kept work") for kind in KINDS},
    **{f"{kind}_count": ("1", f"{_PER_KIND[kind]} in the last minute") for kind in KINDS},
    **{f"{kind}_span_s": ("s", f"time since the first of the {_PER_KIND[kind]} counted") for kind in KINDS},
}
"""Features of `detectors.features.tracker` itself, which the evidence detector reads."""

STREAMED: Mapping[str, tuple[str, str]] = {**streams.TABLE, **failing.TABLE, **readings.TABLE}
"""Features for detectors that learn: shares, typical times and rates that fade within seconds, and readings of them."""

TABLE: Mapping[str, tuple[str, str]] = {**OWN, **STREAMED}
"""Name -> (unit, definition). Counts are of the window so far; the rest is memory that outlives it."""

FEATURES_VERSION = 5
"""Goes up when a feature of the same name comes to mean something else."""


def features_hash(table: Mapping[str, tuple[str, str]], version: int) -> str:
    """Return a digest of names, units and order of features, and of the version of what they mean."""
    named = "".join(f"{name} {unit}\n" for name, (unit, _) in table.items())
    return blake2b(f"{version}\n{named}".encode(), digest_size=8).hexdigest()


FEATURES_HASH = features_hash(TABLE, FEATURES_VERSION)
"""What a model was trained on: names, units and order of all features, and their version."""
