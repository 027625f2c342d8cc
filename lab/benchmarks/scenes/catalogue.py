"""The scenes, and the halves they are in.

The rule was set before any scene was recorded: whole programs are in one half, so that what was chosen on one half is
judged in other programs. Mousepad and the pages in Firefox are to choose on; Calc, Writer, L3afpad and the page in
Chromium are to judge on, and nothing may be fitted or chosen there. The shop, and the replaced words and duplicated
lines, came later: after a look at the judging half, where many formats and many searches, each with success, were taken
for trouble. MATE's calculator and Drawing, to choose on, and Nemo, MuPDF and XTerm, to judge on, came before any of
them was scored: programs of other kinds, two without accessibility. Caja and qpdfview, to choose on with the scripts of
Nemo and MuPDF, came after a first look at those. Text that is scrolled up and down in vain, or looked back in once,
came next, in both halves: pages turned to and fro in MuPDF had not been found three times. Programs of KDE and GTK 4,
to judge on, came then, with the scripts of others of their kind: no scene had those toolkits. A text that is read
twice, in both halves, came last, with views that are known wherever they are scrolled to: calm people look at some
twice.

Of the programs to judge on, Calc, Writer and Chromium are in training too, with other scripts and pages; the others are
in no training session.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Half = Literal["choose", "judge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A kind of trouble, or of calm work that looks like it, in one program."""

    program: str
    kind: str
    stuck: bool

    @property
    def name(self) -> str:
        """Its name, which is also its folder's."""
        return f"{self.program}-{'stuck' if self.stuck else 'calm'}-{self.kind}"

    @property
    def half(self) -> Half:
        """Which half it is in."""
        return HALF_OF[self.program]


_PROGRAMS = tomllib.loads((Path(__file__).parent / "data" / "scenes.toml").read_text(encoding="utf-8"))
HALF_OF: Mapping[str, Half] = {program: facts["half"] for program, facts in _PROGRAMS.items()}
SCENES: tuple[Scene, ...] = tuple(
    Scene(program=program, kind=kind, stuck=stuck)
    for stuck in (True, False)
    for program, facts in _PROGRAMS.items()
    for kind in facts["stuck" if stuck else "calm"]
)
