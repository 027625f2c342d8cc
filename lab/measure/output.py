"""Makes sure that results can be written before the work that leads to them begins."""

from pathlib import Path
from tempfile import TemporaryFile

from storage.errors import EnvironmentFault, UsageError

CARD = "MODEL.md"
"""The card's name, beside the model."""


def check_folder(folder: Path) -> None:
    """Make a folder, unless it is there, and make sure that it takes files.

    Raises:
        UsageError: it is a file.
        EnvironmentFault: it cannot be made or written to.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file, not a folder", remedy="name a folder with --out")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise EnvironmentFault(
            f"{folder} cannot be written to: {error.strerror}", remedy="name another place with --out"
        ) from error


def check_model_file(out: Path) -> None:
    """Make sure that a model and its card can be written, and that no other model's card is lost by it.

    Raises:
        UsageError: the name is that of a folder or of the card, or the card there belongs to another model.
        EnvironmentFault: the folder cannot be made or written to.
    """
    if out.is_dir():
        raise UsageError(f"{out} is a folder", remedy=f"name a file: --out {out / 'model.onnx'}")
    beside = out.with_name(CARD)
    if out == beside:
        raise UsageError(f"{out} is where the card goes", remedy=f"name a file: --out {out.with_name('model.onnx')}")
    if beside.exists() and not out.exists():
        raise UsageError(f"{beside} is the card of another model", remedy="name another folder with --out")
    check_folder(out.parent)
