"""Which programs are browsers and help viewers, by their names."""

HELP_APPS = (
    "firefox", "chrom", "brave", "opera", "vivaldi", "epiphany", "falkon", "midori", "konqueror", "qutebrowser",
    "librewolf", "edge", "browser", "yelp", "help", "zeal", "devhelp", "khelpcenter", "assistant",
)  # fmt: skip


def is_help_app(app: str) -> bool:
    """Whether an application class is a browser or a help viewer."""
    lowered = app.lower()
    return any(name in lowered for name in HELP_APPS)
