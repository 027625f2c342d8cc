"""Windows that somebody asked for, or that come before everything else."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication


def test_what_will_not_work_is_said_and_closed_by_return(qapp: "QApplication") -> None:
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QPushButton

    from ui.dialogs.window import LimitsWindow
    from ui.widgets import Prose

    window = LimitsWindow("No program may watch here. " * 12)
    gone: list[bool] = []
    window.gone.connect(lambda: gone.append(True))
    window.appear()
    for text in window.findChildren(Prose):
        assert text.height() >= text.heightForWidth(text.width())
    assert [button.objectName() for button in window.findChildren(QPushButton)] == ["close"]
    QTest.keyClick(window, Qt.Key.Key_Return)
    qapp.processEvents()
    assert gone == [True]
