"""What two units that assert one finding say differently of it: place, degree, size, change, doubt, appearance."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from attrs import frozen

from overread.domain import severity_rules
from overread.domain.anatomy import Place
from overread.domain.discrepancy import Discrepancy
from overread.domain.lexicon import Lexicon
from overread.domain.relation import (
    Relation,
    is_uncertain,
    kinship,
    sites,
)
from overread.domain.severity import Severity
from overread.domain.severity_rules import Judgement
from overread.domain.taxonomy import ErrorAspect, ErrorTaxonomy, ErrorType
from overread.domain.unit import Certainty, ClinicalUnit, largest

__all__ = ["TAXONOMY", "compared", "differences"]

Units = Sequence[ClinicalUnit]

TAXONOMY: Final = ErrorTaxonomy()


def differences(r: ClinicalUnit, c: ClinicalUnit) -> int:
    """Number of compared attributes in which two units differ."""
    return sum(
        (
            r.anatomy != c.anatomy,
            r.severity != c.severity,
            r.measurements != c.measurements,
            r.change is not c.change,
            _doubt(r) != _doubt(c),
            r.modifiers != c.modifiers,
        )
    )


def compared(
    r: ClinicalUnit, c: ClinicalUnit, reference: Units, candidate: Units, lexicon: Lexicon
) -> Iterator[Discrepancy]:
    """Discrepancies between two units that assert one finding, each read among the units of its report.

    A report often names a finding twice, in its findings and in its impression, and describes it once: what either
    mention says, the report says.
    """
    note = _Noter(r, c, _Mentions(_alike(r, reference, lexicon), _alike(c, candidate, lexicon)))
    hidden = _hidden(note, lexicon)
    if hidden is not None:
        yield hidden
    else:
        yield from _location(note, lexicon)
        yield from _size(note)
    if note.mentions.differ(r, c, lambda unit: unit.severity):
        kind = _direction(r.severity, c.severity)
        yield note(ErrorAspect.SEVERITY, kind, severity_rules.judge_degree(r, c, lexicon))
    if note.mentions.differ(r, c, lambda unit: unit.change):
        kind = _direction(r.change, c.change)
        yield note(ErrorAspect.COMPARISON, kind, severity_rules.judge_change(r, r.change, c.change, lexicon))
    yield from _uncertainty(note, reference, candidate, lexicon)
    yield from _description(note, reference, candidate, lexicon)


@frozen
class _Mentions:
    """All units of each report that assert the finding that is compared."""

    reference: Units
    candidate: Units

    @property
    def places(self) -> tuple[Place, Place]:
        """What each report says in all of where the finding lies."""
        return Place.joined(u.place for u in self.reference), Place.joined(u.place for u in self.candidate)

    def differ(self, r: ClinicalUnit, c: ClinicalUnit, attribute: Callable[[ClinicalUnit], object]) -> bool:
        """Whether an attribute differs, and no other mention at the same place bridges the difference."""
        value_r, value_c = attribute(r), attribute(c)
        if value_r == value_c:
            return False
        said_r = {attribute(unit) for unit in self.reference if not unit.place.is_across_from(c.place)}
        said_c = {attribute(unit) for unit in self.candidate if not unit.place.is_across_from(r.place)}
        lost = value_r is not None and value_r not in said_c
        added = value_c is not None and value_c not in said_r
        return lost or added


@frozen
class _Noter:
    """Makes the discrepancies of one pair of findings."""

    r: ClinicalUnit
    c: ClinicalUnit
    mentions: _Mentions

    def __call__(
        self,
        aspect: ErrorAspect,
        kind: ErrorType,
        judgement: Judgement,
        *,
        counted: bool = True,
    ) -> Discrepancy:
        return Discrepancy(
            category=TAXONOMY.category(aspect, kind) if counted else None,
            aspect=aspect,
            type=TAXONOMY.printed_type(aspect, kind),
            severity=judgement.severity,
            reason=judgement.reason,
            finding=self.r.canonical_finding,
            side=self.r.place.side,
            reference_spans=(self.r.span,),
            candidate_spans=(self.c.span,),
        )


def _direction(reference: object | None, candidate: object | None) -> ErrorType:
    if candidate is None:
        return ErrorType.OMISSION
    return ErrorType.FABRICATION if reference is None else ErrorType.INACCURACY


def _alike(unit: ClinicalUnit, units: Units, lexicon: Lexicon) -> list[ClinicalUnit]:
    """The unit and the other units of its report that assert the same finding: "left ... and right effusion"."""
    return [
        other for other in units if other is unit or (other.asserts_finding and kinship(unit, other, lexicon).is_kin)
    ]


def _location(note: _Noter, lexicon: Lexicon) -> Iterator[Discrepancy]:
    r, c = note.r.place, note.c.place
    all_r, all_c = note.mentions.places
    lost, added = r.sides - all_c.sides, c.sides - all_r.sides
    if lost or added:
        kind = _direction(r.sides or None, c.sides or None)
        judgement = severity_rules.judge_side(note.r, lexicon, contradicts=bool(added and r.sides), omitted=bool(lost))
        yield note(ErrorAspect.LOCATION, kind, judgement)
        return
    if distance := max(r.heights_apart(all_c), c.heights_apart(all_r)):
        yield note(ErrorAspect.LOCATION, ErrorType.INACCURACY, severity_rules.judge_zone(note.r, lexicon, distance))
    elif r.is_opposite_in_depth(c):
        judgement = severity_rules.judge_side(note.r, lexicon, contradicts=True, omitted=False)
        yield note(ErrorAspect.LOCATION, ErrorType.INACCURACY, judgement)
    elif r.levels and not r.levels & all_c.levels and not c.levels & all_r.levels:
        yield note(ErrorAspect.LOCATION, *severity_rules.judge_level(r.levels, c.levels, note.r, lexicon))
    elif note.r.device and (places := _sites_apart(note, lexicon)):
        yield note(ErrorAspect.LOCATION, ErrorType.INACCURACY, severity_rules.judge_site(*places, lexicon))
    elif note.r.device and (state := severity_rules.judge_device(note.r, note.c, lexicon)):
        yield note(ErrorAspect.LOCATION, _direction(note.r.device_status, note.c.device_status), state)


def _sites_apart(note: _Noter, lexicon: Lexicon) -> tuple[frozenset[str], frozenset[str]] | None:
    """Sites that only one of the reports names for a device, where each names one: the vein of access is in both."""
    r, c = sites(note.r, lexicon), sites(note.c, lexicon)
    return (r - c, c - r) if r - c and c - r else None


def _size(note: _Noter) -> Iterator[Discrepancy]:
    r, c = largest(note.r.measurements), largest(note.c.measurements)
    if r is not None and c is not None:
        if judgement := severity_rules.judge_size(r, c):
            yield note(ErrorAspect.SIZE, ErrorType.INACCURACY, judgement)
    elif note.mentions.differ(note.r, note.c, lambda unit: unit.measurements or None):
        lost = "lost" if r else "not in the reference"
        kind = ErrorType.OMISSION if r else ErrorType.FABRICATION
        yield note(ErrorAspect.SIZE, kind, Judgement(Severity.INSIGNIFICANT, f"a measurement is {lost}"))


def _uncertainty(note: _Noter, reference: Units, candidate: Units, lexicon: Lexicon) -> Iterator[Discrepancy]:
    doubt_r, doubt_c = _doubt(note.r), _doubt(note.c)
    if not note.mentions.differ(note.r, note.c, _doubt):
        return
    open_r = doubt_r > doubt_c
    kind = ErrorType.OMISSION if open_r else ErrorType.FABRICATION
    if abs(doubt_r - doubt_c) == 1:
        judgement = Judgement(Severity.INSIGNIFICANT, "a shade of certainty")
    else:
        unit, units = (note.r, reference) if open_r else (note.c, candidate)
        alternatives = [u for u in units if u.sentence_index == unit.sentence_index and is_uncertain(u)]
        judgement = severity_rules.judge_uncertainty(
            note.r, alternatives, lexicon, open_side="reference" if open_r else "candidate"
        )
    yield note(ErrorAspect.UNCERTAINTY, kind, judgement)


def _doubt(unit: ClinicalUnit) -> int:
    """0 for an assertion, 1 for a probable one, 2 for one left open."""
    return 2 if is_uncertain(unit) else int(unit.certainty is Certainty.PROBABLE)


def _description(note: _Noter, reference: Units, candidate: Units, lexicon: Lexicon) -> Iterator[Discrepancy]:
    if judgement := severity_rules.judge_age(note.r, note.c, lexicon):
        yield note(ErrorAspect.DESCRIPTION, ErrorType.INACCURACY, judgement, counted=False)
    elif worded := severity_rules.judge_appearance(
        note.r, note.c, _words_near(note.r, reference), _words_near(note.c, candidate), lexicon
    ):
        yield note(ErrorAspect.DESCRIPTION, *worded, counted=False)
    term = _term(note, lexicon)
    if term is not None and not term.severity.counts_as_significant:
        yield note(ErrorAspect.TERMINOLOGY, ErrorType.INACCURACY, term, counted=False)


def _term(note: _Noter, lexicon: Lexicon) -> Judgement | None:
    bearing = kinship(note.r, note.c, lexicon)
    if bearing is Relation.SAME:
        return None
    return severity_rules.judge_term(note.r, note.c, lexicon, broader=bearing is Relation.NARROWER)


def _hidden(note: _Noter, lexicon: Lexicon) -> Discrepancy | None:
    """A term that hides or adds what matters, told in place of what follows from it: a tube called in good place."""
    term = _term(note, lexicon)
    if term is None or not term.severity.counts_as_significant:
        return None
    lost = kinship(note.r, note.c, lexicon) is Relation.NARROWER
    named = lexicon.name((note.r if lost else note.c).canonical_finding)
    judgement = Judgement(term.severity, f"{named} is only in the {'reference' if lost else 'candidate'}")
    if note.r.device or note.c.device:
        return note(ErrorAspect.LOCATION, ErrorType.OMISSION if lost else ErrorType.FABRICATION, judgement)
    return note(ErrorAspect.TERMINOLOGY, ErrorType.INACCURACY, judgement, counted=False)


def _words_near(unit: ClinicalUnit, units: Units) -> frozenset[str]:
    """Words of appearance anywhere in the report, as a description may stand beside its finding."""
    return unit.modifiers.union(*(other.modifiers for other in units if other.asserts_finding))
