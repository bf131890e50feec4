"""Pairs for a judge: credible reports with one labelled difference each, balanced over categories and lengths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from attrs import field, frozen, validators

from overread.application.ports import UnitExtractor
from overread.domain.findings.lexicon import Lexicon
from overread.studies.application.synthesis.credible.reports import CredibleReport, credible_reports
from overread.studies.application.synthesis.edits.categories import KINDS
from overread.studies.application.synthesis.injected.by_rules import by_rules
from overread.studies.application.synthesis.injected.material import Material, Synthesis
from overread.studies.application.synthesis.injected.pairs import InjectedPair

__all__ = ["CrediblePair", "JudgePairs"]


@frozen
class CrediblePair:
    """A report, its edited copy with the labels of the difference, and what kind of examination it is of."""

    pair: InjectedPair
    report: CredibleReport

    def as_row(self) -> dict[str, Any]:
        """The pair as one JSON object, as `InjectedPair` writes it, with the modality."""
        return {**self.pair.as_row(), "modality": self.report.modality}


@frozen(slots=False, eq=False, kw_only=True)
class JudgePairs:
    """Labelled pairs of credible reports, the same for the same arguments.

    As many of each category that matter as do not, where the reports allow; on average each reference has
    ``candidates_per_study`` candidates.

    Attributes:
        extractor: reads every report and every candidate.
        lexicon: that it reads with.
        seed: of every random choice.
        studies: number of reports, a quarter of each length.
        candidates_per_study: candidates for each, on average; rounded to whole pairs of each category and subset.
    """

    extractor: UnitExtractor = field(repr=False)
    lexicon: Lexicon = field(repr=False)
    seed: int
    studies: int = field(validator=validators.ge(1))
    candidates_per_study: int = field(default=4, validator=validators.ge(1))

    def __len__(self) -> int:
        """Number of pairs."""
        return len(self.made.pairs)

    def __iter__(self) -> Iterator[CrediblePair]:
        """The pairs, study by study."""
        order = {study: number for number, study in enumerate(self._reports)}
        for pair in sorted(self.made.pairs, key=lambda pair: (order[pair.study], pair.id)):
            yield CrediblePair(pair, self._reports[pair.study])

    @cached_property
    def _reports(self) -> Mapping[str, CredibleReport]:
        return {report.study: report for report in credible_reports(seed=self.seed, studies=self.studies)}

    @cached_property
    def made(self) -> Synthesis:
        """The pairs, and what their making came to."""
        reports: Sequence[tuple[str, str]] = [(study, report.text) for study, report in self._reports.items()]
        material = Material.read(reports, self.extractor, self.lexicon)
        wanted = max(1, round(self.studies * self.candidates_per_study / len(KINDS)))
        return by_rules(material, self.extractor, per_category=wanted, seed=self.seed)
