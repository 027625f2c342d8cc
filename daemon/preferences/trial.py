"""What the window asks of models: `kairos models` in a child process, so that nothing of it stays in this one.

The child connects to servers, finds keys and counts what it costs as the command does; what comes back is one JSON
object, of which only names, numbers and our own sentences are taken over. A key never crosses.
"""

import json
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from storage.errors import EnvironmentFault, os_words
from storage.plain_text import plain
from storage.preferences import ModelsState, PresetRow, TierRow, TrialResult, Trouble
from storage.translation import read_sentence, said_of, translatable

COMMAND = (sys.executable, "-m", "daemon.cli.main", "models")
LIMIT_S = 180.0
"""How long a trial may take: a server may have to load its model first."""

NAME_LIMIT = 120
WORDS_LIMIT = 600


class ModelsCommand:
    """Runs one `kairos models` at a time; `stop` ends it, from any thread."""

    def __init__(self, command: Sequence[str] = COMMAND) -> None:
        """Prepare; nothing runs yet."""
        self._command = tuple(command)
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def run(self, *arguments: str) -> Mapping[str, Any] | None:
        """Run it and return its object; None if it was stopped.

        Raises:
            EnvironmentFault: it cannot be run, took too long, or said nothing that can be read.
        """
        with self._lock:
            self._stopped = False
            try:
                self._child = subprocess.Popen(
                    (*self._command, *arguments, "--json"),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    cwd="/",
                )
            except OSError as error:
                raise EnvironmentFault(translatable("a command cannot be run: {why}", why=os_words(error))) from error
            child = self._child
        try:
            out, _ = child.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            raise EnvironmentFault(
                translatable("the model did not answer in time"), remedy=translatable("try again once it is loaded")
            ) from None
        finally:
            with self._lock:
                self._child = None
        if self._stopped:
            return None
        try:
            facts = json.loads(out)
        except ValueError:
            facts = None
        if not isinstance(facts, dict):
            raise EnvironmentFault(
                translatable("the command ended without an answer"), remedy=translatable("try it: kairos models list")
            )
        return facts

    def stop(self) -> None:
        """End what runs; its request is closed with it."""
        with self._lock:
            self._stopped = True
            if self._child is not None:
                self._child.terminate()


def models_state(facts: Mapping[str, Any]) -> ModelsState:
    """Return what `kairos models list --json` says."""
    if "error" in facts:
        return ModelsState(trouble=_trouble(facts["error"], facts))
    presets = tuple(
        PresetRow(
            name=str(row["name"]),
            remote=bool(row["remote"]),
            address=str(row["url"]),
            model=str(row["model"]),
            price_in=row["price_in"],
            price_out=row["price_out"],
            note=str(row["note"]),
            key_name=str(row["key_name"] or ""),
        )
        for row in facts["presets"]
    )
    tiers = tuple(_tier(f"{name}_model", row) for name, row in facts["tiers"].items())
    return ModelsState(presets=presets, tiers=tiers)


def _tier(table: str, row: Mapping[str, Any]) -> TierRow:
    trouble = _trouble(row["problem"], row) if row.get("problem") else None
    reach = row.get("reach")
    return TierRow(
        table=table,
        preset=str(row["preset"]),
        model=plain(str(row.get("model") or ""), NAME_LIMIT),
        address=plain(str(row.get("address") or ""), NAME_LIMIT),
        here=None if reach is None else reach == "loopback",
        key_name=plain(str(row.get("key") or ""), NAME_LIMIT),
        key_found=bool(row.get("key_found")),
        trouble=trouble,
    )


def trial_result(table: str, facts: Mapping[str, Any] | None) -> TrialResult:
    """Return what `kairos models test --json` says; None is a trial that was stopped."""
    if facts is None:
        return TrialResult(table=table, stopped=True)
    tested = facts.get("test")
    row = tested[0] if isinstance(tested, list) and tested else facts
    if "error" in row:
        return TrialResult(table=table, trouble=_trouble(row["error"], row))
    model = plain(str(row.get("model") or ""), NAME_LIMIT)
    dollars = row.get("usage", {}).get("dollars")
    return TrialResult(table=table, model=model, seconds=float(row.get("latency_s", 0.0)), dollars=dollars)


def _trouble(what: object, facts: Mapping[str, Any]) -> Trouble:
    """Return what an object says is wrong, as sentences if it has them as such."""
    of_what, of_remedy = said_of(facts)
    return Trouble(
        what=read_sentence(plain(str(what), WORDS_LIMIT), of_what),
        remedy=read_sentence(plain(str(facts.get("remedy") or ""), WORDS_LIMIT), of_remedy),
    )
