"""What may be asked of which program, from what the fence says of its windows. Pure.

A program is asked about everything only while the fence allows all of its windows, hidden ones too: which of them a
signal comes from is not always known. One with a window that may be private is asked whether a password field has the
keyboard, and nothing else; one with nothing but excluded windows is not asked at all.
"""

from daemon.capture.accessibility.source import Access, Permit
from daemon.capture.fence.rules import Fence, Visibility
from storage.records import Box

_SILENT = (Visibility.COVERED, Visibility.OWN)


def permit_of(fence: Fence, own_pid: int) -> Permit:
    """Return what may be asked now."""
    programs: dict[int, Access] = {}
    settling = set()
    for pid, states in fence.processes.items():
        if pid == own_pid:
            programs[pid] = Access.NOTHING
        elif Visibility.UNSETTLED in states:
            programs[pid] = Access.NOTHING
            settling.add(pid)
        elif states == {Visibility.ALLOWED}:
            programs[pid] = Access.ALL
        elif states.issubset(_SILENT):
            programs[pid] = Access.NOTHING
        else:
            programs[pid] = Access.FIELDS
    scene = fence.scene
    active = next((w for w in reversed(scene.windows) if scene.active and w.client == scene.active), None)
    popups: tuple[Box, ...] = tuple(window.box for window in scene.windows if window.popup)
    is_seen = active is not None and fence.visibility(active.client) not in _SILENT
    return Permit(
        programs=programs,
        active=active.pid if active is not None and is_seen else 0,
        settling=frozenset(settling),
        popups=popups,
    )


def app_of(fence: Fence, pid: int) -> str:
    """Return the program's name as records carry it: that of its active window, else of any."""
    scene = fence.scene
    windows = [window for window in scene.windows if window.pid == pid and window.app]
    windows.sort(key=lambda window: window.client != scene.active)
    return windows[0].app or "" if windows else ""
