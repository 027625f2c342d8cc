"""Reads the files of a set from outside: bounded in size and number, without links, each fault with file and row."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from storage.errors import BadFile
from storage.files import open_regular

MAX_FILES = 200_000
MAX_PICTURE_BYTES = 32 << 20
MAX_TEXT = 10_000
MAX_TRAJECTORIES = 50_000
MAX_STEPS = 5000
PICTURES = (".png", ".jpg", ".jpeg")


def files_of(path: Path, suffixes: Sequence[str]) -> tuple[Path, list[Path]]:
    """Return the folder of a set and its files with one of these suffixes, sorted; links are not followed.

    Raises:
        BadFile: there is neither file nor folder, or there are too many files.
    """
    if path.is_file():
        return path.parent, [path]
    if not path.is_dir():
        raise BadFile(f"{path} is neither a file nor a folder")
    found: list[Path] = []
    seen = 0
    for folder, folders, names in os.walk(path, followlinks=False):
        folders.sort()
        seen += len(names) + len(folders)
        if seen > MAX_FILES:
            raise BadFile(f"{path} holds more than {MAX_FILES} files", remedy="name a folder inside it")
        places = (Path(folder) / name for name in names if name.lower().endswith(tuple(suffixes)))
        found += [place for place in places if not place.is_symlink()]
    return path, sorted(found)


def picture_name(where: str, name: str) -> str:
    """Return the name of a picture below the set's folder.

    Raises:
        BadFile: it leads elsewhere, or is no name of a picture.
    """
    parts = PurePosixPath(name).parts
    inside = bool(parts) and not name.startswith("/") and "\0" not in name and "\\" not in name and ".." not in parts
    if not inside or len(name) > MAX_TEXT or not name.lower().endswith(PICTURES):
        raise BadFile(f"{where} names a picture that is no PNG or JPEG file below its folder")
    return name


def read_picture_below(folder: Path, name: str) -> bytes:
    """Return the bytes of a picture, which must be a plain file below a folder: a link may not lead out of it.

    Raises:
        BadFile: it is not.
    """
    root = folder.resolve()
    try:
        place = (root / name).resolve()
    except (OSError, ValueError, RuntimeError):  # a circle of links, or a NUL character
        raise BadFile(f"{folder} holds no such picture") from None
    if not place.is_relative_to(root):
        raise BadFile(f"{folder} names a picture outside itself")
    with open_regular(place) as file:
        raw = file.read(MAX_PICTURE_BYTES + 1)
    if len(raw) > MAX_PICTURE_BYTES:
        raise BadFile(f"a picture in {folder} is larger than {MAX_PICTURE_BYTES >> 20} MiB")
    return raw


@dataclass(frozen=True, slots=True)
class FilePictures:
    """Pictures that are files below a folder; tried below each of `places`, which are folders in it."""

    folder: Path
    places: tuple[str, ...] = ("",)

    def read(self, name: str) -> bytes:
        """Return the bytes of a picture.

        Raises:
            BadFile: there is no such plain file below the folder.
        """
        names = [str(PurePosixPath(place) / name) for place in self.places]
        return read_picture_below(
            self.folder, next((candidate for candidate in names if (self.folder / candidate).is_file()), names[-1])
        )
