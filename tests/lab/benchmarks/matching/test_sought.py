"""What tells of the command or page that somebody looks for is learned from moments that nobody judges by."""

from collections import Counter
from importlib.resources import files
from io import BytesIO
from operator import itemgetter

import numpy as np
import pytest

from daemon.help.commands.words import words_of
from daemon.help.context import HelpContext
from daemon.help.programs import program_of
from daemon.help.sought import LANGUAGE, Name, SoughtHelp, tokens_of_moment
from lab.benchmarks.content.benchmark import read_moments as constructed_moments
from lab.benchmarks.matching.gold import read_lists
from lab.benchmarks.matching.sought import SoughtMoment, learn, read_moments

APP = "libreoffice-writer"


def words_in(context: HelpContext) -> set[str]:
    return {token[2:] for token, _ in tokens_of_moment(context) if token[1] == ":"}


def test_the_commands_of_the_moments_are_in_programs_as_they_were_recorded() -> None:
    lists = [found for (_, language), found in read_lists().items() if language == LANGUAGE]
    names = {words_of(command.name) for found in lists for command in found.commands}
    assert all(names.issuperset(moment.wanted) for moment in read_moments())


def test_no_moment_shares_half_of_all_words_with_one_that_help_is_judged_by() -> None:
    judged = [words_in(moment.context) for moment in constructed_moments()]
    for moment in read_moments():
        own = words_in(moment.context)
        assert all(len(own & other) < len(own | other) / 2 for other in judged)


@pytest.mark.parametrize("what", ["commands", "pages"])
def test_moments_of_one_writer_in_two_are_told_by_those_of_the_others(what: str) -> None:
    """Of Writer's five commands or pages with most moments, better by far than always the commonest."""

    def answer(moment: SoughtMoment) -> Name | str | None:
        return next(iter(moment.wanted), None) if what == "commands" else moment.page or None

    moments = [moment for moment in read_moments() if moment.context.app == APP and answer(moment)]
    many = {name for name, _ in Counter(map(answer, moments)).most_common(5)}
    chosen = [moment for moment in moments if answer(moment) in many]
    writers = sorted({moment.writer for moment in chosen})
    learned = SoughtHelp(learn([moment for moment in chosen if moment.writer in writers[::2]]))
    asked = [moment for moment in chosen if moment.writer in writers[1::2]]
    among = {moment.wanted[0] for moment in chosen if moment.wanted}
    right = 0
    for moment in asked:
        shares = learned.commands(moment.context, among) if what == "commands" else learned.pages(moment.context)
        right += max(shares.items(), key=itemgetter(1), default=(None,))[0] == answer(moment)
    commonest = Counter(map(answer, asked)).most_common(1)[0][1]
    assert right > 1.5 * commonest


def test_what_ships_was_learned_from_these_moments() -> None:
    moments = read_moments()
    shipped = np.load(BytesIO((files("daemon.help") / "data" / f"sought-{LANGUAGE}.npz").read_bytes()))
    tokens = {token.encode() for moment in moments for token, _ in tokens_of_moment(moment.context)}
    assert shipped["stems"].tolist() == sorted(tokens)
    assert shipped["names"].tolist() == sorted({" ".join(moment.wanted[0]) for moment in moments if moment.wanted})
    wanted = {(program_of(moment.context.app), " ".join(moment.wanted[0])) for moment in moments if moment.wanted}
    of_apps = zip(shipped["apps"].tolist(), shipped["of_apps"], strict=True)
    assert {(app, name) for app, row in of_apps for name in shipped["names"][row].tolist()} == wanted
    pages = sorted({(moment.suite, moment.page) for moment in moments if moment.page})
    assert list(zip(shipped["suites"].tolist(), shipped["titles"].tolist(), strict=True)) == pages
