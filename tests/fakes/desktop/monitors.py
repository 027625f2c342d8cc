"""Two monitors side by side on a virtual desktop, as `xrandr --setmonitor` makes them."""

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.windows import poll
from storage.records import Box

SIZE = (1700, 700)
"""Width and height of the desktop that holds both."""

MONITORS = {"left": Box(0, 0, 900, 700), "right": Box(900, 0, 800, 700)}
"""By the names that `QT_SCREEN_SCALE_FACTORS` takes."""


def divide(desktop: VirtualDesktop) -> None:
    """Make two monitors of a desktop of that size; programs that start later see both."""
    for (name, box), output in zip(MONITORS.items(), ("screen", "none"), strict=True):
        place = f"{box.w}/{box.w // 4}x{box.h}/{box.h // 4}+{box.x}+{box.y}"
        process = desktop.spawn(["xrandr", "--setmonitor", name, place, output], f"monitor-{name}")
        assert process.wait(10) == 0
    root = desktop.display.screen().root
    poll(lambda: len(root.xrandr_get_monitors().monitors) == len(MONITORS), what="dividing the desktop")
