"""What stands above the rows of some pages: autostart, a model with its test, and pointing at a window."""

from collections.abc import Callable

from PySide6.QtWidgets import QVBoxLayout, QWidget

from storage.preferences import AutostartState, ModelsState, SettingsState, TrialResult
from storage.translation import tr
from ui.desktop.current import current_desktop
from ui.theme import Theme
from ui.told import Told
from ui.views.settings import (
    AUTOSTART,
    MODEL_OFF,
    POINT,
    POINT_TEXT,
    POINT_X11,
    READING,
    STOP,
    TEST,
    TEST_TEXT,
    TESTING,
    view_autostart,
    view_tier,
    view_trial,
    view_trouble,
)
from ui.widgets import Prose, TickBox, beside, filled, make_wide_button


class Block(QWidget):
    """Lines and buttons, one below the other."""

    def __init__(self, name: str) -> None:
        """Make the block, empty."""
        super().__init__()
        self.setObjectName(name)
        self.column = filled(QVBoxLayout(self), spacing=8, margins=(0, 6, 0, 10))

    def show_state(self, state: SettingsState | None) -> None:
        """Show what the file says."""


class AutostartBlock(Block):
    """The switch of autostart."""

    def __init__(self, theme: Theme, state: SettingsState | None, switch: Callable[[bool], None]) -> None:
        """Make the block; `switch` gets what is wanted."""
        super().__init__("autostart_block")
        self._box = TickBox(tr(AUTOSTART), "autostart", theme)
        self._box.setAccessibleName(tr(AUTOSTART).replace("&", ""))
        self._box.clicked.connect(lambda checked: switch(bool(checked)))
        self._text = Prose(tr(READING), "autostart.text", faint=True)
        self._trouble = Prose("", "autostart.trouble", role="trouble")
        self._trouble.hide()
        filled(self.column, self._box, self._text, self._trouble, spacing=8)
        self.show_state(state)

    def show_state(self, state: SettingsState | None) -> None:
        """Show what decides it."""
        self._box.setEnabled(state is not None and state.autostart.state is not AutostartState.BY_HAND)
        if state is not None:
            self._box.setChecked(state.autostart.starts)
            self._text.say(view_autostart(state.autostart))

    def show_trouble(self, text: str) -> None:
        """Say why it could not be switched."""
        self._trouble.say(text)


class ModelBlock(Block):
    """What a model is, where it is, what it costs, and its test."""

    def __init__(self, table: str, test: Callable[[str], None], stop: Callable[[], None]) -> None:
        """Make the block; `test` gets the table, `stop` ends the trial."""
        super().__init__(f"{table}.block")
        self.table = table
        self._test_model = test
        self._text = Told(tr(READING), f"{table}.model")
        self._test = make_wide_button(tr(TEST), f"{table}.test", "chip", self._begin)
        self._test.setEnabled(False)
        self._stop = make_wide_button(tr(STOP), f"{table}.stop", "chip", stop)
        self._stop.hide()
        self._result = Told("", f"{table}.result")
        said = Prose(tr(TEST_TEXT), f"{table}.test_text", faint=True)
        filled(self.column, self._text, beside(self._test, self._stop, None), said, self._result, spacing=8)
        self._is_on = False

    def show_models(self, models: ModelsState) -> None:
        """Show what is known of the model."""
        tier = next((tier_row for tier_row in models.tiers if tier_row.table == self.table), None)
        self._is_on = tier is not None and bool(tier.preset)
        if models.trouble is not None:
            self._text.say(view_trouble(models.trouble))
        else:
            self._text.say(view_tier(models, tier) if tier is not None else tr(MODEL_OFF))
        if self._stop.isHidden():
            self._test.setEnabled(self._is_on)

    def _begin(self) -> None:
        self._test.setEnabled(False)
        self._stop.show()
        self._result.say(tr(TESTING))
        self._test_model(self.table)

    def show_result(self, result: TrialResult) -> None:
        """Show what came of the trial."""
        self._stop.hide()
        self._test.setEnabled(self._is_on)
        self._result.say(view_trial(result))


class PointBlock(Block):
    """The button that excludes a program by pointing at one of its windows."""

    def __init__(self, point: Callable[[], None]) -> None:
        """Make the block."""
        super().__init__("point_block")
        can_point = current_desktop().can_point
        button = make_wide_button(tr(POINT), "point", "chip", point)
        button.setEnabled(can_point)
        self._said = Prose("", "point.said")
        self._said.hide()
        text = Prose(tr(POINT_TEXT) if can_point else tr(POINT_X11), "point.text", faint=True)
        filled(self.column, beside(button, None, spacing=-1), text, self._said, spacing=8)

    def show_said(self, text: str) -> None:
        """Say what became of pointing."""
        self._said.say(text)
