"""What is read in sentences of which it is written down what they say."""

from __future__ import annotations

from typing import Any

import pytest

from overread.domain.findings.unit import Certainty, Change, ClinicalUnit, Polarity
from overread.domain.results.result import Unscored
from overread.studies.application.reader_checks.wordings import Saying, Wording, check_wordings

from .labelled import LEXICON, ToldReader, lines, unit, value

ABSENT: dict[str, Any] = {"polarity": Polarity.ABSENT}


def said(sentence: str, *readings: Saying, voice: str = "ward") -> Wording:
    return Wording(voice=voice, sentence=sentence, readings=readings)


def saying(concept: str, polarity: str = "present", **attributes: str) -> Saying:
    return Saying(concept=concept, polarity=polarity, **attributes)


def test_a_concept_is_right_where_it_or_its_kin_is_read() -> None:
    """A kind, a broader finding, a normal of what is denied; else it is missed, taken for another or unread."""
    reader = ToldReader(
        {
            "exact": (unit("effusion"),),
            "kind": (unit("pneumonia"),),
            "broader": (unit("opacity"),),
            "normal": (unit("clear", denies=frozenset({"opacity"}), **ABSENT),),
            "half": (unit("effusion"),),
            "another": (unit("scar"),),
            "blank": (unit(""),),
            "foreign": Unscored("language"),
        }
    )
    check = check_wordings(
        reader,
        LEXICON,
        [
            said("exact", saying("effusion")),
            said("kind", saying("opacity")),
            said("broader", saying("pneumonia")),
            said("normal", saying("opacity", "absent")),
            said("half", saying("effusion"), saying("pneumonia")),
            said("another", saying("effusion")),
            said("blank", saying("effusion")),
            said("foreign", saying("effusion"), saying("other:thing")),
        ],
    )
    found = lines(check, "Concepts")["all"]
    assert found["count"] == 9
    shares = {name: found[name] for name in ("right", "exact", "missed", "something else", "nothing")}
    assert shares == pytest.approx(
        {"right": 5 / 9, "exact": 2 / 9, "missed": 1 / 9, "something else": 1 / 9, "nothing": 2 / 9}
    )
    assert check.tabulation.notes == ("1 readings are of no finding of the lexicon and left out",)
    assert [(m.expected, m.got) for m in check.mistakes] == [
        ("present pneumonia", "present effusion"),
        ("present effusion", "present scar"),
        ("present effusion", "nothing"),
        ("present effusion", "nothing"),
    ]


@pytest.mark.parametrize(
    ("told", "read", "column", "expected"),
    [
        (saying("effusion", "absent"), unit("effusion", **ABSENT), "polarity", 1.0),
        (saying("effusion", "absent"), unit("effusion"), "polarity", 0.0),
        (saying("clear"), unit("clear", denies=frozenset({"opacity"}), **ABSENT), "polarity", 1.0),
        (saying("clear"), unit("opacity", **ABSENT), "polarity", 1.0),
        (saying("clear"), unit("opacity"), "polarity", 0.0),
        (saying("effusion", "uncertain"), unit("effusion", certainty=Certainty.POSSIBLE), "certainty", 1.0),
        (saying("effusion", "uncertain"), unit("effusion"), "certainty", 0.0),
        (saying("effusion"), unit("effusion", certainty=Certainty.POSSIBLE), "certainty", 0.0),
        (saying("effusion", side="left"), unit("effusion", anatomy=frozenset({"left"})), "side", 1.0),
        (saying("effusion", side="bilateral"), unit("effusion", anatomy=frozenset({"left"})), "side", 0.0),
        (saying("effusion", side="bilateral"), unit("effusion", anatomy=frozenset({"left", "right"})), "side", 1.0),
        (saying("effusion", degree="severe"), unit("effusion", severity="severe"), "degree", 1.0),
        (saying("effusion", degree="severe"), unit("effusion", severity="moderate"), "degree", 0.0),
        (saying("effusion", degree="mild"), unit("effusion"), "degree", 0.0),
        (saying("effusion", change="new"), unit("effusion", change=Change.NEW), "change", 1.0),
        (saying("effusion", change="new"), unit("effusion", change=Change.WORSENED), "change", 0.0),
    ],
)
def test_attributes_are_judged_where_the_finding_is_right(
    told: Saying, read: ClinicalUnit, column: str, expected: float
) -> None:
    """Side, degree and change only where one is written down."""
    check = check_wordings(ToldReader({"text": (read,)}), LEXICON, [said("text", told)])
    assert value(check, "Attributes", "all", column) == expected


def test_of_several_units_the_one_that_agrees_counts() -> None:
    """An effusion on the left and none on the right are two readings and two units."""
    units = (unit("effusion", anatomy=frozenset({"left"})), unit("effusion", anatomy=frozenset({"right"}), **ABSENT))
    both = (saying("effusion", side="left"), saying("effusion", "absent", side="right"))
    check = check_wordings(ToldReader({"text": units}), LEXICON, [said("text", *both)])
    found = lines(check, "Attributes")["all"]
    assert (found["polarity"], found["side"]) == (1.0, 1.0)


def test_voices_have_their_lines_where_there_are_several() -> None:
    """One voice is all there is."""
    reader = ToldReader({"a": (unit("effusion"),), "b": ()})
    check = check_wordings(
        reader, LEXICON, [said("a", saying("effusion"), voice="x"), said("b", saying("scar"), voice="y")]
    )
    assert {name: line["right"] for name, line in lines(check, "Concepts").items()} == {"all": 0.5, "x": 1.0, "y": 0.0}
    alone = check_wordings(reader, LEXICON, [said("a", saying("effusion"))])
    assert list(lines(alone, "Concepts")) == ["all"]
