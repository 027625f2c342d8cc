"""What may be asked of which program, from what the fence says of its windows. Pure.

A program is asked about everything only while the fence allows all of its windows, hidden ones too: which of them a
signal comes from is not always known. One with a window that may be private is asked whether a password field has the
keyboard, and nothing else: for its role, and in GTK 4, where that need not say so, for the name or label of the field.
One with nothing but excluded windows is not asked at all.
"""

from daemon.capture.accessibility.source import Access, Permit
from daemon.capture.fence.rules import Fence, Visibility
from daemon.capture.scene import DesktopWindow
from storage.ports import SPOTLIGHT_TITLE

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
    ring = (own_pid, SPOTLIGHT_TITLE)
    popups = [one for one in scene.windows if one.popup and (one.pid, one.title) != ring]  # clicks go through the ring
    is_seen = active is not None and fence.visibility(active.client) not in _SILENT
    return Permit(
        programs=programs,
        active=active.pid if active is not None and is_seen else 0,
        window=active.box if active is not None and is_seen else None,
        content=(active.content or active.box) if active is not None and is_seen else None,
        settling=frozenset(settling),
        popups=tuple(one.box for one in popups),
        menus=tuple(one.box for one in popups if active is not None and active.pid and _are_together(one, active)),
    )


def _are_together(popup: DesktopWindow, active: DesktopWindow) -> bool:
    """Return whether a popup is of the active window's program; many do not say of which process they are."""
    return popup.pid == active.pid if popup.pid else popup.group == active.group


def app_of(fence: Fence, pid: int) -> str:
    """Return the program's name as records carry it: that of its active window, else of any."""
    scene = fence.scene
    windows = [window for window in scene.windows if window.pid == pid and window.app]
    windows.sort(key=lambda window: window.client != scene.active)
    return windows[0].app or "" if windows else ""
