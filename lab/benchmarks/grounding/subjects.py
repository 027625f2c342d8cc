"""The controls that are looked for in real programs, named as help names them: what stands in a menu, and buttons.

Written down once from LibreOffice 7.4 and Mousepad 0.5 of Debian 12, with an empty document. Only what can be used
there is in it: what is disabled says nothing of the pointer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

FORM_TITLE = "Order form"
"""Of the window of `qt_form`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A program: how it is started, its window, and its controls by the menu that they stand in.

    `buttons` stand in tool bars, and say their name when they are pressed, or show a hint when the pointer rests on
    them; `hints` are those that are not the name.
    """

    argv: Sequence[str]
    title: str
    menus: Mapping[str, Sequence[str]] = field(default_factory=dict)
    buttons: Sequence[str] = ()
    hints: Mapping[str, str] = field(default_factory=dict)


_OFFICE = ("soffice", "--norestore", "--nologo", "--nofirststartwizard")

WRITER = Subject(
    argv=(*_OFFICE, "--writer"),
    title="LibreOffice Writer",
    menus={
        "File": ("Open", "Recent Documents", "Save As", "Export As", "Print Preview", "Print", "Properties"),
        "Edit": ("Select All", "Find and Replace", "Go to Page", "Track Changes", "Comment", "Direct Cursor Mode"),
        "View": ("Normal", "Toolbars", "Rulers", "Formatting Marks", "Sidebar", "Styles", "Navigator", "Zoom"),
        "Insert": ("Page Break", "Image", "Section", "Hyperlink", "Special Character", "Page Number", "Field"),
        "Format": ("Clear Direct Formatting", "Character", "Paragraph", "Page Style", "Columns", "Watermark"),
        "Table": ("Insert Table", "Number Recognition", "Convert"),
        "Tools": ("Spelling", "Language", "Word Count", "AutoText", "Line Numbering", "Macros", "Options"),
        "Help": ("User Guides", "Search Commands", "About LibreOffice"),
    },
    buttons=(
        *("Open", "Save", "Export Directly as PDF", "Print", "Print Preview", "Find and Replace", "Spelling"),
        *("Formatting Marks", "Table", "Image", "Chart", "Text Box", "Page Break", "Symbol", "Hyperlink", "Footnote"),
        *("Endnote", "Bookmark", "Cross-reference", "Comment", "Bold", "Italic", "Underline", "Strikethrough"),
        *("Superscript", "Subscript", "Font Color", "Center", "Right", "Unordered List", "Ordered List"),
    ),
    hints={"Image": "Insert Image", "Hyperlink": "Insert Hyperlink"},
)

CALC = Subject(
    argv=(*_OFFICE, "--calc"),
    title="LibreOffice Calc",
    menus={
        "File": ("Open", "Save a Copy", "Export as PDF", "Print", "Printer Settings", "Properties"),
        "Edit": ("Cut", "Copy", "Select All", "Find and Replace", "Cell Edit Mode", "Cell Protection"),
        "View": (
            *("Normal", "Page Break", "Formula Bar", "View Headers", "Value Highlighting", "Show Formula"),
            *("Split Window", "Freeze Rows and Columns", "Freeze Cells", "Function List", "Zoom"),
        ),
        "Insert": ("Image", "Chart", "Pivot Table", "Function", "Comment", "Hyperlink", "Headers and Footers"),
        "Format": ("Text", "Number Format", "Cells", "Rows", "Columns", "Merge and Unmerge Cells", "Conditional"),
        "Sheet": (
            *("Insert Cells", "Insert Rows", "Delete Rows", "Delete Columns", "Insert Sheet", "Clear Cells"),
            *("Fill Cells", "Rename Sheet", "Duplicate Sheet"),
        ),
        "Data": ("Sort", "Sort Ascending", "AutoFilter", "More Filters", "Validity", "Subtotals", "Consolidate"),
        "Tools": ("AutoInput", "Goal Seek", "Solver", "Detective", "Protect Sheet", "Options"),
    },
    buttons=(
        *("Open", "Save", "Export Directly as PDF", "Print", "Print Preview", "Cut", "Copy", "Find and Replace"),
        *("Spelling", "Row", "Column", "Sort", "Sort Ascending", "Sort Descending", "AutoFilter", "Image", "Chart"),
        *("Pivot Table", "Symbol", "Hyperlink", "Comment", "Headers and Footers", "Freeze Rows and Columns"),
        *("Bold", "Italic", "Underline", "Font Color", "Background Color", "Align Center", "Align Right", "Wrap Text"),
        *("Currency", "Percent", "Date", "Add Decimal Place", "Delete Decimal Place", "Function Wizard", "Formula"),
    ),
    hints={"Hyperlink": "Insert Hyperlink"},
)

MOUSEPAD = Subject(
    argv=("mousepad",),
    title="Mousepad",
    menus={
        "File": (
            *("New", "New Window", "New From Template", "Open", "Save", "Save As", "Save All", "Print", "Close Tab"),
            *("Close Window", "Quit"),
        ),
        "Edit": (
            *("Paste", "Delete Line", "Select All", "Convert", "Move", "Increase Indent", "Decrease Indent"),
            *("Preferences",),
        ),
        "Search": (
            *("Find", "Find Next", "Find Previous", "Find and Replace", "Incremental Search", "Highlight All"),
            *("Go to",),
        ),
        "View": ("Select Font", "Color Scheme", "Line Numbers", "Menubar", "Toolbar", "Statusbar", "Fullscreen"),
        "Document": ("Word Wrap", "Auto Indent", "Tab Size", "Filetype", "Line Ending", "Viewer Mode"),
        "Help": ("Contents", "About"),
    },
)

SUBJECTS: Mapping[str, Subject] = {"writer": WRITER, "calc": CALC, "mousepad": MOUSEPAD}
