"""The process `python -m participant.send OUTBOX [--all]`.

Prints one JSON object. Exit status: 0 all that was due has been received, 1 some of it has not yet and goes again by
itself, 2 wrong usage, 3 something around us does not work (certificate, login, disk), 4 the outbox is damaged.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import NoReturn

from participant.outbox import Outbox
from participant.send.delivery import deliver
from storage.clock import SystemClock
from storage.errors import KairosError

NOT_YET = 1
GIVE_UP_S = 360
"""After which a look-up of names or a handshake that never ends is ended with the process."""


def main() -> int:
    """Deliver from one outbox."""
    parser = argparse.ArgumentParser(prog="python -m participant.send", description="Deliver from one outbox.")
    parser.add_argument("outbox", type=Path, help="the outbox of a joined study")
    parser.add_argument("--all", action="store_true", help="everything that is ready, not only what is due")
    arguments = parser.parse_args()
    signal.signal(signal.SIGALRM, _give_up)
    signal.alarm(GIVE_UP_S)
    try:
        return _run(arguments.outbox, everything=arguments.all)
    except KairosError as error:
        print(error, file=sys.stderr)
        return error.exit_code


def _run(path: Path, *, everything: bool) -> int:
    clock = SystemClock()
    with Outbox(path, create=False) as outbox:
        if everything:
            outbox.send_now()
        result = asyncio.run(deliver(outbox, outbox.address(), clock=clock, rng=random.SystemRandom()))
        next_wall_ns = outbox.next_send_wall_ns(clock.wall_ns())
    print(json.dumps({**asdict(result), "next_wall_ns": next_wall_ns}))
    return 0 if result.complete else NOT_YET


def _give_up(number: int, frame: FrameType | None) -> NoReturn:
    """End at once: nothing is lost, since the outbox changes in transactions alone."""
    del number, frame
    os._exit(NOT_YET)


if __name__ == "__main__":
    sys.exit(main())
