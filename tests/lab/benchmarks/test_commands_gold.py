"""The gold for finding commands by people's words: whole, of two halves, and true about the words it shares."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import lab.benchmarks
from storage.records import ControlRole, ControlState

FOLDER = Path(lab.benchmarks.__file__).parent / "data" / "commands"
SUFFIXES = {
    "en": "ations ation ions ion ising izing ments ment ings ing ers ity ies ates ate est ed es er ly al s e y",
    "de": "ungen keit ieren iert ier ung ig en er es em et te st e n s t",
}
FUNCTION_WORDS = (
    "a an the to of in on at by for from with and or as is are was be it its this that these those my me i you your he "
    "she they we our do does not no so if what which how when where who can der die das den dem des ein eine einen "
    "einem einer eines und oder im am auf aus bei mit nach von vom zu zum zur für ich mein meine meinen wie wo ist "
    "sind es er sie wir nicht kein keine dass soll sollen"
)


def questions() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / "questions.jsonl").read_text("utf-8").splitlines()]


@cache
def paths(program: str, language: str) -> frozenset[tuple[str, ...]]:
    read = json.loads((FOLDER / "lists" / f"{program}-{language}.json").read_text("utf-8"))
    assert (read["app"], read["language"]) == (program, language)
    for row in read["commands"]:
        assert set(row) == {"path", "role", "keys", "hint", "state", "in_menu"}
        assert ControlRole(row["role"])
        assert ControlState(row["state"])
    return frozenset(tuple(row["path"]) for row in read["commands"])


def stems(text: str, language: str) -> Iterator[str]:
    suffixes = SUFFIXES[language].split()
    for word in re.findall(r"[^\W_]+", text.lower()):
        if word in FUNCTION_WORDS.split():
            continue
        stem = word.translate(str.maketrans({"ä": "a", "ö": "o", "ü": "u", "ß": "ss"}))
        while suffix := next((s for s in suffixes if stem.endswith(s) and len(stem) >= len(s) + 3), ""):
            stem = stem.removesuffix(suffix)
        yield stem[:-1] if len(stem) > 3 and stem[-1] == stem[-2] else stem


def test_each_answer_stands_in_the_list_of_its_program() -> None:
    for row in questions():
        gold, added = ({tuple(path) for path in row.get(name, ())} for name in ("gold", "added"))
        told = paths(row["program"], row["language"])
        assert gold <= told, row["words"]
        assert added <= told | {path[:end] for path in told for end in range(2, len(path))} - gold, row["words"]
        assert bool(row["gold"]) == (row["kind"] != "nothing"), row["words"]


def test_no_name_is_asked_for_in_both_halves() -> None:
    names = {(row["language"], row["gold"][0][-1].lower(), row["half"]) for row in questions() if row["gold"]}
    assert max(Counter((language, name) for language, name, _ in names).values()) == 1


def test_what_shares_no_word_with_its_command_shares_none() -> None:
    for row in questions():
        if row["kind"] == "paraphrase":
            names = " ".join(name for path in row["gold"] for name in path)
            shared = set(stems(row["words"], row["language"])) & set(stems(names, row["language"]))
            assert bool(shared) == row["shares_stem"], row["words"]


def test_each_half_has_what_was_promised() -> None:
    rows = questions()
    counts = Counter((row["language"], row["kind"]) for row in rows)
    english = Counter((row["half"], row["kind"]) for row in rows if row["language"] == "en")
    assert english["tune", "exact"] == english["test", "exact"] == 150
    assert english["tune", "paraphrase"] == english["test", "paraphrase"] == 300
    assert counts["en", "nothing"] + counts["de", "nothing"] == 60
    assert counts["de", "exact"] >= 60
    assert counts["de", "paraphrase"] >= 40
    assert len({row["program"] for row in rows if row["kind"] == "exact"}) >= 12
    for half in ("tune", "test"):
        asked = [row for row in rows if row["half"] == half and row["kind"] == "paraphrase" and row["language"] == "en"]
        assert sum(not row["shares_stem"] for row in asked) >= len(asked) / 2


def test_questions_of_people_are_answered_by_commands_that_exist() -> None:
    programs = {
        "c": "libreoffice-calc",
        "w": "libreoffice-writer",
        "i": "libreoffice-impress",
        "d": "libreoffice-draw",
        "g": "gimp",
        "e": "gedit",
        "v": "evince",
    }
    rows = [json.loads(line) for line in (FOLDER / "questions_a.jsonl").read_text("utf-8").splitlines()]
    assert len({row["id"] for row in rows}) == len(rows) == 93
    for row in rows:
        assert {tuple(path) for path in row["commands"]} <= paths(programs[row["id"][0]], "en"), row["id"]
