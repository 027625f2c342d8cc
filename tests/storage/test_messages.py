"""What an offer says: counts as they are, names only where there are any, and no sentence with a hole in it."""

import re
from itertools import combinations
from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.messages import EVIDENCE, LIMITS, SIGHTINGS, UNKNOWN_TOPIC, offer_text, topic_label
from storage.records import Sighting
from tests.fakes.detectors.fake_detectors import offer_about

CAUSES = re.compile(r"\b(because|due to|caus|therefore|thanks to|leads? to|struggl|confus|frustrat)", re.IGNORECASE)
NUMBERS = {"count": 3.0, "span_s": 24.0, "age_s": 12.0, "tries": 2.0}
COMPILED = Sighting(code="message_after_control", numbers=NUMBERS, digests={"message": "d1", "control": "d2"})


@pytest.mark.parametrize(
    ("names", "title", "reason"),
    [
        (
            {"message": "expected ';'", "control": "Compile"},
            "The same message came up 3 times after “Compile”",
            "It reads “expected …”; all within 24 s.",
        ),
        ({"control": "Compile"}, "The same message came up 3 times after “Compile”", "All within 24 s."),
        (
            {"message": "\u200b"},
            "The same message came up 3 times",
            "It appeared each time after the same control, within 24 s.",
        ),
        ({}, "The same message came up 3 times", "It appeared each time after the same control, within 24 s."),
    ],
)
def test_an_offer_names_what_it_may_and_falls_back_to_less(names: dict[str, str], title: str, reason: str) -> None:
    text = offer_text(offer_about(COMPILED, percent=90.0), names)
    assert (text.title, text.reason) == (title, reason)


@pytest.mark.parametrize("code", sorted(SIGHTINGS))
def test_every_sighting_can_be_said_with_and_without_each_name(code: str) -> None:
    variants = SIGHTINGS[code].variants
    places = {name for pair in variants for text in pair for _, name, _, _ in Formatter().parse(text) if name}
    quoted = sorted(places & LIMITS.keys())
    assert not any(f"{{{name}}}" in "".join(variants[-1]) for name in LIMITS)
    for count in range(len(quoted) + 1):
        for chosen in combinations(quoted, count):
            text = offer_text(offer_about(Sighting(code=code, numbers=NUMBERS)), dict.fromkeys(chosen, "Word"))
            assert "{" not in text.title + text.reason
            assert text.reason.endswith(".")
            assert not CAUSES.search(text.title + text.reason)
            assert len(text.title) <= 90
    assert len(SIGHTINGS[code].advice) <= 120


@pytest.mark.parametrize("code", sorted(EVIDENCE))
def test_no_words_of_evidence_claim_a_cause_or_ask_about_feelings(code: str) -> None:
    words = EVIDENCE[code]
    assert not CAUSES.search(f"{words.label} {words.title} {words.reason}")


def test_numbers_read_as_people_write_them() -> None:
    text = offer_text(offer_about(None, "undo_bursts", count=2.0, tries=1.0, span_s=8.6))
    assert (text.title, text.reason) == ("You used undo twice in the last minute", "In 1 go, within the last 9 s.")
    wandering = offer_text(offer_about(None, "menu_wandering", count=1.0, span_s=5.0))
    assert wandering.reason == "You opened and left 1 menu within the last 5 s."


@given(
    st.text(max_size=300),
    st.dictionaries(st.sampled_from(["count", "span_s", "tries", "age_s", "x"]), st.floats()),
    st.sampled_from(sorted(SIGHTINGS)),
)
def test_a_hostile_name_changes_no_word_of_ours(name: str, numbers: dict[str, float], code: str) -> None:
    seen = Sighting(code=code, numbers=numbers)
    text = offer_text(offer_about(seen), dict.fromkeys(LIMITS, name))
    for said in (text.title, text.reason):
        assert "\n" not in said
        assert len(said) <= 300
        assert said.count("“") == said.count("”") <= 1
    outside = re.sub("“[^”]*”", "“”", text.title)
    assert outside == re.sub("“[^”]*”", "“”", offer_text(offer_about(seen), dict.fromkeys(LIMITS, "Word")).title) or (
        offer_text(offer_about(seen), {}).title == text.title
    )


def test_an_offer_of_an_earlier_build_or_of_an_unknown_code_has_the_words_of_its_topic() -> None:
    for seen in (None, Sighting(), Sighting(code="from_the_future")):
        assert offer_text(offer_about(seen, percent=87.0)).reason.endswith("(87 % sure).")
    assert offer_text(offer_about(None, "from_a_plugin")).title == UNKNOWN_TOPIC.title
    assert topic_label("from_a_plugin") is None
    assert offer_text(offer_about(None, "undo_bursts")).title == EVIDENCE["undo_bursts"].label
