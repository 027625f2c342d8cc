"""Runs commands on what a variant made, and wants each to end in order."""

import contextlib
import io
import random
from pathlib import Path

from daemon.cli.main import main
from storage.session.log import list_sessions

EXITS = (0, 1, 2, 3, 4)
"""Exit codes of a command that ended in order."""

REASON_CHARACTERS = 20
"""A shorter reason says nothing."""


def command(*words: str) -> int:
    """Run a command; raise unless it ends with an exit code of ours, and says why if it fails."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([*words])
    said = err.getvalue()
    if code not in EXITS or "Traceback" in said:
        raise AssertionError(f"{words[0]} ended with {code}: {said[-300:]}")
    reasons = [line for line in said.splitlines() if line.startswith("kairos: ")]
    if code > 1 and not any(len(reason) >= REASON_CHARACTERS for reason in reasons):
        raise AssertionError(f"{words[0]} ended with {code} and said no reason: {said[-300:]}")
    return code


def use_sessions(rng: random.Random, sessions: Path, *, uses: int = 3) -> None:
    at = ("--sessions", str(sessions))
    command("sessions", "list", *at)
    for number, session in enumerate(list_sessions(sessions)):
        target = sessions.parent / f"out-{number}"
        known = (
            ("sessions", "verify", session.name, *at),
            ("sessions", "show", session.name, *at),
            ("why", "--session", str(session)),
            ("diagnose", session.name, "--out", f"{target}.html", *at),
            ("replay", str(session), "--check", "--workers", "1"),
            ("replay", str(session), "--policy", rng.choice(("always", "random", "utility")), "--workers", "1"),
            ("sessions", "export", session.name, "--out", f"{target}.zip", *at),
            ("sessions", "export", session.name, "--jsonl", "--out", f"{target}.jsonl", *at),
        )
        for words in rng.sample(known, min(uses, len(known))):
            command(*words)
