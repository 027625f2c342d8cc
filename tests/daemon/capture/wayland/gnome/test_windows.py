"""What is made of the list of Kairos' extension to GNOME Shell, and whom it is taken from."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from daemon.capture.scene import Scene, WindowKind
from daemon.capture.wayland.gnome import windows as gnome
from daemon.capture.wayland.gnome.installation import folder_of
from daemon.capture.wayland.gnome.windows import GnomeWindows
from demo.virtual_desktop.windows import poll
from storage.clock import SystemClock
from storage.errors import EnvironmentFault
from storage.records import Box
from tests.fakes.desktop.gnome_extension import SCREEN, FakeExtension, state, window

EDITOR = window(1, "editor")


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[FakeExtension]:
    extension = FakeExtension(tmp_path, state(EDITOR, active=1))
    yield extension
    extension.close()


@pytest.fixture
def windows(shell: FakeExtension) -> Iterator[GnomeWindows]:
    opened = GnomeWindows(shell.env, SystemClock(), os.getpid())
    yield opened
    opened.close()


def told(shell: FakeExtension, windows: GnomeWindows, *listed: Any, **more: Any) -> Scene:
    """Have the extension list these; return the newest state."""
    shell.state = state(*listed, **more)
    windows.refresh()
    return (windows.take_scenes() or (windows._newest,))[-1]


def test_windows_are_where_they_are_drawn_and_their_program_counts_from_its_own_corner(
    shell: FakeExtension, windows: GnomeWindows
) -> None:
    (scene,) = windows.take_scenes()
    (editor,) = scene.windows
    assert shell.proofs == [True]
    assert (editor.app, editor.box, editor.content, editor.corner) == (
        *("editor", Box(5, 5, 110, 110)),
        *(Box(10, 10, 100, 100), (5, 5)),
    )
    assert (scene.active, scene.screen, scene.outputs, windows.pointer) == (1, Box(0, 0, 1000, 500), (), (7, 8))
    assert editor.hiding is None  # nobody says which of its pixels are opaque


def test_the_pointer_is_asked_for_once_until_an_answer_comes_and_nobody_waits(
    shell: FakeExtension, windows: GnomeWindows
) -> None:
    shell.is_deaf = True
    for _ in range(3):
        windows.ask()
    poll(lambda: shell.asked == 1, what="the question")
    shell.tell(state(EDITOR, pointer=[70, 80]) | {"answer": 1})
    windows.read()  # `tell` has sent it
    assert windows.pointer == (70, 80)
    windows.ask()
    poll(lambda: shell.asked == 2, what="another question")


def test_menus_dialogs_and_what_the_shell_shows_are_told_apart(shell: FakeExtension, windows: GnomeWindows) -> None:
    """A menu has no name and belongs to its parent; the panel lists windows, anything else may be a message."""
    panel, tray = {"name": "panelBox", "box": [0, 0, 1000, 32]}, {"name": "MessageTray", "box": [0, 32, 9, 9]}
    menu, ask = window(2, None, type=9, parent=1), window(3, "editor", type=4, parent=1)
    own = window(4, "Gnome-shell", pid=os.getpid(), type=15)
    away = window(5, "mail", shown=False, wayland=False)
    scene = told(shell, windows, EDITOR, menu, ask, own, away, parts=[panel, tray])
    assert [(w.app, w.kind.value, w.popup, w.dialog, w.transient_for) for w in scene.windows] == [
        ("editor", WindowKind.PROGRAM, False, False, 0),
        (None, WindowKind.PROGRAM, True, False, 1),
        ("editor", WindowKind.PROGRAM, False, True, 1),
        ("gnome-shell", WindowKind.DOCK, False, False, 0),
        ("gnome-shell", WindowKind.NOTIFICATION, False, False, 0),
    ]
    assert [(hidden.app, hidden.corner) for hidden in scene.hidden] == [("mail", None)]


def test_overview_switcher_and_lock_screen_close_everything(shell: FakeExtension, windows: GnomeWindows) -> None:
    """They show parts of any window, and what was searched for."""
    scene = told(shell, windows, EDITOR, busy=True, locked=True)
    veil = scene.windows[-1]
    assert (veil.kind, veil.box) == (WindowKind.NOTIFICATION, Box(*SCREEN))
    assert windows.locked


def test_what_goes_away_counts_as_shown_somewhere_until_effects_have_ended(
    shell: FakeExtension, windows: GnomeWindows
) -> None:
    other, gone = window(2, "KeePassXC"), window(2, "KeePassXC", shown=False)
    told(shell, windows, EDITOR, other)
    for listed in ((EDITOR, gone), (EDITOR,)):  # minimised, then closed
        scene = told(shell, windows, *listed, effects=True)
        assert [w.client for w in scene.windows] == [2, 1]
        assert (scene.hidden, scene.outputs) == ((), (Box(*SCREEN),))
    scene = told(shell, windows, EDITOR)
    assert ([w.client for w in scene.windows], scene.outputs) == ([1], ())


def test_states_are_told_one_by_one_and_a_repeated_one_is_none(shell: FakeExtension, windows: GnomeWindows) -> None:
    windows.take_scenes()
    windows.refresh()
    assert windows.take_scenes() == ()
    shell.tell(state(EDITOR, window(2, "mail")))
    shell.tell(state(EDITOR))
    windows.refresh()  # its answer comes after both
    scenes = windows.take_scenes()
    assert [[w.client for w in scene.windows] for scene in scenes] == [[1, 2], [1]]
    assert [w.since_ns > 0 for w in scenes[0].windows] == [False, True]


@pytest.mark.parametrize(
    "broken", [{"windows": [{}]}, {"monitors": None}, {"pointer": []}], ids=["window", "monitors", "pointer"]
)
def test_a_list_that_cannot_be_read_is_a_fault(
    shell: FakeExtension, windows: GnomeWindows, broken: dict[str, Any]
) -> None:
    shell.state = state(EDITOR) | broken
    with pytest.raises(EnvironmentFault):
        windows.refresh()


def test_a_shell_that_hangs_is_a_fault(
    shell: FakeExtension, windows: GnomeWindows, monkeypatch: pytest.MonkeyPatch
) -> None:
    windows._connection.settimeout(0.05)
    shell.is_deaf = True
    with pytest.raises(EnvironmentFault):
        windows.refresh()


def test_the_list_of_another_process_does_not_count(shell: FakeExtension) -> None:
    with pytest.raises(EnvironmentFault):
        GnomeWindows(shell.env, SystemClock(), 1)


def test_without_an_extension_there_is_no_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither where it is not installed nor where it does not come; nothing is left behind."""
    monkeypatch.setattr(gnome, "COMES_S", 0.05)
    env = {"XDG_RUNTIME_DIR": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    for _ in range(2):
        with pytest.raises(EnvironmentFault):
            GnomeWindows(env, SystemClock(), os.getpid())
        folder_of(env).mkdir(parents=True, exist_ok=True)
        (folder_of(env) / "token").write_text("t")
    assert list((tmp_path / "kairos-windows").iterdir()) == []
