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


def _commands(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    nested = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if nested:
        for child in dict.fromkeys(nested[0].choices.values()):  # one may have two names
            yield from _commands(child)
    else:
        yield parser


def _home(parser: argparse.ArgumentParser) -> str:
    """Return the package that brings a command; that of the group where the command itself names none."""
    run = parser.get_default("run")
    return str(getattr(run, "func", run).__module__).partition(".")[0] if run is not None else "daemon"


def _introduction(page: str) -> str:
    return page.partition("\n## ")[0].rstrip() + "\n"


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
    example = (parser.epilog or "").partition(":")[2].partition(";")[0]
    if example:
        lines += ["", "```", *(line.strip() for line in example.split(" && ")), "```"]
    return "\n".join(lines) + "\n"


def commands_page(page: str) -> str:
    """Return docs/commands.md with the introduction of `page`; all three distributions have to be installed."""
    sections: dict[str, list[str]] = {heading: [] for heading in DISTRIBUTIONS.values()}
    for parser in _commands(build_parser()):
        sections[DISTRIBUTIONS[_home(parser)]].append(_command_section(parser))
    parts = [_introduction(page)]
    for heading, listed in sections.items():
        parts += [f"## {heading}\n", *listed]
    return "\n".join(parts)


def settings_page(page: str, kind: type[Settings] = Settings) -> str:
    """Return docs/settings.md with the introduction of `page` and a section for each table of settings."""
    sections = []
    for table in fields(kind):
        prefix = f"{table.name}."
        rows = [_setting_row(info) for key, info in setting_infos(kind).items() if key.startswith(prefix)]
        heading = f"## `[{table.name}]` {table.metadata['title']}"
        listed = "\n".join(["| setting and default | meaning |", "|---|---|", *rows])
        sections.append("\n\n".join(part for part in (heading, table.metadata["about"], listed) if part))
    return "\n\n".join([_introduction(page).rstrip(), *sections]) + "\n"


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
    for name, page in PAGES.items():
        path = DOCS / name
        path.write_text(page(path.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
