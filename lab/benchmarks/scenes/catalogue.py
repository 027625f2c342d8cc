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

from dataclasses import dataclass
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


HALF_OF: dict[str, Half] = {
    "mousepad": "choose",
    "firefox": "choose",
    "shop": "choose",
    "calc": "judge",
    "writer": "judge",
    "l3afpad": "judge",
    "chromium": "judge",
    "calculator": "choose",
    "drawing": "choose",
    "caja": "choose",
    "qpdfview": "choose",
    "nemo": "judge",
    "mupdf": "judge",
    "xterm": "judge",
    "dolphin": "judge",
    "gnome-calculator": "judge",
    "gnome-text-editor": "judge",
    "kwrite": "judge",
    "scite": "choose",
    "basic256": "choose",
    "codeblocks": "judge",
    "calligra-sheets": "choose",
    "idle": "choose",
    "inkscape": "judge",
}

_STUCK = {
    "mousepad": ("dialog_loop", "flip_flop", "menu_wandering", "dead_clicks"),
    "firefox": ("refused_form", "dead_button", "search_in_vain", "details_in_vain", "scrolled_in_vain"),
    "shop": ("refused_form", "search_in_vain"),
    "calc": ("dialog_loop", "flip_flop", "formula_error"),
    "writer": ("dialog_loop", "indent_in_vain"),
    "l3afpad": ("find_in_vain", "numbers_to_and_fro"),
    "chromium": ("refused_form", "dead_button", "choice_to_and_fro", "scrolled_in_vain"),
    "calculator": ("malformed", "result_doubted"),
    "drawing": ("stroke_undone", "no_fitting_tool"),
    "caja": ("name_taken", "folders_to_and_fro"),
    "qpdfview": ("find_in_vain", "pages_to_and_fro", "scrolled_in_vain"),
    "nemo": ("name_taken", "folders_to_and_fro"),
    "mupdf": ("find_in_vain", "pages_to_and_fro", "scrolled_in_vain"),
    "xterm": ("command_fails", "script_fails"),
    "dolphin": ("name_taken", "folders_to_and_fro"),
    "gnome-calculator": ("malformed", "result_doubted"),
    "gnome-text-editor": ("find_in_vain",),
    "kwrite": ("find_in_vain",),
    "scite": ("error_returns",),
    "basic256": ("error_returns",),
    "codeblocks": ("error_returns",),
    "calligra-sheets": ("formula_error", "value_to_and_fro"),
    "idle": ("error_returns",),
    "inkscape": ("shape_undone", "moved_to_and_fro"),
}
_CALM = {
    "mousepad": ("many_jumps", "undo_once_each", "fluent_text", "many_replaced", "many_duplicated"),
    "firefox": (
        *("many_records", "comparing_once", "long_reading", "many_details", "looked_back", "read_twice"),
        "notes_from_text",
    ),
    "shop": ("many_orders", "many_articles", "many_fields_corrected"),
    "calc": ("many_formats", "many_corrections", "fluent_rows"),
    "writer": ("many_bold_words", "reading_and_writing"),
    "l3afpad": ("many_found",),
    "chromium": ("many_records", "many_searches", "fluent_text", "looked_back", "read_twice", "notes_from_text"),
    "calculator": ("many_sums", "long_sum"),
    "drawing": ("many_strokes", "undo_once_each"),
    "caja": ("many_renamed", "many_folders"),
    "qpdfview": ("long_reading", "many_found", "looked_back", "read_twice"),
    "nemo": ("many_renamed", "many_folders"),
    "mupdf": ("long_reading", "many_found", "looked_back", "read_twice"),
    "xterm": ("many_commands", "watching_output"),
    "dolphin": ("many_renamed", "many_folders"),
    "gnome-calculator": ("many_sums", "long_sum"),
    "gnome-text-editor": ("many_found",),
    "kwrite": ("many_found",),
    "scite": ("many_runs", "errors_mended", "names_mended"),
    "basic256": ("many_runs", "errors_mended", "names_mended"),
    "codeblocks": ("many_runs", "errors_mended", "names_mended"),
    "calligra-sheets": ("fluent_rows", "many_corrections"),
    "idle": ("many_runs", "errors_mended"),
    "inkscape": ("many_shapes", "placed_each"),
}

SCENES: tuple[Scene, ...] = tuple(
    Scene(program=program, kind=kind, stuck=stuck)
    for stuck, kinds in ((True, _STUCK), (False, _CALM))
    for program, names in kinds.items()
    for kind in names
)
