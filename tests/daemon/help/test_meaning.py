"""Vectors of English words: what means the same is near, and nothing is read before it is asked for."""

import subprocess
import sys

import numpy as np
import pytest

from daemon.help import meaning


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("insert a picture", "Insert Image", "Insert Column"),
        ("make letters thicker", "bold font", "print preview"),
        ("rubbish", "trash", "paragraph"),
        ("lock the top row", "freeze first row", "export as PDF"),
        ("unclosable windows", "close window", "spell check"),
    ],
)
def test_what_means_the_same_is_nearer(text: str, near: str, far: str) -> None:
    of_text, of_near, of_far = meaning.vectors((text, near, far))
    assert of_text @ of_near > of_text @ of_far + 0.1


def test_a_vector_has_length_one_and_is_the_same_every_time() -> None:
    found = meaning.vectors(("word count", "Word   COUNT!"))
    assert found.shape == (2, meaning.dimensions())
    assert found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1)
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(meaning.vector("word count"), found[0])


@pytest.mark.parametrize("text", ["", "?!", "日本語", "ü"])
def test_a_text_without_known_words_means_nothing(text: str) -> None:
    assert not meaning.vector(text).any()


def test_no_texts_are_no_vectors() -> None:
    assert meaning.vectors(()).shape == (0, meaning.dimensions())


def test_many_words_at_a_time_mean_the_same_as_each_alone() -> None:
    words = ("", "undo", "spreadsheets", "unclosable", "c++", "größe", "zz\u4e00", "word")
    np.testing.assert_allclose(meaning.word_vectors(words), meaning.vectors(words), atol=1e-6)


def test_rare_words_count_more() -> None:
    assert meaning.rarity("the") < meaning.rarity("make") < meaning.rarity("picture") < meaning.rarity("toolbar")
    assert meaning.rarity("zzqy") == 1
    with_the = meaning.vector("the toolbar") @ meaning.vector("toolbar")
    assert with_the > 0.95


def test_a_word_that_is_not_known_whole_is_the_mean_of_its_pieces() -> None:
    assert meaning.vector("fontsize") @ meaning.vector("font") > 0.3
    assert meaning.vector("x" * 5000).shape == (meaning.dimensions(),)


def test_the_file_is_small_and_is_not_read_by_importing() -> None:
    assert meaning.FILE.stat().st_size < 8_000_000
    seen = "import sys; from daemon.help import meaning; print(meaning._table.cache_info().currsize)"
    done = subprocess.run([sys.executable, "-c", seen], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"


def test_what_was_read_of_the_file_is_let_go_and_read_again() -> None:
    code = """
from daemon.help import meaning
def mapped_kb():
    return int(open("/proc/self/status").read().split("RssFile:")[1].split()[0])
before = meaning.vector("freeze")
meaning._table()[1]["vector"].sum()
held = mapped_kb()
meaning.let_go()
print(held - mapped_kb() > 4000, (meaning.vector("freeze") == before).all())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]
