"""The texts of codes, so that records stay free of language.

Standard library only. A code is looked up where it is shown: on the card, in the tray, on the command line, in a
report. Nothing here may quote the screen.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EvidenceText:
    """Texts of one evidence code: `title` of the card, `reason` (a format string over its numbers), `advice`."""

    title: str
    reason: str
    advice: str


EVIDENCE: Mapping[str, EvidenceText] = {
    "undo_bursts": EvidenceText(
        title="Undoing again and again?",
        reason="You undid {count:.0f} times in {tries:.0f} goes within the last {span_s:.0f} s.",
        advice="Try one small step at a time, and look at the result before going on.",
    ),
    "dead_clicks": EvidenceText(
        title="Clicks without an answer?",
        reason="{count:.0f} clicks in the last {span_s:.0f} s changed nothing on the screen.",
        advice="It may be disabled or still busy: see whether something else must be selected or closed first.",
    ),
    "repeat_clicks": EvidenceText(
        title="The same click again?",
        reason="You clicked the same place {count:.0f} times in {span_s:.0f} s, and the screen ended up as before.",
        advice="Perhaps it only switches something on and off: a right click there may show other ways.",
    ),
    "same_place": EvidenceText(
        title="Clicking here again?",
        reason="You clicked the same place {count:.0f} times within a few seconds.",
        advice="If each click only changes a little, see whether the value can be typed or chosen from a list.",
    ),
    "field_returns": EvidenceText(
        title="Back to this field?",
        reason="You came back to the same field {count:.0f} times within a minute.",
        advice="A field that does not take what you enter often wants another form of it, or another field first.",
    ),
    "menu_wandering": EvidenceText(
        title="Looking for a command?",
        reason="You opened and left menus {count:.0f} times in {span_s:.0f} s without choosing anything.",
        advice="The Help menu, or a search for commands if there is one, finds a command by its name.",
    ),
    "dialog_loop": EvidenceText(
        title="Not the right dialog?",
        reason="You opened and left dialogs {count:.0f} times in {span_s:.0f} s without an effect.",
        advice="The option may be in another dialog, or need something selected before you open this one.",
    ),
    "value_flip_flop": EvidenceText(
        title="Entering it over and over?",
        reason="You took back or entered again the same thing {count:.0f} times in {span_s:.0f} s.",
        advice="Leave it for a moment and check its format and settings: the value itself may be fine.",
    ),
    "long_pause": EvidenceText(
        title="Stuck for a moment?",
        reason="After tries that did not work out there was a pause of {idle_s:.0f} s.",
        advice="Say in one sentence what should happen: that is also a good question to search for.",
    ),
    "help_resource": EvidenceText(
        title="Looking for help?",
        reason="After tries that did not work out you turned to help {ago_s:.0f} s ago.",
        advice="The name of the program and what you want to do, in a few words, make a good search.",
    ),
    "hover_without_act": EvidenceText(
        title="Searching on the screen?",
        reason="The pointer went over {places:.0f} places in {span_s:.0f} s without a click.",
        advice="Rest the pointer on a button for a moment: most programs then show its name.",
    ),
    "progress_watching": EvidenceText(
        title="Waiting for something?",
        reason="The screen has been changing on its own for {watching_s:.0f} s.",
        advice="You can leave it: nothing needs doing while it runs.",
    ),
    "back_and_forth": EvidenceText(
        title="Going back and forth?",
        reason="You turned the scrolling direction {turns:.0f} times.",
        advice="A second window of the same document, if the program has one, shows two places at once.",
    ),
    "comparing": EvidenceText(
        title="Comparing two versions?",
        reason="You went back and forth between undo and redo {turns:.0f} times.",
        advice="Saving a copy lets you look at both versions side by side.",
    ),
    "trouble_pattern": EvidenceText(
        title="Is this getting tedious?",
        reason="The way the last minute went looks like trouble to the built-in model ({percent:.0f} % sure).",
        advice="Go back to the last state that was right, and take one small step from there.",
    ),
    "model_judgement": EvidenceText(
        title="Is something in the way?",
        reason="A language model looked at {pictures:.0f} pictures and judged that help is needed ({percent:.0f} %).",
        advice="It may be wrong. If it is not: put into words what should happen next, and search for that.",
    ),
    "flow": EvidenceText(
        title="In the flow", reason="Work has been going on steadily.", advice="Nothing to do: carry on."
    ),
}
"""By evidence code of the detectors. A reason says what was seen, never more; advice fits any task."""

SESSION_GONE = "session_gone"
"""The problem after which the running session ends and the next one begins."""

CONTROLS_GONE = "controls_gone"
"""The problem that controls are no longer understood; everything else goes on."""

PROBLEMS: Mapping[str, tuple[str, str]] = {
    "display_gone": (
        "The connection to the screen broke",
        "Kairos tries again by itself until the desktop is back; nothing is seen until then.",
    ),
    "no_display": (
        "There is no desktop that Kairos can watch",
        "Kairos tries again by itself. It can watch X11 sessions only; kairos doctor says what works here.",
    ),
    "screen_unreadable": (
        "The screen cannot be read",
        "Kairos tries again by itself. If this stays, kairos doctor says more.",
    ),
    "no_input": (
        "Keys and pointer can no longer be read",
        "Kairos tries again by itself. If this stays, kairos doctor says more.",
    ),
    "disk_full": (
        "The disk is full, so Kairos has stopped recording",
        "It goes on working and records again once there is space. Free some, or see: kairos sessions list.",
    ),
    "storage_failed": (
        "Kairos cannot write the session",
        "It goes on working and tries again. See what is wrong with the disk or folder: kairos doctor.",
    ),
    "deletion_due": (
        "Old sessions, or requests to models, will be deleted",
        (
            "They are older or larger than your settings keep (storage.keep_days, storage.keep_gb). "
            "Kairos deletes them after a day or more; to keep a session: kairos sessions export."
        ),
    ),
    SESSION_GONE: (
        "The folder of the running session was removed or overwritten",
        "Kairos has begun a new session. What the last one had recorded may be lost.",
    ),
    CONTROLS_GONE: (
        "Controls are not understood for now",
        "The desktop's accessibility service went away. Kairos goes on without it and tries again: kairos doctor.",
    ),
    "model_unusable": (
        "A model that you switched on cannot be used",
        "Kairos goes on without it. To see what is wrong with it: kairos models test.",
    ),
    "model_spent": (
        "The daily limit of a model is reached",
        "Kairos goes on without it until midnight. To see the limits, such as calls_per_day: kairos config show.",
    ),
    "no_tray": (
        "There is no tray for the Kairos icon",
        (
            "Kairos runs all the same, and the icon appears as soon as a panel shows it. Until then use a terminal: "
            "kairos pause, kairos resume, kairos quit."
        ),
    ),
}
"""By problem code: what happened, and what to do."""

TRANSIENT_PROBLEMS = ("model_unusable", "model_spent", SESSION_GONE, CONTROLS_GONE)
"""Problems that are shown once and do not change what Kairos is doing."""
