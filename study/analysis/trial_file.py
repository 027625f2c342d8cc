"""Reads a micro-randomised trial from a CSV file: one decision point a row, names of columns in the first."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import compute
from pyarrow import csv as arrow_csv

from storage.errors import BadFile, UsageError
from study.analysis.effect import Floats, Trial

_SHOWN_COLUMNS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialColumns:
    """Which column holds what; `probability` and `numerator` may be numbers instead.

    Attributes:
        person: who; read as text, so any id will do.
        outcome: a number.
        treatment: 0 and 1, or true and false.
        probability: of the treatment.
        availability: 0 and 1, or true and false; None where everybody always was available.
        moderators: numbers; each word is a column, or several with commas between.
        controls: in the same way.
        numerator: the numerator probability; None chooses it.
    """

    person: str
    outcome: str
    treatment: str
    probability: str
    availability: str | None = None
    moderators: Sequence[str] = ()
    controls: Sequence[str] = ()
    numerator: str | None = None


def read_trial(path: Path, columns: TrialColumns) -> Trial:
    """Read the columns of a trial; empty cells, NA and NaN are missing values.

    Raises:
        UsageError: a column is not in the file.
        BadFile: the file cannot be read as CSV, a column is there twice, or holds text where numbers are needed.
    """
    header = _header(path)
    moderators, controls = (_named(words, header) for words in (columns.moderators, columns.controls))
    constants = {one: _number(one) for one in (columns.probability, columns.numerator) if one and one not in header}
    wanted = [
        columns.person,
        columns.outcome,
        columns.treatment,
        *(one for one in (columns.availability, columns.probability, columns.numerator) if one),
        *moderators,
        *controls,
    ]
    missing = [one for one in dict.fromkeys(wanted) if one not in header and constants.get(one) is None]
    if missing:
        more = ", ..." if len(header) > _SHOWN_COLUMNS else ""
        raise UsageError(
            f"{path} has no column {', '.join(missing)}",
            remedy=f"its columns are: {', '.join(header[:_SHOWN_COLUMNS])}{more}",
        )
    there = [one for one in dict.fromkeys(wanted) if one in header]
    twice = [one for one in there if header.count(one) > 1]
    if twice:
        raise BadFile(f"{path} has two columns of the same name: {', '.join(twice)}", remedy="rename one of them")
    table = _read(path, there)

    def numbers(name: str) -> Floats:
        return _numbers(table, name, path)

    def number_or_column(name: str) -> Floats | float:
        constant = constants.get(name)
        return numbers(name) if constant is None else constant

    return Trial(
        person=_people(table, columns.person, path),
        outcome=numbers(columns.outcome),
        treatment=numbers(columns.treatment),
        probability=number_or_column(columns.probability),
        available=None if columns.availability is None else _available(numbers(columns.availability), columns, path),
        moderators={name: numbers(name) for name in moderators},
        controls={name: numbers(name) for name in controls},
        numerator=None if columns.numerator is None else number_or_column(columns.numerator),
    )


def _named(words: Sequence[str], header: Sequence[str]) -> list[str]:
    split = [[word] if word in header else word.split(",") for word in words]
    return list(dict.fromkeys(name.strip() for names in split for name in names if name.strip()))


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _header(path: Path) -> list[str]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return next(csv.reader(file), [])
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror}", remedy="name a CSV file") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise BadFile(f"{path} is not CSV in UTF-8", remedy="export the table as CSV again") from error


def _read(path: Path, names: Sequence[str]) -> Any:
    """Return the columns as text: the kinds that pyarrow would guess hold for the beginning of a file alone."""
    convert = arrow_csv.ConvertOptions(
        include_columns=list(names), column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=True
    )
    try:
        return arrow_csv.read_csv(
            path, convert_options=convert, parse_options=arrow_csv.ParseOptions(newlines_in_values=True)
        )
    except (pa.ArrowInvalid, pa.ArrowKeyError) as error:  # the message would quote cells
        raise BadFile(
            f"{path} cannot be read as a table with commas",
            remedy="each row needs as many cells as the first, and all of it must be UTF-8",
        ) from error


def _people(table: Any, name: str, path: Path) -> np.ndarray[Any, Any]:
    column = table.column(name).combine_chunks()
    if column.null_count:
        raise BadFile(f"{path}: column {name} is empty in {column.null_count} rows", remedy="each row needs its person")
    found: np.ndarray[Any, Any] = column.dictionary_encode().indices.to_numpy(zero_copy_only=False)
    return found


def _numbers(table: Any, name: str, path: Path) -> Floats:
    column = compute.utf8_trim_whitespace(table.column(name))
    for kind in (pa.float64(), pa.bool_()):  # "true" and "false" count as 1 and 0
        try:
            return np.asarray(column.cast(kind).cast(pa.float64()).to_numpy(), np.float64)
        except pa.ArrowInvalid:  # the message would quote a cell
            continue
    raise BadFile(
        f"{path}: column {name} holds something else than numbers",
        remedy="give categories as columns of 0 and 1, one fewer than there are",
    )


def _available(values: Floats, columns: TrialColumns, path: Path) -> np.ndarray[Any, np.dtype[np.bool_]]:
    if not np.isin(values, (0.0, 1.0)).all():
        raise BadFile(
            f"{path}: column {columns.availability} holds something else than 0 and 1", remedy="give 1 for available"
        )
    available: np.ndarray[Any, np.dtype[np.bool_]] = values == 1.0
    return available
