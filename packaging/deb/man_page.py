"""Write the manual page of all commands, from the parser itself.

Runs in an environment that has Kairos and argparse-manpage. Ends with status 1 where a command is not on the page.
"""

import argparse
import sys
from importlib.metadata import entry_points
from pathlib import Path

from argparse_manpage.cli import main as write_page


def main() -> int:
    """Write the page and look for every command on it; return the exit status."""
    parser = argparse.ArgumentParser()
    for option in ("--version", "--include", "--output"):
        parser.add_argument(option, required=True)
    options = parser.parse_args()
    (script,) = (entry for entry in entry_points(group="console_scripts") if entry.name == "kairos")
    sys.argv = [
        "argparse-manpage",
        *("--module", script.module, "--function", "build_parser", "--prog", "kairos"),
        *("--project-name", "Kairos", "--version", options.version, "--manual-title", "User commands"),
        *("--description", "desktop assistant that notices when someone is stuck"),
        *("--format", "single-commands-section", "--include", options.include, "--output", options.output),
    ]
    write_page()
    module = __import__(script.module, fromlist=["build_parser"])
    page = Path(options.output).read_text(encoding="utf-8").replace("\\-", "-")
    missing = [name for name in commands(module.build_parser()) if name not in page]
    if missing:
        print(f"man page: not on it: {', '.join(missing)}", file=sys.stderr)
    return 1 if missing else 0


def commands(parser: argparse.ArgumentParser) -> list[str]:
    """Return the names of all commands, such as "kairos sessions list"."""
    nested = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]  # noqa: SLF001
    if not nested:
        return [parser.prog]
    return [name for action in nested for child in action.choices.values() for name in commands(child)]


if __name__ == "__main__":
    sys.exit(main())
