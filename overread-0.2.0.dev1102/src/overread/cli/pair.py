"""The pair a command is about: two files, two texts, or a row of a table."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from overread.exceptions import ConfigurationError, InputError

if TYPE_CHECKING:
    from overread.domain.reports.report import ReportPair

_SEXES: Final = ("f", "female", "m", "male", "o", "other", "u", "unknown")

__all__ = [
    "Age",
    "CandidateFile",
    "CandidateText",
    "Indication",
    "PairId",
    "PairsFile",
    "ReferenceFile",
    "ReferenceText",
    "Sex",
    "in_context",
    "read_pair",
]

ReferenceFile = Annotated[
    Path | None, typer.Option("--reference", metavar="FILE", help="File with the radiologist's report.")
]
CandidateFile = Annotated[
    Path | None, typer.Option("--candidate", metavar="FILE", help="File with the report under test.")
]
PairsFile = Annotated[
    Path | None, typer.Option("--pairs", metavar="FILE", help="Table to take the pair from, by its --id.")
]
PairId = Annotated[
    str, typer.Option("--id", metavar="ID", help="The pair's id: a name to show, or the id of a pair of --pairs.")
]
ReferenceText = Annotated[str | None, typer.Option(metavar="TEXT", help="Text of the radiologist's report.")]
CandidateText = Annotated[str | None, typer.Option(metavar="TEXT", help="Text of the report under test.")]

Age = Annotated[str | None, typer.Option(metavar="AGE", help="The patient's age: years, or 066Y, 015M, 003W, 001D.")]
Sex = Annotated[str | None, typer.Option(metavar="SEX", help="The patient's sex: F or M.")]
Indication = Annotated[str | None, typer.Option(metavar="TEXT", help="Why the examination was made.")]


def in_context(pair: ReportPair, age: str | None, sex: str | None, indication: str | None) -> ReportPair:
    """The pair with what the options say of the patient; what they leave out stays as it is.

    Raises:
        ConfigurationError: if the age is none, or the sex is not known.
    """
    from attrs import evolve

    from overread.domain.reports.report import age_in_years

    given: dict[str, Any] = {}
    if age is not None:
        try:
            given["age"] = age_in_years(age)
        except ValueError as error:
            raise ConfigurationError([f"--age is {error}"]) from None
    if sex is not None:
        if sex.strip().lower() not in _SEXES:
            raise ConfigurationError([f"--sex must be one of {', '.join(_SEXES)}; leave it out where it is not known"])
        given["sex"] = sex.strip()
    if indication is not None:
        given["indication"] = indication.strip() or None
    return evolve(pair, context=evolve(pair.context, **given)) if given else pair


def read_pair(
    reference: Path | None,
    candidate: Path | None,
    reference_text: str | None,
    candidate_text: str | None,
    pairs: Path | None,
    pair_id: str,
) -> ReportPair:
    """The one pair that the options name.

    Raises:
        ConfigurationError: if they name none, or more than one.
        InputError: if a file cannot be read or holds no such pair.
    """
    from overread.domain.reports.report import ReportPair

    if pairs is not None:
        if any(source is not None for source in (reference, candidate, reference_text, candidate_text)):
            raise ConfigurationError(["give --pairs and --id, or the two reports, not both"])
        return _row(pairs, pair_id)
    return ReportPair(
        id=pair_id,
        reference=_text("reference", reference, reference_text),
        candidate=_text("candidate", candidate, candidate_text),
    )


def _row(pairs: Path, pair_id: str) -> ReportPair:
    from overread.domain.reports.report import ReportPair
    from overread.infrastructure.files.tables import Columns, has_ids, read_pairs

    for row in read_pairs(pairs, columns=Columns(), on_error="skip"):
        if row.id == pair_id and isinstance(row, ReportPair):
            return row
    remedy = "its pairs have no ids: give --id the number of a row, from 1"
    if has_ids(pairs):
        listing = f"overread corpus {shlex.quote(str(pairs))} -m rouge -o -"
        remedy = f"give --id one of its column id; `{listing}` lists them"
    raise InputError(str(pairs), f"has no usable pair with id {pair_id!r}", remedy=remedy)


def _text(name: str, path: Path | None, text: str | None) -> str:
    from overread.infrastructure.files.tables import read_text

    if text is not None and any("\ud800" <= character <= "\udfff" for character in text):
        raise ConfigurationError([f"--{name}-text is not UTF-8; save it as a file in UTF-8 and use --{name} FILE"])
    if (path is None) == (text is None):
        raise ConfigurationError([f"give the {name} either as --{name} FILE or as --{name}-text TEXT"])
    return read_text(path) if path is not None else text or ""
