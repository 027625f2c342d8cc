"""Things that take a while on a simulated desktop and end by themselves: a bar, or lines in a terminal.

Each is a shell script in a process of its own, written with all its delays beforehand, so that it ends whatever happens
to the process that started it.
"""

import random
import subprocess
from collections.abc import Sequence

from demo.virtual_desktop.desktop import VirtualDesktop
from demo.virtual_desktop.sample_text import item, sentence
from demo.virtual_desktop.windows import WindowInfo

_TITLES = ("Saving", "Exporting", "Please wait", "Converting", "Checking the document", "Printing")


def start_dialog(
    desktop: VirtualDesktop, rng: random.Random, seconds: float, over: WindowInfo
) -> subprocess.Popen[bytes]:
    """Show a progress bar, modal over a window; now and then one without a percentage."""
    title, text = rng.choice(_TITLES), f"Working on {item(rng)}"
    swinging = rng.random() < 0.25  # noqa: PLR2004  # share
    lines = [f"sleep {pause:.2f}; echo {min(percent, 99)}" for percent, pause in _steps(rng, seconds)]
    options = f"--progress --modal --attach={over.xid} --auto-close --width={rng.randint(300, 520)}"
    options += " --no-cancel" if rng.random() < 0.5 else ""  # noqa: PLR2004  # share
    options += " --pulsate" if swinging else " --percentage=0"
    return _start(
        desktop, "progress", f"({'; '.join(lines)}; echo 100) | zenity {options} --title='{title}' --text='{text}'"
    )


def start_terminal(desktop: VirtualDesktop, rng: random.Random, seconds: float) -> subprocess.Popen[bytes]:
    """Show a terminal in which lines appear at irregular times; it closes at the end."""
    lines = [f"sleep {pause:.2f}\necho '[{percent:3d}%] {sentence(rng)}'" for percent, pause in _steps(rng, seconds)]
    script = desktop.directory / f"work-{rng.randrange(10**6)}.sh"
    script.write_text("echo '$ make all'\n" + "\n".join(lines) + "\n")
    place = f"{rng.randint(70, 100)}x{rng.randint(18, 30)}+{rng.randint(80, 900)}+{rng.randint(60, 500)}"
    paper, ink = rng.choice((("black", "gray80"), ("white", "black"), ("#002b36", "#93a1a1")))
    look = ["-geometry", place, "-bg", paper, "-fg", ink, "-fa", "DejaVu Sans Mono", "-fs", str(rng.randint(9, 12))]
    return desktop.spawn(["xterm", "+sb", "-title", "Terminal", *look, "-e", "sh", str(script)], "terminal")


def _start(desktop: VirtualDesktop, name: str, script: str) -> subprocess.Popen[bytes]:
    return desktop.spawn(["sh", "-c", script], name)


def _steps(rng: random.Random, seconds: float) -> Sequence[tuple[int, float]]:
    """Return pairs of a percentage and the pause before it, irregular, `seconds` in all."""
    count = max(3, round(seconds / rng.uniform(0.4, 1.4)))
    weights = [rng.lognormvariate(0.0, 0.7) for _ in range(count)]
    part = seconds / sum(weights)
    return [(100 * (number + 1) // count, weight * part) for number, weight in enumerate(weights)]
