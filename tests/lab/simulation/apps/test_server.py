"""The server between an application and its view: events in, effects out, layouts kept, strangers refused."""

import json
import random
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QCheckBox, QListWidget, QPushButton

from lab.simulation.apps.login import Login
from lab.simulation.apps.qt import AppWindow, Remote
from lab.simulation.apps.server import AppServer
from lab.simulation.apps.stock import Stock


@pytest.fixture
def server() -> Iterator[AppServer]:
    made = AppServer(Stock(random.Random(1)), b"<p>page</p>")
    yield made
    made.close()


def fetch(url: str, facts: dict[str, Any] | None = None) -> bytes:
    data = None if facts is None else json.dumps(facts).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data=data), timeout=10) as answer:  # noqa: S310  # our own
        body: bytes = answer.read()
    return body


def test_a_view_gets_page_and_description(server: AppServer) -> None:
    assert fetch(server.url) == b"<p>page</p>"
    assert {"title", "pages", "look"} <= json.loads(fetch(f"{server.url}app")).keys()


def test_an_event_is_handled_and_its_effects_come_back(server: AppServer) -> None:
    rows = json.loads(fetch(f"{server.url}event", {"control": "sort", "values": {"sort": "Count"}}))
    assert rows[0]["op"] == "rows"
    assert server.events == 1


def test_messages_over_the_window_are_counted() -> None:
    """Apart from other answers: whoever acted knows whether a message is to come."""
    server = AppServer(Login(random.Random(1)))
    try:
        fetch(f"{server.url}event", {"control": "forgot", "values": {}})
        assert (server.events, server.dialogs) == (1, 0)
        fetch(f"{server.url}event", {"control": "enter", "values": {"user": "nobody"}})
        assert (server.events, server.dialogs) == (2, 1)
    finally:
        server.close()


def test_a_chosen_row_stays_chosen_while_it_is_counted_up(server: AppServer, qapp: QApplication) -> None:
    """Each step draws the list anew: with the choice lost the second would be dead, in work that is labelled calm."""
    window = AppWindow(Remote(server.url))
    rows, edit = window.findChildren(QListWidget)[0], window.findChildren(QCheckBox)[0]
    edit.click()
    rows.setCurrentRow(2)
    name, _, count = rows.item(2).text().partition(": ")
    plus = next(button for button in window.findChildren(QPushButton) if button.text() == "+1")
    for _ in range(3):
        plus.click()
    assert rows.item(2).text() == f"{name}: {int(count) + 3}"
