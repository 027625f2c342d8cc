"""Whether a text that a program wrote after a command reports an error, and the line that names it. Pure.

Such a text may be anything that a program prints, so words alone prove nothing: "mean error: 0.05" is a result. What
counts is how compilers, interpreters, databases and build tools write an error down, and with which status they end.
"""

import re
from collections.abc import Sequence

MAX_REPORT = 4000
"""So many characters of a text are looked at; where a run ends stands last."""

ENDING = 3
"""So many lines at the end say how a run went."""

_WORDS = "error|fehler|erreur|errore|erro|fout|błąd|ошибка|エラー|错误|錯誤|오류"

_NAMED = re.compile(
    r"^\s*(?:E\s+)?(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)(?::\s.*)?$"  # NameError: ...
    r"|^\s*Exception in thread\b"
    rf"|(?i:(?:^|[\s:(])(?:fatal )?(?:{_WORDS})"
    r"(?:\s?\[?[A-Z]*\d\w*\]?(?:\s?\(\w+\))?|\s(?:on|in|at) line \d+)?\s?[:\uff1a]"
    r"\s*(?![-+]?[\d.,]+(?:e[-+]?\d+)?\s*%?\s*$)\S)"  # a.c:5:3: error: ...; error[E0308]: ...; no plain number
    r"|^!\s+\S"  # TeX
    r"|(?i:\b(?:syntax|parse) error\b|\bundefined reference\b|\bcommand not found\b|\bno such (?:table|column|file)\b"
    r"|\bsegmentation fault\b|\bpermission denied\b|\bassertion failed\b|\bcannot find symbol\b|\bundeclared\b"
    r"|\bis not defined\b)"
)
"""A line that says which error it is."""

_FAILED = re.compile(
    r"\bFAILED\b|\bBUILD FAILURE\b|^Traceback \(most recent call last\)"
    r"|(?i:\bfinished with errors\b|\b(?:build|compilation|command|run|test) failed\b"
    r"|\b[1-9]\d* (?:errors?|failures?|failed(?=,| in |$))"
    r"|\bexit(?:ed|s)?\b.*\b(?:code|status)\D{0,3}[1-9]|\breturned (?:non-zero|[1-9])|\bmake\b.*\bError [1-9])"
)
"""A line that says no more than that there is one: by it two errors cannot be told apart."""

_WENT_WELL = re.compile(
    r"(?i:\bexit(?:ed|s)?\b.*\b(?:code|status)\D{0,3}0\b|\b(?:0|no|without) errors?\b|\bsucce(?:ss|eded)|^OK\b)"
)


def went_well(ending: str) -> bool:
    """Return whether the last lines of a text say that a run went well, and none that it failed."""
    lines = ending.splitlines()
    return any(_WENT_WELL.search(line) for line in lines) and not any(_FAILED.search(line) for line in lines)


def error_in(text: str) -> str | None:
    """Return the first line of a text that says which error it reports; None where the run went well in the end."""
    lines = _lines(text)
    return next((line for line in lines if _NAMED.search(line)), None) if not _ended_well(lines) else None


def has_failed(text: str) -> bool:
    """Return whether a text says that a run failed, with or without an error that it names."""
    lines = _lines(text)
    return not _ended_well(lines) and any(_NAMED.search(line) or _FAILED.search(line) for line in lines)


def _lines(text: str) -> list[str]:
    return [line for line in text[-MAX_REPORT:].splitlines() if line.strip()]


def _ended_well(lines: Sequence[str]) -> bool:
    return went_well("\n".join(lines[-ENDING:]))
