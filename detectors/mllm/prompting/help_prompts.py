"""The sentences of a request for help (`data/sentences.toml`, section `help`).

Change no sentence without a new `VERSION`: a test pins the two together.
"""

from collections.abc import Mapping

from detectors.mllm.prompting.prompts import SENTENCES, find_sentence

VERSION = "2"
STATES: Mapping[str, str] = SENTENCES["help_states"]


def __getattr__(name: str) -> str:
    return find_sentence("help", name)
