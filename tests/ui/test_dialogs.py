"""Windows that somebody asked for, or that come before everything else."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from tests.fakes.ui.windows import cut_texts
from ui.dialogs.window import LimitsWindow


def test_what_will_not_work_is_said_and_closed_by_return(qapp: QApplication) -> None:
    window = LimitsWindow("No program may watch here. " * 12)
    gone: list[bool] = []
    window.gone.connect(lambda: gone.append(True))
    window.appear()
    assert cut_texts(window) == []
    assert [button.objectName() for button in window.findChildren(QPushButton)] == ["close"]
    QTest.keyClick(window, Qt.Key.Key_Return)
    qapp.processEvents()
    assert gone == [True]
