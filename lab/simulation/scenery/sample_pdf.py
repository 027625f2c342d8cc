"""A document in PDF to read in, search and turn over."""

import random
from pathlib import Path

from demo.virtual_desktop.sample_text import heading, sentence


def write_pdf(path: Path, rng: random.Random, *, pages: int) -> None:
    """Write a document of so many pages of text, by hand: fonts that every viewer has."""
    bodies = []
    for number in range(pages):
        lines = [f"{heading(rng)} {number + 1}", "", *(sentence(rng) for _ in range(34))]
        shown = " T* ".join(f"({line}) Tj" for line in lines)
        bodies.append(f"BT /F1 11 Tf 18 TL 60 780 Td {shown} ET")
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(pages))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {pages} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, body in enumerate(bodies):
        page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >>"
        objects += [
            f"{page} /Contents {5 + 2 * number} 0 R >>",
            f"<< /Length {len(body)} >>\nstream\n{body}\nendstream",
        ]
    text, places = "%PDF-1.4\n", []
    for number, one in enumerate(objects, start=1):
        places.append(len(text))
        text += f"{number} 0 obj\n{one}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{len(text)}\n%%EOF\n"
    path.write_bytes(f"{text}xref\n0 {size}\n0000000000 65535 f \n{table}{end}".encode("ascii"))
