"""Import every module of an installed Kairos, and say which cannot be: nothing that they need was left out.

What the extras bring (OCR, Dask) need not be there: modules that need it are counted and pass. Anything else ends this
with status 1, an import of another distribution of ours (`lab`, `study`) included.
"""

import importlib
import pkgutil
import re
import sys
from importlib.metadata import requires

OURS = ("daemon", "demo", "detectors", "participant", "policies", "storage", "ui")


def main() -> int:
    """Import all; return the exit status."""
    wanted = [line for line in requires("kairos-assistant") or () if "extra ==" in line]
    names = {re.split(r"[^A-Za-z0-9_.-]", line)[0] for line in wanted}
    extras = names | {"dask", "tornado"}
    modules = [
        name
        for room in OURS
        for _, name, _ in pkgutil.walk_packages(importlib.import_module(room).__path__, f"{room}.")
    ]
    left, broken = [], []
    for name in (*OURS, *modules):
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            (left if (error.name or "").split(".")[0] in extras else broken).append(f"{name}: {error}")
        except Exception as error:  # noqa: BLE001  # whatever it is, it is named
            broken.append(f"{name}: {type(error).__name__}: {error}")
    print(f"{len(modules) - len(left) - len(broken)} modules imported, {len(left)} need an extra, {len(broken)} broken")
    print("\n".join(broken), file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
