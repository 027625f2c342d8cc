"""Errors of all rooms, split by whose fault they are.

KairosError            carries an exit code for the command line
├── UsageError         wrong usage or setting (exit 2)
├── EnvironmentFault   no display, disk full, no permission, another instance (exit 3)
└── BadFile            a file from outside is damaged, foreign or hostile (exit 4)
A bug is none of these: it crashes its stage.
"""


class KairosError(Exception):
    """An error that is shown to the person in one line, with what to do about it.

    Messages never hold screen text, keys, titles, prompts or answers.
    """

    exit_code = 1

    def __init__(self, what: str, *, remedy: str = "") -> None:
        """Describe what happened, to which file or setting, and what to do."""
        super().__init__(what if not remedy else f"{what}\n{remedy}")
        self.what = what
        self.remedy = remedy


class UsageError(KairosError):
    """A command or setting was given wrongly."""

    exit_code = 2


class EnvironmentFault(KairosError):  # noqa: N818  # "fault" says whose: the environment's
    """Something around us does not work: display, disk, permission, another instance."""

    exit_code = 3

    def __init__(self, what: str, *, remedy: str = "", code: str = "") -> None:
        """Store `code`, the entry of `storage.messages.PROBLEMS` that a `Problem` record of this fault carries."""
        super().__init__(what, remedy=remedy)
        self.code = code


class BadFile(KairosError):  # noqa: N818  # reads as what it is in an except clause
    """A file from outside cannot be used."""

    exit_code = 4
