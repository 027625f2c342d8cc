"""The files that LibreOffice is started with are what they claim to be."""

import random
from pathlib import Path
from xml.etree import ElementTree as ET

from lab.simulation.programs.office.files import MONTHS, write_slides, write_text, write_workbook


def parsed(path: Path) -> "ET.ElementTree[ET.Element]":
    return ET.parse(path)  # noqa: S314  # our own file


def test_files_are_well_formed_and_long_enough_to_leaf_through(tmp_path: Path) -> None:
    text = {"text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0"}
    draw = {"draw": "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"}
    table = {"table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0"}
    slides, _ = write_slides(tmp_path, random.Random(1))
    book, _ = write_workbook(tmp_path, random.Random(1), rows=40, sheets=2)
    assert len(parsed(slides).findall(".//draw:page", draw)) >= 14
    assert len(parsed(book).findall(".//table:table-row", table)) == 2 * (40 + 1)
    written = {}
    for seed in range(12):
        path, switches = write_text(tmp_path, random.Random(seed))
        assert bool(switches) is (path.suffix == ".txt")
        if path.suffix == ".fodt":
            assert len(parsed(path).findall(".//text:h", text)) >= 24
        written[seed] = path.read_bytes()
    assert len(set(written.values())) == len(written)


def test_a_single_sheet_is_comma_separated(tmp_path: Path) -> None:
    path, switches = write_workbook(tmp_path, random.Random(2), rows=30, sheets=1)
    lines = path.read_text().splitlines()
    assert path.suffix == ".csv"
    assert switches
    assert {line.count(",") for line in lines} == {len(MONTHS) - 1}
