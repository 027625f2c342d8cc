"""What outlives sessions, in one small database: consent, a study, the policy's state, and which notices were given.

Each entry is one JSON value. A damaged one raises and is never replaced by a guess, which could be a consent that
nobody gave. That consent was taken back also stands in a file beside the database (`storage.state.markers`), which
counts until the next consent is stored.
"""

import datetime as dt
import errno
import logging
import os
from collections import Counter
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from storage.consent_text import CONSENT_VERSION, CONTROLS_VERSION, SPEECH_VERSION
from storage.db.connection import (
    BUSY_S,
    FORMAT,
    DatabaseUser,
    OtherFormat,
    check_format,
    database_errors,
    open_writable,
)
from storage.db.schemas import STATE
from storage.enrolment import Enrolment
from storage.errors import BadFile, EnvironmentFault, os_words
from storage.files import decode_text, open_regular, write_whole
from storage.state.markers import REVOKED, Marker
from storage.state.pictures import PicturePermission
from storage.translation import SOURCE_LANGUAGE, phrase, translatable

logger = logging.getLogger(__name__)

MAX_CONSENT_BYTES = 4096
MAX_WALL_NS = 4_102_444_800_000_000_000
"""The year 2100: no consent was given later."""

REVOKE_BUSY_S = 0.5
"""How long `revoke_consent` waits for a locked database; the file beside it is written before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """What a person agreed to, and when: the journal, and the recording, which needs the journal.

    With `quiet_first_day` no offer is shown in the 24 hours after it (`daemon.runtime.quiet_day`). `controls` is the
    version of the words under which it was agreed that controls are understood; 0: it was not. `speech` is the same of
    recording what they say.

    `version` is that of the words in any language: a translation says the same. `language` and `text_sha256` keep which
    words were shown (`storage.consent_text.words_digest`). `sees` is what the desktop told less than in full then, by
    name (`storage.capabilities`): where another one tells more, people are asked again.
    """

    journal: bool
    recording: bool
    given_at_wall_ns: int
    version: int = CONSENT_VERSION
    quiet_first_day: bool = False
    controls: int = 0
    speech: int = 0
    language: str = SOURCE_LANGUAGE
    text_sha256: str = ""
    sees: dict[str, str] = field(default_factory=dict)

    @property
    def understands_controls(self) -> bool:
        """Whether it was agreed, as today's words say, that controls are understood, and outputs looked through."""
        return self.journal and self.controls == CONTROLS_VERSION

    @property
    def records_speech(self) -> bool:
        """Whether it was agreed, as today's words say, that the microphone is recorded."""
        return self.journal and self.speech == SPEECH_VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class Helped:
    """What helped, by program: digests made with `key`, the newest last, each with when it first did."""

    key: str = ""
    answers: tuple[tuple[str, str, int], ...] = ()

    def by_program(self) -> dict[str, int]:
        """Return how many answers helped in each program."""
        return dict(Counter(app for app, _, _ in self.answers))


_POLICY = "policy:"
"""How the entry of a policy begins; the name of its memory follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _SavedPolicy:
    saved: dict[str, object] = field(default_factory=dict)
    wall_ns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _SavedSampling:
    study: str
    saved: dict[str, object] = field(default_factory=dict)
    wall_ns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyTasksDone:
    """How far somebody is with the tasks of a study: the codes of those that ended, and what they know of programs.

    That is 1 to 5 by their own word; 0 where they did not say.
    """

    study: str
    ended: tuple[str, ...] = ()
    skills: dict[str, int] = field(default_factory=dict)


class StateStore(DatabaseUser):
    """The database of what outlives sessions; open it for a moment, in one thread.

    One of another format is set aside, renamed: what was agreed to there is asked again.

    Every method raises `BadFile` where the database or the entry is damaged, and `EnvironmentFault` where it cannot be
    read or written.
    """

    def __init__(self, path: Path, *, busy_s: float = BUSY_S) -> None:
        """Open or create the database; a statement waits for a lock of another process for `busy_s` at most."""
        self._path = path
        self._revoked = Marker(path.with_name(REVOKED))
        self._pictures = PicturePermission(path.parent)
        with self._errors():
            self._database = open_writable(path, STATE, wal=False, sets_aside=True, busy_s=busy_s)

    def consent(self) -> Consent | None:
        """Return what the person agreed to; None if nobody was asked, or the text has changed since."""
        found = self.last_answer()
        return found if found is not None and found.version == CONSENT_VERSION else None

    def last_answer(self) -> Consent | None:
        """Return what the person last agreed to, or that they refused, to whichever text; None if nobody was asked."""
        found: Consent | None = self._get("consent", Consent)
        revoked_ns = self._revoked.wall_ns()
        if revoked_ns is None:
            return found
        return _refusal(max(revoked_ns, found.given_at_wall_ns if found is not None else 0))

    def save_consent(self, consent: Consent) -> None:
        """Store what the person agrees to, or no longer agrees to; a refusal ends the study that they had joined.

        What a desktop was answered when it asked for itself is forgotten with a refusal; with a yes, that it was a no.
        """
        if not (consent.journal and self._pictures.token):
            self._pictures.forget()
        with self._errors(), self._database.atomic():
            if not consent.journal or self._revoked.wall_ns() is not None:
                self._forget_study()
            self._put("consent", consent)
        if consent.journal:
            self._revoked.clear()

    def policy_state(self, policy: str) -> tuple[Mapping[str, object], int]:
        """Return what policies of this memory saved last, and its wall-clock time; empty and 0 if none did."""
        found: _SavedPolicy | None = self._get(f"{_POLICY}{policy}", _SavedPolicy)
        return (found.saved, found.wall_ns) if found is not None else ({}, 0)

    def policy_states(self) -> dict[str, tuple[Mapping[str, object], int]]:
        """Return what policies saved last, and when, by their memory."""
        with self._errors():
            names = self._database.execute(
                "SELECT name FROM facts WHERE name GLOB ? ORDER BY name", [f"{_POLICY}*"]
            ).fetchall()
        return {name.removeprefix(_POLICY): self.policy_state(name.removeprefix(_POLICY)) for (name,) in names}

    def save_policy_state(self, policy: str, saved: Mapping[str, object], wall_ns: int) -> None:
        """Store plain JSON values of a policy; those of policies with another memory stay."""
        self._put(f"{_POLICY}{policy}", _SavedPolicy(saved=dict(saved), wall_ns=wall_ns))

    def helped(self) -> Helped:
        """Return what helped."""
        return self._get("helped", Helped) or Helped()

    def save_helped(self, helped: Helped) -> None:
        """Store what helped."""
        self._put("helped", helped)

    def enrolment(self) -> Enrolment | None:
        """Return the study that the person has joined; None if there is none, or consent was taken back since.

        Raises:
            BadFile: it sets what no study may; no guess takes its place.
        """
        if self._revoked.wall_ns() is not None:  # the database could not be written then, and still holds the study
            return None
        found: Enrolment | None = self._get("enrolment", Enrolment)
        if found is not None:
            try:
                found.check()
            except ValueError as error:
                raise BadFile(
                    translatable("{path}: the study in force is damaged: {why}", path=self._path, why=error),
                    remedy=translatable("leave the study"),
                ) from None
        return found

    def save_enrolment(self, enrolment: Enrolment | None) -> None:
        """Store the study that the person has joined; None when they have left it, which also forgets its questions.

        Raises:
            ValueError: it sets what no study may.
        """
        if enrolment is not None:
            enrolment.check()
            self._put("enrolment", enrolment)
            return
        with self._errors(), self._database.atomic():
            self._forget_study()

    def close_enrolment(self, study: str, closed_on: dt.date) -> bool:
        """Store the day on which the researchers closed a study, if it is the one in force; return whether it is new.

        Raises:
            BadFile: the study in force is damaged.
        """
        with self._errors(), self._database.atomic():  # nobody leaves or takes the consent back in between
            found = self.enrolment()
            if found is None or found.study != study or found.closed_on is not None:
                return False
            self._put("enrolment", replace(found, closed_on=closed_on))
        return True

    def sampling_state(self, study: str) -> tuple[Mapping[str, object], int]:
        """Return how far a study's questions are, and the wall-clock time of that; empty and 0 if none was saved."""
        found: _SavedSampling | None = self._get("sampling", _SavedSampling)
        return (found.saved, found.wall_ns) if found is not None and found.study == study else ({}, 0)

    def save_sampling_state(self, study: str, saved: Mapping[str, object], wall_ns: int) -> None:
        """Store how far a study's questions are; nothing once the person has left it, whatever still runs."""
        row = _SavedSampling(study=study, saved=dict(saved), wall_ns=wall_ns)
        with self._errors():
            self._database.execute(
                "INSERT OR REPLACE INTO facts SELECT 'sampling', ? FROM facts WHERE name = 'enrolment'"
                " AND CASE WHEN json_valid(body) THEN json_extract(body, '$.study') = ? ELSE 0 END",
                [msgspec.json.encode(row).decode(), study],
            )

    def tasks_done(self, study: str) -> StudyTasksDone:
        """Return how far somebody is with the tasks of a study."""
        found: StudyTasksDone | None = self._get("tasks", StudyTasksDone)
        return found if found is not None and found.study == study else StudyTasksDone(study=study)

    def save_tasks_done(self, done: StudyTasksDone) -> None:
        """Store how far somebody is with the tasks of the study in force."""
        self._put("tasks", done)

    def forget_learned(self) -> None:
        """Delete what policies saved, what helped, how far questions are, and which deletions were announced."""
        with self._errors(), self._database.atomic():
            self._database.execute(
                "DELETE FROM facts WHERE name IN ('helped', 'sampling', 'told_deletions') OR name GLOB ?",
                [f"{_POLICY}*"],
            )

    def compact(self) -> None:
        """Write the file anew without free space, in which bytes of what was deleted or replaced could be left."""
        with self._errors():
            self._database.execute("PRAGMA temp_store = MEMORY")
            self._database.execute("VACUUM")

    def announced_deletions(self) -> dict[str, int]:
        """Return the sessions whose deletion was announced, with the wall-clock time of the first notice."""
        return self._get("told_deletions", dict[str, int]) or {}

    def save_announced_deletions(self, announced: Mapping[str, int]) -> None:
        """Store which deletions were announced, and when."""
        self._put("told_deletions", dict(announced))

    def summarized_day(self) -> int:
        """Return when the consent was given whose quiet first day was summarized last; 0 if none was."""
        return self._get("told_first_day", int) or 0

    def save_summarized_day(self, given_at_wall_ns: int) -> None:
        """Store whose quiet first day was summarized."""
        self._put("told_first_day", given_at_wall_ns)

    def reviewed_day(self) -> str:
        """Return the local day of the last evening review, as YYYY-MM-DD; empty if there was none."""
        return self._get("reviewed_day", str) or ""

    def save_reviewed_day(self, day: str) -> None:
        """Store the day of the last evening review."""
        self._put("reviewed_day", day)

    def turned_on_accessibility(self) -> bool:
        """Return whether the desktop's accessibility switch was turned on from here."""
        return self._get("turned_on_accessibility", bool) is True

    def save_turned_on_accessibility(self, on: bool) -> None:
        """Store whether the desktop's accessibility switch was turned on from here."""
        self._put("turned_on_accessibility", on)

    def _forget_study(self) -> None:
        """Delete the study, how far its questions and tasks are, and its lots in what policies saved.

        The caller has begun a transaction.
        """
        self._database.execute(
            "UPDATE facts SET body = json_remove(body, '$.saved.seed', '$.saved.drawn')"
            " WHERE name GLOB ? AND CASE WHEN json_valid(body) THEN json_extract(body, '$.saved.seed') ="
            " (SELECT CASE WHEN json_valid(body) THEN json_extract(body, '$.seed') END FROM facts"
            " WHERE name = 'enrolment') ELSE 0 END",
            [f"{_POLICY}*"],
        )
        self._database.execute("DELETE FROM facts WHERE name IN ('enrolment', 'sampling', 'tasks')")

    def _get(self, name: str, kind: Any) -> Any:
        with self._errors():
            row = self._database.execute("SELECT body FROM facts WHERE name = ?", [name]).fetchone()
        if row is None:
            return None
        try:
            return msgspec.json.decode(row[0], type=kind)
        except msgspec.MsgspecError:
            remedy = (
                translatable("leave the study: kairos study leave")
                if name == "enrolment"
                else translatable("remove {path}", path=self._path)
            )
            raise BadFile(
                translatable("{path}: the entry {name} is damaged", path=self._path, name=repr(name)), remedy=remedy
            ) from None

    def _put(self, name: str, value: object) -> None:
        body = msgspec.json.encode(value).decode()
        with self._errors():
            self._database.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", [name, body])

    def _errors(self) -> AbstractContextManager[None]:
        return database_errors(self._path, if_damaged=phrase("Kairos then asks for consent again"))


def revoke_consent(state_file: Path, wall_ns: int) -> None:
    """Store that consent was taken back: first in the file beside the database, then there; waits for no lock longer.

    Raises:
        EnvironmentFault: neither can be written, so the next start would not know.
    """
    fault: EnvironmentFault | None = None
    try:
        Marker(state_file.with_name(REVOKED)).set(wall_ns)
    except EnvironmentFault as error:
        fault = error
    with suppress(EnvironmentFault):  # without a consent it is of no use; from the marker on none is kept
        PicturePermission(state_file.parent).forget()
    try:
        with StateStore(state_file, busy_s=REVOKE_BUSY_S) as state:
            state.save_consent(_refusal(wall_ns))
    except (EnvironmentFault, BadFile) as error:
        if fault is None:
            logger.warning("that consent was taken back stands only in the file %s: %s", REVOKED, error.what)
            return
        raise EnvironmentFault(
            translatable(
                "that you took your consent back cannot be stored: {why}; {why_before}",
                why=fault.what,
                why_before=error.what,
            ),
            remedy=translatable("before the next start remove {state_file}", state_file=state_file),
            code="storage_failed",
        ) from error


def consent_in_force(state: StateStore, record: Consent | None, now_wall_ns: int) -> Consent | None:
    """Return what may be done at a start: what was stored last, or what a consent record agrees to.

    A record counts alone only if it is newer than the last answer that is stored. Otherwise, or if it claims to come
    from the future, both must agree to a thing.
    """
    if record is None:
        return state.consent()
    last = state.last_answer()
    if last is None or last.given_at_wall_ns < record.given_at_wall_ns <= now_wall_ns:
        return record
    return replace(
        record,
        journal=record.journal and last.journal,
        recording=record.recording and last.recording,
        controls=record.controls if record.controls == last.controls else 0,
    )


def _refusal(wall_ns: int) -> Consent:
    return Consent(journal=False, recording=False, given_at_wall_ns=wall_ns)


class _Marked(msgspec.Struct):
    format: int = 0


def _is_consent(path: Path) -> bool:
    """Return whether a file is a record of any version, which a new one may replace."""
    try:
        msgspec.json.decode(path.read_bytes() if path.is_file() else b"", type=Consent)
    except msgspec.MsgspecError:
        return False
    return True


def write_consent(consent: Consent, path: Path) -> None:
    """Write a consent record as a JSON file only this user can read.

    Raises:
        EnvironmentFault: it cannot be written.
    """
    try:
        if path.exists() and not _is_consent(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))  # said as below
        record = {"format": FORMAT, **msgspec.to_builtins(consent)}
        write_whole(path, msgspec.json.format(msgspec.json.encode(record)) + b"\n")
    except OSError as error:
        raise EnvironmentFault(
            translatable("{path} cannot be written: {why}", path=path, why=os_words(error)),
            remedy=translatable("choose another file"),
        ) from error


def read_consent(path: Path) -> Consent:
    """Read a consent record.

    Raises:
        BadFile: there is none, it is damaged, or it agrees to another text than today's.
    """
    remedy = translatable("write a new one with: kairos consent --journal --out FILE")
    try:
        with open_regular(path, follow_links=True) as file:
            raw = file.read(MAX_CONSENT_BYTES + 1)
        text = decode_text(raw)
        check_format(path, msgspec.json.decode(text, type=_Marked).format, remedy=remedy)
        consent = msgspec.json.decode(text, type=Consent)
    except OtherFormat:
        raise
    except BadFile as error:
        cause = error.__cause__
        what = (
            translatable("{path} cannot be read: {why}", path=path, why=os_words(cause))
            if isinstance(cause, OSError)
            else error.what
        )
        raise BadFile(what, remedy=remedy) from error
    except OSError as error:
        raise BadFile(
            translatable("{path} cannot be read: {why}", path=path, why=os_words(error)), remedy=remedy
        ) from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise BadFile(translatable("{path} is not a consent record", path=path), remedy=remedy) from None
    if not 0 <= consent.given_at_wall_ns < MAX_WALL_NS:
        raise BadFile(translatable("{path} was given at an impossible time", path=path), remedy=remedy)
    if consent.version != CONSENT_VERSION:
        raise BadFile(
            translatable("{path} is a consent to the text of another version of Kairos", path=path), remedy=remedy
        )
    if (consent.recording or consent.controls) and not consent.journal:
        what = phrase("the recording") if consent.recording else phrase("understanding controls")
        raise BadFile(translatable("{path} agrees to {what} without the journal", path=path, what=what), remedy=remedy)
    return consent
