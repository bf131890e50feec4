"""Reading pairs: both reports into units, aligned by transport."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from attrs import define, evolve, field, frozen

from overread.application.contracts import alignments_of, second_readings_of, units_of
from overread.application.ports import (
    Aligner,
    CostModel,
    CoverageReader,
    Extraction,
    SecondReader,
    UnitExtractor,
    Weighs,
)
from overread.domain.differences.aligned_pair import AlignedPair
from overread.domain.differences.cost import PairCosts, TableTwoCost
from overread.domain.differences.graded_reward import legible
from overread.domain.differences.hard_fact import bound_probability, hard_facts
from overread.domain.differences.remark import TECHNIQUE, remarks_of
from overread.domain.differences.second_reading import FirstReading, SecondReading
from overread.domain.differences.unread import Coverage, is_repeated, unread_pair
from overread.domain.differences.weighing import Weighing
from overread.domain.findings.advice import ADVICE, COMMUNICATION
from overread.domain.findings.unit import NULL_UNIT, ClinicalUnit
from overread.domain.reports.plain_text import same_words
from overread.domain.reports.report import ClinicalContext, Report, ReportPair, ReportPart, Span, examinations_at
from overread.domain.results.alignment import Alignment
from overread.domain.results.result import EMPTY_PAIR, Fault, Unscored

__all__ = [
    "MOST_UNITS",
    "PairReader",
    "PairUnits",
    "ReadPair",
    "coverage_scores",
    "first_reading",
    "read_units",
    "reading_notes",
]

Units = tuple[ClinicalUnit, ...]
Texts = tuple[str, str]
Parts = tuple[ReportPart, ...]
Key = tuple[str, str, ClinicalContext, tuple[Parts, Parts]]
K = TypeVar("K")
V = TypeVar("V")


_COMPARED_ASIDES: Final = frozenset({"", ADVICE, COMMUNICATION, TECHNIQUE})
"""Kinds of administrative statements that are compared, and none."""

MOST_UNITS: Final = 300
"""Units of a report beyond which it is not aligned: transport is quadratic in them."""


@frozen
class PairUnits:
    """The clinical units of both reports; ``*_asides`` are their administrative sentences."""

    reference: Units
    candidate: Units
    reference_asides: Units = ()
    candidate_asides: Units = ()

    @property
    def ends(self) -> tuple[Units, Units]:
        """The two sides of the transport: a report without clinical units is one null unit."""
        return self.reference or (NULL_UNIT,), self.candidate or (NULL_UNIT,)

    def restrict_to_parts(self, parts: tuple[Parts, Parts]) -> PairUnits:
        """The same units, each with the examinations that the part of a joined report which it stands in is about.

        What the reference seems to say against itself excuses the candidate as long as its text is one part.
        """
        reference_parts, candidate_parts = parts
        if not candidate_parts:
            return self
        return PairUnits(
            _in_parts(self.reference, reference_parts),
            _in_parts(self.candidate, candidate_parts),
            _in_parts(self.reference_asides, reference_parts),
            _in_parts(self.candidate_asides, candidate_parts),
        )

    @property
    def all(self) -> tuple[Units, Units]:
        """All units of both reports, the clinical ones first."""
        return (
            (*self.reference, *self.reference_asides),
            (*self.candidate, *self.candidate_asides),
        )


def _in_parts(units: Units, parts: Parts) -> Units:
    return tuple(evolve(unit, examinations=examinations_at(parts, unit.start)) for unit in units)


def _coverage_in_parts(coverage: tuple[Coverage, Coverage], parts: tuple[Parts, Parts]) -> tuple[Coverage, Coverage]:
    reference, candidate = coverage
    reference_parts, candidate_parts = parts
    return (
        (evolve(reference, parts=reference_parts), evolve(candidate, parts=candidate_parts))
        if reference_parts and candidate_parts
        else coverage
    )


@frozen(kw_only=True)
class ReadPair:
    """The units of a pair and their alignment.

    Attributes:
        rows: the reference's units that the plan's rows stand for; ``columns`` the candidate's.
        coverage: what was read of the reference and of the candidate; None where the extractor does not know.
    """

    units: PairUnits
    aligned: AlignedPair
    rows: Units
    columns: Units
    coverage: tuple[Coverage, Coverage] | None = None


def coverage_scores(pair: ReadPair) -> dict[str, float]:
    """Share of each report's content words that was read, 0 to 1, as subscores; none where that is not known."""
    if pair.coverage is None:
        return {}
    reference, candidate = pair.coverage
    return {"reference_coverage": reference.share, "candidate_coverage": candidate.share}


def reading_notes(pair: ReadPair) -> tuple[str, ...]:
    """Notes for a reader of the result: that the candidate says nothing, or that findings are unknown."""
    return tuple(note for note in (_silence(pair), _unknown(pair)) if note)


def _silence(pair: ReadPair) -> str:
    if pair.units.candidate or not pair.units.reference:
        return ""
    worst = "" if pair.aligned.notation is None else ", and so it has the worst score there is"
    return f"the candidate holds no statement{worst}"


def _unknown(pair: ReadPair) -> str:
    if pair.aligned.weighing is None:
        return ""
    lexicon = pair.aligned.weighing.lexicon
    named = {unit.canonical_finding for units in pair.units.all for unit in units} - {""}
    count = sum(finding not in lexicon.findings and finding not in lexicon.normals for finding in named)
    if not count:
        return ""
    return f"{count} finding{'s' * (count > 1)} that the lexicon does not have: taken to ask for action"


@frozen(eq=False)
class _Costed:
    """The units that rows and columns stand for, their costs, and how they were weighed if they were."""

    rows: Units
    columns: Units
    costs: PairCosts
    weighing: Weighing | None = None


def first_reading(pair: ReportPair, read: ReadPair) -> FirstReading | None:
    """Input for a second reader of a pair; None if the pair was not weighed."""
    return _first_reading((pair.reference.text, pair.candidate.text), read)


def _first_reading(texts: Texts, read: ReadPair) -> FirstReading | None:
    notation, weighing = read.aligned.notation, read.aligned.weighing
    if notation is None or weighing is None:
        return None
    units, compared = read.units.all, None
    if read.coverage is not None:
        reference, candidate = (_compared_places(*side) for side in zip(read.coverage, units, strict=True))
        compared = reference, candidate
    return FirstReading(*texts, units, notation.discrepancies, weighing.lexicon, compared)


def _compared_places(coverage: Coverage, units: Sequence[ClinicalUnit]) -> tuple[Span, ...]:
    """Places of the sentences that are compared; a signature, for example, is read but not compared."""
    asides = [unit.span for unit in units if unit.administrative not in _COMPARED_ASIDES]
    return tuple(sentence.span for sentence in coverage.sentences if not any(map(sentence.span.meets, asides)))


def _read_again(pair: ReadPair, second: SecondReading) -> ReadPair:
    """The pair with its notation as a second reader sees it, within what hard facts allow.

    Of a candidate of words that no rule reads nothing is doubted: a network may see in them whatever it looks for.
    """
    notation, weighing = pair.aligned.notation, pair.aligned.weighing
    if notation is None or weighing is None:
        return pair
    facts = hard_facts(notation.discrepancies, weighing.reference, weighing.candidate, pair.coverage, weighing.lexicon)
    is_legible = pair.coverage is None or legible(*pair.coverage) == 1.0
    likely = [
        bound_probability(p, fact) if is_legible else 1.0 for p, fact in zip(second.probabilities, facts, strict=True)
    ]
    return evolve(pair, aligned=evolve(pair.aligned, read_again=notation.read_again(likely, second.found)))


@define(eq=False)
class PairReader:
    """Extracts, costs and aligns a batch of pairs; metrics that share one read each pair once.

    Attributes:
        max_units: a report of more units is unscored as "too long".
        remembered: pairs and self-alignments kept, for metrics that follow and reports that come again.
        cost: what it costs to carry one unit onto another.
        second_reader: reads weighed pairs again that are not the same words; None where the first reading stands.
    """

    extractor: UnitExtractor
    aligner: Aligner
    cost: CostModel = field(factory=TableTwoCost)
    second_reader: SecondReader | None = None
    max_units: int = MOST_UNITS
    remembered: int = 512
    _pairs: OrderedDict[Key, ReadPair | Unscored] = field(factory=OrderedDict, init=False, repr=False)
    _selves: OrderedDict[str, Alignment] = field(factory=OrderedDict, init=False, repr=False)

    @property
    def signature_parts(self) -> tuple[tuple[str, str], ...]:
        """Identity of the extractor, the cost, the aligner and the second reader, if one reads."""
        parts = (
            ("extractor", self.extractor.identity),
            ("cost", self.cost.identity),
            ("aligner", self.aligner.identity),
        )
        return parts if self.second_reader is None else (*parts, ("second_reader", self.second_reader.identity))

    def read(self, pairs: Sequence[ReportPair], *, with_selves: bool = False) -> list[ReadPair | Unscored]:
        """Each pair read, or why it cannot be.

        Args:
            pairs: any number of pairs.
            with_selves: whether each report's alignment with itself is needed too.
        """
        nobody = ClinicalContext()
        weighs = isinstance(self.cost, Weighs)
        keys = [
            (
                p.reference.text,
                p.candidate.text,
                p.context if weighs else nobody,
                (p.reference.parts, p.candidate.parts),
            )
            for p in pairs
        ]
        new = list(dict.fromkeys(key for key in keys if not self._is_known(key, with_selves=with_selves)))
        fresh = dict(zip(new, self._read_new(new, with_selves=with_selves), strict=True))
        results = [fresh[key] if key in fresh else self._pairs[key] for key in keys]
        for key, result in fresh.items():
            _remember(self._pairs, key, result, self.remembered)
        return results

    def _is_known(self, key: Key, *, with_selves: bool) -> bool:
        known = self._pairs.get(key)
        if known is None:
            return False
        return isinstance(known, Unscored) or not with_selves or known.aligned.reference_self is not None

    def _read_new(self, keys: Sequence[Key], *, with_selves: bool) -> list[ReadPair | Unscored]:
        covered = self._read_coverage([key[:2] for key in keys])
        outcomes = [
            (coverage and not same_words(*key[:2]) and unread_pair(*coverage)) or outcome
            for key, outcome, coverage in zip(
                keys,
                read_units(self.extractor, [key[:2] for key in keys], max_units=self.max_units),
                covered,
                strict=True,
            )
        ]
        read = {
            key: units.restrict_to_parts(key[3])
            for key, units in zip(keys, outcomes, strict=True)
            if not isinstance(units, Unscored)
        }
        coverages = {
            key: coverage and _coverage_in_parts(coverage, key[3]) for key, coverage in zip(keys, covered, strict=True)
        }
        costed = {key: self._cost_pair(key, units, coverages[key]) for key, units in read.items()}
        costs = [cost.costs for cost in costed.values()]
        crosses = dict(zip(read, alignments_of(self.aligner, costs), strict=True))
        selves = self._align_selves(read) if with_selves else {}
        aligned = {
            key: ReadPair(
                units=units,
                aligned=AlignedPair(
                    cross=crosses[key],
                    reference_self=selves.get(key[0]),
                    candidate_self=selves.get(key[1]),
                    reference_burden=None if costed[key].weighing else self.cost.burden(units.ends[0]),
                    candidate_burden=None if costed[key].weighing else self.cost.burden(units.ends[1]),
                    weighing=costed[key].weighing,
                ),
                rows=costed[key].rows,
                columns=costed[key].columns,
                coverage=coverages[key],
            )
            for key, units in read.items()
        }
        aligned = self._read_again(aligned)
        return [
            outcome if isinstance(outcome, Unscored) else aligned[key]
            for key, outcome in zip(keys, outcomes, strict=True)
        ]

    def _read_again(self, pairs: dict[Key, ReadPair]) -> dict[Key, ReadPair]:
        """Weighed pairs with what the second reader makes of them; it is asked about all at once."""
        if self.second_reader is None:
            return pairs
        asked = {
            key: first
            for key, pair in pairs.items()
            if not same_words(*key[:2]) and (first := _first_reading(key[:2], pair)) is not None
        }
        readings = dict(zip(asked, second_readings_of(self.second_reader, list(asked.values())), strict=True))
        return {key: _read_again(pair, readings[key]) if key in readings else pair for key, pair in pairs.items()}

    def _read_coverage(self, texts: Sequence[Texts]) -> list[tuple[Coverage, Coverage] | None]:
        """Coverage of each pair of texts by the extractor; None where it does not report any."""
        if not isinstance(self.extractor, CoverageReader):
            return [None] * len(texts)
        distinct = list(dict.fromkeys(text for pair in texts for text in pair))
        by_text = dict(zip(distinct, self.extractor.coverage([Report(text) for text in distinct]), strict=True))
        return [(by_text[reference], by_text[candidate]) for reference, candidate in texts]

    def _cost_pair(self, key: Key, units: PairUnits, coverage: tuple[Coverage, Coverage] | None) -> _Costed:
        rows, columns = units.ends
        if not isinstance(self.cost, Weighs):
            return _Costed(units.reference, units.candidate, self.cost.between(rows, columns))
        remarks = remarks_of(*units.all, key[:2], coverage)
        weighing = self.cost.weigh(rows, columns, key[2], remarks)
        return _Costed(
            weighing.rows if units.reference or len(weighing.rows) > 1 else (),
            weighing.columns if units.candidate or len(weighing.columns) > 1 else (),
            weighing.costs(),
            weighing,
        )

    def _align_selves(self, read: Mapping[Key, PairUnits]) -> dict[str, Alignment]:
        units = {text: end for key, pair in read.items() for text, end in zip(key[:2], pair.ends, strict=True)}
        known = {text: self._selves[text] for text in units if text in self._selves}
        new = [text for text in units if text not in known]
        costs: list[PairCosts] = [self.cost.between(units[text], units[text]) for text in new]
        for text, alignment in zip(new, alignments_of(self.aligner, costs), strict=True):
            known[text] = alignment
            _remember(self._selves, text, alignment, self.remembered)
        return known


def read_units(
    extractor: UnitExtractor, texts: Sequence[Texts], *, max_units: int = MOST_UNITS
) -> list[PairUnits | Unscored]:
    """The units of each pair of texts, or why it cannot be read; each distinct text is read once.

    Args:
        extractor: reads reports into units.
        texts: of the reference and the candidate of each pair.
        max_units: a report of more is too long.

    Raises:
        ComponentError: if the extractor gives what are no units of its reports.
    """
    distinct = list(dict.fromkeys(text for pair in texts for text in pair))
    extractions = units_of(extractor, [Report(text) for text in distinct])
    read = dict(zip(distinct, extractions, strict=True))
    return [_pair_units(pair, (read[pair[0]], read[pair[1]]), max_units) for pair in texts]


def _pair_units(texts: Texts, extractions: tuple[Extraction, Extraction], max_units: int) -> PairUnits | Unscored:
    if not any(text.strip() for text in texts):
        return EMPTY_PAIR
    if not any(extractions) and texts[0].split() != texts[1].split():
        return Unscored("nothing to read", "neither report holds a sentence with a word in it")
    read: list[Units] = []
    for side, extraction in zip((Fault.REFERENCE, Fault.CANDIDATE), extractions, strict=True):
        if isinstance(extraction, Unscored):
            return extraction.of(side)
        if len(extraction) > max_units:
            detail = f"{len(extraction)} units, more than the limit of {max_units}"
            return Unscored("too long", detail, fault=Fault.REPORT).of(side)
        read.append(extraction)
    clinical: list[Units] = []
    asides: list[Units] = []
    for units, others, other_text in zip(read, reversed(read), reversed(texts), strict=True):
        aside = {
            number
            for number, unit in enumerate(units)
            if unit.administrative or (unit.is_unread and is_repeated(unit, other_text, others))
        }
        clinical.append(tuple(unit for number, unit in enumerate(units) if number not in aside))
        asides.append(tuple(unit for number, unit in enumerate(units) if number in aside))
    pair_units = PairUnits(*clinical, *asides)
    speaks_of_images = any(unit.administrative in _OF_REPORTS - {TECHNIQUE} for unit in asides[0])
    if asides[0] and not clinical[0] and clinical[1] and not speaks_of_images:
        detail = "it speaks of the report alone, and says nothing of the patient"
        return Unscored("unread", detail, fault=Fault.REPORT).of(Fault.REFERENCE)
    return _nothing_read(pair_units) or pair_units


def _nothing_read(pair: PairUnits) -> Unscored | None:
    """Reason for no score if one report of a pair was read and nothing of the other: it may not be a report at all.

    Two unread sentences are compared by their words. A candidate that mentions the examination is a report, one that
    leaves out what the reference finds.
    """
    sides = ((Fault.REFERENCE, pair.reference, pair.candidate), (Fault.CANDIDATE, pair.candidate, pair.reference))
    for side, units, others in sides:
        if not units or not all(map(_says_nothing, units)) or all(unit.is_unread for unit in others):
            continue
        is_vague = any(unit.administrative in _OF_REPORTS for unit in pair.all[1])
        if side is Fault.REFERENCE or not is_vague or not any(unit.asserts_finding for unit in others):
            return Unscored("unread", "none of its sentences was read", fault=Fault.REPORT).of(side)
    return None


_OF_REPORTS: Final = frozenset({ADVICE, COMMUNICATION, "limitation", TECHNIQUE, "comparison"})
"""Kinds of statement that only reports make, though they say nothing of the patient."""


def _says_nothing(unit: ClinicalUnit) -> bool:
    """Return whether no rule covers a sentence, and it neither names a place in the body nor leaves anything open."""
    return unit.is_unread and not unit.anatomy and unit.certainty is None


def _remember(store: OrderedDict[K, V], key: K, value: V, limit: int) -> None:
    store[key] = value
    store.move_to_end(key)
    if len(store) > limit:
        store.popitem(last=False)
