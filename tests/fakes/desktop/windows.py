"""Builders of windows and scenes, for tests of the fence and of what is recorded of windows."""

from collections.abc import Sequence
from typing import Any

from daemon.capture.fence.rules import Fence
from daemon.capture.scene import DesktopWindow, Scene
from storage.records import Box
from storage.settings import FenceSettings

LEFT, RIGHT, BIG = Box(0, 0, 100, 100), Box(200, 0, 100, 100), Box(0, 0, 500, 500)
OWN_PID = 4242


def window(client: int, app: str | None, box: Box = LEFT, **more: Any) -> DesktopWindow:
    """Return a window; by default each belongs to a program of its own, a browser's profile is an ordinary one."""
    values: dict[str, Any] = {"xid": client + 1000, "group": client << 21, "ordinary_profile": True} | more
    return DesktopWindow(client=client, app=app, box=box, **values)


def scene(*windows: DesktopWindow, active: int = 0, t_ns: int = 0, **more: Any) -> Scene:
    return Scene(t_ns=t_ns, windows=windows, active=active, **more)


def fence_over(
    *windows: DesktopWindow, now_ns: int = 0, apps: Sequence[str] = (), titles: Sequence[str] = (), **more: Any
) -> Fence:
    settings = more.pop("settings", None) or FenceSettings(excluded_apps=tuple(apps), excluded_titles=tuple(titles))
    fence = Fence(settings, OWN_PID)
    fence.update([scene(*windows, **more)], now_ns)
    return fence


def look(fence: Fence, now_ns: int, *windows: DesktopWindow, **more: Any) -> None:
    fence.update([scene(*windows, t_ns=now_ns, **more)], now_ns)
