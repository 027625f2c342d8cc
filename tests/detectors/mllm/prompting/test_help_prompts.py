"""The sentences about help change only with their version."""

from hashlib import sha256

from detectors.mllm.prompting import help_prompts, prompts

PINNED = {"1": "fddf5cd5", "2": "a039d146"}
"""The digest of all sentences, by version; a changed sentence needs a new version and a new line here."""


def test_words_about_help_change_only_with_their_version() -> None:
    """The same version always means the same words."""
    words = {**prompts.SENTENCES["help"], "STATES": help_prompts.STATES}
    assert len(words) > 20
    digest = sha256(repr(sorted(words.items())).encode()).hexdigest()[:8]
    assert digest == PINNED.get(help_prompts.VERSION), (
        "the words about help have changed: raise help_prompts.VERSION and pin the new digest beside the old ones"
    )
