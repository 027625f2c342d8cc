"""What the built-in policies remember, as frozen values; the gates read it, and `policies.chain` replaces it."""

from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """Quiet time for one application and topic, after `dismissals` in a row."""

    app: str
    topic: str
    dismissals: int
    until_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetState:
    """When offers were shown, and what answers forbid for now."""

    shown_ns: tuple[int, ...] = ()
    backoffs: tuple[Backoff, ...] = ()
    muted: tuple[str, ...] = ()
    snoozed_until_ns: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceState:
    """The sequential test for one application: `ratio` is the newest prefix's, `carried` comes from earlier windows.

    `behavior` is the likeliest state in the newest prefix, `fluency` the probability of performing actions in it.
    `senses` is what it was estimated with; `level` is the sum from which on help is offered there
    (`policies.need_levels`), and no more than the newest prefix itself where a sign in it is never calm.
    `raised_before` is what `raised` was before the newest prefix: a second estimate of that prefix, made with a
    model's answer, replaces the first one and what it alone had raised.
    """

    app: str = ""
    window_id: int = -1
    ratio: float = 0.0
    help_need: float = 0.0
    behavior: str = ""
    fluency: float = 0.0
    senses: str = ""
    level: float = 0.0
    carried: float = 0.0
    carried_at_ns: int = 0
    seen_ns: int = 0
    raised: bool = False
    raised_before: bool = False
    topic: str | None = None
    prefix_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedCounts:
    """How often evidence in one program (in all: empty) reached each level of the grid, in `hours` of use.

    `reached_ns` is when each was reached last in this session. Fractions, because counts fade.
    """

    app: str
    senses: str
    hours: float = 0.0
    counts: tuple[float, ...]
    reached_ns: tuple[int | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedHistory:
    """What was counted of one model's estimates, the program used last at the end; the newest was at `seen_ns`."""

    detector: str = ""
    version: str = ""
    programs: tuple[NeedCounts, ...] = ()
    seen_ns: int = 0


class NeedScaling(NamedTuple):
    """A person's own scale of need: log-odds of an estimate count as `scale * log_odds + shift`."""

    shift: float = 0.0
    scale: float = 1.0

    def apply(self, log_odds: float) -> float:
        """Return what an estimate counts as, in log-odds."""
        return self.scale * log_odds + self.shift


@dataclass(frozen=True, slots=True, kw_only=True)
class Utility:
    """Expected utility of an offer now: the numbers of the inequality, and its thresholds now and at a break.

    `p` is need on the person's own scale, `scaling`.
    """

    p: float
    acceptance: float
    benefit: float
    cost_false: float
    cost_interrupt: float
    threshold: float
    threshold_at_break: float
    scaling: NeedScaling

    @property
    def positive_now(self) -> bool:
        """Whether the offer justifies an interruption at this moment."""
        return self.p > self.threshold

    @property
    def positive_at_break(self) -> bool:
        """Whether the offer would justify one at a break, where it costs least."""
        return self.p > self.threshold_at_break


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """A justified offer that waits for a break since `since_ns`, in `app`."""

    since_ns: int
    app: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Randomizer:
    """The seed of random assignments, how many were drawn, and the prefix of the last one."""

    seed: int = 0
    drawn: int = 0
    prefix_id: str | None = None


class OfferSubject(NamedTuple):
    """What an offer was about: the application, the likeliest state, and the topic."""

    app: str
    state: str
    topic: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCounts:
    """Answers to offers about one subject; fractions, because answers fade.

    `expected` is how many acceptances need let expect.
    """

    subject: OfferSubject
    accepted: float
    refused: float
    expected: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """Counts by subject, the one answered last at the end, and complaints about timing, all as of `at_ns`."""

    counts: tuple[AnswerCounts, ...] = ()
    early: float = 0.0
    late: float = 0.0
    at_ns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """What answers say about one number whose prior is a normal around 0: its mean is pull / (prior + information)."""

    pull: float = 0.0
    information: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedFit:
    """What answers say about need in one program, or in all (`app` is empty): how far shift is from 0 and scale from 1.

    `answers` is how many there were; a fraction, because answers fade.
    """

    app: str = ""
    shift: Coefficient = Coefficient()
    scale: Coefficient = Coefficient()
    answers: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The fit over all programs, and by how much each differs from it, the one answered last at the end."""

    overall: NeedFit = NeedFit()
    programs: tuple[NeedFit, ...] = ()
    at_ns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedEvidence:
    """The evidence behind an offer: its sum, and the log-odds of need that it counted as before any answers."""

    senses: str
    total: float
    log_odds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PastOffer:
    """A topic, and when it was offered last."""

    topic: str
    at_ns: int


OfferHistory = tuple[PastOffer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainState:
    """Everything that `policies.chain` remembers; `offered` is what the last offer rested on."""

    budget: BudgetState = field(default_factory=BudgetState)
    evidence: EvidenceState = field(default_factory=EvidenceState)
    wait: Wait | None = None
    randomizer: Randomizer = field(default_factory=Randomizer)
    learned: Learned = field(default_factory=Learned)
    calibration: Calibration = field(default_factory=Calibration)
    needs: NeedHistory = field(default_factory=NeedHistory)
    offered: OfferedEvidence | None = None
    history: OfferHistory = ()
    began_ns: int = 0
