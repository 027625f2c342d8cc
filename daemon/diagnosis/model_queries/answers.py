"""Stores every answer of a model under the hash of its query: asking again costs nothing and gives the same.

One SQLite file, one transaction an answer, so whatever ends a run loses only the question that was on its way. The key
covers all that an answer can depend on: model, version of our wording, pictures, question. Failures of the connection
are not stored; these questions are asked again.
"""

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Self

import msgspec

from detectors.mllm.questions import (
    Confidence,
    FailureReason,
    ModelQuery,
    ModelQuestion,
    ModelResult,
    ParsedAnswer,
    Usage,
)
from storage.db.connection import database_errors
from storage.errors import BadFile, EnvironmentFault
from storage.files import make_folder, private_file
from storage.session.log import MODEL_ANSWERS

FILE = "answers.db"

FINAL = frozenset({FailureReason.REFUSED, FailureReason.TOO_LONG, FailureReason.NONSENSE})
"""Failures that are the model's own answer to this question; the others may be over by the next run."""

_BUSY_S = 30.0
_REMEDY = "name another folder with --out; this one is not changed"
_IF_DAMAGED = "what it held is asked again"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAnswer:
    """An answer as it is stored; `attempts` says how often it was asked for.

    `distribution`, `facts` and `text` are empty where there is a trouble; else one of them is not.
    """

    distribution: Mapping[str, float] = field(default_factory=dict)
    facts: Mapping[str, object] = field(default_factory=dict)
    text: str = ""
    confidence: Confidence = Confidence.NONE
    trouble: FailureReason | None = None
    usage: Usage = field(default_factory=Usage)
    latency_s: float = 0.0
    model: str = ""
    pictures: int = 0
    attempts: int = 1

    @property
    def choice(self) -> str | None:
        """The likeliest label; None where there is no answer."""
        return ParsedAnswer(distribution=self.distribution).choice

    @property
    def is_final(self) -> bool:
        """Whether it is stored; a failure of the connection is not, as it may be over by the next run."""
        return self.trouble is None or self.trouble in FINAL

    @classmethod
    def of(cls, result: ModelResult, key: str) -> "StoredAnswer":
        """Return the answer to the question `key` as it is stored."""
        answer = result.answers.get(key, ParsedAnswer())
        empty = not (answer.distribution or answer.facts or answer.text)
        trouble = result.failure or (FailureReason.NONSENSE if empty else None)
        return cls(
            distribution={} if trouble else dict(answer.distribution),
            facts={} if trouble else dict(answer.facts),
            text="" if trouble else answer.text or "",
            confidence=answer.confidence,
            trouble=trouble,
            usage=result.usage,
            latency_s=round(result.latency_s, 4),
            model=result.model,
            pictures=result.pictures,
        )


def answer_key(model: str, version: str, query: ModelQuery) -> str:
    """Return the hash of a question as it is asked of a model, with this version of our wording."""
    content: dict[str, object] = {
        "model": model,
        "version": version,
        "pictures": [picture.digest for picture in query.pictures],
        "at_s": query.at_s,
        "observations": query.observations,
        "reasoned": query.reasoned,
        "questions": [_content_of(question) for question in query.questions],
    }
    if query.captions:
        content["captions"] = query.captions
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _content_of(question: ModelQuestion) -> dict[str, object]:
    """Return all of a question that the key covers; without a brief, and with one state, keyed as by earlier builds."""
    content = asdict(replace(question, brief=None))
    del content["brief"]
    if not question.of_stretch:
        del content["of_stretch"]
    states = question.given.behavior
    content["given"]["behavior"] = states if states[1:] else next(iter(states), None)
    if question.brief is not None:
        brief = question.brief
        content["brief"] = {"system": brief.system, "words": brief.words, "shape": repr(brief.shape)}
    return content


class AnswerFile:
    """Answers by key, in a file that several processes may use at once."""

    def __init__(self, path: Path, *, durable: bool = True, makes_folder: bool = True) -> None:
        """Open it, or make it.

        Args:
            path: the file.
            durable: whether an answer must outlast a power cut; a kill it outlasts in any case.
            makes_folder: whether a missing folder is made.

        Raises:
            BadFile: it is no such file, or damaged.
            EnvironmentFault: it cannot be written, or another program has locked it.
        """
        if makes_folder:
            make_folder(path.parent)
        try:
            private_file(path)
            self._connection = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise EnvironmentFault(f"{path} cannot be opened: {error}", remedy=_REMEDY) from error
        self._path = path
        try:
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'OFF'}")
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer TEXT NOT NULL) WITHOUT ROWID"
            )
        except sqlite3.OperationalError as error:
            self._connection.close()
            raise EnvironmentFault(f"{path} cannot be used: {error}", remedy=_REMEDY) from error
        except sqlite3.DatabaseError as error:
            self._connection.close()
            raise BadFile(f"{path} holds no answers: {error}", remedy=_REMEDY) from error

    def get(self, key: str) -> StoredAnswer | None:
        """Return the answer to a question, if it was answered before.

        Raises:
            BadFile: it is damaged, or was changed by somebody else.
            EnvironmentFault: it cannot be read.
        """
        with database_errors(self._path, if_damaged=_IF_DAMAGED):
            row = self._connection.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
        try:
            return None if row is None else msgspec.json.decode(row[0], type=StoredAnswer)
        except (msgspec.MsgspecError, TypeError) as error:
            raise BadFile(f"{self._path} holds something that is no answer", remedy=_REMEDY) from error

    def put(self, key: str, stored: StoredAnswer) -> None:
        """Store an answer; on return it is on disk.

        Raises:
            BadFile: it is damaged.
            EnvironmentFault: the disk is full, say.
        """
        with database_errors(self._path, if_damaged=_IF_DAMAGED):
            self._connection.execute(
                "INSERT OR REPLACE INTO answers VALUES (?, ?)", (key, msgspec.json.encode(stored).decode())
            )

    def close(self) -> None:
        """Close it."""
        self._connection.close()

    def __enter__(self) -> Self:
        """Return it; it is closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()


def session_answers(folder: Path) -> AnswerFile:
    """Open the answers about a session, inside its folder: they go when it goes, and no export holds them.

    Raises:
        BadFile: the file is no such file, or damaged.
        EnvironmentFault: it cannot be written; a session that was deleted meanwhile is not made again.
    """
    return AnswerFile(folder / MODEL_ANSWERS, makes_folder=False)
