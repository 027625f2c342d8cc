"""Forty things that people want, each from the open menu of the tray: by pointer in four acts, and by keys alone."""

import datetime as dt
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QListView, QMenu, QScrollArea, QTabWidget, QWidget

from storage.clock import HOUR_NS, MINUTE_NS, NS_PER_S
from storage.ports import RunState, Status
from storage.preferences import Autostart, AutostartState, ModelsState, PresetRow, SettingsState
from storage.settings import FenceSettings, ModelSettings, PolicySettings, Settings
from storage.timeline import Moment, MomentKind, TimelineDay
from tests.fakes.narrowing import as_a, present
from tests.fakes.ui.every_window import FACTS
from tests.fakes.ui.requests import Calls, SettingsNotes, TimelineNotes, forget_report
from ui.app import Interface
from ui.desktop.protocol import Desktop
from ui.timeline.band import DayBand
from ui.timeline.moments import MomentsList
from ui.views.text import long_day
from ui.views.tray import Action, view_tray

TASKS = tomllib.loads((Path(__file__).parent / "data" / "walk.toml").read_text(encoding="utf-8"))["task"]
MOST_ACTS = 4
QUICK_MS = 5
TODAY = dt.date(2026, 9, 21)
YESTERDAY = TODAY - dt.timedelta(days=1)
DAY_NS = round(dt.datetime.combine(TODAY, dt.time()).astimezone().timestamp()) * NS_PER_S
AT_14_05 = DAY_NS + 14 * HOUR_NS + 5 * MINUTE_NS
WATCHING, PAUSED, PRIVATE = (Status(state=state) for state in (RunState.WATCHING, RunState.PAUSED, RunState.PRIVATE))


def moment(begin_ns: int, kind: MomentKind, **facts: Any) -> Moment:
    end_ns = begin_ns + 10 * MINUTE_NS
    where: dict[str, Any] = {"begin_wall_ns": begin_ns, "end_wall_ns": end_ns, "start_ns": begin_ns, "end_ns": end_ns}
    return Moment(moment_id=f"s/{begin_ns}{kind}", kind=kind, session="s", app="gimp", **where, **facts)


MOMENTS = (
    moment(DAY_NS + 9 * HOUR_NS, MomentKind.WORK, help_need=0.8, frame=1),
    moment(DAY_NS + 10 * HOUR_NS, MomentKind.OFFER, title="Undone twice", help_need=0.8, why="Need was clear."),
    replace(moment(AT_14_05 - MINUTE_NS, MomentKind.WORK, frame=2), app="calc"),
    moment(DAY_NS + 16 * HOUR_NS, MomentKind.WORK),
)
SETTINGS = Settings(
    fence=FenceSettings(excluded_apps=("mail",)),
    policy=PolicySettings(how_often="often"),
    local_model=ModelSettings(preset="here"),
)
PRESET = PresetRow(name="here", remote=False, address="", model="", price_in=None, price_out=None, note="")


class Person:
    """Somebody at the open menu of the tray, who does all by pointer or all by keys; `acts` are counted by pointer."""

    def __init__(self, *, by_keys: bool, status: Status) -> None:
        self.by_keys, self.acts = by_keys, 0
        self.others = QApplication.topLevelWidgets()
        self.notes: dict[str, Any] = {"core": Calls(), "day": TimelineNotes(), "settings": SettingsNotes()}
        self.interface = Interface(self.notes["core"], Settings().interface, self.notes["day"], self.notes["settings"])
        self.interface._tray.show_status(status)
        self.menu = self.interface._tray._menu
        self.entries = view_tray(status).entries
        self.menu.popup(QPoint(0, 0))

    def calls(self, name: str) -> list[tuple[Any, ...]]:
        return list(self.notes[name].made if name == "core" else self.notes[name].calls)

    def do(self, step: str) -> None:
        word, _, rest = step.partition(" ")
        asked = len(self.calls("day"))
        getattr(self, f"_{word}")(*([rest] if rest else []))
        QApplication.processEvents()
        for name, *given in self.calls("day")[asked:]:
            if name == "request_day":
                day = TimelineDay(
                    day=TODAY, today=TODAY, begin_wall_ns=DAY_NS, end_wall_ns=DAY_NS, moments=MOMENTS, earlier=YESTERDAY
                )
                self.interface._on_timeline(day)
            elif name == "request_facts":
                self.interface._on_timeline(replace(FACTS, learned=("It waits longer.",)))
            elif name == "preview_forget":
                self.interface._on_timeline(forget_report(scope=given[0]))
        QApplication.processEvents()

    # ------------------------------------------------------------ hands

    def _windows(self) -> list[QWidget]:
        return [window for window in QApplication.topLevelWidgets() if window not in self.others]

    def _find(self, name: str) -> QWidget:
        found = [
            widget
            for window in self._windows()
            for widget in window.findChildren(QWidget, name)
            if window.isVisible() and widget.isVisible()
        ]
        assert len(found) == 1, (name, found)
        return found[0]

    def _reach(self, widget: QWidget) -> None:
        """Bring the pointer or the keyboard to a part of a window; what is out of sight is scrolled to, as an act."""
        window = widget.window()
        window.activateWindow()
        if self.by_keys:
            for _ in range(200):
                used: QWidget | None = window.focusWidget()
                if used is widget:
                    return
                QTest.keyClick(used or window, Qt.Key.Key_Tab)
            raise AssertionError(f"Tab never comes to {widget.objectName()}")
        area: QWidget | None = widget
        while area is not None and not isinstance(area, QScrollArea):
            area = area.parentWidget()
        if isinstance(area, QScrollArea) and widget.visibleRegion().boundingRect().height() < widget.height():
            self.acts += 1
            area.ensureWidgetVisible(widget)
            QApplication.processEvents()
        assert not widget.visibleRegion().isEmpty()

    def _press_part(self, widget: QWidget, at: QPoint | None = None) -> None:
        self._reach(widget)
        self.acts += 1
        if self.by_keys:
            QTest.keyClick(widget, Qt.Key.Key_Space)
        else:
            QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=at or QPoint(12, widget.height() // 2))

    # ------------------------------------------------------------ steps

    def _in_menu(self, menu: QMenu, text: str) -> None:
        (action,) = (action for action in menu.actions() if action.text() == text and action.isEnabled())
        self.acts += 1
        if not self.by_keys:
            QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(action).center())
            return
        for _ in menu.actions():
            if menu.activeAction() is action:
                break
            QTest.keyClick(menu, Qt.Key.Key_Down)
        QTest.keyClick(menu, Qt.Key.Key_Return)

    def _menu(self, name: str) -> None:
        self._in_menu(self.menu, [entry.text for entry in self.entries if entry.action is Action[name]][-1])
        window = self.interface._settings_window
        if window is not None:
            autostart = Autostart(state=AutostartState.OFF, file="/a", starts=False)
            window.take(SettingsState(settings=SETTINGS, in_force=SETTINGS, file="/f", autostart=autostart))
            window.take(ModelsState(presets=(PRESET,)))

    def _popup(self, text: str) -> None:
        (menu,) = (menu for menu in self._windows() if isinstance(menu, QMenu) and menu.isVisible())
        self._in_menu(menu, long_day(YESTERDAY) if text == "YESTERDAY" else text)

    def _click(self, name: str) -> None:
        self._press_part(self._find(name))

    def _type(self, what: str) -> None:
        name, _, text = what.partition(" ")
        field = as_a(QLineEdit, self._find(name))
        if field.window().focusWidget() is not field:
            self._reach(field)
            self.acts += 1
            field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, text)
        QTest.keyClick(field, Qt.Key.Key_Return)
        self.acts += 1

    def _pick(self, what: str) -> None:
        name, _, value = what.partition(" ")
        box = as_a(QComboBox, self._find(name))
        row = box.findData(value)
        assert row >= 0
        self._reach(box)
        self.acts += 2
        if self.by_keys:
            while box.currentIndex() != row:
                before = box.currentIndex()
                QTest.keyClick(box, Qt.Key.Key_Down if row > before else Qt.Key.Key_Up)
                assert box.currentIndex() != before
            return
        QTest.mouseClick(box, Qt.MouseButton.LeftButton)
        QApplication.processEvents()
        view = box.view()
        at = view.visualRect(box.model().index(row, 0)).center()
        QTest.mouseMove(view.viewport(), at)
        QTest.qWait(2 * QUICK_MS)  # a release right after the list is there chooses nothing
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)

    def _rows_of(self, view: QListView) -> list[str]:
        return [str(view.model().data(view.model().index(row, 0))) for row in range(view.model().rowCount())]

    def _row(self, words: str) -> None:
        view = as_a(MomentsList, self._find("moments"))
        (row,) = (row for row, text in enumerate(self._rows_of(view)) if words in text)
        self._go_to_row(view, row)

    def _go_to_row(self, view: MomentsList, row: int) -> None:
        self._reach(view)
        self.acts += 1
        if not self.by_keys:
            at = view.visualRect(view.model().index(row, 0)).center()
            QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
            return
        QTest.keyClick(view, Qt.Key.Key_Home)
        for _ in range(row):
            QTest.keyClick(view, Qt.Key.Key_Down)
        if not view.chosen:
            QTest.keyClick(view, Qt.Key.Key_Space)

    def _band(self, _: str) -> None:
        band, view = self._find("band"), self._find("moments")
        assert isinstance(band, DayBand)
        assert isinstance(view, MomentsList)
        if self.by_keys:
            self._go_to_row(view, 2)
            return
        self._press_part(band, QPoint(round(band._x(AT_14_05)), band.height() // 2))

    def _tab(self, name: str) -> None:
        tabs = as_a(QTabWidget, self._find("tabs"))
        (number,) = (number for number in range(tabs.count()) if tabs.tabText(number) == name)
        bar = tabs.tabBar()
        self._reach(bar)
        self.acts += 1
        if not self.by_keys:
            QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(number).center())
        for _ in range(number if self.by_keys else 0):
            QTest.keyClick(bar, Qt.Key.Key_Right)

    def _shortcut(self, name: str) -> None:
        self.acts += 1
        held = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        QTest.keyClick(self._find(name), Qt.Key.Key_K, held)

    def _point(self, name: str) -> None:
        self.acts += 1
        window = present(self.interface._settings_window)
        window._picker.picked.emit(name)

    # ------------------------------------------------------------ what came of it

    def has(self, where: str, *what: Any) -> bool:
        match where:
            case "text":
                parts = [part for window in self._windows() for part in window.findChildren(QWidget, what[0])]
                texts = [part.property("text") for part in parts]
                return any(what[1] in str(text) for text in texts)
            case "rows":
                view = as_a(MomentsList, self._find("moments"))
                return bool(self._rows_of(view)) and all(what[0] in row for row in self._rows_of(view))
            case "tab":
                tabs = self._find("tabs")
                return isinstance(tabs, QTabWidget) and tabs.tabText(tabs.currentIndex()) == what[0]
            case _:
                wanted = [{"NONE": None, "YESTERDAY": YESTERDAY}.get(part, part) for part in what]
                return any([_plain(part) for part in call[: len(what)]] == wanted for call in self.calls(where))


def _plain(part: Any) -> Any:
    return part.scope.value if hasattr(part, "scope") else part


@pytest.fixture(params=["pointer", "keys"])
def person(
    request: pytest.FixtureRequest, qapp: QApplication, task: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Person]:
    monkeypatch.setattr(Desktop, "can_point", True)
    double_click_ms = qapp.doubleClickInterval()
    qapp.setDoubleClickInterval(QUICK_MS)
    status = {"go on after a pause": PAUSED, "end being private": PRIVATE}.get(task["name"], WATCHING)
    made = Person(by_keys=request.param == "keys", status=status)
    yield made
    made.menu.close()
    made.interface.close()
    qapp.setDoubleClickInterval(double_click_ms)
    qapp.processEvents()


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task["name"])
def test_what_people_want_takes_four_acts_and_no_pointer(task: dict[str, Any], person: Person) -> None:
    steps = task.get("by_keys", task["steps"]) if person.by_keys else task["steps"]
    for step in steps:
        assert step == steps[0] or not person.has(*task["done"])
        person.do(step)
    assert person.has(*task["done"])
    if not person.by_keys:
        assert person.acts <= MOST_ACTS


def test_the_list_has_forty() -> None:
    assert len({task["name"] for task in TASKS}) == 40
