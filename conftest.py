"""Makes `tests` importable from everywhere, and loads what selects tests and offers the virtual desktop to each."""

pytest_plugins = ["tests.fakes.desktop.desktop", "tests.fakes.ui.interface", "tests.fakes.selection"]
