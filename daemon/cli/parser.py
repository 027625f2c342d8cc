"""How the command line is parsed: who mistypes is told the right form, with an example; bare `kairos` shows a guide."""

import argparse
import re
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from storage.errors import UsageError
from storage.plain_text import print_result, visible_line

GUIDE = """\
Kairos notices when you are stuck, and offers help at the right moment.

  kairos run                 start it
  kairos status              what it is doing now, and until when
  kairos ask WORDS           look for help at once
  kairos pause --for 15m     stop watching for a while; kairos resume ends that
  kairos seen                open the window that shows what it saw
  kairos why                 why it spoke, and why it did not
  kairos forget --last 10m   delete the last ten minutes for good
  kairos settings            open its settings
  kairos doctor              what works on this machine

All commands: kairos --help
"""

_MEANT = {
    "close": ("quit",),
    "continue": ("resume",),
    "delete": ("forget", "remove"),
    "exclude": ("config set fence.excluded_apps NAME",),
    "exit": ("quit",),
    "export": ("sessions export",),
    "get": ("config get KEY",),
    "help": ("--help",),
    "history": ("seen", "why"),
    "import": ("sessions import",),
    "install": ("autostart on",),
    "language": ("config set interface.language CODE",),
    "list": ("show", "status"),
    "log": ("why", "seen"),
    "ls": ("list", "sessions list"),
    "unmute": ("why --learned",),
    "mute": ("pause", "config set interface.quiet_hours true"),
    "off": ("pause",),
    "on": ("resume", "run"),
    "open": ("seen", "settings"),
    "options": ("settings", "config show"),
    "preferences": ("settings", "config show"),
    "privacy": ("seen", "settings"),
    "private": ("pause",),
    "quiet": ("pause", "config set interface.quiet_hours true"),
    "remove": ("delete", "forget"),
    "restart": ("quit", "run"),
    "rm": ("delete", "remove", "forget"),
    "search": ("ask WORDS", "library search WORDS"),
    "set": ("config set KEY VALUE",),
    "show": ("seen", "sessions show", "config show"),
    "snooze": ("pause --for 1h",),
    "start": ("run",),
    "stop": ("pause", "quit"),
    "theme": ("config set interface.look dark",),
    "timeline": ("seen",),
    "uninstall": ("forget --all",),
    "unpause": ("resume",),
    "update": ("doctor",),
    "version": ("--version",),
}
"""Words that people try, with the commands that do it."""

_MEANT_OPTIONS = {"--since": "--last", "--time": "--last", "--until": "--for", "-v": "--version"}
_LENGTH = re.compile(r"\d+\s*[a-z]*")


def _close_matches(word: str, possible: Iterable[str], n: int) -> list[str]:
    import difflib  # only for what was mistyped

    return difflib.get_close_matches(word, list(possible), n=n)


class Parser(argparse.ArgumentParser):
    """A parser that quotes words as one line, and names the right form beside what it refuses."""

    _typed: Sequence[str] = ()

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Refuse `--option=--`: argparse takes the value away, and what is left is a list in place of a text."""
        if action.option_strings and arg_strings == ["--"]:
            raise argparse.ArgumentError(action, "-- is no value; a file of that name is ./--")
        return super()._get_values(action, arg_strings)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse what is none of the choices, and name those that may be meant."""
        if not isinstance(action.choices, dict) or value in action.choices:
            super()._check_value(action, value)
            return
        meant = [
            way for way in _MEANT.get(value, ()) if way.startswith("--") or way.partition(" ")[0] in action.choices
        ]
        if "." in value and "get" in action.choices:
            meant.append(f"get {value}")
        meant += _close_matches(value, action.choices, n=2) if not meant else []
        self.error(_did_you_mean(f"there is no command {value!r}", [f"{self.prog} {way}" for way in meant]))

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse what is left over here, where the command's own options are known."""
        self._typed = list(args or ())
        found, rest = super().parse_known_args(args, namespace)
        if rest:
            self.error(_did_you_mean(f"unrecognized arguments: {' '.join(rest)}", self._meant(rest[0])))
        return found, rest

    def _meant(self, word: str) -> list[str]:
        """Return what may be meant by a word that is no argument here."""
        options = [option for action in self._actions for option in action.option_strings]
        name = word.partition("=")[0]
        meant = []
        if name.startswith("-"):
            meant = _close_matches(_MEANT_OPTIONS.get(name, name), options, n=1)
        elif f"--{name}" in options:
            meant = [f"--{name}"]
        elif _LENGTH.fullmatch(name):
            meant = [f"{option} {name}" for option in ("--for", "--last") if option in options]
        return [f"{self.prog} {way}" for way in meant]

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and how it is written, and end."""
        if "required" in message:  # then what was typed in its place is not looked at
            options = [option for action in self._actions for option in action.option_strings]
            unknown = [word for word in self._typed if word not in options]
            message = _did_you_mean(message, self._meant(unknown[0]) if unknown else [])
        epilog = " ".join((self.epilog or "").split())
        if "--json" in self._typed:
            print_result(UsageError(message, remedy=f"see: {self.prog} --help").facts(), (), as_json=True)
        shown = f"  for {epilog}\n" if epilog.startswith("example: ") else ""
        self.exit(2, f"kairos: {visible_line(message)}\n{shown}  see: {self.prog} --help\n")


def _did_you_mean(what: str, meant: list[str]) -> str:
    return f"{what}; did you mean: {', or: '.join(meant)}" if meant else what
