"""`kairos desktop`: what a desktop needs before it tells Kairos of its windows, put there after asking."""

import argparse
import os
import sys
from typing import Any

from daemon.cli.options import add_command
from storage.errors import UsageError
from storage.plain_text import print_result
from storage.state.pictures import PicturePermission

_WHAT = """\
GNOME tells no program which windows there are. An extension of ours to GNOME Shell tells Kairos, and no other program,
their titles, programs and places, and where the pointer is. With it Kairos can take pictures, if you also allow them
when GNOME asks. It runs inside GNOME Shell, for your account alone; take it away with: kairos desktop remove"""


def register(subparsers: Any) -> None:
    """Add `kairos desktop` to the command line."""
    parser = subparsers.add_parser(
        "desktop",
        help="have GNOME tell Kairos its windows, by an extension, or take that away",
        description=(
            "GNOME tells no program which windows there are. An extension to GNOME Shell tells Kairos, and no other "
            "program, their titles, programs and places; pictures come only with it, and if you allow them when GNOME "
            "asks. No other desktop needs anything of the kind."
        ),
        epilog="example: kairos desktop install",
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    install = add_command(
        actions,
        "install",
        _install,
        "put Kairos' extension into GNOME Shell, after asking",
        example="desktop install",
    )
    install.add_argument("--yes", action="store_true", help="do not ask")
    add_command(actions, "remove", _remove, "take Kairos' extension to GNOME Shell away", example="desktop remove")


def _install(arguments: argparse.Namespace) -> int:
    if sys.platform != "linux":
        raise UsageError("GNOME alone needs this, and there is none here")
    from daemon.capture.wayland.gnome import portal
    from daemon.capture.wayland.gnome.installation import install

    if not arguments.yes:
        if not sys.stdin.isatty():
            raise UsageError("this needs a yes, and there is no terminal to ask on", remedy="add --yes")
        print(f"{_WHAT}\nPut it there? [y/N] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
            print("Nothing was changed.", file=sys.stderr)
            return 0
    folder = str(install())
    permission = PicturePermission()
    if not permission.token or portal.access(os.environ, permission.token) is portal.PortalAccess.TAKEN_BACK:
        permission.forget()
    says = f"It is in {folder}. Log out and in again: GNOME loads it then, and Kairos asks what it may see."
    print_result({"folder": folder}, says, as_json=arguments.json)
    return 0


def _remove(arguments: argparse.Namespace) -> int:
    from daemon.capture.wayland.gnome.installation import remove

    PicturePermission().forget()
    was_there, is_off = remove()
    says = "Its files are deleted. GNOME tells Kairos of no windows any more." if was_there else "It was not there."
    if was_there and not is_off:
        says = (
            "Its files are deleted. It could not be switched off: GNOME's settings cannot be changed from here. "
            "A GNOME session that has loaded it runs it until you log out. Its name stays in GNOME's list, where it "
            "does nothing; the same command within GNOME takes it out."
        )
    print_result({"removed": was_there, "switched_off": is_off}, says, as_json=arguments.json)
    return 0
