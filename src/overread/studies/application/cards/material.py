"""Material of a card: the pairs that a metric scores for it, by what they are to show."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from itertools import islice
from typing import Final, TypeVar

from attrs import evolve, field, frozen

from overread.application.ports import UnitExtractor
from overread.domain.findings.lexicon import Lexicon
from overread.domain.reports.report import ReportPair
from overread.domain.results.annotation import AnnotatedPair, HumanBenchmark
from overread.studies.application.cards.layouts import LAYOUT_GROUPS, relaid
from overread.studies.application.cards.ranked import RankedCase
from overread.studies.application.cards.tricks import ABNORMAL, HONEST, REFERENCES, tricks_for
from overread.studies.application.meta_evaluation.baselines import shuffled_pairs
from overread.studies.application.synthesis.draws import Draws
from overread.studies.application.synthesis.edits.categories import KINDS, Subset
from overread.studies.application.synthesis.edits.edit import Edit
from overread.studies.application.synthesis.edits.rules import RuleInjector
from overread.studies.application.synthesis.injected.by_rules import by_rules
from overread.studies.application.synthesis.injected.material import Material
from overread.studies.application.synthesis.injected.pairs import InjectedPair

__all__ = [
    "SIZES",
    "CardMaterial",
    "CardSize",
    "GradedStep",
    "InjectedCase",
    "RelaidPair",
    "SizeName",
    "Trick",
    "gather_material",
]

T = TypeVar("T")

_SEED: Final = 7
_ERRORS: Final = 4
"""Errors that are put into one report, one after the other."""

_HARMFUL: Final = tuple((category, subset) for category, subset in KINDS if subset is Subset.DISCRIMINATION)


class SizeName(StrEnum):
    """Names of the sizes."""

    QUICK = "quick"
    USUAL = "usual"
    FULL = "full"


@frozen(kw_only=True)
class CardSize:
    """Numbers of what a card is measured on.

    Attributes:
        studies: references of each setting of the gold corpus, with all their candidates.
        sources: references that errors are put into, before those without a place for one are left out.
        copies: reports that are scored against themselves.
        layouts: pairs whose candidate is laid out anew, for each layout.
        injected: pairs of each kind of injected error.
        graded: reports that get one to four errors.
        ranked: cases whose candidates people ranked.
        tricks: references with findings that tricks are tried on.
        normal: normal references that tricks are tried on.
        timed: pairs that are timed.
    """

    studies: int
    sources: int
    copies: int
    layouts: int
    injected: int
    graded: int
    ranked: int
    tricks: int
    normal: int
    timed: int


_ALL: Final = 10_000

SIZES: Final[Mapping[SizeName, CardSize]] = {
    SizeName.QUICK: CardSize(
        studies=4, sources=40, copies=8, layouts=1, injected=1, graded=4, ranked=8, tricks=2, normal=1, timed=20
    ),
    SizeName.USUAL: CardSize(
        studies=30, sources=_ALL, copies=50, layouts=5, injected=3, graded=20, ranked=30, tricks=6, normal=2, timed=100
    ),
    SizeName.FULL: CardSize(
        studies=_ALL,
        sources=_ALL,
        copies=_ALL,
        layouts=20,
        injected=20,
        graded=100,
        ranked=_ALL,
        tricks=_ALL,
        normal=_ALL,
        timed=200,
    ),
}


@frozen
class RelaidPair:
    """A pair, its candidate in another layout, and which group that is of."""

    group: str
    study: str
    plain: str
    pair: ReportPair


@frozen
class InjectedCase:
    """A report beside its copy with one injected change, and the id of the pair with the unchanged copy."""

    injected: InjectedPair
    pair: ReportPair
    copy: str

    @property
    def kinds(self) -> tuple[tuple[str, str], ...]:
        """Kinds of change that it is counted in: harmless, or one that matters, of a severity and an aspect."""
        if self.injected.subset is Subset.ROBUSTNESS:
            return (("size", "harmless"),)
        return (
            ("size", "matters"),
            ("severity", self.injected.severity.value),
            ("aspect", self.injected.category.aspect.value),
        )


@frozen
class GradedStep:
    """A report with so many errors put in: each step has those of the step before."""

    study: str
    errors: int
    pair: ReportPair


@frozen
class Trick:
    """A candidate made to please, beside an honest attempt at the same reference."""

    name: str
    reference: str
    pair: ReportPair
    honest: str

    @property
    def has_findings(self) -> bool:
        """True if the reference has findings; a normal report is no trick beside a normal reference."""
        return self.reference in ABNORMAL


@frozen(kw_only=True, eq=False)
class CardMaterial:
    """Everything that a metric scores for its card.

    Attributes:
        size: how much there is.
        settings: parts of the gold corpus by setting, with the labels.
        whole: the same, all studies: the baselines that read nothing learn from them.
        copies: reports against themselves, by study.
        relaid: pairs whose candidate is laid out anew.
        injected: reports with one change.
        graded: reports with one error to four.
        ranked: cases that people ranked.
        tricks: candidates made to please.
        honest: honest attempts by reference.
        read: units of each reference that overread's reader reads, and all, by study.
    """

    size: CardSize
    settings: Mapping[str, HumanBenchmark]
    whole: Mapping[str, HumanBenchmark] = field(repr=False)
    copies: Mapping[str, ReportPair] = field(repr=False)
    relaid: Sequence[RelaidPair] = field(repr=False)
    injected: Sequence[InjectedCase] = field(repr=False)
    graded: Sequence[GradedStep] = field(repr=False)
    ranked: Sequence[RankedCase] = field(repr=False)
    tricks: Sequence[Trick] = field(repr=False)
    honest: Mapping[str, ReportPair] = field(repr=False)
    read: Mapping[str, tuple[int, int]] = field(repr=False)

    @cached_property
    def annotated(self) -> Sequence[AnnotatedPair]:
        """The labelled pairs of all settings."""
        return [annotated for benchmark in self.settings.values() for annotated in benchmark.pairs]

    @cached_property
    def rewordings(self) -> Sequence[AnnotatedPair]:
        """Labelled pairs whose candidate says the same in other words, without any error."""
        return [each for each in self.annotated if each.strata.get("kind") == "rewording" and each.mean("total") == 0]

    @cached_property
    def shuffled(self) -> Mapping[str, Sequence[ReportPair]]:
        """By setting, each candidate beside another study's reference, under an id of its own."""
        return {
            setting: [evolve(pair, id=f"shuffled {pair.id}") for pair in shuffled_pairs(benchmark)]
            for setting, benchmark in self.settings.items()
        }

    def pairs(self) -> list[ReportPair]:
        """Every pair once; ids are distinct."""
        return list({pair.id: pair for pair in self._pairs()}.values())

    def _pairs(self) -> Iterator[ReportPair]:
        yield from (annotated.pair for annotated in self.annotated)
        for pairs in self.shuffled.values():
            yield from pairs
        yield from self.copies.values()
        yield from (relaid.pair for relaid in self.relaid)
        yield from (case.pair for case in self.injected)
        yield from (step.pair for step in self.graded)
        for case in self.ranked:
            yield from case.pairs()
        yield from self.honest.values()
        yield from (trick.pair for trick in self.tricks)


def gather_material(
    gold: Mapping[str, HumanBenchmark],
    rankings: Sequence[RankedCase],
    extractor: UnitExtractor,
    lexicon: Lexicon,
    size: CardSize,
) -> CardMaterial:
    """Draws the pairs of a card; the same for the same size.

    Args:
        gold: parts of the gold corpus that may be looked at, by setting.
        rankings: cases that people ranked.
        extractor: reads reports into which errors are put; edited ones are not read again, so that an error need not be
            one that it can read.
        lexicon: that it reads with.
        size: how much to draw.
    """
    settings = {name: _some_studies(benchmark, size.studies) for name, benchmark in gold.items()}
    references = {annotated.study: annotated.pair for benchmark in settings.values() for annotated in benchmark.pairs}
    everything = {annotated.study: annotated.pair for benchmark in gold.values() for annotated in benchmark.pairs}
    sources = sorted(_drawn(list(everything), size.sources, "sources"), key=list(everything).index)
    material = Material.read(((study, everything[study].reference.text) for study in sources), extractor, lexicon)
    injected = by_rules(material, extractor, per_category=size.injected, seed=_SEED, rereads=False).pairs
    graded = list(_graded(material, extractor, size.graded))
    drawn = _drawn(sorted(references), size.copies, "copies")
    copies = {study: _copy(study, references[study]) for study in drawn}
    for study in dict.fromkeys([*(each.study for each in injected), *(step.study for step in graded)]):
        copies.setdefault(study, _copy(study, everything[study]))
    names = _drawn(ABNORMAL, size.tricks, "tricks")
    names += _drawn([name for name in REFERENCES if name not in ABNORMAL], size.normal, "normal")
    honest = {
        name: ReportPair(id=f"honest {name}", reference=REFERENCES[name], candidate=HONEST[name]) for name in names
    }
    return CardMaterial(
        size=size,
        settings=settings,
        whole=gold,
        copies=copies,
        relaid=[*_relaid(settings, size.layouts)],
        injected=[_injected(each, everything[each.study]) for each in injected],
        graded=graded,
        ranked=[rankings[place] for place in _drawn(range(len(rankings)), size.ranked, "ranked")],
        tricks=[
            Trick(
                trick,
                name,
                ReportPair(id=f"trick {name} {trick}", reference=REFERENCES[name], candidate=candidate),
                honest[name].id,
            )
            for name in names
            for trick, candidate in tricks_for(name).items()
        ],
        honest=honest,
        read={
            study: (sum(not unit.is_unread for unit in reading.units), len(reading.units))
            for study, reading in zip(material.studies, material.readings, strict=True)
            if study in references
        },
    )


def _some_studies(benchmark: HumanBenchmark, wanted: int) -> HumanBenchmark:
    """A benchmark of some of the studies, as many of each modality as its share."""
    by_modality: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for annotated in benchmark.pairs:
        by_modality[annotated.strata.get("modality", "")][annotated.study] = None
    total = sum(map(len, by_modality.values()))
    chosen = {
        study
        for modality, studies in by_modality.items()
        for study in _drawn(sorted(studies), max(1, round(wanted * len(studies) / total)), modality)
    }
    return evolve(
        benchmark,
        pairs=tuple(annotated for annotated in benchmark.pairs if annotated.study in chosen),
        preferences=tuple(preference for preference in benchmark.preferences if preference.study in chosen),
    )


def _drawn(items: Sequence[T], wanted: int, what: str) -> list[T]:
    shuffled = list(items)
    random.Random(f"{_SEED} {what}").shuffle(shuffled)  # noqa: S311 - a sample, no secret
    return shuffled[:wanted]


def _copy(study: str, pair: ReportPair) -> ReportPair:
    return evolve(pair, id=f"copy {study}", candidate=pair.reference)


def _injected(injected: InjectedPair, pair: ReportPair) -> InjectedCase:
    made = ReportPair(
        id=f"injected {injected.id}", reference=pair.reference, candidate=injected.candidate, context=pair.context
    )
    return InjectedCase(injected, made, f"copy {injected.study}")


def _graded(material: Material, extractor: UnitExtractor, wanted: int) -> Iterator[GradedStep]:
    """Steps of the first reports in which four errors find a place."""
    injector, made = RuleInjector(extractor, rereads=False), 0
    for place in _drawn(range(len(material.studies)), len(material.studies), "graded"):
        if made == wanted:
            return
        study, reading = material.studies[place], material.readings[place]
        draws = Draws.from_parts(_SEED, study, "graded")
        edits = [edit for *_, edit in injector.several(reading, draws.shuffled(_HARMFUL), _ERRORS, draws)]
        if len(edits) < _ERRORS:
            continue
        made += 1
        for errors in range(1, _ERRORS + 1):
            candidate = Edit.merged(edits[:errors]).apply(reading.text)
            pair = ReportPair(id=f"graded {study} {errors}", reference=reading.text, candidate=candidate)
            yield GradedStep(study, errors, pair)


def _relaid(settings: Mapping[str, HumanBenchmark], wanted: int) -> Iterator[RelaidPair]:
    """For each layout some pairs, each drawn anew."""
    pairs = [annotated for benchmark in settings.values() for annotated in benchmark.pairs]
    for group, layouts in LAYOUT_GROUPS.items():
        for layout in layouts:
            changed = (
                (annotated, text)
                for annotated in _drawn(pairs, len(pairs), layout)
                if (text := relaid(annotated.pair.candidate.text, layout)) != annotated.pair.candidate.text
            )
            for annotated, text in islice(changed, wanted):
                plain = annotated.pair.id
                pair = evolve(annotated.pair, id=f"relaid {layout} {plain}", candidate=text)
                yield RelaidPair(group, annotated.study, plain, pair)
