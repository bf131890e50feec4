"""Names of findings, each read alone."""

from __future__ import annotations

from overread.application.studies.reader_checks.names import FindingName, check_names
from overread.domain.result import Unscored
from overread.domain.unit import Polarity

from .labelled import LEXICON, ToldReader, unit


def _name(name: str, *findings: str, synonym: bool = False) -> FindingName:
    return FindingName(entry="F1", name=name, synonym=synonym, findings=findings)


def test_a_name_is_read_as_a_right_finding_or_a_kind_of_it() -> None:
    """Not as a broader one, not denied, not where nobody said what is right."""
    reader = ToldReader(
        {
            "kind": (unit("pneumonia"),),
            "broader": (unit("opacity"),),
            "second": (unit("scar"), unit("effusion")),
            "denied": (unit("effusion", polarity=Polarity.ABSENT),),
            "normal": (unit("clear", polarity=Polarity.ABSENT, denies=frozenset({"opacity"})),),
            "unknown": (unit("scar"),),
            "foreign": Unscored("language"),
        }
    )
    names = [
        _name("kind", "opacity"),
        _name("broader", "pneumonia"),
        _name("second", "effusion", synonym=True),
        _name("denied", "effusion", synonym=True),
        _name("normal", "clear"),
        _name("unknown"),
        _name("foreign", "scar"),
    ]
    report = check_names(reader, LEXICON, names)
    (table,) = report.tables
    assert (table.line("all").count, table.line("all").figures["share read"].value) == (7, 3 / 7)
    assert (table.line("names").count, table.line("names").figures["share read"].value) == (5, 2 / 5)
    assert table.line("synonyms").figures["share read"].value == 1 / 2
    assert [(m.text, m.got) for m in report.mistakes] == [
        ("broader", "present opacity"),
        ("denied", "absent effusion"),
        ("unknown", "present scar"),
        ("foreign", "language"),
    ]
    assert report.notes == ("1 names stand in entries that the mapping does not have",)
