"""What `kairos doctor` says of the surroundings that decide when nothing is offered: a lock, a call, do-not-disturb.

None of it is needed for `kairos run`. What nobody here can tell is said in words, with what would tell it.
"""

from daemon.capture.surroundings.devices import on_battery
from daemon.capture.surroundings.source import Condition
from daemon.capture.surroundings.thread import Surroundings
from daemon.cli.doctor.command import Check

ASKING_S = 6.0
"""So long the surroundings may take to answer; where nobody hangs it is a moment."""


def manners() -> list[Check]:
    """Say what of the surroundings can be sensed here, and what cannot."""
    surroundings = Surroundings()
    surroundings.start()
    surroundings.settle(ASKING_S)
    answers = surroundings.answers
    surroundings.stop()

    def check(name: str, unknown: str, *conditions: Condition) -> Check:
        by = [who for (condition, who), value in answers.items() if condition in conditions and value is not None]
        says = f"told by {' and '.join(by)}" if by else "cannot be told here"
        return Check(name=name, ok=bool(by), says=says, remedy=unknown, needed=False)

    battery = on_battery()
    return [
        check(
            "locked screen",
            "only the X screen saver and the windows of known lock screens are noticed",
            Condition.LOCKED,
        ),
        check(
            "do-not-disturb",
            "GNOME, KDE, Xfce and dunst tell it; elsewhere pause Kairos: kairos pause",
            Condition.DO_NOT_DISTURB,
        ),
        check(
            "microphone",
            "calls are not noticed: they need PulseAudio or PipeWire, and pactl (package pulseaudio-utils) or pw-dump"
            " (package pipewire-bin)",
            Condition.MICROPHONE,
        ),
        check("camera", "cameras are not noticed", Condition.CAMERA, Condition.VIDEO),
        check(
            "shared screen",
            "PipeWire and pw-dump (package pipewire-bin) would tell of screens shared through the desktop's portal;"
            " programs that read the X11 screen by themselves go unnoticed anywhere",
            Condition.VIDEO,
        ),
        Check(
            name="battery",
            ok=True,
            says="this machine has none" if battery is None else "in use" if battery else "not in use",
            needed=False,
        ),
    ]
