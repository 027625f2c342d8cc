"""Two stories for each streaming feature: one in which it is higher, and one in which it is lower (simulated).

`feature_stories.toml` tells them; its first lines say how.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from storage.records import Box, ControlState, MessageClass
from tests.fakes.sessions.strokes import VIEW, WORD, Strokes

_TOLD = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
STORIES: Mapping[str, str] = _TOLD["stories"]
CASES: Mapping[str, tuple[str, str]] = _TOLD["features"]
_PART = re.compile(r"(\d+) x \(([^()]*)\)|([^()]+?)(?=\d+ x \(|$)")
_NAMED: Mapping[str, object] = {
    "WORD": WORD,
    "VIEW": VIEW,
    "CARET": Box(0, 0, 64, 32),
    "TIP": Box(700, 60, 120, 24),
    "OTHER": Box(1400, 800, 256, 32),
    "error": MessageClass.ERROR,
    "other": MessageClass.OTHER,
    "disabled": ControlState.DISABLED,
    "true": True,
    "false": False,
}


def acts_of(story: str) -> Iterator[str]:
    for times, in_rounds, once in _PART.findall(" ".join(story.split())):
        for number in range(int(times or 1)):
            for act in (in_rounds or once).replace("#", str(number)).strip(", ").split(", "):
                if act in STORIES:
                    yield from acts_of(STORIES[act])
                elif act:
                    yield act


def features_after(story: str) -> dict[str, float]:
    strokes = Strokes()
    for act in acts_of(story):
        name, *words = act.split()
        by_name = dict(word.split("=") for word in words if "=" in word)
        given = [_value(word) for word in words if "=" not in word]
        getattr(strokes, name)(*given, **{key: _value(word) for key, word in by_name.items()})
    return strokes.values()


def stem(name: str) -> str:
    return name if name in CASES else name.rpartition("_")[0]


def _value(word: str) -> object:
    """Return what a word of an act stands for: a place, a box, a number, a name, or letters (`c*3` is `ccc`)."""
    if word in _NAMED:
        return _NAMED[word]
    if re.fullmatch(r"-?[\d.]+(,-?[\d.]+)*", word):
        numbers = [float(part) if "." in part else int(part) for part in word.split(",")]
        return numbers[0] if len(numbers) == 1 else tuple(numbers) if len(numbers) == 2 else Box(*map(int, numbers))
    return re.sub(r"(\w)\*(\d+)", lambda times: times[1] * int(times[2]), word)
