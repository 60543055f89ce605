"""A publisher's files become one table with a header: nothing is added, dropped or reordered but what is said here."""

from __future__ import annotations

import csv
import gzip
import io
from contextlib import contextmanager
from typing import TYPE_CHECKING

from diva.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import TextIO

    from diva.datasets.catalogue import Rows

_ADULT = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship", "race",
    "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income",
)  # fmt: skip
_CENSUS = (
    "age", "class_of_worker", "detailed_industry_recode", "detailed_occupation_recode", "education", "wage_per_hour",
    "enroll_in_edu_inst_last_wk", "marital_stat", "major_industry_code", "major_occupation_code", "race",
    "hispanic_origin", "sex", "member_of_a_labor_union", "reason_for_unemployment", "full_or_part_time_employment_stat",
    "capital_gains", "capital_losses", "dividends_from_stocks", "tax_filer_stat", "region_of_previous_residence",
    "state_of_previous_residence", "detailed_household_and_family_stat", "detailed_household_summary_in_household",
    "instance_weight", "migration_code_change_in_msa", "migration_code_change_in_reg",
    "migration_code_move_within_reg", "live_in_this_house_1_year_ago", "migration_prev_res_in_sunbelt",
    "num_persons_worked_for_employer", "family_members_under_18", "country_of_birth_father",
    "country_of_birth_mother", "country_of_birth_self", "citizenship", "own_business_or_self_employed",
    "fill_inc_questionnaire_for_veterans_admin", "veterans_benefits", "weeks_worked_in_year", "year", "income",
)  # fmt: skip
_CREDIT = (
    "id", "Age", "Sex", "Job", "Housing", "Saving accounts", "Checking account", "Credit amount", "Duration", "Purpose",
)  # fmt: skip
_SEX = {"A91": "male", "A92": "female", "A93": "male", "A94": "male", "A95": "female"}
_JOB = {"A171": "0", "A172": "1", "A173": "2", "A174": "3"}
_HOUSING = {"A151": "rent", "A152": "own", "A153": "free"}
_SAVINGS = {"A61": "little", "A62": "moderate", "A63": "quite rich", "A64": "rich", "A65": "NA"}
_CHECKING = {"A11": "little", "A12": "moderate", "A13": "rich", "A14": "NA"}
_PURPOSE = {
    "A40": "car", "A41": "car", "A42": "furniture/equipment", "A43": "radio/TV", "A44": "domestic appliances",
    "A45": "repairs", "A46": "education", "A47": "vacation/others", "A48": "education", "A49": "business",
    "A410": "vacation/others",
}  # fmt: skip


def adult(paths: Sequence[Path]) -> Rows:
    """Training, then test; a comment and the dots behind the classes of the test part go."""
    yield _ADULT
    for path in paths:
        for row in _comma_separated(path, len(_ADULT), comment="|"):
            row[-1] = row[-1].removesuffix(".")
            yield row


def census(paths: Sequence[Path]) -> Rows:
    """Training, then test, as they are; the names of the columns are those of the publisher's description."""
    yield _CENSUS
    for path in paths:
        yield from _comma_separated(path, len(_CENSUS))


def credit(paths: Sequence[Path]) -> Rows:
    """Ten of the columns, numbered, with words for the publisher's codes."""
    yield _CREDIT
    for path in paths:
        with _text(path) as stream:
            for number, line in enumerate(stream):
                cells = line.split()
                _require_width(path, cells, 21)
                yield [str(number), *_credit_row(path, cells)]


def as_it_is(paths: Sequence[Path]) -> Rows:
    """One CSV that has a header already."""
    for path in paths:
        with _text(path) as stream:
            yield from csv.reader(stream)


def _credit_row(path: Path, cells: list[str]) -> list[str]:
    def word(codes: Mapping[str, str], column: int) -> str:
        if cells[column] not in codes:
            raise _not_the_table(path, f"{cells[column]!r} is no code of column {column + 1}")
        return codes[cells[column]]

    coded = [
        word(codes, c) for codes, c in ((_SEX, 8), (_JOB, 16), (_HOUSING, 14), (_SAVINGS, 5), (_CHECKING, 0))
    ]
    return [cells[12], *coded, cells[4], cells[1], word(_PURPOSE, 3)]


def _comma_separated(path: Path, width: int, comment: str | None = None) -> Iterator[list[str]]:
    """The rows of a file of UCI: cells behind commas and blanks, no quotes, perhaps blank lines at the end."""
    with _text(path) as stream:
        for line in stream:
            if not line.strip() or (comment and line.startswith(comment)):
                continue
            cells = [cell.strip() for cell in line.split(",")]
            _require_width(path, cells, width)
            yield cells


@contextmanager
def _text(path: Path) -> Iterator[TextIO]:
    """Open a file as text, unpacked where it is packed with gzip."""
    with path.open("rb") as raw:
        packed = raw.peek(2)[:2] == b"\x1f\x8b"
    try:
        with gzip.open(path) if packed else path.open("rb") as raw:
            yield io.TextIOWrapper(raw, encoding="utf-8-sig", newline="" if path.suffix == ".csv" else None)
    except (gzip.BadGzipFile, EOFError, UnicodeDecodeError):
        raise _not_the_table(path, "it can't be read as text") from None


def _require_width(path: Path, cells: list[str], width: int) -> None:
    if len(cells) != width:
        raise _not_the_table(path, f"a line has {len(cells)} cells and not {width}")


def _not_the_table(path: Path, why: str) -> BadInput:
    return BadInput(f"{path.name!r} is not the file that its publisher offers: {why}; download it again")
