"""The study file `study.toml`: what a study may ask for, and nothing else.

The types below are the white list. A study chooses among built-in policies and their randomisation, lowers the number
of offers, and asks questions of its own; it never touches the fence, consent, storage, models or any address but its
broker's. The file comes from outside and is hostile until it has passed: bounded in size and depth, strict in types,
every text plain and short. Errors name the setting.
"""

import ipaddress
import re
import ssl
from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from participant.documents.keys import MAX_READERS, READING_KIND, SIGNING_KIND, parse_public
from participant.documents.names import CODE, NAME, Code, Name
from storage.enrolment import MAX_TASKS, QuestionPlan
from storage.errors import BadFile
from storage.files import decode_text, open_regular
from storage.plain_text import plain
from storage.settings import PolicySettings
from storage.settings_file import parse_toml

MAX_FILE_BYTES = 64 << 10
"""A larger study file is a mistake."""

MAX_DAYS = 366
MAX_PHASES = 12
MAX_ARMS = 6
MAX_QUESTIONS = 3
"""One tap each."""

MAX_PURGE_DAYS = 7
MIN_APART_MINUTES = 45
MAX_PROMPTS = 6
"""Random prompts a day."""

ANSWER_OUTCOME = "answer:"
"""Begins an outcome that is the answer to a question; its code follows."""

_REMEDY = "what a study file may hold: docs/studies.md"
_MAX_SHOWN = 60
_MAX_HOST = 253
_HOST = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9-]{1,63}(?<!-))*")
_EMAIL = re.compile(r"[^\s@<>]{1,64}@[a-zA-Z0-9.-]{3,253}")
_ERROR = re.compile(r"(?s)(?P<why>.*?)(?: - at `\$\.?(?P<path>.*)`)?")
_UNKNOWN = re.compile(r"(?s)Object contains unknown field `(.*)`")
_MISSING = re.compile(r"Object missing required field `(.*)`")
_TYPES = {"int": "a whole number", "float": "a number", "str": "a text", "bool": "true or false"}
_TYPES |= {"array": "a list", "object": "a table"}

_OUTCOME = r"^[a-z][a-z0-9_]{0,31}(:[a-z][a-z0-9_]{0,31})?\Z"
_FORMS = {
    repr(NAME): "of small letters, digits and hyphens that begins with a letter and has at most 32",
    repr(CODE): "of small letters, digits and underscores that begins with a letter and has at most 32",
    repr(_OUTCOME): "that is an outcome, or answer: and the code of a question",
}

Share = Annotated[float, Meta(ge=0, le=1)]


class Sent(StrEnum):
    """What may be sent, a switch for each in the consent.

    Aggregates, categories of applications, answers, how tasks went, labels, and with these the person's words.
    """

    AGGREGATES = "aggregates"
    CATEGORIES = "categories"
    QUESTIONS = "questions"
    TASKS = "tasks"
    LABELS = "labels"
    NARRATION = "narration"


class StudyOutcome(StrEnum):
    """What a study compares, from the 300 s after a decision point (`participant.documents.rows.Outcomes`)."""

    RECOVERED = "recovered"
    NEED = "need"
    ACTIVE = "active_s"
    UNDOS = "undos"


class Measure(StrEnum):
    """Shares that stopping rules watch.

    Of prompts answered that say it was a bad moment, of offers dismissed, of offers called wrong, of participants who
    left.
    """

    BAD_MOMENTS = "bad_moments"
    DISMISSED = "dismissed"
    WRONG = "wrong"
    LEFT = "left"


class _Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the study file: whatever is not declared is refused."""


class PolicyChange(_Table, frozen=True):
    """All that a study may change of `storage.settings`, in the table `policy`; None leaves the person's own."""

    name: Literal["utility", "silent", "threshold", "always", "random"]
    exploration: Share | None = None
    arm_probability: Share | None = None
    threshold: Share | None = None
    offers_per_hour: Annotated[int, Meta(ge=0)] | None = None
    offers_per_day: Annotated[int, Meta(ge=0)] | None = None

    def values(self) -> Mapping[str, str | float]:
        """Return what is set, by the names of `PolicySettings`."""
        found = {name: getattr(self, name) for name in self.__struct_fields__}
        return {name: value for name, value in found.items() if value is not None}


class PlannedPhase(_Table, frozen=True):
    """A stretch of days with one policy; `arms` holds what differs in an arm."""

    name: Name
    days: Annotated[int, Meta(ge=1, le=MAX_DAYS)]
    policy: PolicyChange
    arms: dict[Name, PolicyChange] = {}

    def policy_in(self, arm: str) -> PolicyChange:
        """Return the policy of an arm."""
        return self.arms.get(arm, self.policy)


class PlannedQuestion(_Table, frozen=True):
    """A question with its choices, one tap; a row holds the number of the choice, from 0 on."""

    code: Code
    text: str
    choices: Annotated[tuple[str, ...], Meta(min_length=2, max_length=5)]


class PlannedTask(_Table, frozen=True):
    """A task, shown after those before it; `storage.enrolment.StudyTask` says what its parts are."""

    code: Code
    title: str
    text: str
    end: str
    program: str = ""


class Prompts(_Table, frozen=True):
    """When questions are asked: at random moments of a day, and after offers, made and withheld alike."""

    random_per_day: Annotated[int, Meta(ge=0, le=MAX_PROMPTS)]
    apart_minutes: Annotated[int, Meta(ge=MIN_APART_MINUTES, le=720)] = MIN_APART_MINUTES
    event_probability: Share = 0.0


class StoppingRule(_Table, frozen=True):
    """The study is to stop when a share is above a limit, judged from so many cases on."""

    measure: Measure
    above: Annotated[float, Meta(gt=0, lt=1)]
    after: Annotated[int, Meta(ge=5, le=1_000_000)]


class Broker(_Table, frozen=True):
    """The MQTT broker, the one address in a study file; always with TLS. `ca` is its authority's certificate (PEM)."""

    host: Annotated[str, Meta(min_length=1, max_length=_MAX_HOST)]
    port: Annotated[int, Meta(ge=1, le=65_535)] = 8883
    ca: Annotated[str, Meta(max_length=16_384)] | None = None


class PublicKeys(_Table, frozen=True):
    """Public keys as text (`participant.documents.keys.format_public`).

    `signing` signs the study and its invitations, `receipts` the collector's receipts; each of `readers` opens the list
    of arms and the participants' reader keys.
    """

    signing: str
    receipts: str
    readers: Annotated[tuple[str, ...], Meta(min_length=1, max_length=MAX_READERS)]


class Plan(_Table, frozen=True):
    """A study file that has passed all checks; make one with `parse_plan`."""

    format: Literal[1]
    name: Name
    version: Annotated[int, Meta(ge=1, le=9_999)]
    title: str
    contact: str
    ethics: str
    days: Annotated[int, Meta(ge=1, le=MAX_DAYS)]
    sends: Annotated[tuple[Sent, ...], Meta(min_length=1)]
    outcome: Annotated[str, Meta(pattern=_OUTCOME)]
    purge_days: Annotated[int, Meta(ge=1, le=MAX_PURGE_DAYS)]
    broker: Broker
    keys: PublicKeys
    phases: Annotated[tuple[PlannedPhase, ...], Meta(min_length=1, max_length=MAX_PHASES)]
    arms: Annotated[tuple[Name, ...], Meta(min_length=1, max_length=MAX_ARMS)] = ("all",)
    questions: Annotated[tuple[PlannedQuestion, ...], Meta(max_length=MAX_QUESTIONS)] = ()
    prompts: Prompts | None = None
    tasks: Annotated[tuple[PlannedTask, ...], Meta(max_length=MAX_TASKS)] = ()
    stopping: Annotated[tuple[StoppingRule, ...], Meta(max_length=8)] = ()

    @property
    def signing_key(self) -> bytes:
        """The public key that signs the study."""
        return parse_public(SIGNING_KIND, self.keys.signing)

    @property
    def receipts_key(self) -> bytes:
        """The public key that signs receipts."""
        return parse_public(SIGNING_KIND, self.keys.receipts)

    @property
    def reader_keys(self) -> tuple[bytes, ...]:
        """The public keys of the readers."""
        return tuple(parse_public(READING_KIND, text) for text in self.keys.readers)


def read_text(path: Path, *, limit: int) -> str:
    """Return the text of a plain file of limited size.

    Raises:
        BadFile: it is larger, no plain file, or not UTF-8.
    """
    with open_regular(path, follow_links=True) as file:
        raw = file.read(limit + 1)
    if len(raw) > limit:
        raise BadFile(f"{path} is larger than {limit >> 10} kB")
    try:
        return decode_text(raw)
    except UnicodeDecodeError:
        raise BadFile(f"{path} is not UTF-8", remedy="save it as UTF-8") from None


def parse_plan(text: str, *, where: str = "study.toml") -> Plan:
    """Return the study of a text; `where` names its source in errors.

    Raises:
        BadFile: it is no study file, or asks for what no study may; names the setting.
    """
    if len(text.encode(errors="replace")) > MAX_FILE_BYTES:
        raise BadFile(f"{where} is larger than {MAX_FILE_BYTES >> 10} kB")
    try:
        tables = parse_toml(text.replace("\r\n", "\n"))
    except ValueError as error:
        raise BadFile(f"{where} is not a valid study file: {_shown(str(error), 200)}", remedy=_REMEDY) from None
    try:
        plan = msgspec.convert(tables, Plan)
    except msgspec.ValidationError as error:
        raise _refused(where, *_in_words(str(error))) from None
    for setting, why in _contradictions(plan):
        raise _refused(where, setting, why)
    return plan


def _refused(where: str, setting: str, why: str) -> BadFile:
    return BadFile(f"{where}: {setting}: {why}", remedy=_REMEDY)


def _in_words(message: str) -> tuple[str, str]:
    """Return which setting is wrong, and why, from a message of msgspec."""
    found = _ERROR.fullmatch(message)
    path, why = (found["path"] or "", found["why"]) if found else ("", message)
    for pattern, words in ((_UNKNOWN, "a study cannot set this"), (_MISSING, "is missing")):
        if named := pattern.fullmatch(why):
            return _shown(f"{path}.{named[1]}".lstrip("."), 100), words
    why = why.replace(" | null`", "`")
    for code, words in _TYPES.items():
        why = why.replace(f"`{code}`", words)
    for pattern_shown, words in _FORMS.items():
        why = why.replace(f"matching regex {pattern_shown}", words)
    why = why.replace("Expected", "wants").replace("Invalid enum value", "there is no")
    return _shown(path or "the file", 100), _shown(why, 200)


def _shown(text: str, limit: int = _MAX_SHOWN) -> str:
    """Return text of a file for a message: nothing that a terminal might act on, never pages of it."""
    visible = "".join(character if character.isprintable() else "?" for character in text[: limit + 1])
    return visible if len(visible) <= limit else f"{visible[:limit]}..."


# ---------------------------------------------------------------- what types cannot say


def _contradictions(plan: Plan) -> Iterable[tuple[str, str]]:
    """Yield settings that do not fit, with the reason."""
    yield from _wrong_texts(plan)
    yield from _twice(plan)
    yield from _wrong_keys(plan)
    yield from _wrong_broker(plan.broker)
    yield from _wrong_phases(plan)
    if Sent.CATEGORIES in plan.sends and Sent.AGGREGATES not in plan.sends:
        yield "sends", "categories are part of the aggregates, so they need these"
    if Sent.NARRATION in plan.sends and Sent.LABELS not in plan.sends:
        yield "sends", "narration is what was said in labelled stretches, so it needs labels"
    if (Sent.TASKS in plan.sends) != bool(plan.tasks):
        yield "tasks", "are given exactly if sends names tasks"
    yield from _wrong_questions(plan)


def _wrong_texts(plan: Plan) -> Iterable[tuple[str, str]]:
    """Yield texts that people are shown and that are not short, plain and on one line."""
    texts = [("title", plan.title, 120), ("contact", plan.contact, 200), ("ethics", plan.ethics, 120)]
    for at, question in enumerate(plan.questions):
        texts.append((f"questions[{at}].text", question.text, 120))
        texts += [(f"questions[{at}].choices[{n}]", text, 30) for n, text in enumerate(question.choices)]
    for at, task in enumerate(plan.tasks):
        texts += [(f"tasks[{at}].title", task.title, 80), (f"tasks[{at}].text", task.text, 600)]
        texts += [(f"tasks[{at}].end", task.end, 200), (f"tasks[{at}].program", task.program or "-", 60)]
    for setting, text, limit in texts:
        if not text or "\n" in text or text != plain(text, limit):
            yield setting, f"wants one line of 1 to {limit} visible characters, without spaces at its ends"
    if not _EMAIL.search(plan.contact):
        yield "contact", "wants an address that participants can write to, such as Ada Example <ada@example.org>"


def _twice(plan: Plan) -> Iterable[tuple[str, str]]:
    lists = {
        "sends": plan.sends,
        "arms": plan.arms,
        "phases.name": [phase.name for phase in plan.phases],
        "questions.code": [question.code for question in plan.questions],
        "tasks.code": [task.code for task in plan.tasks],
        "stopping.measure": [rule.measure for rule in plan.stopping],
        "keys.readers": plan.keys.readers,
        **{f"questions[{at}].choices": question.choices for at, question in enumerate(plan.questions)},
    }
    for setting, values in lists.items():
        if again := [value for value, count in Counter(values).items() if count > 1]:
            yield setting, f"holds {_shown(again[0])} twice"


def _wrong_keys(plan: Plan) -> Iterable[tuple[str, str]]:
    settings = {
        "keys.signing": (SIGNING_KIND, plan.keys.signing),
        "keys.receipts": (SIGNING_KIND, plan.keys.receipts),
        **{f"keys.readers[{at}]": (READING_KIND, text) for at, text in enumerate(plan.keys.readers)},
    }
    for setting, (kind, text) in settings.items():
        try:
            parse_public(kind, text)
        except ValueError as error:
            yield setting, str(error)
    if plan.keys.signing == plan.keys.receipts:
        yield "keys.receipts", "must differ from keys.signing: the collector must not be able to sign studies"


def _wrong_broker(broker: Broker) -> Iterable[tuple[str, str]]:
    if not _HOST.fullmatch(broker.host) and not _is_address(broker.host):
        yield "broker.host", "wants the name of a machine alone, in small letters, such as broker.example.org"
    if broker.ca is not None and not _is_certificate(broker.ca):
        yield "broker.ca", "wants a certificate in PEM, from -----BEGIN CERTIFICATE----- on"


def _is_address(text: str) -> bool:
    if "%" in text:  # the scope of an address may be any text
        return False
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _is_certificate(text: str) -> bool:
    if not text.isascii() or not text.strip():  # of the one ssl makes a TypeError, of the other no certificate
        return False
    try:
        ssl.create_default_context(cadata=text)
    except (ssl.SSLError, ValueError):
        return False
    return True


def _wrong_phases(plan: Plan) -> Iterable[tuple[str, str]]:
    planned = sum(phase.days for phase in plan.phases)
    if planned != plan.days:
        yield "days", f"is {plan.days}, and the phases add up to {planned}"
    for at, phase in enumerate(plan.phases):
        if unknown := sorted(phase.arms.keys() - set(plan.arms)):
            yield f"phases[{at}].arms", f"there is no arm {_shown(unknown[0])}; name it in arms"
        for setting, policy in {
            "policy": phase.policy,
            **{f"arms.{arm}": one for arm, one in phase.arms.items()},
        }.items():
            for name, why in _wrong_policy(policy):
                yield f"phases[{at}].{setting}.{name}", why
    for at, first in enumerate(plan.arms):
        for second in plan.arms[:at]:
            if all(phase.policy_in(first) == phase.policy_in(second) for phase in plan.phases):
                yield "arms", f"{first} and {second} are the same in every phase"


_BELONGS = {"exploration": "utility", "arm_probability": "random", "threshold": "threshold"}


def _wrong_policy(policy: PolicyChange) -> Iterable[tuple[str, str]]:
    for name, belongs in _BELONGS.items():
        if getattr(policy, name) is not None and policy.name != belongs:
            yield name, f"means nothing under the policy {policy.name}; it belongs to {belongs}"
    default = PolicySettings()
    for name in ("offers_per_hour", "offers_per_day"):
        value, most = getattr(policy, name), getattr(default, name)
        if value is not None and value > most:
            yield name, f"a study may lower the number of offers, not raise it: at most {most}"


def _wrong_questions(plan: Plan) -> Iterable[tuple[str, str]]:
    asks = Sent.QUESTIONS in plan.sends
    if asks != bool(plan.questions):
        yield "questions", "are asked exactly if sends names questions"
    if asks != (plan.prompts is not None):
        yield "prompts", "says when questions are asked; it stands there exactly if there are some"
    if plan.prompts is not None:
        yield from _wrong_prompts(plan.prompts)
    if plan.outcome.startswith(ANSWER_OUTCOME):
        if plan.outcome.removeprefix(ANSWER_OUTCOME) not in {question.code for question in plan.questions}:
            yield "outcome", "there is no such question"
    elif plan.outcome not in set(StudyOutcome):
        yield "outcome", f"is one of {', '.join(StudyOutcome)}, or {ANSWER_OUTCOME} and the code of a question"
    elif Sent.AGGREGATES not in plan.sends:
        yield "outcome", "is computed from aggregates, which this study does not send"
    if Measure.BAD_MOMENTS in {rule.measure for rule in plan.stopping} and not asks:
        yield "stopping", "bad_moments is counted from answers, and this study asks nothing"


def _wrong_prompts(prompts: Prompts) -> Iterable[tuple[str, str]]:
    """Yield prompts that never come, or random ones that do not fit into the hours in which people are asked."""
    if not (prompts.random_per_day or prompts.event_probability):
        yield "prompts", "never asks: raise random_per_day or event_probability"
    apart_s = prompts.apart_minutes * 60.0
    first, last = QuestionPlan().hours
    try:
        QuestionPlan(blocks=prompts.random_per_day, apart_s=apart_s).check()
    except ValueError:
        fitting = int((last - first) * 60 / (apart_s + QuestionPlan().wait_s))
        wish = f"{prompts.random_per_day} random prompts a day, {prompts.apart_minutes} minutes apart,"
        hours = (last - first) // 60
        yield "prompts.apart_minutes", f"{wish} do not fit into the {hours} hours of a day; {fitting} would"
