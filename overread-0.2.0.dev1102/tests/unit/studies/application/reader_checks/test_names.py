"""Names of findings, each read alone."""

from __future__ import annotations

from overread.domain.findings.unit import Polarity
from overread.domain.results.result import Unscored
from overread.studies.application.reader_checks.names import FindingName, check_names

from .labelled import LEXICON, ToldReader, lines, unit


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
    found = lines(report, "Names read as the right finding")
    assert (found["all"]["count"], found["all"]["share read"]) == (7, 3 / 7)
    assert (found["names"]["count"], found["names"]["share read"]) == (5, 2 / 5)
    assert found["synonyms"]["share read"] == 1 / 2
    assert [(m.text, m.got) for m in report.mistakes] == [
        ("broader", "present opacity"),
        ("denied", "absent effusion"),
        ("unknown", "present scar"),
        ("foreign", "language"),
    ]
    assert report.tabulation.notes == ("1 names stand in entries that the mapping does not have",)
