"""A plain Qt list of as many rows as a day has, with a field to search in: what the timeline's figures stand beside.

A program of its own: it prints its figures as JSON, in CPU milliseconds and megabytes.
"""

import json
import os
import sys
from statistics import quantiles
from time import process_time

from PySide6.QtCore import QSortFilterProxyModel, QStringListModel
from PySide6.QtWidgets import QApplication, QLineEdit, QListView, QVBoxLayout, QWidget

from lab.measure.processes import rss_mb

TURNS = 100
WORD = "gimp"


def main(rows: int) -> dict[str, float]:
    """Open the list, turn through it, and search in it."""
    application = QApplication([])
    before_mb, begin = rss_mb(os.getpid()), process_time()
    lines = [f"10:{n // 60 % 60:02}:{n % 60:02}  Working in {('mousepad', 'gimp')[n % 2]}, {n}" for n in range(rows)]
    source, shown, view, field = QStringListModel(lines), QSortFilterProxyModel(), QListView(), QLineEdit()
    shown.setSourceModel(source)
    view.setModel(shown)
    view.setUniformItemSizes(True)
    field.textChanged.connect(shown.setFilterFixedString)
    window = QWidget()
    layout = QVBoxLayout(window)
    layout.addWidget(field)
    layout.addWidget(view)
    window.resize(940, 680)
    window.show()
    application.processEvents()
    open_s = process_time() - begin
    frames = []
    for turn in range(TURNS):
        begin = process_time()
        view.verticalScrollBar().setValue(turn * 3)
        application.processEvents()
        frames.append(process_time() - begin)
    begin = process_time()
    for end in range(1, len(WORD) + 1):
        field.setText(WORD[:end])
        application.processEvents()
    search_s = (process_time() - begin) / len(WORD)
    return {
        "open_ms": round(1000 * open_s, 1),
        "frame_p95_ms": round(1000 * quantiles(frames, n=20)[-1], 2),
        "search_ms": round(1000 * search_s, 1),
        "more_mb": round(rss_mb(os.getpid()) - before_mb, 1),
    }


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]))))
