"""The windows whose controls are looked for, and who says what a pointer really reached in them.

A page of a browser has a title that names the control that the pointer is on, as the page itself sees it; of other
programs the witness hears what the pointer reached.
"""

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Self

from dbus_fast import Message, MessageFlag, MessageType, Variant
from dbus_fast.aio import MessageBus

from demo.virtual_desktop.windows import poll
from storage.errors import EnvironmentFault

TITLE = "Registration"
NOTHING = "nothing"

CONTROLS: Sequence[tuple[str, str]] = (
    *(("button", name) for name in ("Sign up", "Cancel registration", "Show terms", "Upload picture", "Send code")),
    *(("entry", name) for name in ("User name", "E-mail address", "City", "Postal code", "Company", "Web site")),
    *(("check", name) for name in ("Accept the terms", "Receive the newsletter", "Stay signed in")),
    *(("radio", name) for name in ("Private account", "Business account")),
    *(("select", name) for name in ("Time zone", "Preferred language", "Country")),
    *(("link", name) for name in ("Forgot your password?", "Privacy policy", "Contact us", "Frequent questions")),
    *(("range", name) for name in ("Font size",)),
)
"""Kind and name of what is on the page."""

_INPUTS = {"entry": "text", "check": "checkbox", "radio": "radio", "range": "range"}


def page_html() -> str:
    """Return the page."""
    rows = "".join(f"<p>{_control(kind, escape(name), number)}</p>" for number, (kind, name) in enumerate(CONTROLS))
    return f"""<!doctype html><meta charset=utf-8><title>{TITLE}</title>
<style>body {{ columns: 2; font: 14px sans-serif }} p {{ margin: 0 0 12px }}</style>
{rows}
<script>
document.addEventListener("mousemove", event => {{
  const found = event.target.closest("[data-name]");
  document.title = "{TITLE}: " + (found ? found.dataset.name : "{NOTHING}");
}});
</script>"""


def _control(kind: str, name: str, number: int) -> str:
    mark = f'id=c{number} data-name="{name}"'
    if kind == "button":
        return f"<button {mark}>{name}</button>"
    if kind == "link":
        return f'<a href="#" {mark}>{name}</a>'
    if kind == "select":
        return f"<label for=c{number}>{name}</label> <select {mark}><option>one<option>two</select>"
    return f"<label for=c{number}>{name}</label> <input type={_INPUTS[kind]} {mark}>"


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


_ACCESSIBLE = "org.a11y.atspi.Accessible"
_TOOL_TIP = 64
_PROPERTIES = "org.freedesktop.DBus.Properties"
_BUS = "org.freedesktop.DBus"
_REGISTRY = "org.a11y.atspi.Registry"
_SHOWN = ("showing", "visible")
_STATES = ("focused", "selected", "armed", *_SHOWN)


@dataclass(frozen=True, slots=True)
class Reached:
    """A control that the pointer reached: its name, and whether that is a hint shown beside it."""

    name: str
    hint: bool


class Witness:
    """Listens in a thread of its own, from entering to leaving."""

    def __init__(self, env: Mapping[str, str]) -> None:
        """Take the environment that names the session's bus."""
        self._address = env["DBUS_SESSION_BUS_ADDRESS"]
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="witness", daemon=True)
        self._reached: list[Reached] = []
        self._tasks: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Self:
        """Connect and listen."""
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(20)
        return self

    def __exit__(self, *_: object) -> None:
        """Disconnect."""
        self._loop.call_soon_threadsafe(self._bus.disconnect)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    def forget(self) -> None:
        """Forget what was heard."""
        self._reached = []

    def heard(self) -> str:
        """Return what was heard since the last `forget`, for a report."""
        return ", ".join(dict.fromkeys(reached.name for reached in self._reached)) or "nothing"

    def wait(self, check: Callable[[Reached], bool], timeout_s: float) -> bool:
        """Return whether something fitting was heard since the last `forget`, or is heard in time."""
        try:
            poll(lambda: any(check(reached) for reached in self._reached), what="an answer", timeout_s=timeout_s)
        except EnvironmentFault:
            return False
        return True

    async def _listen(self) -> None:
        session = await MessageBus(bus_address=self._address).connect()
        address = await _ask(session, ("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus"), "GetAddress")
        session.disconnect()
        self._bus = await MessageBus(bus_address=str(address)).connect()
        self._bus.add_message_handler(self._take)
        rule = "type='signal',interface='org.a11y.atspi.Event.Object',member='StateChanged'"
        await _ask(self._bus, (_BUS, "/org/freedesktop/DBus", _BUS), "AddMatch", "s", rule)
        for state in _STATES:
            kind = f"object:state-changed:{state}"
            await _ask(self._bus, (_REGISTRY, "/org/a11y/atspi/registry", _REGISTRY), "RegisterEvent", "s", kind)

    def _take(self, message: Message) -> None:
        if message.message_type is MessageType.SIGNAL and message.body[:2] in ([state, 1] for state in _STATES):
            task = asyncio.ensure_future(self._look(str(message.sender), str(message.path), str(message.body[0])))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _look(self, sender: str, path: str, state: str) -> None:
        role = await _ask(self._bus, (sender, path, _ACCESSIBLE), "GetRole")
        if state in _SHOWN and role != _TOOL_TIP:
            return
        name = await _ask(self._bus, (sender, path, _PROPERTIES), "Get", "ss", _ACCESSIBLE, "Name")
        if isinstance(name, str) and name:
            self._reached.append(Reached(name, role == _TOOL_TIP))


async def _ask(bus: MessageBus, where: tuple[str, str, str], member: str, signature: str = "", *body: object) -> object:
    """Return the first value that an object answers; `where` is its name on the bus, its path and the interface."""
    no_start = MessageFlag.NO_AUTOSTART
    reply = await bus.call(
        Message(*where, member, MessageType.METHOD_CALL, no_start, signature=signature, body=list(body))
    )
    if reply.message_type is not MessageType.METHOD_RETURN or not reply.body:
        return None
    value = reply.body[0]
    return value.value if isinstance(value, Variant) else value
