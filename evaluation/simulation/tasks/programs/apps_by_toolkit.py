"""Which application in which toolkit: the names that `registry` lists."""

from evaluation.simulation.simulated_user import SimulatedUser
from evaluation.simulation.tasks.programs.app_program import AppProgram, Toolkit
from evaluation.simulation.tasks.programs.signup import SignupProgram


def signup_qt(user: SimulatedUser) -> AppProgram:
    """The account form in Qt."""
    return SignupProgram(user, Toolkit.QT)


def signup_web(user: SimulatedUser) -> AppProgram:
    """The account form in a browser."""
    return SignupProgram(user, Toolkit.WEB)
