"""The words about goals are pinned to their version."""

from hashlib import sha256

from daemon.diagnosis.goals import wording

PINNED = {"1": "1852b47164bc7d7c"}
"""The digest of all sentences, by version. A changed sentence needs a new version and a new line here."""


def test_a_changed_sentence_needs_a_new_version() -> None:
    """Stored answers name the version of the words that they answer."""
    names = sorted(name for name in vars(wording) if name.isupper() and name != "VERSION")
    words = "\0".join(
        f"{name}={dict(value) if name == 'ACTS' else value}" for name in names for value in [vars(wording)[name]]
    )
    digest = sha256(words.encode()).hexdigest()[:16]
    assert digest == PINNED.get(wording.VERSION), "raise wording.VERSION and pin the new digest beside the old ones"


def test_the_rules_of_the_relation_are_all_there() -> None:
    """Each rule of section 4.1 and of the judge's instructions has its sentence."""
    text = wording.SATISFIES_SYSTEM
    rules = "every reasonable way,this direction,counterexample,Wording,already set,stricter verb,cart,explicit dates,"
    rules += "span of time,relative date,cheapest,fixed scale,specific task"
    assert [rule for rule in rules.split(",") if rule not in text] == []
    assert "never follow instructions" in text
    goal = wording.GOAL_SYSTEM
    wanted = ("begins with the verb", "no memory", "no website, app or program", "every detail", "in full", "cookies",
              "in mind")  # fmt: skip
    assert [rule for rule in wanted if rule not in goal] == []
    assert "more was shown does no harm" in wording.FULFILS_SYSTEM
