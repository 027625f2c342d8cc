"""Replies become answers: from the best source of confidence there is, or one repair in our words."""

import json
import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectors.mllm.prompting.reply_parser import LABEL_ALONE, SUREST, parse_reply
from detectors.mllm.protocol import Reply, Token
from detectors.mllm.questions import Confidence, ModelQuery, Option, ParsedAnswer
from tests.fakes.mllm.questions import FOUR, LIVE, behavior, content, intent, need, query, tokens

GOOD = '{"behavior": {"answer": "E", "sure": 70}, "need": {"answer": "yes", "sure": 90}, "content": "Undo once."}'
NEED = query(need())
CHOICE = query(intent(*FOUR))


def only(each: ModelQuery, reply: Reply) -> ParsedAnswer:
    (answer,) = parse_reply(each, reply).answers.values()
    return answer


def needed(text: str) -> ParsedAnswer:
    return only(NEED, Reply(text=text))


def code(each: ModelQuery, reply: Reply) -> str:
    return parse_reply(each, reply).problem


def test_a_good_reply() -> None:
    answers = parse_reply(LIVE, Reply(text=GOOD)).answers
    assert answers["behavior"].choice == "frustration"
    assert answers["behavior"].distribution["frustration"] == pytest.approx(0.7)
    assert answers["behavior"].distribution["waiting"] == pytest.approx(0.3 / 8)
    assert answers["need"].distribution == pytest.approx({"yes": 0.9, "no": 0.1})
    assert answers["content"] == ParsedAnswer(text="Undo once.")
    assert answers["need"].confidence is Confidence.SELF_REPORT
    assert answers["content"].confidence is Confidence.NONE


@pytest.mark.parametrize(
    "reply",
    [
        Reply(text=f"```json\n{GOOD}\n```"),
        Reply(text=f"Here you are:\n{GOOD}\nI hope that {{helps}}."),
        Reply(text=f"<think>\nIs it {{E}}? {{'behavior': ...\n</think>\n{GOOD}"),
        Reply(text=f"<think>{GOOD.replace('E', 'A').replace('yes', 'no')}</think>{GOOD}"),
        Reply(text="<think>" + GOOD.replace("E", "A")[:-1] * 60 + f"</think>{GOOD}"),
        Reply(text="", reasoning=GOOD),
        Reply(text=" \n", reasoning=f"The person is stuck, so {GOOD}"),
        Reply(text=GOOD, reasoning=GOOD.replace("E", "A")),
        Reply(text=GOOD + " " * 400, cut=True),
        Reply(text=f"```json\n{GOOD}\n``", cut=True),
        Reply(text=f'{{"reply": {GOOD}}}'),
        Reply(text=f"[{GOOD}]"),
        Reply(text='{"notes": "x", "more": {"need": {"answer": "no"}}, ' + GOOD[1:]),
        Reply(text=GOOD[:-1] + ', "behaviour": {"answer": "A"}, "extra": [1, {"need": "no"}]}'),
        Reply(text="thoughts " * 10_000 + GOOD),
        Reply(text=GOOD.replace('"E"', '"E) Frustration: wants one certain result"')),
        Reply(text=GOOD.replace('"E"', '"e."').replace('"yes"', '"Yes."')),
        Reply(text=GOOD.replace('"E"', '"Frustration"').replace('"yes"', "true")),
        Reply(text=GOOD.replace("70", '"70 %"').replace("90", "0.9")),
    ],
)
def test_the_answer_is_found(reply: Reply) -> None:
    assert parse_reply(LIVE, reply) == parse_reply(LIVE, Reply(text=GOOD))


@pytest.mark.parametrize(
    ("text", "label"),
    [('{"answer": "no", "sure": 60}', "no"), ("no", "no"), ("Yes.", "yes"), ('{"need": false}', "no")],
)
def test_one_question_may_be_answered_in_short(text: str, label: str) -> None:
    assert needed(text).choice == label


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "empty"),
        ("  \n\t", "empty"),
        ("I think that they are stuck.", "not_json"),
        ("null", "not_json"),
        ('"yes"]', "not_json"),
        (GOOD[:60], "not_json"),
        (GOOD.replace("70", "NaN"), "not_json"),
        (GOOD.replace("70", "-Infinity"), "not_json"),
        (GOOD.replace("70", "9" * 5_000), "not_json"),
        (GOOD.replace('"need"', '"needed"'), "missing"),
        (GOOD.replace('"E"', '"J"'), "wrong_label"),
        (GOOD.replace('"E"', '"A person is stuck"'), "wrong_label"),
        (GOOD.replace('"E"', '""'), "wrong_label"),
        (GOOD.replace('"E"', "5"), "wrong_label"),
        (GOOD.replace('"E"', '["E"]'), "wrong_label"),
        (GOOD.replace('"yes"', '"maybe"'), "wrong_label"),
        (GOOD.replace('"yes"', "null"), "wrong_label"),
    ],
)
def test_replies_without_an_answer_are_unusable(text: str, expected: str) -> None:
    """One bad judgement spoils the reply: the repair asks for all of it again."""
    assert code(LIVE, Reply(text=text)) == expected


@pytest.mark.parametrize(
    "reply",
    [
        Reply(text=GOOD[:60], cut=True),
        Reply(text="", reasoning=GOOD, cut=True),
        Reply(text=f"<think>perhaps {GOOD} or rather", cut=True),
        Reply(cut=True),
    ],
)
def test_a_draft_of_a_reply_that_was_cut_is_no_answer(reply: Reply) -> None:
    """Only an object that the reply opens with was meant as the answer."""
    assert code(LIVE, reply) == "cut"
    assert code(NEED, Reply(text="no", cut=True)) == "cut"


def test_help_may_be_empty_and_an_intent_may_not() -> None:
    assert only(query(content()), Reply(text='{"content": ""}')).text == ""
    assert code(query(intent()), Reply(text='{"intent": ""}')) == "no_text"


def test_an_option_may_be_named_by_its_text_if_unambiguous() -> None:
    """Two that read alike are told apart by their letters alone."""
    twins = query(intent(*(Option(key=key, text="Save: the file") for key in ("one", "two"))))
    for text in ("Save", "Save: the file"):
        assert code(twins, Reply(text=json.dumps({"intent": {"answer": text}}))) == "wrong_label"
    assert only(twins, Reply(text='{"intent": {"answer": "B"}}')).choice == "two"
    assert only(CHOICE, Reply(text='{"intent": "Align the two shapes."}')).choice == "align"


def test_a_repair_names_the_question_and_the_letters() -> None:
    assert parse_reply(LIVE, Reply(text=GOOD.replace('"E"', '"Zorn"'))).repair == (
        "The answer to behavior was none of those listed. It must be a single letter from A to I, and nothing else."
    )


@pytest.mark.parametrize("sure", [-1, 101, 250, 1e9, "much", None, True, [70], {"x": 1}, "", "-5", "\u0667\u0660"])
def test_an_impossible_number_costs_only_the_number(sure: object) -> None:
    answer = needed(json.dumps({"need": {"answer": "no", "sure": sure}}))
    assert answer.confidence is Confidence.LABEL_ONLY
    assert answer.distribution == pytest.approx({"no": LABEL_ALONE, "yes": 1 - LABEL_ALONE})


@pytest.mark.parametrize(("sure", "share"), [(100, SUREST), (99, 0.99), (80, 0.8), (0.8, 0.8), (10, 0.55), (0, 0.55)])
def test_a_number_of_its_own_is_kept_within_reason(sure: float, share: float) -> None:
    answer = needed(json.dumps({"need": {"answer": "no", "sure": sure}}))
    assert answer.distribution["no"] == pytest.approx(share)
    assert answer.confidence is Confidence.SELF_REPORT


def spoken(*places: Token, key: str = "need") -> Reply:
    before, after = tokens('{"', key, '":', ' {"', "answer", '":', ' "'), tokens('",', ' "sure', '": ', "60", "}}")
    everything = (*before, *places, *after)
    return Reply(text="".join(token.text for token in everything), tokens=everything)


def log(share: float) -> float:
    return math.log(share)


def test_log_probabilities_of_letters() -> None:
    """All ways of writing a letter count for it, what is no letter of ours does not, and the rest is scaled to 1."""
    others = (("A", log(0.4)), (" A", log(0.1)), ('"B', log(0.2)), ("C", log(0.05)), ("D", log(0.05)), ("E", log(0.2)))
    answer = only(CHOICE, spoken(Token("A", log(0.4), others), key="intent"))
    assert answer.confidence is Confidence.LOG_PROBABILITIES
    assert answer.distribution == pytest.approx({"align": 0.625, "export": 0.25, "font": 0.0625, "legend": 0.0625})


def test_log_probabilities_of_yes_and_no() -> None:
    others = (("yes", log(0.5)), ("Yes", log(0.1)), ("n", log(0.2)), ("No", log(0.1)), ("maybe", log(0.1)))
    answer = only(NEED, spoken(Token("yes", log(0.5), others)))
    assert answer.distribution == pytest.approx({"yes": 2 / 3, "no": 1 / 3})


def test_unlisted_labels_are_no_likelier_than_the_listed() -> None:
    """What is missing gets half of the most it can have: what is left, but no more than the least that is listed."""
    for least, missing in ((0.1, 0.2 / 3 / 2), (0.01, 0.01 / 2)):
        answer = only(CHOICE, spoken(Token("A", log(0.7), (("A", log(0.7)), ("x", log(least)))), key="intent"))
        total = 0.7 + 3 * missing
        others = dict.fromkeys(["export", "font", "legend"], missing / total)
        assert answer.distribution == pytest.approx({"align": 0.7 / total} | others)


@pytest.mark.parametrize(
    "place",
    [
        Token("A", log(0.001), (("x", log(0.4)), ("y", log(0.3)))),  # from before a grammar; no letter among the listed
        Token("A", math.nan, ()),
        Token("A", math.inf, ()),
        Token("A", -math.inf, ()),
        Token("A", 5.0, (("A", 5.0),)),
    ],
)
def test_without_token_distributions_the_stated_number_counts(place: Token) -> None:
    """A list that does not show the likeliest letter is worth less than what the model says of itself."""
    answer = only(CHOICE, spoken(place, key="intent"))
    assert answer.confidence is Confidence.SELF_REPORT
    assert answer.choice == "align"


def test_tokens_of_a_draft_do_not_count() -> None:
    """The letter is read in the last object, and where two places could be meant in none."""
    draft = tokens('{"intent": {"answer": "', "B", '"}} no, rather ')
    final = spoken(Token("A", log(0.9), (("A", log(0.9)), ("B", log(0.1)))), key="intent")
    reply_tokens = (*draft, *final.tokens)
    answer = only(CHOICE, Reply(text="".join(token.text for token in reply_tokens), tokens=reply_tokens))
    assert (answer.confidence, answer.choice) == (Confidence.LOG_PROBABILITIES, "align")
    twice = tokens('{"intent": {"answer": "', "B", '"}, "intent": {"answer": "', "A", '", "sure": 60}}')
    answer = only(CHOICE, Reply(text="".join(token.text for token in twice), tokens=twice))
    assert (answer.confidence, answer.choice) == (Confidence.SELF_REPORT, "align")


def test_a_decision_needs_no_calibration() -> None:
    """Scaled to 1 over our labels; free questions stay without an answer, for they are not sent."""
    reply = Reply(distributions={"behavior": {"waiting": 0.5, "debugging": 0.4}, "need": {"yes": 0.2, "no": 0.8}})
    answers = parse_reply(LIVE, reply).answers
    assert answers["behavior"].confidence is Confidence.DECISION
    assert answers["behavior"].distribution["waiting"] == pytest.approx(0.5 / 0.9)
    assert answers["need"].distribution == pytest.approx({"yes": 0.2, "no": 0.8})
    assert answers["content"] == ParsedAnswer()


@pytest.mark.parametrize(
    ("distribution", "expected"),
    [
        ({"yes": math.nan, "no": 0.5}, "wrong_label"),
        ({"yes": math.inf, "no": 0.5}, "wrong_label"),
        ({"yes": -0.5, "no": 1.5}, "wrong_label"),
        ({"yes": 1e308, "no": 1e308}, "wrong_label"),
        ({"perhaps": 1.0}, "wrong_label"),
        ({"perhaps": 0.9, "yes": 0.1}, "wrong_label"),
        ({}, "wrong_label"),
    ],
)
def test_impossible_decisions_are_unusable(distribution: dict[str, float], expected: str) -> None:
    assert code(NEED, Reply(distributions={"need": distribution})) == expected


def test_a_decision_that_is_refused_is_unusable() -> None:
    assert code(query(behavior(), need()), Reply(distributions={"need": {"yes": 1.0}})) == "missing"
    assert code(NEED, Reply()) == "empty"


SHARES = st.dictionaries(
    st.sampled_from(["A", "B", " C", "D", '"D', "yes", "n", "x"]), st.floats(-20, 0.0005) | st.floats(), max_size=6
)


@given(SHARES, st.floats(-20, 0.0), st.sampled_from("ABCD"), st.integers(0, 100))
def test_any_list_of_tokens_gives_a_distribution(shares: dict[str, float], own: float, letter: str, sure: int) -> None:
    """Over all labels, summing to 1, whatever numbers a server lists."""
    answer = only(CHOICE, spoken(Token(letter, own, tuple(shares.items())), key="intent"))
    assert set(answer.distribution) == {option.key for option in FOUR}
    assert math.fsum(answer.distribution.values()) == pytest.approx(1.0)
    assert all(0.0 <= share <= 1.0 for share in answer.distribution.values())


@given(st.sampled_from("ABCDEFGHI"), st.integers(0, 100), st.sampled_from(["yes", "no"]), st.text(max_size=30))
def test_every_answer_that_follows_the_schema_is_read(letter: str, sure: int, word: str, notes: str) -> None:
    """The label asked for comes out, and is the likeliest, however unsure the model is."""
    facts = {"notes": notes, "behavior": {"answer": letter, "sure": sure}, "need": {"answer": word, "sure": sure}}
    answers = parse_reply(query(behavior(), need(), reasoned=True), Reply(text=json.dumps(facts))).answers
    assert answers["behavior"].choice == behavior().labels["ABCDEFGHI".index(letter)]
    assert answers["need"].choice == word
    assert answers["need"].distribution[word] > 0.5


def test_a_token_may_hold_more_than_the_answer() -> None:
    """Vocabularies join quotes and letters as they like."""
    others = (('"A"', log(0.6)), ('"B"', log(0.2)), ('"C"', log(0.1)), ('"D"', log(0.1)))
    everything = (*tokens('{"intent": {"answer":'), Token('"A"', log(0.6), others), *tokens(', "sure": 10}}'))
    reply = Reply(text="".join(token.text for token in everything), tokens=everything)
    assert only(CHOICE, reply).distribution == pytest.approx({"align": 0.6, "export": 0.2, "font": 0.1, "legend": 0.1})


@given(st.lists(st.integers(1, len(GOOD)), max_size=40))
def test_wherever_tokens_are_cut_the_letter_is_found(cuts: list[int]) -> None:
    place = GOOD.index('"E"') + 1
    edges = sorted({0, place, place + 1, len(GOOD), *cuts})
    pieces = [GOOD[start:end] for start, end in pairwise(edges)]
    listed = tuple((letter, log(0.1)) for letter in "ABCDEFGHI")
    reply_tokens = tuple(
        Token(piece, log(0.1) if piece == "E" else 0.0, listed if piece == "E" else ()) for piece in pieces
    )
    answer = parse_reply(LIVE, Reply(text=GOOD, tokens=reply_tokens)).answers["behavior"]
    assert answer.confidence is Confidence.LOG_PROBABILITIES
    assert answer.distribution == pytest.approx(dict.fromkeys(answer.distribution, 1 / 9))


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("null", "missing"),
        ("7", "missing"),
        ('"https://evil.example/x"', "no_text"),
        ('"Run sudo rm -rf /"', "no_text"),
    ],
)
def test_words_that_cannot_be_used_cost_only_themselves(written: str, problem: str) -> None:
    """Beside a judgement; alone they are the whole answer."""
    beside = parse_reply(LIVE, Reply(text=GOOD.replace('"Undo once."', written))).answers
    assert beside["need"].choice == "yes"
    assert beside["content"].text == ""
    assert code(query(content()), Reply(text=f'{{"content": {written}}}')) == problem
