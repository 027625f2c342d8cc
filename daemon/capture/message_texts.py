"""What a text on the screen is about: by a short list of words, and how a run ended by the form of its lines. Pure.

The words are in `data/words.toml`. A text in a language that is not there is `OTHER`: less is known, nothing is wrong.

What a program wrote after a command may be anything that it prints, so words alone prove nothing: "mean error: 0.05 m"
is a result. There counts how compilers, interpreters, databases and build tools write an error, and their exit status.
"""

import re
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path

from storage.records import ControlRole, MessageClass

MAX_TEXT = 2000
"""How much of a text is looked at; what matters stands at its beginning."""

_WORDS: dict[str, list[str]] = tomllib.loads((Path(__file__).parent / "data/words.toml").read_text(encoding="utf-8"))


def _pattern(words: Iterable[str]) -> re.Pattern[str]:
    """Match any of the words at the beginning of a word; scripts without spaces anywhere."""
    spaced = sorted(map(re.escape, (word for word in words if word < "\u3000")), key=len, reverse=True)
    dense = [re.escape(word) for word in words if word >= "\u3000"]
    return re.compile("|".join([rf"(?<!\w)(?:{'|'.join(spaced)})", *dense]), re.IGNORECASE)


_CLASSES = (
    (MessageClass.ERROR, _pattern(_WORDS["error"])),
    (MessageClass.WARNING, _pattern(_WORDS["warning"])),
    (MessageClass.PROGRESS, _pattern(_WORDS["progress"])),
)
_IS_PASSWORD = _pattern([*_WORDS["password"], *_WORDS["secret"]])
_IS_SECRET = _pattern(_WORDS["secret"])
_IS_QUESTION = _pattern(_WORDS["question"])
_IS_UNDO = re.compile(
    rf"\s*(?:{'|'.join(sorted(map(re.escape, _WORDS['undo']), key=len, reverse=True))})\s*[:\-\u2013\u2014]\s*(\S.*)",
    re.IGNORECASE,
)


def class_of_message(text: str) -> MessageClass:
    """Return what a text in a window is about."""
    shown = text[:MAX_TEXT]
    return next((found for found, pattern in _CLASSES if pattern.search(shown)), MessageClass.OTHER)


def names_secret(text: str) -> bool:
    """Return whether the name or the label of a field says that a password goes into it."""
    return _IS_SECRET.search(text[:MAX_TEXT]) is not None


def class_of_dialog(title: str, text: str, *, asks_password: bool = False) -> MessageClass:
    """Return what a dialog is about; a password field in it goes before any word."""
    if asks_password:
        return MessageClass.PASSWORD
    shown = f"{title[:MAX_TEXT]}\n{text[:MAX_TEXT]}"
    found = class_of_message(shown)
    if found in (MessageClass.ERROR, MessageClass.WARNING):
        return found
    if _IS_QUESTION.search(shown) or "?" in text:
        return MessageClass.QUESTION
    return MessageClass.PASSWORD if _IS_PASSWORD.search(shown) else found


def is_error_role(role: ControlRole) -> bool:
    """Return whether a program shows such a control only to say something."""
    return role in (ControlRole.ALERT, ControlRole.NOTIFICATION)


def undo_label(name: str) -> str | None:
    """Return what an undo would take back, from the name of its menu entry ("Undo: Typing"); None if it is none."""
    found = _IS_UNDO.match(name[:MAX_TEXT])
    return found.group(1).strip() if found else None


MAX_REPORT = 4000
"""How many characters of a text are looked at; where a run ends stands last."""

MAX_LINE = 400
ENDING = 3
"""How many lines at the end say how a run went."""

_ERROR_WORDS = "error|fehler|erreur|errore|erro|fout|błąd|ошибка|エラー|错误|錯誤|오류"
_VALUE = r"(?:[-+]?\.?\d[\d.,e+-]*\s?(?:%|\w{1,3})?(?:\s(?:at|of)\s.*)?|none|null|nan|false|no|ok)\s*\.?$"
"""What stands behind "error:" where it is a result."""

_NAMED = re.compile(
    r"^\s*(?:E\s+)?(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)(?::\s.*)?$"  # NameError: ...
    r"|^\s*(?:Exception in thread|Unhandled exception\b)"
    r"|\((?:[A-Z]\w*::)*[A-Z]\w*(?:Error|Exception)\)"  # Ruby
    rf"|(?i:(?:^|[\s:(|])(?:fatal )?(?:{_ERROR_WORDS})"
    r"(?:\s?\[?[A-Z]*\d\w*\]?(?:\s?\(\w+\))?|\s(?:on|in|at) line \d+|\sat [\w./\\-]+:\d+(?: \(\w+\))?)?"
    rf"\s?[:\uff1a]\s*(?!{_VALUE})\S)"  # a.c:5:3: error: ...; error[E0308]: ...; CMake Error at a.txt:3 (b): ...
    r"|^\[(?:error|ERROR)\]\s+\S"  # Maven, sbt
    r"|^(?:fatal|e): \S|^npm ERR!\s+\S"  # git, Kotlin
    r"|:\d+(?::\d+)?: undefined: \S"  # Go
    r"|:\d+(?::\d+)?: (?:[EF]\d{4}:|(?:E9|F7)\d\d |F82\d )\s?\S|^\s+\d+:\d+\s+error\s{2,}\S"  # pylint, flake8, ESLint
    r"|^thread '.*' panicked at|^panic: "
    r"|^Error in .+ : ?"  # R
    r"|\b(?:ORA|PLS|SP2)-\d{4,5}\b|^Msg \d+, Level \d+"
    r"|^!\s+[A-Z][A-Za-z]+ "  # TeX
    r"|^(?:lua|perl|ruby|php)\d*: |\bat \S+ line \d+(?:, near .*|\.)$"
    r"|(?i:\b(?:syntax|parse) error\b|\bundefined reference\b|\bcommand not found\b"
    r"|\bno such (?:table|column|file)\b|\bsegmentation fault\b|^\S*[:/]\S* permission denied\b"
    r"|\bassertion failed\b|\bcannot find symbol\b|[\u2019'`\"] undeclared\b)"
)
"""A line that says which error it is."""

_FAILED = re.compile(
    r"\bFAILED\b(?!: 0)|\bBUILD FAILURE\b|^Traceback \(most recent call last\)"
    r"|(?i:\bfinished with errors\b|\b(?:build|compilation|command|run|test) failed\b"
    r"|\b[1-9]\d* (?:errors?|failures?)(?:\(s\))?(?=[,.;]|$)|\b[1-9]\d* failed(?=,| in |$)"
    r"|\bexit(?:ed|s)?\b.{0,80}\b(?:code|status)\D{0,3}[1-9]|\breturned (?:non-zero|[1-9]\d* exit)"
    r"|\bmake\b.{0,200}\bError [1-9])"
)
"""A line that says no more than that there is one: by it two errors cannot be told apart."""

_NONE_FAILED = re.compile(r"\b0 FAILED\b")
_WENT_WELL = re.compile(
    r"(?i:\bexit(?:ed|s)?\b.{0,80}\b(?:code|status)\D{0,3}0\b|\b(?:0|no|without) errors?\b"
    r"|\bsuccess(?:ful(?:ly)?)?\b(?! (?:rate|of))|\bsucceeded\b|^OK\b)"
)


def went_well(ending: str) -> bool:
    """Return whether the last lines of a text say that a run went well, and none that it failed."""
    return _ended_well(_lines(ending))


def error_in(text: str) -> str | None:
    """Return the first line of a text that says which error it reports; None where the run went well in the end."""
    lines = _lines(text)
    return next((line for line in lines if _NAMED.search(line)), None) if not _ended_well(lines) else None


def has_failed(text: str) -> bool:
    """Return whether a text says that a run failed, with or without an error that it names."""
    lines = _lines(text)
    return not _ended_well(lines) and any(_NAMED.search(line) or _says_failed(line) for line in lines)


def _lines(text: str) -> list[str]:
    return [line[:MAX_LINE].rstrip() for line in text[-MAX_REPORT:].splitlines() if line.strip()]


def _ended_well(lines: Sequence[str]) -> bool:
    ending = lines[-ENDING:]
    return any(_WENT_WELL.search(line) for line in ending) and not any(_says_failed(line) for line in ending)


def _says_failed(line: str) -> bool:
    return _FAILED.search(line) is not None and not _NONE_FAILED.search(line)
