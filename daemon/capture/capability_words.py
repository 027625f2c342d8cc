"""What a desktop tells in full or not, in words: for `kairos doctor`, and for what people agree to."""

from collections.abc import Callable, Mapping

from storage.capabilities import WATCHED, Capabilities
from storage.translation.sentences import translatable

NAMES: Mapping[str, str] = {
    "frames": translatable("pictures"),
    "popups": translatable("menus and tips"),
    "windows": translatable("windows"),
    "keys": translatable("keys"),
    "clicks": translatable("clicks"),
    "scrolls": translatable("scrolling"),
    "pointer": translatable("pointer"),
    "idle": translatable("presence"),
    "controls": translatable("controls"),
    "overlay": translatable("card and ring"),
    "tray": translatable("tray"),
    "shortcuts": translatable("shortcuts"),
    "offers": translatable("offers"),
}
_LEAD = translatable("What Kairos can see on this desktop: all of that but")


def describe(capabilities: Capabilities, say: Callable[[str], str] = str) -> list[str]:
    """Return a line for each thing that is watched and less than full, after one that leads to them; `say` translates.

    Where all is there in full there are none.
    """
    limited = capabilities.limited
    lines = [f"• {say(NAMES[name])}: {say(limited[name].reason)}" for name in (*WATCHED, "offers") if name in limited]
    return [say(_LEAD), *lines] if lines else []
