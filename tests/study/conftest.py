"""The command that tests of studies share."""

from tests.fakes.commands.study_command import run

__all__ = ["run"]
