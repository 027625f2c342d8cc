"""Colours, type and style of our windows, light and dark, in one place.

The desktop's choice is followed, of contrast too; where it does not say, the palette's own background decides. Contrast
of all text is at least 4.5 to 1, with high contrast 7 to 1, and every button then has an edge.
"""

import tomllib
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from string import Template

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours by what they are for, as `#rrggbb`."""

    surface: str
    edge: str
    text: str
    faint: str
    hover: str
    accent: str
    accent_hover: str
    on_accent: str
    button_edge: str = "transparent"


_DATA = Path(__file__).parent / "data"
LIGHT, DARK, STARK_LIGHT, STARK_DARK = (
    Theme(**colours) for colours in tomllib.loads((_DATA / "themes.toml").read_text(encoding="utf-8")).values()
)
_STARK, _LOOK = "high contrast", "look"


def prefer_look(look: str, *, high_contrast: bool) -> None:
    """Have windows from now on in `light` or `dark`, and in high contrast, also where the desktop says otherwise."""
    application = QCoreApplication.instance()
    if application is not None:
        application.setProperty(_LOOK, look)
        application.setProperty(_STARK, high_contrast)
        QGuiApplication.setPalette(_palette(current_theme()) if look in ("light", "dark") else QPalette())


def _palette(theme: Theme) -> QPalette:
    """Return the colours of what has no style of ours: menus, tips, and lists that open."""
    palette, role = QPalette(QColor(theme.surface)), QPalette.ColorRole
    text = dict.fromkeys((role.WindowText, role.Text, role.ButtonText, role.ToolTipText), theme.text)
    chosen = {role.Highlight: theme.accent, role.HighlightedText: theme.on_accent}
    for part, colour in (text | chosen | {role.Base: theme.hover, role.ToolTipBase: theme.surface}).items():
        palette.setColor(part, QColor(colour))
    for part in text:
        palette.setColor(QPalette.ColorGroup.Disabled, part, QColor(theme.faint))
    return palette


def current_theme() -> Theme:
    """Return the theme that the person chose, or that fits the desktop."""
    light, dark = (STARK_LIGHT, STARK_DARK) if _is_stark() else (LIGHT, DARK)
    application = QCoreApplication.instance()
    chosen = {"light": light, "dark": dark}.get(application.property(_LOOK) if application is not None else "")
    if chosen is not None:
        return chosen
    scheme = QGuiApplication.styleHints().colorScheme()
    if scheme is Qt.ColorScheme.Unknown:
        ground = QGuiApplication.palette().color(QPalette.ColorRole.Window)
        return dark if ground.lightness() < 128 else light  # noqa: PLR2004  # half way
    return dark if scheme is Qt.ColorScheme.Dark else light


def _is_stark() -> bool:
    application = QCoreApplication.instance()
    if application is not None and application.property(_STARK):
        return True
    hints = QGuiApplication.styleHints()  # what it hands out is gone with it
    return hints.accessibility().contrastPreference() is Qt.ContrastPreference.HighContrast


def scaled_font(factor: float, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """Return the person's own font, larger or smaller."""
    font = QGuiApplication.font()
    if font.pointSizeF() > 0:
        font.setPointSizeF(font.pointSizeF() * factor)
    else:
        font.setPixelSize(round(font.pixelSize() * factor))
    font.setWeight(weight)
    return font


def style_sheet(theme: Theme, *windows: str) -> str:
    """Return the style of labels and buttons in a window of ours, and of the parts that only some windows have."""
    return "\n".join(style_of(theme, name) for name in ("base", *windows))


def style_of(theme: Theme, name: str) -> str:
    """Return the style in a file of `data`, in the colours of a theme."""
    return Template(_style_source(name)).substitute(asdict(theme))


@cache
def _style_source(name: str) -> str:
    return (_DATA / f"{name}.qss").read_text(encoding="utf-8")
