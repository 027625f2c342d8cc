"""Every setting of Kairos, declared once: type, default, meaning, range, and what the default rests on.

Standard library only. The settings file is TOML with one table per class below. `storage.settings_file` reads, checks
and changes it; error messages and docs/settings.md are made from what is declared here. A new setting is one line:
`name: type = setting(default, "what it means", ...)`.
"""
# ruff: noqa: RUF009  # `setting` and `table` return dataclass fields

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, Literal, TypeVar, get_type_hints

T = TypeVar("T")

MAX_NUMBER = 1e9
"""The largest number a setting may be: as seconds 31 years. Beyond it arithmetic in nanoseconds overflows."""

DAY_S = 86_400
YEAR_S = 366 * DAY_S
"""Ends of ranges: what happens within a session lasts a day at most, what is remembered across sessions a year."""

Basis = Literal["", "guess", "measured", "simulated"]
"""What a default rests on: nothing worth saying, a guess, a measurement, or trials on simulated sessions."""

TakesEffect = Literal["now", "more now", "less now", "next start"]
"""When a running Kairos takes a change up.

"more now": what a list gains counts now, what it loses later; "less now": what is turned off counts now, what is turned
on later.
"""

_KEY = "setting"

AS_AGREED = "as-agreed"
AGREED = (AS_AGREED, "on", "off")
"""What a setting may say of what can be agreed to with the consent: as that has it, or else whatever that says."""


def is_chosen(choice: object, *, is_agreed: bool) -> bool:
    """Return what one of `AGREED` says, where the consent says `is_agreed`."""
    return choice == "on" or (choice == AS_AGREED and is_agreed)


@dataclass(frozen=True, slots=True)
class SettingInfo:
    """What is known about one setting.

    Attributes:
        default: the value without a settings file.
        help: what it means, as Markdown.
        low: the smallest number allowed.
        high: the largest number allowed.
        choices: values that a person can be offered; no others are allowed unless `others` says so.
        others: whether values beside `choices` are allowed, such as the path of a model in `detector.name`.
        at_most: the key of the setting that this one may not exceed; empty if there is none.
        basis: what the default rests on.
        takes_effect: when a running Kairos takes a change up.
        key: `table.name`.
        kind: the type of the value.
    """

    default: object
    help: str
    low: float
    high: float
    choices: tuple[str, ...]
    others: bool
    at_most: str
    basis: Basis
    takes_effect: TakesEffect
    key: str = ""
    kind: Any = None

    @property
    def bounds(self) -> str:
        """The range in words, such as `0 to 3,600`."""
        return f"{self.low:,.10g} to {self.high:,.10g}"


def setting(
    default: T,
    help: str,  # noqa: A002  # called like the attribute
    *,
    low: float = 0,
    high: float = MAX_NUMBER,
    choices: tuple[str, ...] = (),
    others: bool = False,
    at_most: str = "",
    basis: Basis = "",
    takes_effect: TakesEffect = "next start",
) -> T:
    """Declare one setting; see `SettingInfo`. `at_most` names another setting of the same table."""
    info = SettingInfo(default, help, low, high, choices, others, at_most, basis, takes_effect)
    return field(default=default, metadata={_KEY: info})


def table(kind: type[T], title: str, about: str = "") -> T:
    """Declare one table of the settings file; title and text above its settings are for docs/settings.md."""
    return field(default_factory=kind, metadata={"title": title, "about": about})


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureSettings:
    """How the screen and input are sampled."""

    active_fps: float = setting(2.0, "screen samples a second while you type or point, at most", low=0.01, high=60)
    passive_fps: float = setting(
        0.5, "the same when something moves without you: a video, a clock", low=0.01, high=60, at_most="active_fps"
    )
    input_recent_s: float = setting(2.0, "how long after your last input `active_fps` holds", high=3600, basis="guess")
    drain_s: float = setting(
        0.25,
        "in a flow of input, events after the first are collected for this long: each wake-up costs CPU time",
        high=10,
    )
    motion_per_s: float = setting(10.0, "pointer positions stored a second", low=0.1, high=1000, basis="guess")
    store_width: int = setting(
        960, "width of stored pictures; half of full HD takes 3.3 times less disk", low=16, high=8192, basis="measured"
    )
    ring_s: float = setting(
        60.0, "how long pictures stay in memory, for detectors that look at pixels; the default one does not", high=3600
    )
    jpeg_quality: int = setting(80, "quality of pictures in memory", low=1, high=100)
    still_repeat_s: float = setting(
        1.0,
        "when the screen goes still, its last picture is written again after this long, so that a crash keeps it",
        high=3600,
    )
    record_screen: str = setting(
        AS_AGREED,
        "whether a video of the screen and full titles are stored beside the journal: `on`, `off` or `as-agreed` when "
        "you gave your consent. `on` is your yes",
        choices=AGREED,
        takes_effect="less now",
    )
    record_speech: str = setting(
        AS_AGREED,
        "whether the microphone is recorded beside the journal, for thinking aloud; whoever else speaks in the room is "
        "heard too: `on`, `off` or `as-agreed` when you gave your consent. `on` is your yes",
        choices=AGREED,
        takes_effect="less now",
    )
    understand_controls: str = setting(
        AS_AGREED,
        "which control is touched, which dialog or error appears, from the desktop's accessibility interface: `on`, "
        "`off` or `as-agreed` when you gave your consent. `on` is your yes",
        choices=AGREED,
        takes_effect="less now",
    )
    read_outputs: str = setting(
        AS_AGREED,
        "where controls are understood, what a program writes after a command is looked through for an error: `on`, "
        "`off` or `as-agreed` when you gave your consent. `on` is your yes",
        choices=AGREED,
        takes_effect="less now",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FenceSettings:
    """What is never stored while any part of it is visible; adds to the built-in lists of `daemon.capture.fence`."""

    excluded_apps: tuple[str, ...] = setting(
        (),
        "applications by window class, instance or program file, in whole words and any edition: "
        '`["signal", "firefox"]` is `firefox-esr` too; all windows of such a program',
        takes_effect="more now",
    )
    excluded_titles: tuple[str, ...] = setting(
        (),
        "parts of window titles, in any case; dialogs and menus of the window too, also while it is minimised",
        takes_effect="more now",
    )
    settle_s: float = setting(
        1.0, "a browser window younger than this is covered: its title may still turn out to be private", high=3600
    )
    cover_unknown_browsers: bool = setting(
        True,
        "cover pixels and titles of browser windows that do not prove to be ordinary (all of Chromium's: a private one "
        "looks the same); their key classes, clicks and changes count",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowSettings:
    """Windows and prefixes (GUIDE 4.1)."""

    planned_s: float = setting(
        24.0, "length of a window; help segments of the GUIDE benchmark average 25.6 s", low=1, high=3600
    )
    slots: int = setting(32, "moments in it that a detector sees", low=1, high=1024)
    away_s: float = setting(120.0, "without input for this long no new window is opened", high=3600, basis="guess")


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorSettings:
    """Which detector estimates behavior state and help need."""

    name: str = setting(
        "embedded",
        "`embedded` (the model that comes with Kairos), `evidence` (rules, no model), a model file `FILE.onnx` written "
        "by `kairos train`, or `package.module:factory` for your own",
        choices=("embedded", "evidence"),
        others=True,
    )
    base_rate: float = setting(0.05, "in what share of windows help is needed", low=1e-6, high=1 - 1e-6, basis="guess")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """A multimodal model that is queried where it can change a decision; off while `preset` is empty."""

    preset: str = setting("", "a name from `kairos models list`; empty: no model", takes_effect="less now")
    model: str = setting("", "the model's name at the server; empty: the preset's")
    url: str = setting("", "the server's address; empty: the preset's")
    key_name: str = setting(
        "",
        "the environment variable, or the entry of the desktop's keyring (`pip install 'kairos-assistant[keys]'`), "
        "with the key; empty: the preset's. The key itself is never a setting",
    )
    send_screens: bool = setting(
        False,
        "permit sending pictures to a server that is not on this machine, or that another user runs on it; without it "
        "such a server gets nothing. Mind what becomes of them there: some free offers use what they get for training "
        "(`kairos models list`)",
        takes_effect="less now",
    )
    on_battery: bool = setting(False, "whether a model on this machine is queried while the machine runs on battery")
    deadline_s: float = setting(
        5.5,
        "an answer that takes longer is dropped: the next estimate comes six seconds later",
        high=600,
        basis="guess",
    )
    frames: int = setting(32, "pictures sent with one query, at most (GUIDE 4.1)", high=1024)
    calls_per_day: int = setting(400, "after so many queries the model is not queried until midnight", basis="guess")
    tokens_per_day: int = setting(4_000_000, "the same, in tokens of prompt and answer", basis="guess")
    dollars_per_day: float = setting(
        1.0,
        "the same, in US dollars by the preset's price. With 0 nothing that costs money is queried; a model whose "
        "price is not known is limited by calls and tokens alone",
        high=1_000_000,
        basis="guess",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicySettings:
    """When an offer may be made; benefit and costs are seconds of a person's time.

    The prior of what an interruption costs comes from a published study: ten programmers, 82 staged interruptions, the
    median time until they answered (lab/docs/measured.md). Half-life and benefit were chosen on simulated training
    sessions, from estimates of models that had not seen their program, people and behaviors. Which evidence calls for
    an offer follows from `how_often` (`policies.need_levels`).
    """

    name: str = setting(
        "utility",
        "which policy decides. `utility` is the one described here, `default` another name of it. `silent` decides and "
        "logs the same and shows nothing; `threshold`, `always` and `random` are there to compare with. Or "
        "`package.module:factory` for your own",
        choices=("utility", "silent", "threshold", "always", "random"),
        others=True,
    )
    how_often: str = setting(
        "now and then",
        "how often help may be offered in calm work: `rarely` (about once in ten hours), `now and then` (once in two "
        "hours) or `often` (twice an hour). Which evidence is that rare is learned in your own time, for each program",
        choices=("rarely", "now and then", "often"),
        takes_effect="now",
    )
    quiet_start_s: float = setting(300.0, "no offers in the first minutes of a session", high=DAY_S, basis="guess")
    # Four times and twelve hours of what `often` expects: lower limits would take back what the person chose.
    offers_per_hour: int = setting(
        8, "offers an hour, at most, however often help is needed", high=10_000, basis="guess"
    )
    offers_per_day: int = setting(24, "offers a day, at most", high=10_000, basis="guess")
    cooldown_s: float = setting(120.0, "no offer for this long after one was shown", high=YEAR_S, basis="guess")
    backoff_s: float = setting(
        900.0,
        "no offer for this long after you dismissed one, for that application and topic; doubles each time",
        high=YEAR_S,
        at_most="backoff_max_s",
        basis="guess",
    )
    backoff_max_s: float = setting(86_400.0, "but never longer than this", high=YEAR_S, basis="guess")
    evidence_half_life_s: float = setting(
        24.0, "how fast evidence of earlier windows fades", low=0.1, high=DAY_S, basis="simulated"
    )
    benefit_s: float = setting(70.0, "what an offer saves you when you need it", high=DAY_S, basis="simulated")
    cost_false_s: float = setting(
        60.0,
        "what one that you do not need costs in trust and reading, beside the interruption",
        high=DAY_S,
        basis="guess",
    )
    acceptance: float = setting(
        0.25,
        "how many offers are accepted, before you have answered any: the click-through reported for one product. The "
        "benefit grows and shrinks with what you accept, for each application, state and topic",
        low=0.01,
        high=1,
    )
    acceptance_weight: float = setting(
        4.0, "how many of your answers this counts as", low=0.1, high=1000, basis="guess"
    )
    learning_half_life_days: float = setting(
        30.0, "how fast your answers are forgotten", low=0.1, high=10_000, basis="guess"
    )
    interrupt_break_s: float = setting(
        9.0,
        "what an interruption at a break costs: the median time that programmers in a published study took to answer "
        "when they could be interrupted (50 cases)",
        high=DAY_S,
        at_most="interrupt_busy_s",
        basis="measured",
    )
    interrupt_busy_s: float = setting(
        21.7, "the same in the middle of work: when they could not (32 cases)", high=DAY_S, basis="measured"
    )
    novelty_s: float = setting(
        600.0,
        "an offer about the same topic is not repeated for this long, in whatever application",
        high=YEAR_S,
        basis="guess",
    )
    break_s: float = setting(1.0, "no input for this long is a natural break", low=0.1, high=3600, basis="guess")
    break_wait_s: float = setting(
        20.0,
        "how long an offer waits for a break; then it is made if its evidence still holds and the hands are free, else "
        "dropped",
        high=3600,
        basis="guess",
    )
    stale_s: float = setting(60.0, "an unanswered offer older than this is withdrawn", high=DAY_S, basis="guess")
    snooze_s: float = setting(900.0, 'how long "Snooze" on a card stops all offers', high=YEAR_S, basis="guess")
    exploration: float = setting(
        0.0,
        "for studies: the share of offers that `utility` withholds at random; the probability of every action is in "
        "the log",
        high=1,
    )
    threshold: float = setting(0.5, "what the newest estimate must reach under `threshold`", high=1, basis="guess")
    arm_probability: float = setting(
        0.02, "the chance of each estimate to bring an offer under `random`: some four an hour", high=1, basis="guess"
    )


ANSWERED = ("off", "on-request", "on-acceptance", "ahead")
"""When a model is asked for an answer on the card, from never to earliest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpSettings:
    """What an offer brings."""

    library: bool = setting(
        True,
        "index the documentation of installed programs once a day, search it before an offer is made, and make none "
        "where no page fits; `false`: nothing is indexed by itself, and offers bring general advice alone",
    )
    model: str = setting(
        "on-acceptance",
        "when a model on this machine writes an answer for the card, from a picture of the screen, the names of its "
        "controls and the pages found: `off` never; `on-request` when you press the card's button or type a question; "
        "`on-acceptance` also when you press *Show me* or ask for help; `ahead` also while an offer is prepared, so "
        "that it is there at once: many of these are never shown. Nothing while no model is on",
        choices=ANSWERED,
        takes_effect="less now",
    )
    remote_model: str = setting(
        "on-request",
        "the same (`off`, `on-request`, `on-acceptance`, `ahead`) for a model elsewhere, which costs money and is sent "
        "all that; it is asked only where none on this machine can be, and needs the `send_screens` of its tier",
        choices=ANSWERED,
        takes_effect="less now",
    )
    model_pictures: bool = setting(
        True,
        "whether a picture of the screen goes with it; `false`: the names of controls and the pages alone",
        takes_effect="less now",
    )
    model_deadline_s: float = setting(
        60.0, "how long a model may take to write such an answer", low=1, high=600, basis="guess"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NarrationSettings:
    """How what was said is written down."""

    model_folder: str = setting(
        "",
        "folder of a Whisper model in CTranslate2's format, which writes down what you said; empty: none. Kairos "
        "fetches no model",
    )
    language: str = setting(
        "", "the language you speak, as two letters such as `de`; empty: English. The model must know it"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageSettings:
    """Where sessions go and how long they stay."""

    sessions_dir: str = setting(
        "", "folder of sessions; empty: `~/.local/state/kairos/sessions` (or under `XDG_STATE_HOME`)"
    )
    flush_s: float = setting(0.5, "what happened is on disk after at most this long", high=3600)
    max_session_mb: int = setting(500, "a session is cut here; also at midnight and after suspend", high=1_000_000)
    video_file_s: float = setting(300.0, "a new video file is begun this often", low=1, high=DAY_S)
    keep_days: int = setting(
        30, "older sessions are deleted, with a notice before. What was sent to models is kept as long", high=1_000_000
    )
    keep_gb: float = setting(
        5.0,
        "the oldest sessions are deleted when all take more than this, with what they sent to models and a notice "
        "before. Tests and benchmarks of models make room first",
        high=1_000_000,
    )
    min_free_mb: int = setting(
        200, "recording stops, with a notice, when less than this is free on the disk", high=100_000_000
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class InterfaceSettings:
    """How the card and tray look and behave."""

    corner: str = setting(
        "bottom-right",
        "where it appears: `bottom-right`, `bottom-left`, `top-right` or `top-left`",
        choices=("bottom-right", "bottom-left", "top-right", "top-left"),
        takes_effect="now",
    )
    shortcut_ask: str = setting(
        "",
        "keys that open the field to ask in, in any program, such as `Ctrl+Alt+K`; empty: none. The desktop and its "
        "programs then no longer get them. On Wayland the desktop is asked for them, if it gives any",
        takes_effect="now",
    )
    shortcut_card: str = setting(
        "",
        "keys that give the card the keyboard; Tab goes through it, Escape leaves it. Taken from programs only while "
        "a card or notice is there",
        takes_effect="now",
    )
    shortcut_dismiss: str = setting(
        "", "keys that take the card or notice away; taken from programs in the same way", takes_effect="now"
    )
    language: str = setting(
        "system",
        "the language of tray, card and windows: `system` is the desktop's, `en` English, `de` German; what there is "
        "no catalogue for is English. The command line is English",
        choices=("system", "en", "de"),
    )
    look: str = setting(
        "system",
        "colours of all windows: `light`, `dark`, or as the desktop has it (`system`); what is open stays as it is",
        choices=("system", "light", "dark"),
        takes_effect="now",
    )
    text_percent: int = setting(100, "size of text, beside what the desktop says", low=50, high=300)
    high_contrast: bool = setting(
        False,
        "high contrast for the windows of Kairos, also where the desktop does not ask for it; windows that are open "
        "stay as they are",
        takes_effect="now",
    )
    quiet_hours: bool = setting(False, "offer nothing unasked in these hours; asking works", takes_effect="now")
    quiet_from_hour: int = setting(22, "from which hour of the day on", high=23, takes_effect="now")
    quiet_until_hour: int = setting(7, "until which hour", high=23, takes_effect="now")
    evening_review: bool = setting(
        False,
        "once a day, at a break, ask of at most five moments of that day whether you were stuck; your answers count as "
        "what you say in the timeline. Never while you take part in a study",
    )
    evening_review_hour: int = setting(17, "from which hour of the day on", high=23)
    offer_visible_s: float = setting(45.0, "then it goes away and counts as ignored", low=0.1, high=DAY_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings, one field per table of the settings file."""

    capture: CaptureSettings = table(CaptureSettings, "Capture", "How the screen and input are sampled.")
    fence: FenceSettings = table(
        FenceSettings,
        "Exclusions",
        "What is never stored while any part of it is visible. Password managers, prompts for passphrases, lock "
        "screens and private browser windows are always fenced; these add to them.",
    )
    window: WindowSettings = table(WindowSettings, "Windows of time", "How time is divided for detectors.")
    detector: DetectorSettings = table(DetectorSettings, "Detector", "What estimates whether help is needed.")
    local_model: ModelSettings = table(
        ModelSettings, "Model on this machine", "Queried where its answer can change a decision."
    )
    strong_model: ModelSettings = table(ModelSettings, "Stronger model", "Queried where the local one is unsure.")
    policy: PolicySettings = table(
        PolicySettings,
        "Timing of offers",
        "When an offer may be made. Benefit and costs are your time: an offer is made where what it saves you, by how "
        "probable it is that you need it, is more than what it costs you.",
    )
    help: HelpSettings = table(HelpSettings, "Help", "What an offer brings.")
    narration: NarrationSettings = table(NarrationSettings, "Narration", "How what you said is written down.")
    storage: StorageSettings = table(StorageSettings, "Storage", "Where sessions go and how long they stay.")
    interface: InterfaceSettings = table(
        InterfaceSettings, "Interface", "The card, its keys, the language and the evening review."
    )


WITHHELD = "(withheld)"


RETIRED = frozenset(
    f"policy.{name}" for name in ("false_offer_rate", "miss_rate", "threshold_min", "threshold_max", "timing_limit")
)
"""Settings that a session or a file may hold and that no build reads any more."""


def recorded_settings(
    settings: Mapping[str, Mapping[str, object]], *, exclusions: bool = False
) -> dict[str, Mapping[str, object]]:
    """Return tables of settings as a session holds them: what a replay needs, and nothing that says who somebody is.

    What a person wrote is left empty (folders, addresses, names of models and keys), and of a detector's file its name
    alone stays. Of what they excluded, without `exclusions`, only the number stays: the fence runs in capture alone.
    """
    return {
        name: {
            key: _recorded(f"{name}.{key}", value, exclusions=exclusions)
            for key, value in values.items()
            if f"{name}.{key}" not in RETIRED
        }
        for name, values in settings.items()
    }


def _recorded(key: str, value: object, *, exclusions: bool) -> object:
    info = setting_infos().get(key)
    if isinstance(value, str) and (info is None or not info.choices):
        return ""
    if key == "detector.name" and isinstance(value, str):
        return value.rpartition("/")[2]
    if isinstance(value, list | tuple) and not exclusions:
        return [WITHHELD] * len(value)
    return value


def get_value(settings: Settings, key: str) -> Any:
    """Return the value of `table.name`."""
    table, _, name = key.partition(".")
    return getattr(getattr(settings, table), name)


def replace_value(settings: Settings, key: str, value: object) -> Settings:
    """Return settings with another value of `table.name`, unchecked; `storage.settings_file.with_value` checks."""
    table, _, name = key.partition(".")
    return replace(settings, **{table: replace(getattr(settings, table), **{name: value})})


def setting_infos(kind: Any = Settings) -> Mapping[str, SettingInfo]:
    """Return every setting of a class of tables by its key, `table.name`, in the order in which they are declared."""
    return _infos_of(kind)


@cache  # read for every key of every session that is opened
def _infos_of(kind: Any) -> Mapping[str, SettingInfo]:
    found: dict[str, SettingInfo] = {}
    for section, table_kind in get_type_hints(kind).items():
        hints = get_type_hints(table_kind)
        for declared in fields(table_kind):
            info: SettingInfo = declared.metadata[_KEY]
            at_most = f"{section}.{info.at_most}" if info.at_most else ""
            key = f"{section}.{declared.name}"
            found[key] = replace(info, key=key, kind=hints[declared.name], at_most=at_most)
    return found
