"""Records what real browsers show the fence, by hand: `python -m tests.fakes.browsers.record [STORY ...]`.

Plays the stories of `stories` (all of them without an argument) with the browsers that are installed, and writes the
scenes beside the tests that replay them. Needs the packages of packaging/debian-browsers.txt; takes about ten minutes.
"""

import subprocess
import sys
from pathlib import Path

from tests.fakes.browsers.scene_file import write_scenes
from tests.fakes.browsers.stage import browsing
from tests.fakes.browsers.stories import STORIES

DATA = Path(__file__).parents[2] / "daemon" / "capture" / "fence" / "data"


def main(names: list[str]) -> None:
    for name in names or STORIES:
        with browsing() as stage:
            STORIES[name].play(stage)
        program = "firefox-esr" if name.startswith("firefox") else "chromium"
        version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        DATA.mkdir(exist_ok=True)
        write_scenes(DATA / f"{name}.json", version, stage.log)
        print(f"{name}: {len(stage.log.scenes)} scenes, {version}")


if __name__ == "__main__":
    main(sys.argv[1:])
