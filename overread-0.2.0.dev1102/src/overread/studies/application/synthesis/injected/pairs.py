"""An injected pair: a report, its edited copy, and the labels of the one difference."""

from __future__ import annotations

from typing import Any

from attrs import field, frozen

from overread.domain.vocabulary.severity import Severity
from overread.studies.application.synthesis.edits.categories import Category, Subset, bucket_of
from overread.studies.application.synthesis.edits.edit import Edit, LabelledSpan
from overread.studies.application.synthesis.injected.reasons import what_differs, why

__all__ = ["InjectedPair"]


@frozen(kw_only=True)
class InjectedPair:
    """A reference and a candidate that differ in one way, which either matters or does not.

    Attributes:
        study: id of the report that is the reference.
        spans: where the difference stands; several where it takes several places.
        explanation: what differs, in the words of both reports, and why it matters or does not.
        contrary: the same difference with the reason that would hold if its weight were the other one.
        method: "rules" or "model:IDENTITY".
    """

    study: str
    category: Category
    subset: Subset
    severity: Severity
    reference: str = field(repr=False)
    candidate: str = field(repr=False)
    spans: tuple[LabelledSpan, ...] = field(repr=False)
    explanation: str = field(repr=False)
    contrary: str = field(default="", repr=False)
    method: str = "rules"

    @classmethod
    def of(
        cls, study: str, reference: str, edit: Edit, category: Category, subset: Subset, *, method: str = "rules"
    ) -> InjectedPair:
        """The pair that an edit of a report makes."""
        candidate, spans = edit.apply(reference), edit.spans(reference)
        differs = what_differs(edit.explanation, spans, reference, candidate)
        (other,) = set(Subset) - {subset}
        usual = Severity.SIGNIFICANT if subset is Subset.DISCRIMINATION else Severity.INSIGNIFICANT
        return cls(
            study=study,
            category=category,
            subset=subset,
            severity=edit.severity or usual,
            reference=reference,
            candidate=candidate,
            spans=spans,
            explanation=f"{differs} {why(category, subset)}",
            contrary=f"{differs} {why(category, other)}",
            method=method,
        )

    @property
    def id(self) -> str:
        """Study, category and subset, of which no two pairs share all."""
        words = self.category.name.lower().replace("/", "-").replace(", ", "-").replace(" ", "-")
        return f"{self.study}-{words}-{self.subset.value[0]}"

    @property
    def bucket(self) -> str:
        """Length bucket of the reference."""
        return bucket_of(self.reference)

    def as_row(self) -> dict[str, Any]:
        """The pair as one JSON object, with the counts that a readout is fitted to."""
        kind = self.category.type.value if self.category.type else None
        labels = {"aspect": self.category.aspect.value, "type": kind, "severity": self.severity.value}
        significant = int(self.severity.counts_as_significant)
        return {
            "id": self.id,
            "study": self.study,
            "reference": self.reference,
            "candidate": self.candidate,
            "subset": self.subset.value,
            **labels,
            "spans": [
                {
                    "span": span.text,
                    **labels,
                    "reference_span": [span.reference.start, span.reference.end] if span.reference else None,
                    "candidate_span": [span.candidate.start, span.candidate.end] if span.candidate else None,
                }
                for span in self.spans
            ],
            "explanation": self.explanation,
            "contrary": self.contrary,
            "total": 1,
            "significant": significant,
            "insignificant": 1 - significant,
            "length_bucket": self.bucket,
            "method": self.method,
        }
