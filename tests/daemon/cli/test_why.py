"""`kairos why`: runs of decisions, what became of offers, the sum, and what answers have taught."""

import datetime as dt
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.cli.why.command import register
from daemon.history.learned import compare_need
from daemon.runtime.instance import only_instance
from policies import registry
from storage.clock import NS_PER_S, SystemClock, local_time
from storage.enrolment import Enrolment, Phase
from storage.files import private_folder, state_file, state_folder
from storage.records import (
    Anchor,
    Decision,
    Evidence,
    Feedback,
    FeedbackKind,
    HelpAnswer,
    ModelTier,
    Offer,
    Verdict,
    Withdrawal,
)
from storage.settings import PolicySettings
from storage.state.store import Helped, StateStore
from storage.testing import plain
from tests.fakes.commands.command_line import Answer, run_command
from tests.fakes.sessions.decision_log import TITLE, hold, write
from tests.fakes.sessions.session_sample import WALL_NS

Why = Callable[..., Answer]


@pytest.fixture
def why(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Why:
    for name in ("STATE", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))

    def run(*arguments: str) -> Answer:
        return run_command(register, capsys, "why", *arguments)

    return run


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tmp_path / "STATE" / "kairos" / "sessions"


def offer(offer_id: str = "o1") -> tuple[Decision, Offer]:
    numbers = {"p": 0.913, "threshold": 0.58, "sum": 5.0, "upper": 4.0, "waited_s": 3.0, "idle_s": 1.2}
    evidence = (Evidence("undo_bursts", {"count": 3.0, "tries": 2.0, "span_s": 9.0}),)
    made = plain(Offer, 1, offer_id=offer_id, app="editor", topic="undo_bursts", help_need=0.9, evidence=evidence)
    decided = Decision(verdict=Verdict.OFFER, gate="all", reason="at_break", topic="undo_bursts", numbers=numbers)
    return decided, made


def test_nothing_recorded_is_no_error(why: Why) -> None:
    """Somebody who has just installed Kairos asks too."""
    answer = why()
    assert answer.code == 0
    assert "Nothing was decided in the last 1h" in answer.out
    assert why("--json").json["moments"] == []


def test_equal_holds_become_one_line_with_span_and_count(why: Why, base: Path) -> None:
    """The run has the numbers of its strongest evidence; another reason begins another run."""
    weak, strong = hold("not_enough", sum=0.5, help_need=0.1), hold("not_enough", sum=3.0, help_need=0.6)
    folder = write(base, (1, weak), (7, strong), (13, weak), (19, hold("full_screen", "manners", sum=1.0)), (25, weak))
    answer = why("--session", folder.name, "--json").json
    first = WALL_NS / NS_PER_S
    assert [(row["reason"], row["count"], row["at"] - first, row["until"] - first) for row in answer["moments"]] == [
        ("not_enough", 3, 1.0, 13.0),
        ("full_screen", 1, 19.0, 19.0),
        ("not_enough", 1, 25.0, 25.0),
    ]
    assert answer["moments"][0]["numbers"] == {"upper": 4.0, "sum": 3.0, "help_need": 0.6}
    assert answer["moments"][0]["in_words"] == "need up to 60 %, evidence up to 3.0 (an offer takes 4.0)"
    assert (answer["offers"], answer["held"]) == (0, {})
    text = why("--session", folder.name).out
    assert "No offer: a program fills the whole screen." in text
    assert "decided 3 times, need up to 60 %" in text


def test_an_offer_carries_its_words_and_its_answer(why: Why, base: Path) -> None:
    """What is decided while it is on the screen belongs to it; the numbers stay those it was made with."""
    decided, made = offer()
    shown = hold("showing", "budget", shown_s=2.0)
    answered = Feedback(offer_id="o1", kind=FeedbackKind.TOO_EARLY)
    folder = write(base, (1, decided), (1, made), (3, shown), (6, answered), (7, hold("cooldown", "budget", sum=9.0)))
    answer = why("--session", str(folder), "--json").json
    one, after = answer["moments"]
    assert (one["count"], one["until"] - one["at"], one["gate"]) == (1, 5.0, "all")
    assert (one["offer"]["answer"], one["offer"]["answered_at"] - one["at"]) == ("too_early", 5.0)
    assert after["reason"] == "cooldown"
    assert (answer["offers"], answer["answers"], answer["held"]) == (1, {"too_early": 1}, {"cooldown": 1})
    text = " ".join(why("--session", str(folder)).out.split())
    for part in (
        "Help was offered once: too early.",
        "An offer was held back once although you seemed to need help:",
        "You used undo 3 times in the last minute. In 2 goes, within the last 9 s.",
        "-> too early after 5 s",
        "after waiting 3.0 s, no input for 1.2 s, need 91 % (an offer takes 58 %)",
    ):
        assert part in text


def test_an_answer_that_a_model_wrote_is_named_with_its_cost(why: Why, base: Path) -> None:
    """Its size, time and price, and none of its words, which are nowhere; what was stopped only counts."""
    decided, made = offer()
    accepted = Feedback(offer_id="o1", kind=FeedbackKind.ACCEPTED)
    answer = HelpAnswer(
        offer_id="o1",
        tier=ModelTier.STRONG,
        model="m",
        asked_at_ns=1,
        latency_ns=2 * NS_PER_S,
        steps=3,
        tied=2,
        pictures=1,
        dollars=0.004,
    )
    stopped = replace(answer, trouble="stopped")
    folder = write(base, (1, decided), (1, made), (3, accepted), (6, answer), (7, stopped))
    text = " ".join(why("--session", str(folder)).out.split())
    assert (
        "the strong model wrote an answer with 3 steps, 2 of them at a control (1 picture, 2.0 s, US$ 0.0040)" in text
    )
    assert "the strong model 2 x, 1 answer" in text


def test_an_offer_with_a_page_says_which(why: Why, base: Path) -> None:
    """By its title while the library has it, else by its id; the JSON has the id alone."""
    decided, made = offer()
    general = replace(made, page_id="general/find_command", steps=4)
    gone = replace(made, offer_id="o2", page_id="calc/gone", steps=3)
    folder = write(
        base, (1, decided), (1, general), (5, decided), (5, gone), (9, decided), (9, replace(made, offer_id="o3"))
    )
    text = " ".join(why("--session", folder.name).out.split())
    assert 'It brought the page "' in text
    assert "(general advice, general/find_command)." in text
    assert "It brought the page calc/gone, which is not in the help library now." in text
    assert text.count("It brought") == 2
    offers = [moment["offer"] for moment in why("--session", folder.name, "--json").json["moments"]]
    assert [item.get("page_id") for item in offers] == ["general/find_command", "calc/gone", None]


def test_offers_that_were_only_logged_are_counted_one_by_one(why: Why, base: Path) -> None:
    """An arm that shows nothing leaves holds of the gate "arm"; they never merge."""
    silent = replace(hold("silent", "arm", sum=5.0, p=0.9, threshold=0.6), topic="undo_bursts")
    folder = write(base, (1, silent), (2, silent), (3, replace(hold("withheld", "arm", sum=5.0), propensity=0.2)))
    answer = why("--session", folder.name, "--json").json
    assert (len(answer["moments"]), answer["unshown"], answer["offers"], answer["held"]) == (3, 3, 0, {})
    text = why("--session", folder.name).out
    assert "3 times" in text
    assert 'It would have been about: "Undoing again and again"' in text
    assert "chosen at random with probability 20 %" in text


def test_only_the_requested_span_is_shown(why: Why, base: Path) -> None:
    """By wall clock, over all sessions from here; imported, unreadable and long closed ones are no answer."""
    now_s = SystemClock().wall_ns() / NS_PER_S
    write(base, (1, hold("no_estimate")), wall_s=now_s - 7200)
    recent = write(base, (1, hold("call", "manners")), (100, hold("paused", "consent")), wall_s=now_s - 130)
    write(base, (1, hold("locked", "manners")), wall_s=now_s - 60, imported_from="elsewhere")
    past = write(base, (1, hold("locked", "manners")), wall_s=now_s - 40)
    for file in (*past.iterdir(), past):
        os.utime(file, (now_s - 90_000, now_s - 90_000))
    broken = write(base, (1, hold("locked", "manners")), wall_s=now_s - 50)
    (broken / "session.db").write_text("gone")
    answer = why("--json").json
    assert [row["reason"] for row in answer["moments"]] == ["call", "paused"]
    assert (answer["sessions"], answer["unreadable"]) == ([recent.name], [broken.name])
    assert [row["reason"] for row in why("--last", "1m", "--json").json["moments"]] == ["paused"]
    assert len(why("--last", "1d", "--json").json["moments"]) == 3
    assert f"kairos sessions verify {broken.name}" in why().out


def test_last_with_a_session_is_the_end_of_that_session(why: Why, base: Path) -> None:
    """However long ago it was, and by the clock that it had then."""
    jumped = Anchor(wall_ns=WALL_NS + 500 * NS_PER_S, reason="clock_jump")
    folder = write(base, (1, hold("no_estimate")), (50, jumped), (60, hold("not_enough")), (70, hold("not_enough")))
    (row,) = why("--session", folder.name, "--last", "15s", "--json").json["moments"]
    assert (row["reason"], row["count"], row["at"]) == ("not_enough", 2, WALL_NS / NS_PER_S + 510)


def test_titles_are_never_printed(why: Why, base: Path) -> None:
    """A title is in the log only by consent to the recording, and not even then in an answer to why."""
    decided, made = offer()
    folder = write(base, (1, decided), (1, made))
    assert TITLE.encode() in (folder / "session.db").read_bytes()
    assert TITLE not in why("--session", folder.name).out + why("--session", folder.name, "--json").out


def test_codes_from_elsewhere_cannot_write_to_the_terminal(why: Why, base: Path) -> None:
    """An imported session may hold any code; it stands for itself, without what a terminal would act on."""
    folder = write(base, (1, hold("\x1b[2Jboo", "\x1b]0;x", sum=9.0)), imported_from="elsewhere")
    text = why("--session", folder.name).out
    assert "boo" in text
    assert "\x1b" not in text


def teach(*kinds: FeedbackKind) -> None:
    policy = registry.load(PolicySettings(), 0.05)
    state = policy.start({"seed": 7}, 0, 0)
    for kind in kinds:
        state = policy.learn(state, Feedback(offer_id="o1", kind=kind), offer()[1], 1)
    private_folder(state_folder())
    with StateStore(state_file()) as kept:
        kept.save_policy_state("default", policy.save(state, 2), SystemClock().wall_ns())


def test_what_was_learned_is_printed_and_exported(why: Why) -> None:
    """Answers, the threshold that follows, quiet times and muted topics; and before any answer that there is none."""
    assert "Nothing has been learned" in why("--learned").out
    assert not state_file().exists()
    teach(FeedbackKind.ACCEPTED, FeedbackKind.DISMISSED, FeedbackKind.TOO_EARLY, FeedbackKind.MUTED)
    facts = why("--learned", "--json").json
    (row,) = facts["answers"]
    assert (row["app"], row["topic"], row["accepted"]) == ("editor", "undo_bursts", pytest.approx(0.5))
    assert row["threshold"] > facts["threshold"]
    assert facts["muted"] == ["undo_bursts"]
    text = why("--learned").out
    said = ("learned from your work and your answers:", "Undoing again and again", "once in a row", '1 "too early"')
    for part in (*said, "Muted:"):
        assert part in text


def test_what_helped_is_counted_and_can_be_forgotten(why: Why) -> None:
    private_folder(state_folder())
    with StateStore(state_file()) as kept:
        kept.save_helped(Helped(key="0f", answers=(("calc", "a1", 5), ("calc", "b2", 6), ("draw", "c3", 7))))
    assert why("--learned", "--json").json["helped"] == {"calc": 2, "draw": 1}
    text = why("--learned").out
    assert "In calc, 2 answers that helped come first next time." in text
    assert "In draw, 1 answer that helped comes first next time." in text
    assert why("--forget", "--json").json == {"forgotten": ["helped"]}
    assert why("--learned", "--json").json["helped"] == {}
    with StateStore(state_file()) as kept:
        assert kept.helped() == Helped()


def test_offers_that_were_not_shown_are_not_counted_before_a_masked_study_is_over(why: Why) -> None:
    """The count of offers shown holds those withheld too; a study without masks, or that is over, hides nothing."""
    private_folder(state_folder())
    with StateStore(state_file()) as kept:
        kept.save_policy_state("default", {"seed": 7, "shown_age_ns": [5]}, SystemClock().wall_ns())
    today = local_time(SystemClock().wall_ns()).date()
    phases = (Phase(name="one", days=7),)
    study = Enrolment(study="s1", participant="p1", title="A study", first_day=today, phases=phases, seed=1)

    def counted(enrolment: Enrolment | None) -> object:
        with StateStore(state_file()) as state:
            state.save_enrolment(enrolment)
        return why("--learned", "--json").json["shown"]

    assert counted(None) == 1
    assert counted(study) is None
    assert counted(replace(study, masked=False)) == 1
    assert counted(replace(study, first_day=today - dt.timedelta(days=7))) == 1
    with StateStore(state_file()) as state:
        state._put("enrolment", {"study": 5})
    assert why("--learned", "--json").json["shown"] is None
    assert "Nothing has been learned" in why("--learned").out


def test_forgetting_leaves_budget_and_seed_and_mutes_unless_all_goes(why: Why) -> None:
    """Behind the back of a Kairos that runs and does not answer nothing is forgotten: it would write it again."""
    teach(FeedbackKind.DISMISSED, FeedbackKind.MUTED)
    with only_instance():
        assert why("--forget").code == 3
    assert "--forget all" in why("--forget").out
    facts = why("--learned", "--json").json
    assert (facts["answers"], facts["backoffs"], facts["muted"]) == ([], [], ["undo_bursts"])
    assert why("--forget", "all", "--json").json == {"forgotten": ["muted"]}
    assert why("--learned", "--json").json["muted"] == []
    with StateStore(state_file()) as kept:
        assert kept.policy_state("default")[0]["seed"] == 7


def test_help_that_was_asked_for_is_told_and_counts_as_no_offer(why: Why, base: Path) -> None:
    """It has no decision of the policy, and a sentence of its own."""
    _, made = offer()
    asked = replace(made, asked=True, topic="asked", decision_seq=0)
    folder = write(base, (1, hold("not_enough", sum=0.5)), (2, asked), (3, hold("not_enough", sum=0.5)))
    answer = why("--session", folder.name, "--json").json
    assert [moment["gate"] for moment in answer["moments"]] == ["evidence", "asked", "evidence"]
    assert (answer["offers"], answer["moments"][1]["offer"]["title"]) == (0, "You asked for help")
    text = why("--session", folder.name).out
    assert "No help was offered." in text
    assert "Help was shown because you asked for it." in text


def test_a_withdrawn_offer_is_reported_as_such(why: Why, base: Path) -> None:
    """The decision that took it back stands beside it, and neither counts as held back."""
    decided, made = offer()
    gone = replace(hold("moved_on", "withdrawal", sum=-2.0, shown_s=4.0), withdraw=True)
    folder = write(base, (1, decided), (1, made), (5, gone), (5, Withdrawal(offer_id="o1", reason="moved_on")))
    answer = why("--session", folder.name, "--json").json
    assert [row["reason"] for row in answer["moments"]] == ["at_break", "moved_on"]
    assert answer["moments"][0]["offer"]["answer"] == "withdrawn"
    assert answer["held"] == {}
    assert "after 4.0 s on the screen, no evidence of need" in why("--session", folder.name).out


def test_a_session_that_is_not_there_and_a_span_that_is_none(why: Why) -> None:
    """The exit status is that of the other commands."""
    assert why("--session", "2019").code == 4
    assert why("--last", "soon").code == 2
    assert why("--learned", "--last", "1h").code == 2


def test_what_was_learned_of_need_is_said_in_plain_words(why: Why) -> None:
    """For each program whether need counts more or less than estimated, with an example and the number of answers."""
    assert "needing help" not in why("--learned").out
    teach(*[FeedbackKind.WRONG] * 3)
    text = why("--learned").out
    assert "In editor, help need counts" in text
    assert "less than estimated: 60 % counts as" in text
    assert " (3 answers)." in text
    assert "In other programs, help need counts" in text
    assert [row["app"] for row in why("--learned", "--json").json["need"]] == ["", "editor"]
    assert "calibration" in why("--forget", "--json").json["forgotten"]
    assert "needing help" not in why("--learned").out


@pytest.mark.parametrize(
    ("difference", "words"),
    [
        (0.0, "about as"),
        (0.2, "a little more than"),
        (-0.2, "a little less than"),
        (-0.5, "less than"),
        (1.0, "much more than"),
    ],
)
def test_a_difference_in_need_has_its_words(difference: float, words: str) -> None:
    """From "as estimated" to "much more than estimated"."""
    assert compare_need(difference) == words


def test_one_muted_topic_is_offered_again_and_nothing_is_forgotten(why: Why) -> None:
    """What was learned says how; a topic that is not muted is refused with those that are."""
    assert "nothing is muted" in why("--unmute", "undo_bursts").err
    teach(FeedbackKind.DISMISSED, FeedbackKind.MUTED)
    assert "kairos why --unmute undo_bursts" in why("--learned").out
    wrong = why("--unmute", "dead_clicks")
    assert (wrong.code, "muted: undo_bursts" in wrong.err) == (2, True)
    with only_instance():
        assert why("--unmute", "undo_bursts").code == 3
    before = why("--learned", "--json").json
    assert why("--unmute", "undo_bursts", "--json").json == {"unmuted": "undo_bursts"}
    after = why("--learned", "--json").json
    assert (after["muted"], len(after["answers"]), len(after["backoffs"])) == ([], 1, 1)
    assert [row["topic"] for row in before["answers"]] == [row["topic"] for row in after["answers"]]


def test_a_memory_of_another_format_is_reported_and_can_be_forgotten(why: Why) -> None:
    """The way out that the error names works."""
    private_folder(state_folder())
    with StateStore(state_file()) as kept:
        kept.save_policy_state("default", {"learned": 3, "muted": 4}, 1)
    answer = why("--learned")
    assert (answer.code, "kairos why --forget all" in answer.err) == (4, True)
    assert why("--unmute", "undo_bursts").code == 4
    assert why("--forget", "all").code == 0
    assert why("--learned").code == 0
