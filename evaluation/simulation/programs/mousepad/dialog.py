"""One of Mousepad's dialogs in the hands of a person: opened, used, left."""

from evaluation.simulation.actor import Actor
from evaluation.simulation.programs.mousepad.page import Page
from evaluation.simulation.programs.mousepad.places import DIALOGS
from evaluation.stage.windows import WindowInfo

_WORDS = ("garden", "path", "shed", "choir", "hall", "bench")


class PageDialog:
    """The dialog that this person opens in this session."""

    def __init__(self, actor: Actor, page: Page) -> None:
        """Choose it."""
        self._actor, self._hands, self._rng = actor, actor.hands, actor.rng
        self._page = page
        self._dialog = actor.rng.choice(DIALOGS)
        self._on_first_tab = True

    def open(self) -> None:
        """Open it by key or menu."""
        if self._dialog.key and self._actor.by_key():
            self._hands.chord(self._dialog.key)
        else:
            self._page.choose_at(*self._dialog.entry)
        self._on_first_tab = True
        self._actor.wait_dialog(self._dialog.title)

    def use(self) -> None:
        """Fill in a field, set a mark or a number, or look at another tab."""
        box, dialog = self._found().box, self._dialog
        kinds = {"field": dialog.fields, "mark": dialog.marks, "tab": dialog.tabs}
        kind = self._rng.choice([name for name, places in kinds.items() if places]) if self._on_first_tab else "tab"
        place = self._rng.choice(kinds[kind])
        self._hands.click(box.x + place[0], box.y + place[1])
        if kind == "tab":
            self._on_first_tab = place == dialog.tabs[0]
        elif kind == "field":
            self._hands.chord("ctrl+a")
            word = str(self._rng.randint(2, 99)) if dialog.numbers else self._rng.choice(_WORDS)
            self._hands.text(word, rate=self._actor.rate)
        self._actor.think(0.5)

    def leave(self, *, apply: bool) -> None:
        """Press the button or Enter, or Escape or Cancel."""
        box, dialog = self._found().box, self._dialog
        button = dialog.ok if apply else dialog.cancel
        if button is not None and not self._actor.by_key():
            self._hands.click(box.x + button[0], box.y + button[1])
        else:
            self._hands.chord("Return" if apply and dialog.numbers else "Escape")
        self._actor.wait_title_gone(dialog.title)

    def _found(self) -> WindowInfo:
        window = next((one for one in self._page.main.others() if self._dialog.title in one.title), None)
        if window is None:
            raise LookupError("the dialog is not open")
        return window
