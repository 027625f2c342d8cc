"""Whether a text that a program wrote after a command reports an error, and the line that names it. Pure.

Such a text may be anything that a program prints, so words alone prove nothing: "mean error: 0.05 m" is a result. What
counts is how compilers, interpreters, databases and build tools write an error down, and with which status they end.
"""

import re
from collections.abc import Sequence

MAX_REPORT = 4000
"""So many characters of a text are looked at; where a run ends stands last."""

MAX_LINE = 400
ENDING = 3
"""So many lines at the end say how a run went."""

_WORDS = "error|fehler|erreur|errore|erro|fout|błąd|ошибка|エラー|错误|錯誤|오류"
_VALUE = r"(?:[-+]?\.?\d[\d.,e+-]*\s?(?:%|\w{1,3})?(?:\s(?:at|of)\s.*)?|none|null|nan|false|no|ok)\s*\.?$"
"""What stands behind "error:" where it is a result."""

_NAMED = re.compile(
    r"^\s*(?:E\s+)?(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)(?::\s.*)?$"  # NameError: ...
    r"|^\s*(?:Exception in thread|Unhandled exception\b)"
    r"|\((?:[A-Z]\w*::)*[A-Z]\w*(?:Error|Exception)\)"  # Ruby
    rf"|(?i:(?:^|[\s:(|])(?:fatal )?(?:{_WORDS})"
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
