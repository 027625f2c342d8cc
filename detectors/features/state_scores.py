"""State scores: hand-made scores of the nine states from all other features, and the intermediate judgements.

They express GUIDE's definitions of the states in terms that hold in any program. Models that learn from them depend
less on the scripts and programs of the training data; with whole behaviors hidden from training, a linear model on them
did better than any model on all features. Each is a guess made with the first two dozen simulated training sessions in
view; none is a probability.
"""

from collections.abc import Mapping

from detectors.features.extractor import defined
from storage.records import State

Features = Mapping[str, float]


TABLE = defined("state_scores")
_LIKE = tuple((f"like_{state.value}", state) for state in State)
_SEEMS = tuple((name, name.removeprefix("seems_")) for name in TABLE if name.startswith("seems_"))


def ramp(value: float, low: float, high: float) -> float:
    """Return 0 up to `low`, 1 from `high` on, and what lies between in proportion."""
    if value <= low:
        return 0.0
    return 1.0 if value >= high else (value - low) / (high - low)


def values(f: Features) -> dict[str, float]:
    """Return the features of `TABLE`, computed from all others."""
    calm_over = _calmness(f)
    seems = _judge(f, calm_over)
    likes = _score_states(f, seems, calm_over)
    return {name: max(0.0, likes[state]) for name, state in _LIKE} | {name: seems[judged] for name, judged in _SEEMS}


def _judge(f: Features, calm_over: Features) -> dict[str, float]:
    unasked = ramp(f["own_fresh_8s"], 0.1, 0.4)
    editing = ramp(_edits(f), 0.1, 0.45)
    elsewhere = max(f["away_8s"], f["help_8s"])
    senseless, probing = _failures(f, calm_over)
    failed = senseless + probing
    redone = ramp(f["mend_redone"], 0.12, 0.35)
    searching = max(
        ramp(f["view_typing"], 0.0, 0.025),
        ramp(f["view_press"], 0.02, 0.08) * ramp(f["runs_text_8s"] + f["runs_commit_8s"], 0.04, 0.15),
    )
    return {
        "working": ramp(f["fresh_rate_8s"], 0.3, 1.1),
        "keeping": ramp(f["pace"], 3.0, 14.0),
        "editing": editing,
        "unasked": unasked,
        "still": ramp(f["spent_rest_8s"], 0.35, 0.65) * (1.0 - ramp(f["act_rate_6s"], 0.4, 1.1)),
        "elsewhere": elsewhere,
        "asking": max(searching * ramp(elsewhere, 0.1, 0.4), 1.0 - ramp(f["since_help_s"], 15.0, 30.0))
        * (1.0 - ramp(f["pace"], 8.0, 16.0)),
        "reading": ramp(elsewhere, 0.3, 0.75) * (1.0 - editing) * (1.0 - ramp(f["view_typing"], 0.0, 0.02)),
        "failing": ramp(failed, 0.5, 1.8),
        "senseless": (senseless + 0.1) / (failed + 0.2),
        "again": ramp(f["do_again"], 0.1, 0.45),
        "touring": max(
            ramp(f["stop_top"] * f["stop_rate_8s"], 0.02, 0.12),
            ramp(f["tip_rate"], 0.02, 0.12),
            ramp(f["menu_rate"], 0.04, 0.12) * max(calm_over["menu"], 0.2),
        ),
        "comparing": calm_over["undo"]
        * ramp(f["mend_rate"] + 0.05 * f["mend_steps"], 0.02, 0.08)
        * max(redone, 1.0 - ramp(f["spent_rest_8s"], 0.35, 0.55)),
        "browsing": ramp(f["inside_8s"], 0.2, 0.5)
        * max(calm_over["dialog"], 0.6 * ramp(f["dialog_cancelled"], 0.1, 0.4))
        * ramp(f["dialog_rate"], 0.01, 0.04)
        * (1.0 - ramp(f["dialog_again"], 0.2, 0.7))
        * (1.0 - unasked),
        "pointing": ramp(f["stop_rate_8s"], 0.08, 0.2) * (1.0 - ramp(f["aimed_share"], 0.35, 0.7)),
        "viewing": max(ramp(f["view_moving"], 0.02, 0.15), ramp(f["runs_scroll_8s"], 0.15, 0.5)),
    }


def _score_states(f: Features, seems: Features, calm_over: Features) -> dict[State, float]:
    working, keeping, editing, unasked = (seems[name] for name in ("working", "keeping", "editing", "unasked"))
    failing, touring, viewing, pointing = (seems[name] for name in ("failing", "touring", "viewing", "pointing"))
    asking, still = seems["asking"], seems["still"]
    rest = f["spent_rest_8s"]
    here = 1.0 - ramp(seems["elsewhere"], 0.3, 0.8)
    calm = (1.0 - failing) * (1.0 - unasked)
    long_looks = ramp(f["stop_length"], 3.0, 3.4)
    variants = calm_over["undo"] * ramp(f["mend_rate"] + 0.05 * f["mend_steps"], 0.02, 0.08)
    redone = ramp(f["mend_redone"], 0.12, 0.35)
    only_read = ramp(seems["elsewhere"], 0.4, 0.8) if f["runs_text_8s"] < 0.05 else 0.0  # noqa: PLR2004  # hardly any
    quiet = (1.0 - working) * here * calm * (1.0 - 0.7 * touring) * (1.0 - editing)
    return {
        State.TASK_UNDERSTANDING: 1.3 * seems["reading"] * (1.0 - 0.7 * unasked) * (1.0 - 0.5 * asking)
        + 0.35 * here * calm * viewing * (1.0 - working) * (1.0 - editing),
        State.IDEATION: here
        * calm
        * (
            0.7 * pointing * long_looks * (1.0 - viewing)
            + 0.75 * variants * ramp(rest, 0.4, 0.65) * (1.0 - redone)
            + editing * (0.75 * pointing + 0.6 * ramp(rest, 0.25, 0.5) * (1.0 - viewing) * (1.0 - 0.5 * keeping))
        ),
        State.EXPLORATION: (touring + 0.9 * seems["comparing"] + 0.8 * seems["browsing"])
        * (1.0 - 0.6 * failing)
        * (1.0 - 0.6 * keeping),
        State.PERFORMING_ACTIONS: 1.25
        * (0.4 * working + 0.6 * keeping)
        * (1.0 - 0.55 * failing)
        * (1.0 - 0.5 * ramp(rest, 0.2, 0.45))
        * (1.0 - 0.8 * asking)
        * (1.0 - only_read),
        State.FRUSTRATION: 1.35 * failing * (0.2 + 0.95 * seems["senseless"]) * (1.0 - 0.35 * keeping),
        State.DEBUGGING: 1.35 * failing * (1.15 - 0.95 * seems["senseless"]) * (0.75 + 0.35 * seems["again"])
        + 0.6 * ramp(f["switch_rate"], 0.08, 0.18) * editing * (1.0 - asking) * (1.0 - 0.6 * keeping),
        State.SEEKING_EXTERNAL_HELP: 1.7 * asking,
        State.WAITING: 2.0 * unasked * still
        + 0.6 * still * ramp(f["dead_press"], 0.2, 0.6) * (1.0 - ramp(f["change_rate_6s"], 0.02, 0.15)),
        State.ASSESSMENT: quiet
        * (
            0.35
            + 0.55 * viewing
            + 0.4 * pointing * (1.0 - long_looks)
            + 0.35 * ramp(rest, 0.6, 0.85) * (1.0 - pointing)
        ),
    }


def _edits(f: Features) -> float:
    """Return the share of runs of acts that edit, drags by half."""
    runs = ("text", "commit", "clip", "erase", "command", "undo")
    return min(1.0, sum(f[f"runs_{name}_8s"] for name in runs) + 0.5 * f["press_drag"])


def _calmness(f: Features) -> dict[str, float]:
    """Return how slowly people undo and use menus and dialogs: who is stuck is quick."""
    return {
        "undo": ramp(f["mend_delay"], 2.95, 3.4),
        "menu": ramp(f["menu_length"], 2.45, 2.9),
        "dialog": ramp(f["dialog_length"], 3.75, 4.1),
    }


def _failures(f: Features, calm_over: Features) -> tuple[float, float]:
    """Return active failures without those made calmly: aimless ones, and those that probe."""
    redone = 0.7 * ramp(f["mend_redone"], 0.12, 0.35)
    undo = f["undo_level"] * (1.0 - 0.8 * calm_over["undo"])
    menu = f["menu_level"] * (1.0 - 0.7 * calm_over["menu"])
    again = 0.4 + 0.6 * ramp(f["dialog_again"], 0.2, 0.7)
    dialog = f["dialog_level"] * again * (1.0 - 0.5 * calm_over["dialog"])
    senseless = f["dead_click_level"] + f["repeat_click_level"] + menu + undo * (1.0 - redone)
    return senseless, f["retype_level"] + dialog + undo * redone
