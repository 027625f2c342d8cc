"""Print Debian's copyright file for an environment.

Usage: copyright.py ENVIRONMENT LICENCE-OF-OURS > copyright

Each bundled distribution says its licence in its own metadata, and brings the text; shared libraries that wheels carry
along (in folders `*.libs`) do not, so theirs stand in `CARRIED`. One that is not listed there ends this with status 1:
nothing is published without its licence named.
"""

import sys
from collections.abc import Iterator
from email import message_from_string
from email.message import Message
from pathlib import Path

OURS = "kairos_assistant"
CARRIED = {  # beginning of the file's name: licence
    "libav": "LGPL-2.1+ or GPL-2+",  # FFmpeg; built with x264 and x265 the GPL counts
    "libsw": "LGPL-2.1+ or GPL-2+",
    "libx264": "GPL-2+",
    "libx265": "GPL-2+",
    "libSvtAv1Enc": "BSD-3-Clause-Clear",
    "libXau": "MIT",
    "libasound": "LGPL-2.1+",
    "libdav1d": "BSD-2-Clause",
    "libdrm": "MIT",
    "libgmp": "LGPL-3+ or GPL-2+",
    "libgnutls": "LGPL-2.1+",
    "libhogweed": "LGPL-3+ or GPL-2+",
    "libnettle": "LGPL-3+ or GPL-2+",
    "libmp3lame": "LGPL-2+",
    "libopencore": "Apache-2.0",
    "libopus": "BSD-3-Clause",
    "libsharpyuv": "BSD-3-Clause",
    "libunistring": "LGPL-3+ or GPL-2+",
    "libvpl": "MIT",
    "libvpx": "BSD-3-Clause",
    "libwebp": "BSD-3-Clause",
    "libxcb": "MIT",
    "libgfortran": "GPL-3+ with GCC Runtime Library Exception",
    "libquadmath": "LGPL-2.1+",
    "libscipy_openblas": "BSD-3-Clause",
    "libffi": "MIT",
}
SHORT = 60
"""A longer field is the text of a licence, not its name."""


def main(environment: Path, licence: Path) -> int:
    """Print the file; return the exit status."""
    (packages,) = environment.glob("lib/python3*/site-packages")
    lines = [*_header(licence), *_distributions(packages)]
    carried, unknown = _carried(packages)
    if unknown:
        print(f"copyright: nothing is known of the licence of {', '.join(unknown)}: add it to CARRIED", file=sys.stderr)
        return 1
    print("\n".join([*lines, *carried]))
    return 0


def _header(licence: Path) -> Iterator[str]:
    yield "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
    yield "Upstream-Name: kairos-assistant"
    yield "Comment: Everything in /opt/kairos but Kairos itself was published by others, as wheels of the Python"
    yield " package index, and is bundled as it is, but for what is left out: tests, stubs, headers, parts of Qt."
    yield " Qt and PySide6 are used under the LGPL-3: they are libraries of their own, and can be replaced in place."
    yield ""
    yield "Files: *"
    yield "Copyright: 2026 the Kairos maintainers"
    yield "License: Apache-2.0"
    if "Apache License" not in licence.read_text(encoding="utf-8"):
        raise SystemExit(f"copyright: {licence} is not the Apache licence")
    yield " On Debian systems the text is in /usr/share/common-licenses/Apache-2.0."
    yield ""
    yield "Files: opt/kairos/lib/*/site-packages/daemon/help/data/meaning.npy"
    yield "Copyright: the authors of Sentence-Transformers (all-MiniLM-L6-v2)"
    yield "License: Apache-2.0"
    yield " Vectors of words made from the weights of that model; MEANING.md beside the file says how."
    yield ""
    yield "Files: opt/kairos/lib/*/site-packages/daemon/help/commands/data/intents-en.npz"
    yield "Copyright: 2026 the Kairos maintainers, the authors of Sentence-Transformers (all-MiniLM-L6-v2)"
    yield "License: Apache-2.0"
    yield " Learned from phrases of Kairos on top of those vectors."


def _distributions(packages: Path) -> Iterator[str]:
    """Yield a paragraph for each bundled distribution."""
    for folder in sorted(packages.glob("*.dist-info"), key=lambda path: path.name.lower()):
        metadata = message_from_string((folder / "METADATA").read_text(encoding="utf-8"))
        if folder.name.startswith(OURS):
            continue
        texts = sorted(
            path for path in folder.rglob("*") if path.name.upper().startswith(("LICEN", "COPYING", "NOTICE"))
        )
        where = folder.relative_to(packages)
        yield ""
        yield f"Files: opt/kairos/lib/*/site-packages/{where}/*"
        yield f"Copyright: the authors of {metadata['Name']}{_authors(metadata)}"
        yield f"License: {_short(metadata)}"
        yield f" {metadata['Name']} {metadata['Version']}, and the packages that it brings."
        for text in texts:
            yield f" The text: /opt/kairos/lib/{packages.parent.name}/site-packages/{text.relative_to(packages)}"
        if not texts:
            yield " Its wheel brings no text; its project publishes it."


def _authors(metadata: Message) -> str:
    author = (metadata["Author"] or metadata["Author-email"] or "").split("<")[0].strip(' "')
    return f" ({' '.join(author.split())})" if author else ""


def _short(metadata: Message) -> str:
    """Return a licence's short name: the expression, else a short field, else the classifiers."""
    expression, field = metadata["License-Expression"], (metadata["License"] or "").strip()
    classes = [
        classifier.rpartition(" :: ")[2]
        for classifier in metadata.get_all("Classifier", [])
        if classifier.startswith("License ::")
    ]
    name = expression or (field if field and "\n" not in field and len(field) < SHORT else "") or " and ".join(classes)
    if not name:
        raise SystemExit(f"copyright: {metadata['Name']} names no licence")
    return name


def _carried(packages: Path) -> tuple[list[str], list[str]]:
    """Return the paragraph of each shared library that a wheel carries along, and those of unknown licence."""
    lines: list[str] = []
    unknown: list[str] = []
    for path in sorted(packages.glob("*.libs/*")):
        licence = next((name for start, name in CARRIED.items() if path.name.startswith(start)), None)
        if licence is None:
            unknown.append(path.name)
            continue
        lines += ["", f"Files: opt/kairos/lib/*/site-packages/{path.parent.name}/{path.name}"]
        lines += ["Copyright: its authors", f"License: {licence}"]
        lines += [
            f" Carried along by the wheel of {path.parent.name.removesuffix('.libs')}, whose project names its source."
        ]
    return lines, unknown


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
