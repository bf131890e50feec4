"""A pair as every page shows it: what the metrics say, both reports marked, and what the scores rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from attrs import field, frozen

from overread.domain.differences.edits import Edits, EditType
from overread.domain.findings.signs import SignReader, no_signs
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import (
    AnswerEvidence,
    CountEvidence,
    EntityEvidence,
    EvaluationResult,
    Scored,
    TransportEvidence,
)
from overread.infrastructure.views import wording
from overread.infrastructure.views.evidence_rows import (
    EdgeRow,
    EntitySide,
    TargetTerms,
    UnitRow,
    chosen_evidence,
    edge_rows,
    edge_sum_words,
    entity_sides,
    evidence_of,
    target_terms,
    unit_rows,
)
from overread.infrastructure.views.passages import Passages, unread_words
from overread.infrastructure.views.web.cards import Card, Entry, discrepancy_cards, entity_cards
from overread.infrastructure.views.web.marked_reports import LegendEntry, MarkedReport, legend_of, marked_reports
from overread.infrastructure.views.web.plan_graph import PlanGraph, plan_graph
from overread.infrastructure.views.web.word_difference import WordDifference

__all__ = ["PairView", "PlanView", "Surroundings", "pair_view"]

_EDGE_ROWS: Final = 15


@frozen(kw_only=True)
class Surroundings:
    """Part of a page that changes how the pair in it looks. What a page adds stands in blocks of its template.

    Attributes:
        part: id of the element, a lower-case word, from which the ids in it are made; "" where it is the whole page.
        level: of its heading, 1 to 4.
        eyebrow: the line above the heading.
        reference, candidate: what the two reports are called.
        reference_short, candidate_short: what they are called beside the words quoted from them.
        nonce: of the page's policy, for the one style element; the fragment has no style attributes.
        is_open: whether the part that explains the scores is open.
    """

    part: str = ""
    level: int = 1
    eyebrow: str = "Candidate report read against its reference"
    reference: str = "Reference report"
    candidate: str = "Candidate report"
    reference_short: str = "Reference"
    candidate_short: str = "Candidate"
    nonce: str = ""
    is_open: bool = False

    @property
    def prefix(self) -> str:
        """Beginning of the ids in the element."""
        return f"{self.part}-" if self.part else ""


@frozen(kw_only=True)
class PlanView:
    """A transport plan as it is drawn and told; ``metric`` is the one that it explains."""

    metric: str
    evidence: TransportEvidence = field(repr=False)
    graph: PlanGraph = field(repr=False)
    reference_units: Sequence[UnitRow] = field(repr=False)
    candidate_units: Sequence[UnitRow] = field(repr=False)
    edges: Sequence[EdgeRow] = field(repr=False)
    edge_sum: str
    targets: Sequence[TargetTerms]

    TERM_ROWS: ClassVar = 8
    """Terms of a risk that are not folded."""

    @property
    def is_partial(self) -> bool:
        """True if mass may stay without a partner."""
        return self.evidence.alignment.row_null is not None


@frozen(kw_only=True)
class PairView:
    """A pair as every page shows it.

    Attributes:
        title: its heading.
        around: the page around it.
        has_text: whether the reports are at hand; else what was found is shown without their words.
        about: facts known about the patient and the examination.
        results: by metric.
        verdicts: a sentence for each metric that lists discrepancies.
        unread: how much of the reports was not read.
        lists: whether any of the metrics looks for discrepancies.
        cards: the list beside the reports.
        reports: both, marked; none without their text.
        legend: of the marks.
        discrepancies: all that are listed, as they are numbered.
        finding_name: display name of a finding by its lexicon id.
        doubt: what a second reader's probabilities do.
        predicted, answers, entities: by metric, what those rest on that predict counts, ask a model, compare entities.
        bare: subscores of the metrics that give nothing else to show.
        plan: what the plan of a metric is, if there is one.
        edits: by which the candidate became the reference, where it is a near copy of it; ``edited`` is the metric
            whose discrepancies they are of.
        difference: of both texts word by word; None where it is not shown.
    """

    title: str
    around: Surroundings
    has_text: bool
    about: str
    results: Mapping[str, EvaluationResult]
    verdicts: Sequence[str]
    unread: str
    lists: bool
    cards: Sequence[Card] = field(repr=False)
    reports: Sequence[MarkedReport] = field(repr=False)
    legend: Sequence[LegendEntry]
    discrepancies: Sequence[wording.NumberedDiscrepancy] = field(repr=False)
    finding_name: wording.FindingName
    doubt: str
    predicted: Mapping[str, CountEvidence]
    answers: Mapping[str, AnswerEvidence] = field(repr=False)
    entities: Mapping[str, Sequence[EntitySide]] = field(repr=False)
    bare: Mapping[str, Mapping[str, float]]
    plan: PlanView | None
    edits: Edits | None = None
    edited: str = ""
    difference: WordDifference | None = field(default=None, repr=False)

    LEAST_COUNT: ClassVar = 0.05
    """Predicted errors of a category below which the list does not name it; the table behind it does."""

    ANSWER_SHOWN: ClassVar = 100_000
    """Characters of one raw answer on a page."""

    def edit_words(self, entry: Entry) -> str:
        """Type of the edit that an entry of the list is about; "" where it is none."""
        if self.edits is None or entry.metric != self.edited or entry.index >= len(self.edits.types):
            return ""
        kind = self.edits.types[entry.index]
        return "" if kind is None else kind.value

    @property
    def edits_words(self) -> str:
        """Numbers of edits by type in a sentence; "" where the candidate is no near copy."""
        if self.edits is None:
            return ""
        counts = self.edits.counts
        style = counts.pop(EditType.STYLE)
        parts = [wording.format_count(count, kind.value) for kind, count in counts.items() if count]
        told = f"Edits: {', '.join(parts)}." if parts else "No edit with a discrepancy."
        if not style:
            return told
        return f"{told} {wording.format_count(style, 'sentence')} changed in style only, without a discrepancy."

    @property
    def names_metrics(self) -> bool:
        """True if the metric is named beside each discrepancy, since several list some."""
        return len({item.metric for item in self.discrepancies}) > 1

    @property
    def has_weights(self) -> bool:
        """True if any of the discrepancies was weighed."""
        return any(item.discrepancy.weight is not None for item in self.discrepancies)


def pair_view(
    pair: ReportPair | None,
    results: Mapping[str, EvaluationResult],
    finding_name: wording.FindingName,
    *,
    signs: SignReader = no_signs,
    title: str = "",
    around: Surroundings,
    edits: Edits | None = None,
    edited: str = "",
    difference: WordDifference | None = None,
) -> PairView:
    """Makes the view of a pair.

    Args:
        pair: the two reports; None where their text is not at hand, for example because it is no longer kept. No
            evidence is shown then: it quotes them.
        results: outcome of each metric, by its name.
        finding_name: display name of a finding by its lexicon id.
        signs: finds headings and cues in the reports.
        title: heading instead of the pair's id.
        around: the page around it.
        edits: by which the candidate became the reference, to be told beside each discrepancy of a metric.
        edited: name of that metric.
        difference: of both texts word by word, to be shown below them.
    """
    passages = None if pair is None else Passages.of(pair, results, signs)
    lists = any(wording.lists_discrepancies(result.outcome) for result in results.values())
    cards = discrepancy_cards(results, passages, finding_name)
    evidence = results if passages else {}
    reports = []
    if passages is not None:
        cards = cards or ([] if lists else entity_cards(results, passages))
        names = (around.reference, around.candidate)
        reports = marked_reports(passages, results, cards, finding_name, names=names, lists=lists)
    discrepancies = wording.numbered_discrepancies(results)
    return PairView(
        title=wording.make_printable(title or (pair.id if pair else "")),
        around=around,
        has_text=pair is not None,
        about=wording.pair_words(pair) if pair else "",
        results=results,
        verdicts=wording.verdicts(results),
        unread=unread_words(passages) if passages else "",
        lists=lists,
        cards=cards,
        reports=reports,
        legend=legend_of(reports),
        discrepancies=discrepancies,
        finding_name=finding_name,
        doubt=wording.doubt_reading_words(item.discrepancy for item in discrepancies),
        predicted=evidence_of(results, CountEvidence),
        answers=evidence_of(evidence, AnswerEvidence),
        entities={name: entity_sides(results[name], e) for name, e in evidence_of(evidence, EntityEvidence).items()},
        bare=_bare(results),
        plan=_plan(evidence, finding_name),
        edits=edits,
        edited=edited,
        difference=difference,
    )


def _plan(results: Mapping[str, EvaluationResult], finding_name: wording.FindingName) -> PlanView | None:
    chosen = chosen_evidence(results)
    if chosen is None:
        return None
    result, evidence = chosen
    edges = edge_rows(evidence, _EDGE_ROWS)
    return PlanView(
        metric=result.metric,
        evidence=evidence,
        graph=plan_graph(evidence),
        reference_units=unit_rows(evidence.reference_units, "R", finding_name),
        candidate_units=unit_rows(evidence.candidate_units, "C", finding_name),
        edges=edges,
        edge_sum=edge_sum_words(result, evidence, len(edges)),
        targets=target_terms(result, evidence),
    )


def _bare(results: Mapping[str, EvaluationResult]) -> dict[str, Mapping[str, float]]:
    """Subscores of the metrics that give nothing else to show, as a panel's are its members' ratings."""
    scored = {name: result.outcome for name, result in results.items() if isinstance(result.outcome, Scored)}
    return {
        name: wording.subscores_shown(outcome)
        for name, outcome in scored.items()
        if outcome.evidence is None and not wording.lists_discrepancies(outcome) and outcome.subscores
    }
