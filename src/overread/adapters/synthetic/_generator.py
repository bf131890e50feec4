"""The generator: studies, each a reference with candidates of rising error count."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Final

from attrs import field, frozen, validators

from overread.adapters.lexicon import load_knowledge
from overread.adapters.synthetic._composition import compose
from overread.adapters.synthetic._draft import Coherence, Draft
from overread.adapters.synthetic._draws import Draws
from overread.adapters.synthetic._edits import corrupt, rewrite
from overread.adapters.synthetic._grammar import load_grammar
from overread.adapters.synthetic._labels import Counts, Mistake, count, mistakes
from overread.application.fit_readout import LabelledPair
from overread.domain.lexicon import Lexicon
from overread.domain.report import Report, ReportPair

__all__ = ["Origin", "SyntheticPair", "SyntheticPairs"]


class Origin(StrEnum):
    """Where a candidate comes from."""

    COPY = "copy"
    EDITED = "edited"
    RETRIEVED = "retrieved"


_MIXTURE: Final = {Origin.COPY: 4, Origin.EDITED: 66, Origin.RETRIEVED: 30}
"""Percent of candidates of each origin.

ReXVal's candidates were all retrieved and 13 % are identical to their reference (CREPE, Table 2). Edits, whose errors
come one at a time, are overread's choice for the larger part.
"""

_ERRORS: Final = {0: 4, 1: 5, 2: 5, 3: 4, 4: 3, 5: 3}
"""How many errors an edited candidate gets, with weights."""

_VIGOUR: Final = (0.0, 0.15, 0.5, 1.0)
"""How thoroughly an edited candidate is rewritten, each as often: words must not tell how many errors there are."""

_SHORTLIST: Final = 12
_NEAREST: Final = 0.6
"""Retrieval takes the most similar of a random shortlist this often, else the first of it."""


@frozen(kw_only=True)
class SyntheticPair:
    """An invented reference and candidate, and the candidate's errors.

    Attributes:
        id, study: the pair and the study it belongs to.
        counts: significant and insignificant errors in each of the eight categories.
    """

    id: str
    study: str
    origin: Origin
    reference: str = field(repr=False)
    candidate: str = field(repr=False)
    counts: Counts

    @property
    def significant(self) -> int:
        """Number of significant errors."""
        return sum(significant for significant, _ in self.counts.values())

    @property
    def insignificant(self) -> int:
        """Number of insignificant errors."""
        return sum(rest for _, rest in self.counts.values())

    @property
    def total(self) -> int:
        """Number of errors."""
        return self.significant + self.insignificant

    @property
    def labelled(self) -> LabelledPair:
        """The pair as a readout is fitted to it."""
        return LabelledPair(
            pair=ReportPair(id=self.id, reference=Report(self.reference), candidate=Report(self.candidate)),
            study=self.study,
            total=self.total,
            significant=self.significant,
            insignificant=self.insignificant,
        )

    def as_row(self) -> dict[str, str | int]:
        """The pair as one flat row: texts, totals, and the errors of each category under its letter."""
        return {
            "id": self.id,
            "study": self.study,
            "reference": self.reference,
            "candidate": self.candidate,
            "total": self.total,
            "significant": self.significant,
            "insignificant": self.insignificant,
            **{category.value: sum(pair) for category, pair in self.counts.items()},
        }


@frozen(slots=False)
class SyntheticPairs:
    """Labelled pairs of invented chest radiograph reports, the same for the same arguments.

    A candidate is a copy of its reference, the reference with 0 to 5 errors and in other words, or another study's
    report as retrieval would find it. Candidates of a study come in the order of their error count, as `SyntheticPair`
    counts it from what the two reports mean; `overread.adapters.synthetic._labels` states the rules.

    Attributes:
        seed: of every random choice.
        studies: number of references.
        candidates_per_study: number of candidates for each.
        lexicon: what is a kind of what; the shipped one unless given.
    """

    seed: int
    studies: int = field(validator=validators.ge(1))
    candidates_per_study: int = field(default=4, validator=validators.ge(1))
    lexicon: Lexicon = field(factory=lambda: load_knowledge().lexicon, repr=False, eq=False)

    def __len__(self) -> int:
        """Number of pairs."""
        return self.studies * self.candidates_per_study

    def __iter__(self) -> Iterator[SyntheticPair]:
        """The pairs, study by study."""
        for study in range(self.studies):
            yield from self._study(study)

    def write_jsonl(self, path: Path) -> int:
        """Writes one JSON object a pair and line; returns how many."""
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for pair in self:
                file.write(json.dumps(pair.as_row(), ensure_ascii=False) + "\n")
        return len(self)

    @cached_property
    def _coherence(self) -> Coherence:
        return Coherence(load_grammar(), self.lexicon)

    @cached_property
    def _references(self) -> Sequence[Draft]:
        return [compose(self._coherence, Draws.seeded(self.seed, study, "reference")) for study in range(self.studies)]

    def _study(self, study: int) -> Iterator[SyntheticPair]:
        name = f"synthetic-{self.seed}-{study:04d}"
        reference = self._references[study]
        candidates = [self._candidate(study, number) for number in range(self.candidates_per_study)]
        graded = [(origin, draft, mistakes(reference, draft, self._coherence)) for origin, draft in candidates]
        for number, (origin, draft, found) in enumerate(sorted(graded, key=_burden), start=1):
            yield SyntheticPair(
                id=f"{name}-{number}",
                study=name,
                origin=origin,
                reference=reference.text(self._coherence.grammar),
                candidate=draft.text(self._coherence.grammar),
                counts=count(found),
            )

    def _candidate(self, study: int, number: int) -> tuple[Origin, Draft]:
        draws = Draws.seeded(self.seed, study, "candidate", number)
        origin = draws.weighted(tuple(_MIXTURE), tuple(_MIXTURE.values()))
        reference = self._references[study]
        if origin is Origin.COPY:
            return origin, reference
        if origin is Origin.RETRIEVED and self.studies > 1:
            return origin, self._retrieved(study, draws)
        errors = draws.weighted(tuple(_ERRORS), tuple(_ERRORS.values()))
        wrong, _ = corrupt(reference, errors, self._coherence, draws)
        return Origin.EDITED, rewrite(wrong, draws.pick(_VIGOUR), self._coherence, draws)

    def _retrieved(self, study: int, draws: Draws) -> Draft:
        """Another study's report: mostly the one of a shortlist that shares most findings, then has fewest errors."""
        reference = self._references[study]
        others = [(study + 1 + draws.below(self.studies - 1)) % self.studies for _ in range(_SHORTLIST)]
        shortlist = [self._references[other] for other in others]
        if not draws.chance(_NEAREST):
            return shortlist[0]
        return min(shortlist, key=lambda draft: self._distance(reference, draft))

    def _distance(self, reference: Draft, draft: Draft) -> tuple[int, int]:
        shared = len(reference.findings.keys() & draft.findings.keys())
        return -shared, len(mistakes(reference, draft, self._coherence))


def _burden(graded: tuple[Origin, Draft, list[Mistake]]) -> int:
    return len(graded[2])
