"""The question for the goal: its words are pinned to their version, and which answers pass."""

from hashlib import sha256

import pytest

from daemon.diagnosis.goals import wording
from daemon.diagnosis.goals.material import Material
from daemon.diagnosis.goals.questions import MAX_ENTRIES, goal_inquiry
from detectors.mllm.prompting.briefs import BrokenRuleError, check_brief, checked_facts

MATERIAL = Material(key="t", steps=("1. click", "2. press undo"), number=2)
PINNED = {"1": "83017372f08cba15"}
"""The digest of all sentences, by version. A changed sentence needs a new version and a new line here."""


def test_a_changed_sentence_needs_a_new_version() -> None:
    """Stored answers name the version of the words that they answer."""
    names = sorted(name for name in vars(wording) if name.isupper() and name != "VERSION")
    words = "\0".join(
        f"{name}={dict(value) if name == 'ACTS' else value}" for name in names for value in [vars(wording)[name]]
    )
    digest = sha256(words.encode()).hexdigest()[:16]
    assert digest == PINNED.get(wording.VERSION), "raise wording.VERSION and pin the new digest beside the old ones"


def test_the_rules_of_a_goal_are_all_there() -> None:
    """Each rule of section 4.1 has its sentence."""
    wanted = ("begins with the verb", "no memory", "no website, app or program", "every detail", "in full", "cookies",
              "in mind")  # fmt: skip
    assert [rule for rule in wanted if rule not in wording.GOAL_SYSTEM] == []


def test_a_goal_has_an_entry_for_each_step_and_is_no_question() -> None:
    brief = goal_inquiry(MATERIAL).brief
    check_brief(brief)
    good = {"steps": ["opens it", "takes it back"], "goal": "Undo the change"}
    assert checked_facts(brief, good) == good
    for bad in ({**good, "steps": ["one"]}, {**good, "goal": "Undo it?"}, {**good, "goal": ""}, {"goal": "x"}):
        with pytest.raises(BrokenRuleError):
            checked_facts(brief, bad)
    long = goal_inquiry(Material(key="t", steps=(), number=MAX_ENTRIES + 1)).brief
    assert checked_facts(long, {**good, "steps": ["all of it"]})
