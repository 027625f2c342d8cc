"""Writes the reference of commands and of settings from the code: `python -m tests.docs.reference`."""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

from daemon.cli.main import build_parser
from storage.settings import MAX_NUMBER, SettingInfo, Settings, TakesEffect, setting_infos

DOCS = Path(__file__).resolve().parents[2] / "docs"
MADE = "<!-- made from the code, by: python -m tests.docs.reference -->"
DISTRIBUTIONS = {
    "daemon": "Kairos",
    "demo": "Kairos",
    "participant": "Kairos",
    "study": "With `kairos-study`",
    "lab": "With `kairos-lab`",
}
"""Headings of commands by the package that registers them."""

_NOTES: dict[TakesEffect, str] = {
    "now": "acts at once",
    "more now": "what is added acts at once",
    "less now": "what is turned off acts at once",
}
_BASIS = {"guess": "a guess", "measured": "measured", "simulated": "chosen on simulated sessions"}

COMMANDS_HEAD = f"""# Commands

{MADE}

`./run COMMAND` and `.venv/bin/kairos COMMAND` are the same, but the first installs what is missing. Results go to stdout,
everything else to stderr. With `--json`, which every command takes, exactly one JSON object is printed; that of an error holds
`error` and `remedy`.

Exit status: 0 done, 1 a check or comparison failed, 2 wrong usage, 3 the environment lacks something (no display, no permission,
disk full), 4 a bad input file, 70 a bug or a stop that took too long, 130 interrupted.

A session is named by its folder, its name, or an unambiguous beginning of its name.
"""

SETTINGS_HEAD = f"""# Settings

{MADE}

One TOML file; `kairos config path` says where. Every setting has a default, so the file need not exist and holds only what you
changed. `kairos config show` prints what is in force, `kairos config set policy.cooldown_s 600` changes one, and
`kairos run --set policy.quiet_start_s=60` changes one for that run alone. A running Kairos takes a change up at its next start;
settings that say so act at once. A name that does not exist is an error that names the nearest one. So is a value that does not
fit, is none of those listed, or is out of range.

Lengths of time end in `_s` (seconds), sizes in `_mb` and `_gb`. Numbers may be as small as 0 where nothing else is said.
Defaults called a guess have not been measured on people.

The tray entry *Settings* opens a window with all of them, made of the same declarations and writing the same file.

![The settings window](pictures/settings.png)
"""


def _commands(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield every command that does something."""
    nested = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if nested:
        for child in nested[0].choices.values():
            yield from _commands(child)
    else:
        yield parser


def _home(parser: argparse.ArgumentParser) -> str:
    """Return the package that brings a command."""
    run = parser.get_default("run")
    return str(getattr(run, "func", run).__module__).partition(".")[0]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _command_section(parser: argparse.ArgumentParser) -> str:
    lines = [f"### `{parser.prog}`", "", " ".join((parser.description or "").split())]
    rows = []
    for action in parser._actions:
        if action.help == argparse.SUPPRESS or {"--help", "--json"} & set(action.option_strings):
            continue
        value = action.metavar if action.metavar is not None else action.dest.upper()
        value = value[0] if isinstance(value, tuple) else value
        if action.choices is not None and (action.metavar is None or not action.option_strings):
            value = ",".join(map(str, action.choices)) if action.metavar is None else value
        takes = "" if action.nargs == 0 else f" {value}"
        name = f"{action.option_strings[-1]}{takes}" if action.option_strings else value
        rows.append(f"| `{_cell(name)}` | {_cell((action.help or '') % {'default': action.default})} |")
    if rows:
        lines += ["", "| argument | meaning |", "|---|---|", *rows]
    if parser.epilog:
        lines += ["", f"`{_cell(parser.epilog.partition(':')[2].partition(';')[0])}`"]
    return "\n".join(lines) + "\n"


def commands_page() -> str:
    """Return docs/commands.md; all three distributions have to be installed."""
    sections: dict[str, list[str]] = {heading: [] for heading in DISTRIBUTIONS.values()}
    for parser in _commands(build_parser()):
        sections[DISTRIBUTIONS[_home(parser)]].append(_command_section(parser))
    parts = [COMMANDS_HEAD]
    for heading, listed in sections.items():
        parts += [f"## {heading}\n", *listed]
    return "\n".join(parts)


def settings_page(kind: type[Settings] = Settings) -> str:
    """Return docs/settings.md with a section for each table of settings."""
    sections = []
    for table in fields(kind):
        prefix = f"{table.name}."
        rows = [_setting_row(info) for key, info in setting_infos(kind).items() if key.startswith(prefix)]
        heading = f"## `[{table.name}]` {table.metadata['title']}"
        listed = "\n".join(["| setting and default | meaning |", "|---|---|", *rows])
        sections.append("\n\n".join(part for part in (heading, table.metadata["about"], listed) if part))
    return "\n\n".join([SETTINGS_HEAD.rstrip(), *sections]) + "\n"


def _setting_row(info: SettingInfo) -> str:
    notes = []
    if (info.low, info.high) != (0, MAX_NUMBER):
        notes.append(info.bounds if info.high < MAX_NUMBER else f"at least {info.low:g}")
    if info.at_most:
        notes.append(f"not above `{info.at_most.partition('.')[2]}`")
    if info.takes_effect in _NOTES:
        notes.append(_NOTES[info.takes_effect])
    if info.basis:
        notes.append(_BASIS[info.basis])
    meaning = f"{info.help} ({'; '.join(notes)})" if notes else info.help
    return f"| `{info.key.partition('.')[2]} = {json.dumps(info.default)}` | {meaning} |"


PAGES = {"commands.md": commands_page, "settings.md": settings_page}


def main() -> int:
    """Write both pages."""
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
