"""Recomputes the lots of the rows in a study's tables from the seeds in the consents, and names rows that do not fit.

What a row holds is enough for the lots of offers: the seed, the number of the lot, and its probability. The lots of
questions are drawn from dates and ids of sessions, which do not travel; their probabilities are compared with the
study, and how often they fell is counted. Each of them can be recomputed where the person's own logs are
(`kairos study audit` there).

Findings name no arm and no probability of an offer, since these differ between arms: an audit is made while the study
runs. The tables hold both.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from participant.documents.plan import Plan, PolicyChange, Sent
from policies.arms import arm_of, assign
from policies.state import Randomizer
from storage.settings import PolicySettings
from study.researcher.documents import phase_on

if TYPE_CHECKING:
    import duckdb


SAME = 1e-9
"""Two probabilities that differ by less are equal."""

_ROWS = 10_000
"""Rows that are held at once."""

_DECIDES = {"utility": "exploration", "random": "arm_probability"}
"""The setting that gives the chance of an offer, by policy; others leave nothing to chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFinding:
    """A row that does not fit: whose, in which parcel, at which place there, of which table, and what is wrong."""

    participant: str
    n: int
    place: int
    table: str
    what: str


@dataclass(slots=True, kw_only=True)
class TablesAudit:
    """What was recomputed.

    Attributes:
        people: with a consent, and so a seed.
        lots: of offers that were drawn again.
        missing_lots: numbers that no row has: rows left out, sessions cut off, parcels missing.
        questions: after offers, made or withheld, whose probability was compared.
        asked_z: by how many standard errors they were drawn more often than their probabilities say.
        findings: rows that do not fit.
    """

    people: int = 0
    lots: int = 0
    missing_lots: int = 0
    questions: int = 0
    asked_z: float = 0.0
    findings: list[RowFinding] = field(default_factory=list)


class _Point(NamedTuple):
    participant: str
    n: int
    place: int
    day: int
    phase: str
    arm: str
    gate: str | None
    propensity: float
    action: str
    assignment_number: int | None


class _Answer(NamedTuple):
    participant: str
    n: int
    place: int
    day: int
    phase: str
    arm: str
    moment: str
    probability: float
    step: str
    choices: Mapping[str, int]


class _Done(NamedTuple):
    """A row of the tables `tasks` and `labels`; `words` are of labels alone."""

    participant: str
    n: int
    place: int
    day: int
    phase: str
    arm: str
    task: str | None
    words: int


_DONE = {
    "tasks": "(SELECT *, 0 AS words FROM tasks)",
    "labels": "(SELECT *, length(wanted) + length(would_help) + length(said) AS words FROM labels)",
}


class _Consent(NamedTuple):
    participant: str
    n: int
    place: int
    study_version: int
    seed: int
    sends: Sequence[str]


def audit_tables(tables: "duckdb.DuckDBPyConnection", plans: Mapping[int, Plan]) -> TablesAudit:
    """Recompute everything that the tables allow."""
    arms = dict(tables.execute("SELECT participant, arm FROM participants").fetchall())
    consents = {who: list(rows) for who, rows in _by_person(tables, "consents", _Consent)}
    audit = TablesAudit(people=len(consents))
    for who, points in _by_person(tables, "points", _Point):
        person = _Person(arms.get(who, ""), consents.get(who, []), plans)
        previous: int | None = None
        for row in points:
            _check_point(audit, person, row, previous)
            previous = (
                previous
                if row.assignment_number is None
                else max(row.assignment_number, -1 if previous is None else previous)
            )
    expected = variance = drawn = 0.0
    for who, answers in _by_person(tables, "answers", _Answer):
        person = _Person(arms.get(who, ""), consents.get(who, []), plans)
        for answer in answers:
            _check_answer(audit, person, answer)
            if answer.moment != "random":
                expected += answer.probability
                variance += answer.probability * (1.0 - answer.probability)
                drawn += answer.step != "not_drawn"
    for table, source in _DONE.items():
        for who, rows in _by_person(tables, source, _Done):
            person = _Person(arms.get(who, ""), consents.get(who, []), plans)
            for row in rows:
                _check_done(audit, person, row, table)
    audit.asked_z = (drawn - expected) / math.sqrt(variance) if variance else 0.0
    return audit


def _by_person(tables: "duckdb.DuckDBPyConnection", table: str, kind: Any) -> Iterator[tuple[str, Iterator[Any]]]:
    columns = ", ".join(kind._fields)
    cursor = tables.cursor()  # of its own, since others are read meanwhile
    cursor.execute(f"SELECT {columns} FROM {table} ORDER BY participant, n, place")  # noqa: S608  # constants
    rows = chain.from_iterable(iter(lambda: cursor.fetchmany(_ROWS), []))
    for who, group in groupby(rows, key=itemgetter(0)):
        yield who, (kind(*row) for row in group)


class _Person:
    """What is known about one person beside their rows."""

    def __init__(self, arm: str, consents: list[_Consent], plans: Mapping[int, Plan]) -> None:
        self.arm = arm
        self._consents = consents
        self._plans = plans

    @property
    def seed(self) -> int | None:
        """The seed of all lots; None if no consent came, or if consents differ."""
        seeds = {consent.seed for consent in self._consents}
        return seeds.pop() if len(seeds) == 1 else None

    def consent_at(self, row: _Point | _Answer | _Done) -> _Consent | None:
        """Return what had been agreed to when a row was packed; None if nothing is known of that."""
        before = [consent for consent in self._consents if (consent.n, consent.place) < (row.n, row.place)]
        return before[-1] if before else next(iter(self._consents), None)

    def plan_at(self, row: _Point | _Answer | _Done) -> Plan | None:
        """Return the study that was in force when a row was packed; None if none of that version was signed here."""
        consent = self.consent_at(row)
        return self._plans.get(consent.study_version) if consent is not None else None


def _check_point(audit: TablesAudit, person: _Person, row: _Point, previous: int | None) -> None:
    def find(what: str) -> None:
        audit.findings.append(
            RowFinding(participant=row.participant, n=row.n, place=row.place, table="points", what=what)
        )

    _check_place(person, row, find)
    drawn = row.gate is None and row.action in {"offer", "withheld"} and row.propensity < 1.0
    if not drawn:
        if row.propensity < 1.0 or row.assignment_number is not None:
            find("it has an assignment, but nothing was left to chance there")
        elif row.gate is not None and row.action != "none":
            find(f"the gate {row.gate} stopped it, but its action is {row.action}")
        return
    chance = row.propensity if row.action == "offer" else 1.0 - row.propensity
    planned = _planned_chance(person, row)
    if planned is not None and abs(chance - planned) > SAME:
        find("its probability is not the one that the study gives this person that day")
    if row.assignment_number is None:
        find("it does not say the number of its assignment")
        return
    if previous is not None and row.assignment_number <= previous:
        find(f"its assignment {row.assignment_number} was drawn before")
    else:
        audit.missing_lots += row.assignment_number - (previous if previous is not None else -1) - 1
    if person.seed is None:
        find("no consent says the seed of its assignment, or consents name different ones")
        return
    audit.lots += 1
    _, offered = assign(Randomizer(seed=person.seed, drawn=row.assignment_number), chance, "")
    if offered != (row.action == "offer"):
        find(f"assignment {row.assignment_number} says {'an offer' if offered else 'no offer'}")


def _check_place(person: _Person, row: _Point | _Answer | _Done, find: Any) -> None:
    if row.arm != person.arm:
        find("it names another arm than the list of arms")
    plan = person.plan_at(row)
    phase = phase_on(plan, row.day) if plan is not None else None
    if plan is not None and row.phase != (phase.name if phase is not None else row.phase):
        find(f"day {row.day} is in the phase {phase.name if phase is not None else '-'} and not {row.phase}")


def _planned_chance(person: _Person, row: _Point) -> float | None:
    """Return the chance of an offer by the study; None where it leaves it to the person's own settings."""
    plan = person.plan_at(row)
    phase = phase_on(plan, row.day) if plan is not None else None
    if phase is None:
        return None
    policy: PolicyChange = phase.policy_in(row.arm)
    setting = _DECIDES.get(policy.name)
    if setting is not None and getattr(policy, setting) is None:
        return None
    values = {name: value for name, value in policy.values().items() if name in {"name", setting}}
    arm = arm_of(PolicySettings(**values))  # type: ignore[arg-type]  # checked when the study was read
    return None if arm is None else arm.chance


def _check_answer(audit: TablesAudit, person: _Person, row: _Answer) -> None:
    def find(what: str) -> None:
        audit.findings.append(
            RowFinding(participant=row.participant, n=row.n, place=row.place, table="answers", what=what)
        )

    _check_place(person, row, find)
    plan = person.plan_at(row)
    planned = 1.0 if row.moment == "random" else None
    if planned is None and plan is not None:
        audit.questions += 1
        planned = plan.prompts.event_probability if plan.prompts is not None else 0.0
    if planned is not None and abs(row.probability - planned) > SAME:
        find(f"its probability is {planned:g} and not {row.probability:g}")
    if row.step == "not_drawn" and row.probability >= 1.0:
        find("it was certain, but no assignment asked it")
    if (row.step == "answered") != bool(row.choices):
        find(f"it is {row.step}, and has {len(row.choices)} answers")
    questions = {question.code: len(question.choices) for question in plan.questions} if plan is not None else {}
    if plan is not None and any(choice >= questions.get(code, 0) for code, choice in row.choices.items()):
        find("it answers what the study does not ask")


def _check_done(audit: TablesAudit, person: _Person, row: _Done, table: str) -> None:
    """Look whether a task or a label is of the study, and whether its words were agreed to."""

    def find(what: str) -> None:
        audit.findings.append(RowFinding(participant=row.participant, n=row.n, place=row.place, table=table, what=what))

    _check_place(person, row, find)
    plan, consent = person.plan_at(row), person.consent_at(row)
    if plan is not None and row.task not in {None, *(task.code for task in plan.tasks)}:
        find("it names a task that the study does not have")
    if consent is not None and table not in consent.sends:
        find(f"the consent before it does not send {table}")
    if consent is not None and row.words and Sent.NARRATION not in consent.sends:
        find("it holds words, and the consent before it sends none")
