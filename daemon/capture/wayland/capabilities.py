"""What there is on Wayland desktops, in words: what is missing, why, and what would help."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from storage.capabilities import FULL, Capabilities, Capability, Level
from storage.translation.sentences import translatable

_NO_INPUT = translatable("on Wayland a desktop passes it on to no other program")
_X11 = translatable("choose an X11 session where you log in, if there is one")
_SERVICE = translatable("switch on the service that Kairos' Debian package brings: systemctl enable --now kairos-input")
_TYPED = Capability(
    Level.PART,
    translatable("only that something was typed or erased, in programs that tell, and if you choose controls"),
    _SERVICE,
)

SWAY = Capabilities(
    desktop="sway",
    popups=Capability(
        Level.PART,
        translatable(
            "not listed, nor are panels and notifications; so the whole screen is covered while an excluded, private "
            "or unknown window is visible on it, and a notification may be in a picture"
        ),
        translatable("turn notifications off while you record, or exclude what sends them"),
    ),
    keys=_TYPED,
    clicks=Capability(Level.NONE, translatable("only their effect on a control, if you choose controls"), _SERVICE),
    scrolls=Capability(Level.NONE, translatable("only as what moves in the pictures"), _SERVICE),
    pointer=Capability(Level.NONE, _NO_INPUT, _X11),
    offers=Capability(
        Level.PART,
        translatable("only where a program says the same error again and again, if you choose controls"),
        _SERVICE,
    ),
    tray=Capability(Level.PART, translatable("only where a bar shows one; else there is a small window"), ""),
    shortcuts=Capability(
        Level.NONE,
        translatable("programs cannot have keys here"),
        translatable("put a line into the compositor's configuration, for sway: bindsym $mod+question exec kairos ask"),
    ),
)
NO_PIXELS = replace(
    SWAY,
    desktop="Wayland",
    frames=Capability(
        Level.NONE,
        translatable("no pictures on this desktop yet, because nothing lists its windows for sure"),
        translatable("under sway, and in X11 sessions, Kairos sees the screen"),
    ),
    popups=Capability(Level.NONE, translatable("not told, and nothing of them is seen"), ""),
    windows=Capability(
        Level.PART,
        translatable("only what programs say of their own, without places, and if you choose controls"),
        translatable("agree to understanding controls"),
    ),
    scrolls=Capability(Level.NONE, _NO_INPUT, _X11),
    controls=Capability(
        Level.PART, translatable("without places: a control is named, and no ring can be drawn around it"), ""
    ),
)
_ASKED = Capability(Level.PART, translatable("asked for four times a second while somebody is active"), "")
_TOLD_LATE = Capability(Level.PART, translatable("told as it moves, up to 50 ms late"), "")
_ASK_AGAIN = translatable("to be asked again: kairos desktop install")
BARE_GNOME = replace(
    NO_PIXELS,
    desktop="GNOME",
    frames=Capability(
        Level.NONE,
        translatable("no pictures without Kairos' extension, which says where windows are"),
        translatable("put Kairos' extension into GNOME Shell and log in again: kairos desktop install"),
    ),
    windows=replace(
        NO_PIXELS.windows,
        remedy=translatable("put Kairos' extension into GNOME Shell and log in again: kairos desktop install"),
    ),
    shortcuts=Capability(
        Level.NONE,
        translatable("programs cannot have keys here"),
        translatable("give keys to kairos ask in GNOME's settings: Keyboard, View and Customize Shortcuts, Custom"),
    ),
)
GNOME_PICTURES = replace(
    BARE_GNOME,
    frames=Capability(
        Level.PART,
        translatable("of the screens that you allow in GNOME's own window, which asks once; none while windows move"),
        translatable("answer GNOME when it asks; a sign in its panel says that the screen is seen"),
    ),
    popups=FULL,
    windows=FULL,
    scrolls=SWAY.scrolls,
    controls=FULL,
    pointer=_ASKED,
)


def without_pictures(reason: str, remedy: str) -> Capabilities:
    """Return what there is on GNOME where its windows are known, and pictures cannot be had."""
    return replace(GNOME_PICTURES, frames=Capability(Level.NONE, reason, remedy), scrolls=NO_PIXELS.scrolls)


GNOME_WITHOUT_PORTAL = without_pictures(
    translatable("GNOME's portal does not offer pictures, or PipeWire's library is not there"),
    translatable("install xdg-desktop-portal-gnome and libpipewire-0.3-0, and log in again"),
)
GNOME_REFUSED = without_pictures(translatable("you did not allow pictures when GNOME asked, or ended them"), _ASK_AGAIN)
GNOME_TAKEN_BACK = without_pictures(translatable("GNOME no longer knows that you allowed pictures"), _ASK_AGAIN)
KDE_WINDOWS = replace(
    NO_PIXELS,
    desktop="KDE",
    frames=Capability(
        Level.NONE,
        translatable("no pictures on KDE yet: its windows are known, and not what they show"),
        NO_PIXELS.frames.remedy,
    ),
    popups=FULL,
    windows=FULL,
    pointer=_TOLD_LATE,
    shortcuts=Capability(
        Level.NONE,
        BARE_GNOME.shortcuts.reason,
        translatable("give keys to kairos ask in the system settings: Shortcuts, Add Command"),
    ),
)

SILENT_KWIN = replace(
    NO_PIXELS,
    desktop="KDE",
    windows=replace(
        NO_PIXELS.windows,
        reason=translatable("only what programs say of their own, without places: KWin does not run Kairos' script"),
        remedy=translatable("start Kairos on the message bus of this session; it asks KWin anew at each start"),
    ),
    shortcuts=KDE_WINDOWS.shortcuts,
)

SILENT_SWAY = replace(
    NO_PIXELS,
    frames=Capability(
        Level.NONE,
        translatable("sway does not answer on the socket of its windows, so no window is known for sure"),
        translatable("start Kairos from this session of sway, which sets SWAYSOCK"),
    ),
)


_NO_PLACE = translatable("only when, and not where: the desktop does not tell where the pointer is")
_TAPS = translatable("of the buttons alone: a tap on a touchpad, and scrolling with two fingers, are not told")


def with_input(found: Capabilities, *, has_mouse: bool, has_touchpad: bool) -> Capabilities:
    """Return it with what the service `kairos-input` adds, which knows keys, buttons and wheel, and no place.

    Who has a touchpad alone may click by taps, so their clicks are not known.
    """
    told = FULL if found.pointer.level is not Level.NONE else Capability(Level.PART, _NO_PLACE, _X11)
    if found.pointer is _TOLD_LATE:
        told = Capability(Level.PART, translatable("where the pointer was up to 50 ms before"), _X11)
    if has_touchpad:
        told = Capability(Level.PART if has_mouse else Level.NONE, _TAPS, translatable("use a mouse"))
    offers = Capability(Level.PART, translatable("less surely than on X11: less of clicks and pointer is told"), _X11)
    judges = found.frames.level is not Level.NONE and told.level is not Level.NONE
    return replace(found, keys=FULL, clicks=told, scrolls=told, offers=offers if judges else found.offers)


def with_interface(
    found: Capabilities,
    env: Mapping[str, str],
    *,
    tells_idle: bool,
    notifies: bool = False,
    has_shortcuts: bool = False,
    has_layers: bool = False,
) -> Capabilities:
    """Return it with what this session lacks besides: XWayland for the card, notices of presence, a message bus.

    Without XWayland a card stands on a layer of the compositor, else it begins as a notification, where the desktop
    shows any that can be clicked.
    """
    if not env.get("DISPLAY") and not has_layers:
        takes = translatable("a window on this desktop would take the keyboard away from your work")
        knocks = translatable("an offer comes as a notification, and its window when you click there; there is no ring")
        remedy = translatable("install XWayland (package xwayland) and log in again")
        level, reason = (Level.PART, knocks) if notifies else (Level.NONE, takes)
        found = replace(found, overlay=Capability(level, reason, remedy))
    if has_shortcuts:
        asks = translatable("the desktop asks you once, and may give other keys than you set")
        found = replace(found, shortcuts=Capability(Level.PART, asks, ""))
    if not tells_idle:
        found = replace(found, idle=Capability(Level.NONE, translatable("the compositor does not tell of it"), ""))
    if not env.get("DBUS_SESSION_BUS_ADDRESS") and not Path(env.get("XDG_RUNTIME_DIR", ""), "bus").exists():
        missing = Capability(
            Level.NONE,
            translatable("there is no message bus of the session, by which programs say what their controls are"),
            translatable("log in by a display manager, or start the session with dbus-run-session"),
        )
        found = replace(found, controls=missing, keys=replace(missing, remedy=_X11), offers=missing)
    return found
