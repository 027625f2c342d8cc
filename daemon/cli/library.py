"""`kairos library`: the index of documentation that is on this machine. What it reads is untrusted, and stays here."""

import argparse
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from daemon.cli.options import add_command
from storage.clock import SystemClock
from storage.errors import UsageError
from storage.files import expand_user, library_file
from storage.plain_text import escape_controls, print_progress, print_result

NOTHING_READ = 4
"""Exit status where no page of the folder that was named could be read."""

_MAX_NAMED = 5
_MAX_RESULTS = 50


def register(subparsers: Any) -> None:
    """Add `kairos library` to the command line."""
    parser = subparsers.add_parser(
        "library",
        help="the index of documentation that help is found in",
        description="Index documentation that is on this machine, and search it. Nothing is downloaded or sent.",
        epilog="example: kairos library add",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="add|list|search|remove")
    add = add_command(
        actions,
        "add",
        run_add,
        "index the documentation of installed programs, or of a folder",
        description="Index the documentation of the programs on this machine (LibreOffice, GIMP, what lies in"
        " /usr/share/help, manual pages of programs with windows), or of one folder of your own: HTML, Markdown,"
        " Mallard, DocBook, manual pages. Only what is new or has changed is read; run it again after an interruption."
        " While Kairos runs it does this for installed programs once a day (help.library).",
        example="library add ~/handbook --app inkscape",
    )
    add.add_argument("folder", nargs="?", metavar="FOLDER", help="a folder of your own; without it, installed programs")
    add.add_argument("--app", default="", help="the program that FOLDER is about; by default its name")
    add_command(actions, "list", run_list, "list what is indexed", example="library list --json")
    search = add_command(
        actions,
        "search",
        run_search,
        "search the index as an offer would",
        example="library search freeze first row --app libreoffice-calc",
    )
    search.add_argument("words", nargs="+", metavar="WORD", help="what you want to do")
    search.add_argument(
        "--app", default="", help="the program, as `kairos library list` names it; without it, general pages"
    )
    search.add_argument("--limit", type=int, default=3, help="how many pages at most (%(default)s)")
    remove = add_command(
        actions,
        "remove",
        run_remove,
        "remove a folder from the index, or the whole index",
        description="Remove a folder from the index, or with --all the index itself. Documentation stays where it is.",
        example="library remove ~/handbook",
    )
    remove.add_argument("name", nargs="?", metavar="NAME", help="a folder, or a name as `kairos library list` has it")
    remove.add_argument("--all", action="store_true", help="remove the whole index")


def run_add(arguments: argparse.Namespace) -> int:
    """Carry out `kairos library add`."""
    from daemon.help.library.documentation import find_documentation, missing_packages, own_documentation
    from daemon.help.library.index import LibraryIndex, make_anew_if_damaged

    if arguments.folder is None:
        if arguments.app:
            raise UsageError("--app needs a FOLDER", remedy="example: kairos library add ~/handbook --app inkscape")
        wanted = find_documentation()
    else:
        folder = _folder(arguments.folder)
        wanted = (own_documentation(folder, arguments.app),)
    reports = []
    removed: tuple[str, ...] = ()
    own = make_anew_if_damaged(library_file())
    if own is not None:
        print_progress(f"{library_file()} was damaged and is built anew")
        names = {documentation.name for documentation in wanted}
        wanted = (*wanted, *(source for source in own if source.name not in names))
    with LibraryIndex.open(library_file()) as index:
        for entry in wanted:
            print_progress(f"{entry.label} ({entry.folder})")
            reports.append(index.add(entry, lambda done: print_progress(f"  {done} files")))
        if arguments.folder is None:
            removed = index.remove_uninstalled([source.name for source in wanted])
            index.save_checked(SystemClock().wall_ns())
    missing = missing_packages() if arguments.folder is None else ()
    for package in missing:
        print_progress(f"{package.program} is installed without its help: sudo apt install {package.package}")
    facts = {
        "library": str(library_file()),
        "documentation": [
            {**asdict(report), "skipped": [{"file": file, "problem": why} for file, why in report.skipped]}
            for report in reports
        ],
        "removed": removed,
        "packages": [package.package for package in missing],
    }
    print_result(facts, _added_lines(reports, removed), as_json=arguments.json)
    return NOTHING_READ if arguments.folder is not None and not reports[0].pages else 0


def _added_lines(reports: Sequence[Any], removed: Sequence[str]) -> Iterator[str]:
    for report in reports:
        if report.pages:
            changed = f"{report.read} files read, {report.unchanged} unchanged, {report.removed} gone"
            yield f"{report.label}: {report.pages} pages about {report.app} ({changed})"
        elif len(reports) > 1:
            continue
        else:
            yield f"{report.label}: no page was found in it; HTML, Markdown, Mallard, DocBook and manual pages are read"
        for file, why in report.skipped[:_MAX_NAMED]:
            yield f"  skipped {escape_controls(file)}: {why}"
        if len(report.skipped) > _MAX_NAMED:
            yield f"  and {len(report.skipped) - _MAX_NAMED} more; all with --json"
    for label in removed:
        yield f"{label}: removed, since its documentation is no longer installed"
    if not reports:
        yield "No documentation was found. The general pages are there without it."


def run_list(arguments: argparse.Namespace) -> int:
    """Carry out `kairos library list`."""
    from daemon.help.library import HelpLibrary
    from daemon.help.library.general import general_pages

    with HelpLibrary.open() as library:
        found = library.documentation()
    facts = {
        "library": str(library_file()),
        "documentation": [asdict(source) for source in found],
        "general": len(general_pages()),
    }
    lines = [
        *(
            f"{source.label}: {source.pages} pages about {', '.join(source.programs)}  [{source.name}]"
            for source in found
        ),
        f"General advice: {len(general_pages())} pages about no program in particular",
        *(() if found else ("Nothing else is indexed yet: kairos library add",)),
    ]
    print_result(facts, lines, as_json=arguments.json)
    return 0


def run_search(arguments: argparse.Namespace) -> int:
    """Carry out `kairos library search`; exit 1 if nothing fits."""
    from daemon.help.context import HelpContext
    from daemon.help.library import HelpLibrary

    if not 1 <= arguments.limit <= _MAX_RESULTS:
        raise UsageError(f"--limit must be from 1 to {_MAX_RESULTS}")
    context = HelpContext(app=arguments.app, words=" ".join(arguments.words))
    with HelpLibrary.open() as library:
        found = library.search(context, arguments.limit)
        covered = library.covers(arguments.app)
        advice = "" if covered or not arguments.app else _advice(arguments.app, indexed=library.indexed)
    facts = {
        "covered": covered,
        "matches": [
            {**asdict(match.page), "score": round(match.score, 3), "general": match.page.general} for match in found
        ],
    }
    nothing = "Nothing fits. `kairos library list` shows what is indexed."
    if not arguments.app:
        nothing = "No general page fits. Name the program with --app; `kairos library list` shows what is indexed."
    print_result(facts, _match_lines(found, advice, nothing), as_json=arguments.json)
    return 0 if found else 1


def _advice(app: str, *, indexed: bool) -> str:
    """Return how pages about a program come into the index."""
    if indexed:
        return f"Nothing is indexed about {escape_controls(app)}: kairos library add FOLDER --app NAME adds a folder"
    return f"Nothing is indexed about {escape_controls(app)} yet: kairos library add"


def _match_lines(found: Sequence[Any], advice: str, nothing: str) -> Iterator[str]:
    for match in found:
        kind = "general" if match.page.general else match.page.source
        yield f"{match.page.title}  ({kind}, {match.score:.0%})  [{match.page.page_id}]"
        for number, step in enumerate(match.page.steps, 1):
            yield f"  {number}. {step.text}"
    if advice:
        yield advice
    elif not found:
        yield nothing


def run_remove(arguments: argparse.Namespace) -> int:
    """Carry out `kairos library remove`."""
    from daemon.help.library.index import LibraryIndex

    if arguments.all == (arguments.name is not None):
        raise UsageError("name one folder, or give --all", remedy="example: kairos library remove ~/handbook")
    path = library_file()
    removed = 0
    if arguments.all:
        for file in (path, path.with_name(path.name + "-journal")):
            removed += file.exists()
            file.unlink(missing_ok=True)
    elif path.exists():
        own = str(Path(os.path.abspath(expand_user(arguments.name))))  # noqa: PTH100  # the folder may be gone
        with LibraryIndex.open(path) as index:
            removed = index.remove((arguments.name, own) if own != arguments.name else (own,))
    words = "removed" if removed else "nothing to remove: it was not there"
    print_result({"removed": removed}, words, as_json=arguments.json)
    return 0


def _folder(name: str) -> Path:
    if not name:
        raise UsageError("FOLDER is empty", remedy="give the folder that holds the pages")
    folder = Path(os.path.abspath(expand_user(name)))  # noqa: PTH100  # without following links: it is shown as it was given
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder", remedy="give the folder that holds the pages")
    return folder
