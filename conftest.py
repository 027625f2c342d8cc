"""Makes `tests` importable from everywhere and offers the virtual desktop to every test."""

pytest_plugins = ["tests.fakes.desktop"]
