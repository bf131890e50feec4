"""Wordings of findings: sentences of which it is written down what each of them says."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final

from attrs import field, frozen

from overread.application.ports import Extraction, UnitExtractor
from overread.application.scoring.evaluate import Progress
from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.relation import Relation, is_uncertain, kinship_of
from overread.domain.findings.unit import ClinicalUnit, Polarity, severity_ordinal
from overread.domain.reports.report import Report
from overread.domain.results.result import Unscored
from overread.studies.application.reader_checks._drafts import Draft, DraftLine, counts, finish_check
from overread.studies.application.reader_checks.check import Mistake, ReaderCheck

__all__ = ["Saying", "Wording", "check_wordings"]

_BATCH: Final = 512

_STEP: Final = 0.3
"""Less than lies between two degrees on their ordinal scale."""


@frozen(kw_only=True)
class Saying:
    """One thing that a sentence says.

    Attributes:
        concept: finding or normal statement of the lexicon; "other:" and free words where none fits.
        polarity: "present", "absent" or "uncertain"; a normal statement that is made is present.
        side: "left", "right", "bilateral" or "".
        degree: "mild", "moderate", "severe" or "".
        change: "new", "stable", "improved", "worsened", "resolved" or "".
        words: of the sentence that say it.
    """

    concept: str
    polarity: str
    side: str = ""
    degree: str = ""
    change: str = ""
    words: str = field(default="", repr=False)


@frozen(kw_only=True)
class Wording:
    """A sentence with all that it says, in whose voice."""

    voice: str
    sentence: str = field(repr=False)
    readings: tuple[Saying, ...]


class _Outcome(StrEnum):
    """Outcome of reading one thing that is said."""

    EXACT = "exact"
    KIN = "kin"
    MISSED = "missed"
    OTHER = "something else"
    NOTHING = "nothing"


@frozen
class _Read:
    """A saying, what became of it, and the unit that is nearest to it, None where none is near."""

    wording: Wording
    saying: Saying
    outcome: _Outcome
    unit: ClinicalUnit | None
    got: str = field(repr=False)

    @property
    def is_right(self) -> bool:
        return self.unit is not None


def check_wordings(
    extractor: UnitExtractor, lexicon: Lexicon, wordings: Sequence[Wording], *, on_progress: Progress | None = None
) -> ReaderCheck:
    """Reads each sentence as a report of its own and looks for what it says.

    A concept is right where a unit is about it ("exact") or about its kin: a kind of it or what it is a kind of, a sign
    of it or what it is a sign of, or a normal statement and what that denies. What is not right is "missed" where all
    that is read is said in the sentence, too, "nothing" where nothing is read, else "something else". Polarity, side,
    degree and change are judged where the concept is right; of side, degree and change only where one is written down.
    What no finding of the lexicon fits is left out.

    Args:
        extractor: the reader.
        lexicon: its findings.
        wordings: the sentences.
        on_progress: called with the number of sentences done.
    """
    known = lexicon.findings.keys() | lexicon.normals.keys()
    read: list[_Read] = []
    for start in range(0, len(wordings), _BATCH):
        batch = wordings[start : start + _BATCH]
        extractions = extractor.extract([Report(wording.sentence) for wording in batch])
        for wording, extraction in zip(batch, extractions, strict=True):
            read.extend(_read(wording, extraction, lexicon, known))
        if on_progress is not None:
            on_progress(start + len(batch))
    left_out = sum(saying.concept not in known for wording in wordings for saying in wording.readings)
    return finish_check(
        "wordings",
        extractor.identity,
        [
            Draft("Concepts", "readings", tuple(_lines(read, lambda name, keep: _concepts(name, read, keep)))),
            Draft(
                "Attributes", "readings", tuple(_lines(read, lambda name, keep: _attributes(name, read, keep, lexicon)))
            ),
        ],
        len(read),
        mistakes=(
            Mistake(
                reading.wording.voice,
                f"{reading.saying.polarity} {reading.saying.concept}",
                reading.got,
                reading.wording.sentence,
            )
            for reading in read
            if not (reading.is_right and _polarity(reading, lexicon))
        ),
        notes=(f"{left_out} readings are of no finding of the lexicon and left out",) if left_out else (),
    )


def _read(wording: Wording, extraction: Extraction, lexicon: Lexicon, known: Collection[str]) -> Iterator[_Read]:
    units = () if isinstance(extraction, Unscored) else tuple(u for u in extraction if u.canonical_finding)
    got = ", ".join(f"{unit.polarity} {unit.canonical_finding}" for unit in units) or "nothing"
    sayings = [saying for saying in wording.readings if saying.concept in known]
    explained = all(any(_is_kin(unit.canonical_finding, s.concept, lexicon) for s in sayings) for unit in units)
    for saying in sayings:
        exact = [unit for unit in units if unit.canonical_finding == saying.concept]
        near = exact or [unit for unit in units if _is_kin(unit.canonical_finding, saying.concept, lexicon)]
        if near:
            outcome = _Outcome.EXACT if exact else _Outcome.KIN
        else:
            outcome = _Outcome.NOTHING if not units else _Outcome.MISSED if explained else _Outcome.OTHER
        # Of several units the one that agrees: "effusion on the left, none on the right" has two.
        best = max(near, key=lambda unit: (_agrees(saying, unit, lexicon), _side(saying, unit)), default=None)
        yield _Read(wording, saying, outcome, best, got)


def _is_kin(one: str, other: str, lexicon: Lexicon) -> bool:
    if one == other:
        return True
    if one in lexicon.normals or other in lexicon.normals:
        denied, held = (
            set(lexicon.normals[name].denies) if name in lexicon.normals else {name} for name in (one, other)
        )
        return any(lexicon.is_kind_of(a, b) or lexicon.is_kind_of(b, a) for a in denied for b in held)
    kinship = kinship_of(one, other, lexicon)
    return kinship.is_kin or kinship is Relation.SIGN


def _agrees(saying: Saying, unit: ClinicalUnit, lexicon: Lexicon) -> bool:
    """Returns whether a unit asserts or denies what the saying does; what is possible counts as asserted."""
    denied = unit.canonical_finding in lexicon.normals or unit.polarity is Polarity.ABSENT
    if saying.concept in lexicon.normals:
        return denied == (saying.polarity == "present")
    return denied == (saying.polarity == "absent")


def _side(saying: Saying, unit: ClinicalUnit) -> bool:
    return unit.place.side == ("both" if saying.side == "bilateral" else saying.side)


def _polarity(read: _Read, lexicon: Lexicon) -> bool:
    return read.unit is not None and _agrees(read.saying, read.unit, lexicon)


def _certainty(saying: Saying, unit: ClinicalUnit) -> bool:
    return is_uncertain(unit) == (saying.polarity == "uncertain")


def _degree(saying: Saying, unit: ClinicalUnit) -> bool:
    severity = unit.severity
    return severity is not None and abs(severity_ordinal(severity) - severity_ordinal(saying.degree)) < _STEP


def _change(saying: Saying, unit: ClinicalUnit) -> bool:
    return unit.change is not None and unit.change.value == saying.change


_ATTRIBUTES: Final[Mapping[str, tuple[Callable[[Saying], bool], Callable[[Saying, ClinicalUnit], bool]]]] = {
    "certainty": (lambda saying: saying.polarity != "absent", _certainty),
    "side": (lambda saying: bool(saying.side), _side),
    "degree": (lambda saying: bool(saying.degree), _degree),
    "change": (lambda saying: bool(saying.change), _change),
}
"""Beside polarity: of which sayings each is asked, and whether a unit has it right."""


def _lines(read: Sequence[_Read], line: Callable[[str, Sequence[bool]], DraftLine]) -> Iterator[DraftLine]:
    yield line("all", [True] * len(read))
    voices = list(dict.fromkeys(reading.wording.voice for reading in read))
    for voice in voices if len(voices) > 1 else ():
        yield line(voice, [reading.wording.voice == voice for reading in read])


def _concepts(name: str, read: Sequence[_Read], kept: Sequence[bool]) -> DraftLine:
    keep = counts(list(kept))
    shares = {"right": (counts([reading.is_right for reading in read]) * keep, keep)}
    shares |= {
        outcome.value: (counts([reading.outcome is outcome for reading in read]) * keep, keep)
        for outcome in (_Outcome.EXACT, _Outcome.MISSED, _Outcome.OTHER, _Outcome.NOTHING)
    }
    return DraftLine(name, int(keep.sum()), shares)


def _attributes(name: str, read: Sequence[_Read], kept: Sequence[bool], lexicon: Lexicon) -> DraftLine:
    right = counts([k and reading.is_right for k, reading in zip(kept, read, strict=True)])
    fractions = {"polarity": (counts([_polarity(reading, lexicon) for reading in read]) * right, right)}
    for what, (is_asked, holds) in _ATTRIBUTES.items():
        asked = counts([is_asked(reading.saying) for reading in read]) * right
        held = counts([reading.unit is not None and holds(reading.saying, reading.unit) for reading in read])
        fractions[what] = (held * asked, asked)
    return DraftLine(name, int(right.sum()), fractions)
