"""Whether the machine runs on battery, from /sys/class/power_supply; asked rarely, and only while capture is awake."""

from pathlib import Path

SUPPLIES = Path("/sys/class/power_supply")
CHECK_S = 60.0


def on_battery(supplies: Path = SUPPLIES) -> bool | None:
    """Return whether a battery of the machine is being drained; None where there is none."""
    try:
        batteries = [supply for supply in supplies.iterdir() if _text(supply / "type") == "Battery"]
    except OSError:
        return None
    ours = [supply for supply in batteries if _text(supply / "scope") != "Device"]  # a wireless mouse has one, too
    return any(_text(supply / "status") == "Discharging" for supply in ours) if ours else None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""
