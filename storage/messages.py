"""The texts of codes, so that records stay free of language.

Standard library only. A code is looked up where it is shown: on the card, in the tray, on the command line, in a
report. Nothing here may quote the screen.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EvidenceText:
    """Texts of one evidence code.

    `label` names it in lists, without numbers. `title` and `reason` are what the card says was seen, with the numbers
    of the evidence in them (`storage.offer_text`): "{count:times}" is "twice", "{count:click|clicks}" "2 clicks" and
    "{span_s:s}" "14 s". `advice` fits any task.
    """

    label: str
    title: str
    reason: str
    advice: str


@dataclass(frozen=True, slots=True)
class SightingText:
    """Texts of one sighting: pairs of title and reason, the one that quotes most first and one without words last."""

    variants: tuple[tuple[str, str], ...]
    advice: str


EVIDENCE: Mapping[str, EvidenceText] = {
    "undo_bursts": EvidenceText(
        label="Undoing again and again",
        title="Undone {count:times} in the last minute",
        reason="{tries:go|goes} of it within the last {span_s:s}.",
        advice="Try one small step at a time, and look at the result before going on.",
    ),
    "dead_clicks": EvidenceText(
        label="Clicks without an answer",
        title="{count:click|clicks} without a response",
        reason="In the last minute the screen did not respond where you clicked.",
        advice="It may be disabled or still busy: see whether something else must be selected or closed first.",
    ),
    "repeat_clicks": EvidenceText(
        label="The same click again",
        title="{count:click|clicks} left the screen as before",
        reason="At a place clicked before, within the last {span_s:s}.",
        advice="Perhaps it only switches something on and off: a right click there may show other ways.",
    ),
    "same_place": EvidenceText(
        label="Many clicks at one place",
        title="The same place clicked {count:times}",
        reason="All within 15 s; a double click counts once.",
        advice="If each click only changes a little, see whether the value can be typed or chosen from a list.",
    ),
    "field_returns": EvidenceText(
        label="Back at the same place",
        title="Back at the same place {count:times}",
        reason="Within 45 s, with clicks elsewhere in between.",
        advice="A field that does not take what you enter often wants another form of it, or another field first.",
    ),
    "menu_wandering": EvidenceText(
        label="Menus left without a choice",
        title="{count:menu|menus} left without a choice",
        reason="Opened and left within the last {span_s:s}.",
        advice="The Help menu, or a search for commands if there is one, finds a command by its name.",
    ),
    "dialog_loop": EvidenceText(
        label="Dialogs opened and left",
        title="{count:dialog|dialogs} opened and left",
        reason="Within the last {span_s:s}; nothing else was seen to change.",
        advice="The option may be in another dialog, or need something selected before you open this one.",
    ),
    "value_flip_flop": EvidenceText(
        label="The same entry again",
        title="An entry taken back or redone {count:times}",
        reason="Erased, taken back or typed again within the last {span_s:s}.",
        advice="Leave it for a moment and check its format and settings: the value itself may be fine.",
    ),
    "long_pause": EvidenceText(
        label="A pause after tries that failed",
        title="No key, click or scroll for {idle_s:s}",
        reason="What was tried just before was taken back or had no effect.",
        advice="Say in one sentence what should happen: that is also a good question to search for.",
    ),
    "help_resource": EvidenceText(
        label="Looking for help",
        title="Help or a browser opened {ago_s:s} ago",
        reason="What was tried before was taken back or had no effect.",
        advice="The name of the program and what you want to do, in a few words, make a good search.",
    ),
    "hover_without_act": EvidenceText(
        label="Searching with the pointer",
        title="Pointer over {places:place|places}, no click",
        reason="It was moved for {span_s:s} since the last key or click.",
        advice="Rest the pointer on a button for a moment: most programs then show its name.",
    ),
    "progress_watching": EvidenceText(
        label="Waiting for the screen",
        title="The screen is changing by itself",
        reason="For {watching_s:s} now, without a key or click.",
        advice="You can leave it: nothing needs doing while it runs.",
    ),
    "back_and_forth": EvidenceText(
        label="Scrolling to and fro",
        title="Scrolled the other way {turns:times}",
        reason="Up and down in turn.",
        advice="A second window of the same document, if the program has one, shows two places at once.",
    ),
    "comparing": EvidenceText(
        label="Comparing two versions",
        title="Undo and redo in turn, {turns:times}",
        reason="The same steps went back and forth.",
        advice="Saving a copy lets you look at both versions side by side.",
    ),
    "nothing_gained": EvidenceText(
        label="The same outcome again",
        title="The same outcome again and again",
        reason="Your last steps brought back what was there before, or ended like the try before.",
        advice="Change one thing that has stayed the same so far, or look up what this step needs first.",
    ),
    "same_views": EvidenceText(
        label="The same views again",
        title="Back at the same views {count:times}",
        reason="By scrolling or turning pages, within the last minute.",
        advice="A search in the document, often Ctrl+F, goes straight to a word that stands where you want to be.",
    ),
    "failed_runs": EvidenceText(
        label="The same error again",
        title="{count:run|runs} in a row failed",
        reason="The last one ended with an error that was there before; none was seen to go well in between.",
        advice="Look at the place that the error names and at the line above it, or search for its words.",
    ),
    "trouble_pattern": EvidenceText(
        label="No single sign",
        title="Stuck on something?",
        reason=(
            "No single sign stands out. Taken together, the last minute looks like trouble to the built-in model "
            "({percent:.0f} % sure)."
        ),
        advice="Go back to the last state that was right, and take one small step from there.",
    ),
    "model_judgement": EvidenceText(
        label="A language model's judgement",
        title="A language model thinks you are stuck",
        reason="It looked at {pictures:picture|pictures}. That help is needed is now held for {percent:.0f} % likely.",
        advice="It may be wrong. If it is not: put into words what should happen next, and search for that.",
    ),
    "flow": EvidenceText(
        label="In the flow",
        title="In the flow",
        reason="Work has been going on steadily.",
        advice="Nothing to do: carry on.",
    ),
}
"""By evidence code of the detectors. Title and reason say what was seen, never more, and nothing about causes."""

_READ = "Read the message once more, slowly: what does it name that you have not changed yet?"

_ENTRY = "Look for the form it wants: an example in the field, a hint beside it, or a message near it."

SIGHTINGS: Mapping[str, SightingText] = {
    "message_after_control": SightingText(
        variants=(
            ("The same message {count:times} after “{control}”", "It reads “{message}”; all within {span_s:s}."),
            ("The same message {count:times} after “{control}”", "All within {span_s:s}."),
            (
                "The same message {count:times}",
                "It reads “{message}”, each time after the same control, within {span_s:s}.",
            ),
            ("The same message {count:times}", "It appeared each time after the same control, within {span_s:s}."),
        ),
        advice=_READ,
    ),
    "message_again": SightingText(
        variants=(
            ("The same message {count:times}", "It reads “{message}”; all within {span_s:s}."),
            ("The same message {count:times}", "It appeared again within {span_s:s}."),
        ),
        advice=_READ,
    ),
    "entry_after_control": SightingText(
        variants=(
            ("“{entry}” marked as wrong {count:times}", "Each time after “{control}”, within {span_s:s}."),
            ("“{entry}” marked as wrong {count:times}", "Each time after the same control, within {span_s:s}."),
            ("The same entry marked as wrong {count:times}", "Each time after the same control, within {span_s:s}."),
        ),
        advice=_ENTRY,
    ),
    "entry_again": SightingText(
        variants=(
            ("“{entry}” marked as wrong {count:times}", "By the program in front, within {span_s:s}."),
            ("The same entry marked as wrong {count:times}", "By the program in front, within {span_s:s}."),
        ),
        advice=_ENTRY,
    ),
    "formula_again": SightingText(
        variants=(("A formula without a result {count:times}", "In the sheet in front, within {span_s:s}."),),
        advice="Check the name of the function, its brackets, and the cells it names: one of them may have the error.",
    ),
    "dialog_after_control": SightingText(
        variants=(
            ("The same error dialog {count:times} after “{control}”", "It reads “{message}”; all within {span_s:s}."),
            ("The same error dialog {count:times} after “{control}”", "All within {span_s:s}."),
            (
                "The same error dialog {count:times}",
                "It reads “{message}”, each time after the same control, within {span_s:s}.",
            ),
            ("The same error dialog {count:times}", "It came up each time after the same control, within {span_s:s}."),
        ),
        advice=_READ,
    ),
    "dialog_again": SightingText(
        variants=(
            ("The same error dialog {count:times}", "It reads “{message}”; all within {span_s:s}."),
            ("The same error dialog {count:times}", "It came up again within {span_s:s}."),
        ),
        advice=_READ,
    ),
    "password_again": SightingText(
        variants=(
            ("Asked for a password {count:times}", "It reads “{message}”; all within {span_s:s}."),
            ("Asked for a password {count:times}", "The same dialog came up again within {span_s:s}."),
        ),
        advice="See whether Caps Lock is on, which account it asks about, and whether the keyboard layout is yours.",
    ),
    "control_in_vain": SightingText(
        variants=(
            (
                "“{control}” pressed {count:times}, nothing else changed",
                "All within {span_s:s}, by what the screen showed.",
            ),
            ("The same control pressed {count:times}", "Nothing else changed on the screen; all within {span_s:s}."),
        ),
        advice="It may need something else first: a field to fill in, a box to tick, a thing to select.",
    ),
    "error_open": SightingText(
        variants=(
            ("An error dialog, open for {age_s:s}", "It reads “{message}”."),
            ("An error dialog, open for {age_s:s}", "No other window has come to the front since."),
        ),
        advice=_READ,
    ),
    "step_undone": SightingText(
        variants=(
            (
                "“{step}” undone {count:times}",
                "In {tries:go|goes} within {span_s:s}, with other keys or clicks between.",
            ),
            (
                "The same kind of step undone {count:times}",
                "In {tries:go|goes} within {span_s:s}, with other keys or clicks between.",
            ),
        ),
        advice="Look for a setting that decides how this step turns out, before taking it once more.",
    ),
    "page_again": SightingText(
        variants=(
            ("The same page loaded {count:times}", "By its title “{page}”; all within {span_s:s}."),
            ("The same page loaded {count:times}", "Going by its title; all within {span_s:s}."),
        ),
        advice="Look for a message near the top of the page, or at a field: it may say what is missing.",
    ),
    "error_seen": SightingText(
        variants=(
            ("An error message {age_s:s} ago", "It read “{message}”."),
            ("An error message {age_s:s} ago", "It appeared in the program in front."),
        ),
        advice=_READ,
    ),
    "entry_seen": SightingText(
        variants=(
            ("“{entry}” marked as wrong {age_s:s} ago", "By the program in front."),
            ("An entry marked as wrong {age_s:s} ago", "By the program in front."),
        ),
        advice=_ENTRY,
    ),
    "place_in_vain": SightingText(
        variants=(
            (
                "The same place clicked {count:times}",
                "Nothing on the screen changed after any of them; all within {span_s:s}.",
            ),
        ),
        advice="It may be disabled or still busy: see whether something else must be selected or closed first.",
    ),
    "undone": SightingText(
        variants=(("Undone {count:times} in the last minute", "Counted by the undo key."),),
        advice="Try one small step at a time, and look at the result before going on.",
    ),
    "dialogs": SightingText(
        variants=(("{count:dialog|dialogs} in the last minute", "They came to the front in this program."),),
        advice="The option may be in another dialog, or need something selected before you open this one.",
    ),
    "place_again": SightingText(
        variants=(("The same place clicked {count:times}", "All within {span_s:s}; a double click counts once."),),
        advice="If each click only changes a little, see whether the value can be typed or chosen from a list.",
    ),
    "turns": SightingText(
        variants=(("Scrolled the other way {count:times}", "In the last minute; the direction turned each time."),),
        advice="A search (often Ctrl+F) finds a word faster than the eye does.",
    ),
    "pause": SightingText(
        variants=(("No key, click or scroll for {age_s:s}", "Nothing else stands out in the last minute."),),
        advice="Say in one sentence what should happen: that is also a good question to search for.",
    ),
}
"""By code of a sighting (`storage.records.Sighting`), which an offer names before its evidence. As careful as
`EVIDENCE`: counts are of what was seen, and order in time is no cause."""

STATES: Mapping[str, str] = {
    "task_understanding": "Finding out what to do",
    "ideation": "Thinking it over",
    "exploration": "Looking around",
    "performing_actions": "Working",
    "frustration": "Struggling",
    "debugging": "Looking for the fault",
    "seeking_external_help": "Looking for help",
    "waiting": "Waiting",
    "assessment": "Checking the result",
}
"""By behavior state (`storage.records.State`), as people are shown it."""

SENT_FOR: Mapping[str, str] = {
    "local": "an estimate, by the model nearby",
    "strong": "an estimate, by the strong model",
    "help": "help on a card",
    "diagnose": "where you get stuck",
    "probe": "finding out what it can do",
    "test": "a test",
    "bench goals": "a benchmark",
    "bench guide": "a benchmark",
}
"""By what a request to a model was for; other names are shown as they are."""

SENT_OUTCOMES: Mapping[str, str] = {
    "ok": "answered",
    "cancelled": "stopped",
    "deadline": "no answer in time",
    "unreachable": "not reached",
    "busy": "the server was busy",
    "refused": "refused by the server",
    "no_key": "the key was missing or wrong",
    "not_allowed": "not allowed, so not sent",
    "over_budget": "over its limits of the day",
    "on_battery": "not on battery",
    "too_long": "too long for the model",
    "nonsense": "the answer was of no use",
    "superseded": "overtaken by a newer request",
}
"""By how a request to a model ended."""

ANSWERS: Mapping[str, str] = {
    "open": "no answer so far",
    "accepted": "accepted",
    "dismissed": "dismissed",
    "snoozed": "snoozed",
    "wrong": "wrong",
    "too_early": "too early",
    "too_late": "too late",
    "muted": "topic muted",
    "withdrawn": "withdrawn",
    "ignored": "not answered",
}
"""By how an offer ended (`storage.records.FeedbackKind`, or withdrawn)."""

SESSION_GONE = "session_gone"
"""The problem after which the running session ends and the next one begins."""

CONTROLS_GONE = "controls_gone"
"""The problem that controls are no longer understood; everything else goes on."""

CONTROLS_UNANSWERED = "controls_unanswered"
"""The problem that programs are not asked about their controls for a while; everything else goes on."""

PROBLEMS: Mapping[str, tuple[str, str]] = {
    "display_gone": (
        "The connection to the screen broke",
        "Kairos tries again by itself until the desktop is back; nothing is seen until then.",
    ),
    "no_display": (
        "There is no desktop that Kairos can watch",
        "Kairos tries again by itself. It can watch an X11 session only; to see what works here: kairos doctor.",
    ),
    "screen_unreadable": (
        "The screen cannot be read",
        "Kairos tries again by itself; nothing is seen until then. If this stays, see: kairos doctor.",
    ),
    "no_input": (
        "Keys and pointer can no longer be read",
        "Kairos tries again by itself and makes no offers until then. If this stays, see: kairos doctor.",
    ),
    "disk_full": (
        "The disk is full, so Kairos has stopped recording",
        "It goes on helping, and records again once there is space. To delete old sessions: kairos sessions list.",
    ),
    "storage_failed": (
        "Kairos cannot write the session",
        "It tries again by itself. To see what is wrong with the disk or folder: kairos doctor.",
    ),
    "study_damaged": (
        "The study that you take part in cannot be read",
        "Nothing is offered, asked or packed for it. Leave it, and say so to the researchers: kairos study leave.",
    ),
    "study_folder_damaged": (
        "What you send in a study cannot be read",
        "Nothing of it is packed or sent any more. Leave it, and say so to the researchers: kairos study leave.",
    ),
    "deletion_due": (
        "Old sessions, or requests to models, will be deleted",
        (
            "They are older, or take more space, than your settings keep (storage.keep_days, storage.keep_gb). "
            "Kairos deletes them after a day or more; to keep a session: kairos sessions export."
        ),
    ),
    SESSION_GONE: (
        "The folder of the running session was removed or overwritten",
        "Kairos has begun a new session; there is nothing to do. What the last one had recorded may be lost.",
    ),
    CONTROLS_GONE: (
        "Controls are not understood for now",
        "The desktop's accessibility service went away. Kairos goes on without it and tries again; see: kairos doctor.",
    ),
    CONTROLS_UNANSWERED: (
        "A program is not asked about its controls for a while",
        "It does not answer, or its answers have taken long. Kairos asks it again by itself: kairos doctor.",
    ),
    "model_unusable": (
        "A model that you switched on cannot be used",
        "Kairos goes on without it. To see what is wrong with it: kairos models test.",
    ),
    "model_gone": (
        "A model that you switched on cannot be reached",
        "Kairos goes on without it and tries again by itself. To see what is wrong: kairos models test.",
    ),
    "model_spent": (
        "The daily limit of a model is reached",
        "Kairos goes on without it until midnight. To see the limits, such as calls_per_day: kairos config show.",
    ),
    "model_silent": (
        "The model did not answer",
        "It cannot be reached, is busy, or took too long (help.model_deadline_s). To try it: kairos models test.",
    ),
    "model_no_answer": (
        "The model's answer could not be used",
        "It was broken off, or not what was asked for. Ask again, or try the model: kairos models test.",
    ),
    "model_on_battery": (
        "The model is not asked on battery",
        "Plug the machine in, or allow it: kairos config set local_model.on_battery true.",
    ),
    "model_not_now": (
        "The model is not asked now",
        "Kairos is paused, an excluded window is open, or what you ask about is gone. Ask again once it is watching.",
    ),
    "shortcut_taken": (
        "A keyboard shortcut of Kairos does not work",
        "The desktop or another program already has these keys. To choose others: kairos config set.",
    ),
    "shortcut_unknown": (
        "A keyboard shortcut of Kairos cannot be read",
        "It must be one key with Ctrl, Alt or Super, such as Ctrl+Alt+K. To choose it: kairos config set.",
    ),
    "no_tray": (
        "There is no tray for the Kairos icon",
        (
            "Kairos runs all the same, and the icon appears as soon as a panel shows it. Until then use the small "
            "window, or a terminal: kairos pause, kairos resume, kairos quit."
        ),
    ),
}
"""By problem code: what happened, and what to do."""

MODEL_PROBLEMS = ("model_unusable", "model_gone", "model_spent")
"""Problems with which Kairos goes on without a model."""

TRANSIENT_PROBLEMS = (*MODEL_PROBLEMS, SESSION_GONE, CONTROLS_GONE)
"""Problems that are shown once and do not change what Kairos is doing."""

LOGGED_PROBLEMS = (CONTROLS_UNANSWERED,)
"""Problems that nobody needs to act upon: in the log, and named by `kairos doctor` while they last."""
