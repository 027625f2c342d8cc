"""How the input is described to a model: numbers in our own words, and nothing from the screen."""

from detectors.mllm.prompting.wording import observations


def test_input_is_described_in_numbers() -> None:
    text = observations({"window_s": 12.0, "characters": 40.0, "undos": 7.0, "dead_clicks": 0.0, "idle_s": 3.4})
    assert text == "Input in these 12 s: 40 characters typed, 7 undos.\nNo input for the last 3 s."
    still = observations({"window_s": 6.2, "idle_s": 0.4, "watching_s": 5.0})
    assert still.splitlines() == [
        "Input in these 6 s: none to speak of.",
        "The screen has been changing by itself for 5 s.",
    ]


def test_names_of_features_are_those_of_the_table() -> None:
    """A feature that is renamed would silently no longer be mentioned."""
    from detectors.features.table import TABLE
    from detectors.mllm.prompting.wording import _COUNTS

    assert {name for name, _ in _COUNTS} | {"window_s", "idle_s", "watching_s"} <= set(TABLE)
