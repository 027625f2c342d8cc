"""Every setting of Kairos, typed, with its default and where the default comes from.

Standard library only. The file is TOML, one table per class below; reading and changing it is `daemon.config`.
Comments say whether a default was measured or is a guess.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureSettings:
    """How the screen and input are sampled."""

    active_fps: float = 2.0  # ceiling while input flows; nested slots need no more (one each 0.75 s)
    passive_fps: float = 0.5  # ceiling for change without input: a video, a clock, a spinner
    input_recent_s: float = 2.0  # how long after the last input "while input flows" lasts; a guess
    drain_s: float = 0.25  # in a flow of input later events wait this long: waking for each costs more than the events
    motion_per_s: float = 10.0  # merged motion events kept per second; a guess
    store_width: int = 960  # measured: half size is 2.6x less CPU and 3.3x less disk than 1080p
    ring_s: float = 60.0  # pictures kept in memory for detectors that look at pixels
    jpeg_quality: int = 80
    still_repeat_s: float = 1.0  # encode the last frame once more when the screen goes still, so a kill keeps it


@dataclass(frozen=True, slots=True, kw_only=True)
class FenceSettings:
    """What is never stored while any part of it is visible.

    `excluded_apps` match the application class without case; `excluded_titles` are parts of a window title. They add to
    the built-in lists of `daemon.capture.fence.builtin_lists`, which are always in force.
    """

    excluded_apps: tuple[str, ...] = ()
    excluded_titles: tuple[str, ...] = ()
    settle_s: float = 1.0  # a browser window younger than this is covered: its title may still say "private"
    cover_unknown_browsers: bool = True  # Chromium's private windows cannot be told until an empty tab was seen


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowSettings:
    """Windows and prefixes (GUIDE 4.1)."""

    planned_s: float = 24.0  # GUIDE's help segments average 25.6 s, its behavior segments 14.2 s
    slots: int = 32
    away_s: float = 120.0  # without input for this long no new window opens; a guess


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorSettings:
    """Which detector estimates behavior state and help need."""

    name: str = "embedded"  # or evidence, FILE.onnx, or package.module:factory
    base_rate: float = 0.05  # share of windows in which help is needed; a guess


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """One rung above the embedded detector: a multimodal model that is asked where it can change a decision.

    Off while `preset` is empty. All defaults are guesses.
    """

    preset: str = ""  # a name from `kairos models list`; empty: off
    model: str = ""  # its name at the server; empty: the preset's
    url: str = ""  # the server's address; empty: the preset's
    key_name: str = ""  # the environment variable or keyring entry that holds the key; empty: the preset's
    send_screens: bool = False  # pictures leave this machine only when this is true; a server on it needs no leave
    on_battery: bool = False  # whether a model on this machine is asked on battery
    deadline_s: float = 5.5  # an answer later than this is of no use: the next prefix is six seconds on
    frames: int = 32  # pictures sent at most (GUIDE 4.1)
    calls_per_day: int = 400
    tokens_per_day: int = 4_000_000
    dollars_per_day: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicySettings:
    """When an offer may be made. All defaults but those said to be measured are guesses.

    Benefit and costs are seconds of a person's time. What an interruption costs has its prior from a published study:
    ten programmers, 82 staged interruptions, the median time until they answered
    (`evaluation.benchmarks.interruptibility`).
    """

    name: str = "utility"  # or silent, random, always, threshold, or package.module:factory
    quiet_start_s: float = 300.0  # no offers in the first minutes of a session
    offers_per_hour: int = 4
    offers_per_day: int = 12
    cooldown_s: float = 300.0  # after an offer was shown
    backoff_s: float = 900.0  # after a dismissal for the same application and topic; doubles with each
    backoff_max_s: float = 86_400.0
    false_offer_rate: float = 0.2  # the upper bound of the sequential test is ln((1 - miss_rate) / this)
    miss_rate: float = 0.2
    # Half-life, false-offer rate and benefit were chosen together on simulated training sessions, by what models said
    # of them that had not seen their program, people and behaviors: few false offers, at no loss of good ones.
    evidence_half_life_s: float = 24.0  # how fast evidence from earlier windows fades
    benefit_s: float = 70.0  # what an offer saves somebody who needs it
    cost_false_s: float = 60.0  # what one that nobody needs costs in trust and reading, beside the interruption
    acceptance: float = 0.25  # of offers before any answer: the click-through reported for one product
    acceptance_weight: float = 4.0  # answers that this counts as
    threshold_min: float = 0.3  # learning moves the threshold of p at a break no further down than this
    threshold_max: float = 0.95  # and no further up
    timing_limit: float = 3.0  # "too early" and "too late" change the false-offer rate by this factor at most
    learning_half_life_days: float = 30.0  # how fast answers are forgotten
    interrupt_break_s: float = 9.0  # measured: the median lag when people could be interrupted, 50 cases
    interrupt_busy_s: float = 21.7  # measured: the median lag when they could not, 32 cases
    novelty_s: float = 600.0  # what was said this short a time ago is not said again
    break_s: float = 1.0  # no input for this long is a natural break
    break_wait_s: float = 20.0  # how long a worthy offer waits for a break
    stale_s: float = 60.0  # an unanswered offer older than this is withdrawn
    snooze_s: float = 900.0
    exploration: float = 0.0  # a study may withhold this share of worthy offers by lot
    threshold: float = 0.5  # of the arm "threshold": the newest estimate alone
    arm_probability: float = 0.02  # of the arm "random", for each estimate: some four offers an hour of work


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageSettings:
    """Where sessions go and how long they stay."""

    sessions_dir: str = ""  # empty: XDG_STATE_HOME/kairos/sessions
    flush_s: float = 0.5  # rows are on disk after at most this long
    max_session_mb: int = 500  # a session is cut here, at local midnight and after suspend
    video_file_s: float = 300.0
    keep_days: int = 30
    keep_gb: float = 5.0
    min_free_mb: int = 200  # below this much free disk recording stops and says so


@dataclass(frozen=True, slots=True, kw_only=True)
class InterfaceSettings:
    """How the card and tray look and behave."""

    corner: str = "bottom-right"  # where the card appears
    offer_visible_s: float = 45.0  # then it expires as ignored


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings, one field per table of the settings file."""

    capture: CaptureSettings = field(default_factory=CaptureSettings)
    fence: FenceSettings = field(default_factory=FenceSettings)
    window: WindowSettings = field(default_factory=WindowSettings)
    detector: DetectorSettings = field(default_factory=DetectorSettings)
    local_model: ModelSettings = field(default_factory=ModelSettings)
    strong_model: ModelSettings = field(default_factory=ModelSettings)
    policy: PolicySettings = field(default_factory=PolicySettings)
    storage: StorageSettings = field(default_factory=StorageSettings)
    interface: InterfaceSettings = field(default_factory=InterfaceSettings)
