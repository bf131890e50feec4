"""Words for results: what a page and a terminal say alike about scores, discrepancies, units, edges and terms."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from itertools import groupby
from typing import Final

from attrs import evolve, frozen

from overread.domain.differences.features import FEATURE_SETS, describe_feature
from overread.domain.differences.unread import little_read
from overread.domain.findings.unit import ClinicalUnit, Experiencer, Temporality
from overread.domain.reports.report import ReportPair, Span
from overread.domain.results.alignment import Alignment
from overread.domain.results.corpus_figures import counts_for_corpora
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import (
    AnswerEvidence,
    CountEvidence,
    EvaluationResult,
    Outcome,
    Scored,
    TransportEvidence,
)
from overread.domain.vocabulary.severity import Importance, Severity, is_clinically_significant
from overread.domain.vocabulary.taxonomy import REXVAL_SIX, ErrorAspect, ErrorCategory

__all__ = [
    "FindingName",
    "NumberedDiscrepancy",
    "attribute_words",
    "category_words",
    "convergence_words",
    "counted_figure",
    "decimal",
    "doubt_reading_words",
    "doubt_words",
    "explanation_words",
    "feature_words",
    "figure",
    "format_count",
    "grade_words",
    "headline_words",
    "kind_words",
    "lists_discrepancies",
    "lower_first",
    "numbered_discrepancies",
    "one_line",
    "pair_words",
    "placed_discrepancies",
    "polarity_words",
    "quotes",
    "reason_words",
    "silence_words",
    "subscore_words",
    "subscores_shown",
    "taxonomy_words",
    "title_words",
    "unit_words",
    "verdicts",
    "weight_parts",
    "weight_words",
    "why_words",
]

FindingName = Callable[[str], str]
"""Display name of a finding by its lexicon id."""

_UNSHOWABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters could drive a terminal, overrides reorder a line, and surrogates cannot be encoded."""

_WORD: Final = re.compile(r"\w+")
_QUOTED: Final = re.compile(r'"[^"\n]+"|“[^“”\n]+”')
_SEVERITIES: Final = tuple(Severity)
_INSIGNIFICANT: Final = "insignificant_"
_ERROR_COUNT: Final = "error_count"
_CATEGORIES: Final = {category.value: category for category in ErrorCategory}
_MONTHS_TOLD: Final = 24
"""Below as many months an age is told in months."""
_KINDS: Final = {
    kind.lower().replace(" ", "_").replace("/", "_"): kind.lower()
    for kind in (*(category.label for category in ErrorCategory), *(aspect.value for aspect in ErrorAspect))
}
"""Words of what the terms of a plan's risk are called after."""


def make_printable(text: str) -> str:
    r"""Report text safe to show; every character keeps its offset.

    >>> make_printable("a\x1b[31mb").encode("ascii", "backslashreplace")
    b'a\\ufffd[31mb'
    """
    return _UNSHOWABLE.sub("\ufffd", text)


def one_line(text: str) -> str:
    """Report text safe to show, in one line."""
    return " ".join(make_printable(text).split())


def lower_first(name: str) -> str:
    """A name within a sentence; an abbreviation stays as it is.

    >>> lower_first("Final report"), lower_first("AI draft")
    ('final report', 'AI draft')
    """
    return name if name[:2].isupper() else f"{name[:1].lower()}{name[1:]}"


def decimal(value: float) -> str:
    """A number for people: whole numbers as such, others with three decimals.

    >>> decimal(3.0), decimal(0.41349)
    ('3', '0.413')
    """
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.3f}"


def figure(value: float) -> str:
    """A weight or an extent for people: three figures at most.

    >>> figure(0.225), figure(1.0), figure(0.0015)
    ('0.225', '1', '0.0015')
    """
    return f"{value:.3g}"


def format_count(count: int, noun: str, plural: str = "") -> str:
    """A count with its noun.

    >>> format_count(1, "unit"), format_count(2, "discrepancy", "discrepancies")
    ('1 unit', '2 discrepancies')
    """
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def counted_figure(count: float, noun: str) -> str:
    """A predicted count with its noun.

    >>> counted_figure(2.46, "error"), counted_figure(1.0, "error")
    ('2.5 errors', '1.0 errors')
    """
    return f"{count:.1f} {noun}s"


def quotes(spans: Iterable[Span], text: str) -> str:
    """The words that spans cover, quoted; "" without spans."""
    words = (one_line(span.of(text)) for span in spans)
    return " \u2026 ".join(f"\u201c{part}\u201d" for part in words if part)


@frozen
class NumberedDiscrepancy:
    """A discrepancy as it is shown.

    Attributes:
        number: among all that are shown, from 1.
        metric: that lists it.
        judged: whether a model named it.
        index: among those of its metric, from 0, in the metric's own order.
    """

    number: int
    metric: str
    discrepancy: Discrepancy
    judged: bool = False
    index: int = 0


def numbered_discrepancies(results: Mapping[str, EvaluationResult]) -> list[NumberedDiscrepancy]:
    """Every discrepancy of every metric: the gravest first, of those the weightiest, else in the metric's own order.

    What is wrong with one finding at the same words stands together, where the gravest of it stands.
    """
    unnumbered = [
        NumberedDiscrepancy(0, result.metric, discrepancy, isinstance(result.outcome.evidence, AnswerEvidence), index)
        for result in results.values()
        if isinstance(result.outcome, Scored)
        for index, discrepancy in enumerate(result.outcome.discrepancies)
    ]
    unnumbered.sort(key=lambda item: _gravity(item.discrepancy))
    places: dict[Hashable, list[NumberedDiscrepancy]] = {}
    for index, item in enumerate(unnumbered):
        places.setdefault(_place(item) or index, []).append(item)
    ordered = (item for group in places.values() for item in group)
    return [evolve(item, number=number) for number, item in enumerate(ordered, start=1)]


def placed_discrepancies(results: Mapping[str, EvaluationResult]) -> list[tuple[NumberedDiscrepancy, ...]]:
    """The discrepancies in their order; those about one finding at the same words are one entry."""
    return [
        tuple(group)
        for _, group in groupby(numbered_discrepancies(results), key=lambda item: _place(item) or item.number)
    ]


def _gravity(discrepancy: Discrepancy) -> tuple[int, float]:
    return _SEVERITIES.index(discrepancy.severity), -(discrepancy.weight or 0.0)


def _place(item: NumberedDiscrepancy) -> Hashable:
    """Key shared by discrepancies that are shown together; None for one that stands alone."""
    d = item.discrepancy
    if not d.finding or not (d.reference_spans or d.candidate_spans):
        return None
    return item.metric, d.finding, d.reference_spans, d.candidate_spans


def lists_discrepancies(outcome: Outcome) -> bool:
    """Return whether the metric behind an outcome looks for discrepancies: it lists some, or counts 0 in each category.

    A metric that predicts counts names no discrepancy, and its silence says nothing; one that asked a judge lists all.
    """
    if not isinstance(outcome, Scored) or isinstance(outcome.evidence, CountEvidence):
        return False
    if isinstance(outcome.evidence, AnswerEvidence):
        return True
    return bool(outcome.discrepancies) or all(outcome.subscores.get(category.value) == 0 for category in REXVAL_SIX)


def verdicts(results: Mapping[str, EvaluationResult]) -> list[str]:
    """One sentence for each metric that lists discrepancies: how many, and whether they matter."""
    listing = {name: result.scored for name, result in results.items() if lists_discrepancies(result.outcome)}
    named = len(listing) > 1
    return [(f"{name}: " if named else "") + _verdict(outcome) for name, outcome in listing.items()]


def _verdict(outcome: Scored) -> str:
    severities = [discrepancy.severity for discrepancy in outcome.discrepancies]
    read = little_read(outcome.subscores)
    if not severities:
        return f"No discrepancies found in what was read: {read}." if read else "No discrepancies found."
    parts = [f"{severities.count(severity)} {severity}" for severity in _SEVERITIES if severity in severities]
    matters = "Clinically significant" if is_clinically_significant(severities) else "Not clinically significant"
    count = format_count(len(severities), "discrepancy", "discrepancies")
    return f"{matters}. {count}: {', '.join(parts)}." + (f" Read: {read}." if read else "")


def grade_words(discrepancy: Discrepancy) -> str:
    """The severity and, where it was weighed, what the finding asks for: "significant (urgent)"."""
    importance = discrepancy.importance
    return f"{discrepancy.severity.value} ({importance.words})" if importance else discrepancy.severity.value


def title_words(item: NumberedDiscrepancy, finding_name: FindingName) -> str:
    """The error in a radiologist's words, "False finding: pneumothorax".

    An error that no category counts is described by its reason, or else by its aspect.
    """
    d = item.discrepancy
    kind = d.label.replace("/", " / ").lower()
    if d.aspect is ErrorAspect.CONTRADICTION:
        kind = "contradiction"
    if not d.finding and not d.category:
        kind = _bare_reason(item) or kind
    words = f"{kind}: {finding_name(d.finding)}" if d.finding else kind
    return f"{words[:1].upper()}{words[1:]}"


def why_words(item: NumberedDiscrepancy, finding_name: FindingName) -> str:
    """The reason for its grade, without what `grade_words` and `title_words` say; "" where that is all."""
    reason = _bare_reason(item)
    return "" if reason.lower() == title_words(item, finding_name).lower() else reason


def _bare_reason(item: NumberedDiscrepancy) -> str:
    """The reason without the importance, which heads the reasons of what was weighed."""
    reason, importance = reason_words(item), item.discrepancy.importance
    if importance is None or not reason.startswith(importance.words):
        return reason
    # The step may be followed by what of the patient moved it: "urgent (the patient is young); denied".
    moved, _, words = reason.removeprefix(importance.words).strip().partition("; ")
    if moved.startswith(";"):
        return moved.removeprefix(";").strip() + (f"; {words}" if words else "")
    return "; ".join(part for part in (words, moved.strip("()")) if part)


def weight_words(discrepancy: Discrepancy) -> str:
    """A discrepancy's weight with its `weight_parts`, "" where it was not weighed."""
    weight = discrepancy.weight
    return "" if weight is None else f"weight {figure(weight)} = {weight_parts(discrepancy)}"


def doubt_words(discrepancy: Discrepancy) -> str:
    """Probability given by a second reader, for example "second reader: 31%, doubtful"; "" where none was asked."""
    if discrepancy.probability == 1:
        return ""
    return f"second reader: {math.floor(100 * discrepancy.probability)}%" + (
        ", doubtful" if discrepancy.is_doubtful else ""
    )


def doubt_reading_words(discrepancies: Iterable[Discrepancy]) -> str:
    """The effect of a second reader's share on the risk, in one sentence; "" where none of them was read again."""
    if all(discrepancy.probability == 1 for discrepancy in discrepancies):
        return ""
    return (
        "A second reader tells how likely each discrepancy is to be confirmed: it adds that share of its weight to the "
        "risk, or nothing below 30%, and below 50% it counts as insignificant."
    )


def weight_parts(discrepancy: Discrepancy) -> str:
    """The importance by name and number and the extent, for example "actionable 0.5 \u00d7 0.45"; "" without them."""
    importance, extent = discrepancy.importance, discrepancy.extent
    if importance is None or extent is None:
        return ""
    return f"{importance.words} {figure(importance.weight)} \u00d7 {figure(extent)}"


def headline_words(result: EvaluationResult) -> str:
    """Meaning of a score where its name does not say it: risk relative to what there was to say; else ""."""
    outcome = result.outcome
    if not isinstance(outcome, Scored) or not isinstance(outcome.evidence, TransportEvidence):
        return ""
    total = outcome.subscores.get("total")
    is_relative = ("readout", "plan") in result.signature.parts or outcome.score != total
    return "risk relative to what there was to say" if total is not None and is_relative else ""


def category_words(discrepancy: Discrepancy) -> str:
    """Letter and label of the category."""
    category = discrepancy.category
    return _format_category(category) if category else "outside categories A to H"


def _format_category(category: ErrorCategory) -> str:
    return f"({category.value}) {category.label}"


def silence_words(item: NumberedDiscrepancy) -> str:
    """Words for a report in which a discrepancy has no span: it may say something else about the place.

    For a judge's, whether the report is silent is unknown.
    """
    if item.discrepancy.aspect is ErrorAspect.CONTRADICTION and not item.judged:
        return "does not contradict itself"
    return "not quoted" if item.judged else "does not state it"


def reason_words(item: NumberedDiscrepancy) -> str:
    """The reason for the severity; "" where a judge's reason says no more than the severity itself."""
    reason, severity = item.discrepancy.reason, item.discrepancy.severity.value
    bare = set(reason.lower().split()) <= {"judged", "counted", "as", "clinically", severity}
    return "" if item.judged and bare else make_printable(reason)


def explanation_words(item: NumberedDiscrepancy, pair: ReportPair, *, short: bool = False) -> str:
    """The judge's explanation, "" if it is no more than the words of a report that are quoted beside it.

    Args:
        item: the discrepancy.
        pair: the reports.
        short: whether an ellipsis stands for those words where the explanation quotes them.
    """
    d = item.discrepancy
    sides = ((d.reference_spans, pair.reference.text), (d.candidate_spans, pair.candidate.text))
    beside = {_even(span.of(text)) for spans, text in sides for span in spans}
    if _even(d.explanation) in beside:
        return ""
    if not short:
        return make_printable(d.explanation)
    return _QUOTED.sub(
        lambda quote: "\u201c\u2026\u201d" if _even(quote[0]) in beside else quote[0], make_printable(d.explanation)
    )


def _even(words: str) -> str:
    return " ".join(_WORD.findall(words.lower()))


def kind_words(discrepancy: Discrepancy) -> str:
    """Aspect and, where there is one, type."""
    aspect = discrepancy.aspect.value.replace("/", " / ")  # so that a narrow column can part it
    return f"{aspect}, {discrepancy.type.value}" if discrepancy.type else aspect


def taxonomy_words(discrepancy: Discrepancy) -> str:
    """Category by letter and aspect, as studies count it: "category A, Negation"."""
    category = f"category {discrepancy.category.value}" if discrepancy.category else "no category"
    return f"{category}, {kind_words(discrepancy)}"


def unit_words(unit: ClinicalUnit, finding_name: FindingName) -> str:
    """Display name of a unit's finding; of a sentence about the report its kind, or that it could not be read."""
    if unit.canonical_finding:
        return finding_name(unit.canonical_finding)
    return unit.administrative or "sentence not read"


def polarity_words(unit: ClinicalUnit) -> str:
    """The unit's statement about its finding, in a word or two."""
    if unit.is_unread:
        return "not read"
    return "normal" if unit.is_normal_statement else unit.polarity.value


def attribute_words(unit: ClinicalUnit) -> str:
    """The stated attributes of a unit, separated by commas."""
    parts = [
        *([f"denies {format_count(len(unit.denies), 'finding')}"] if unit.denies else []),
        *(item.value for item in (unit.certainty, unit.change) if item is not None),
        *(item for item in (unit.severity, unit.device_status) if item),
        *sorted(unit.anatomy),
        *sorted(unit.modifiers),
        *(f"{item.value:g} {item.unit}" for item in unit.measurements),
        *([unit.temporality.value] if unit.temporality is not Temporality.CURRENT else []),
        *([unit.experiencer.value] if unit.experiencer is not Experiencer.PATIENT else []),
        *([f"confidence {unit.confidence:.2f}"] if unit.confidence < 1.0 else []),
    ]
    return make_printable(", ".join(part.replace("_", " ") for part in parts))


def subscores_shown(scored: Scored, *, zeros: bool = False) -> dict[str, float]:
    """The subscores that are worth showing: a number under two names once, no category without an error.

    What only figures of a corpus are made of is left out.

    Args:
        scored: whose subscores.
        zeros: whether categories without an error are shown too, unless a language model was asked.
    """
    every = zeros and not isinstance(scored.evidence, AnswerEvidence)
    same = scored.subscores.get(_ERROR_COUNT) == scored.subscores.get("significant")
    counts = counts_for_corpora(scored.subscores)
    return {
        name: value
        for name, value in scored.subscores.items()
        if (value or every or name.removeprefix(_INSIGNIFICANT) not in _CATEGORIES)
        and not (same and name == _ERROR_COUNT)
        and name not in counts
    }


def subscore_words(name: str) -> str:
    """A subscore's name: category letters get their label.

    >>> subscore_words("D"), subscore_words("insignificant_D"), subscore_words("error_count")
    ('(D) wrong severity', 'insignificant (D) wrong severity', 'error count')
    """
    category = _CATEGORIES.get(name.removeprefix(_INSIGNIFICANT))
    if category is None:
        return name.replace("_", " ")
    before = "insignificant " if name.startswith(_INSIGNIFICANT) else ""
    return f"{before}{_format_category(category)}"


def feature_words(name: str) -> tuple[str, str]:
    """A feature's name in words and what it measures ("" for a feature of somebody else's readout).

    >>> feature_words("wrong_location_follow_up")
    ('wrong location, follow-up', 'sum of 0.2 \u00d7 extent')
    """
    known = any(name in features.names for features in FEATURE_SETS.values())
    for importance in () if known else Importance:
        kind = _KINDS.get(name.removesuffix(f"_{importance.value}"))
        if kind and name.endswith(f"_{importance.value}"):
            return f"{kind}, {importance.words}", f"sum of {figure(importance.weight)} \u00d7 extent"
    return name.replace("_", " "), describe_feature(name) if known else ""


def convergence_words(alignment: Alignment) -> str:
    """A sentence on whether the plan converged, after how many iterations, and how exactly."""
    n, m = alignment.shape
    state = "converged" if alignment.converged else "did NOT converge: read edges and scores with caution"
    return (
        f"The {n} \u00d7 {m} transport plan {state} ({format_count(alignment.iterations, 'iteration')}, "
        f"largest marginal error {alignment.marginal_error:.1e})."
    )


def age_words(age: float) -> str:
    """An age in years as people say it: completed years, months below two years, days below a month.

    >>> age_words(75.15), age_words(1.5), age_words(0.05)
    ('75 years', '18 months', '18 days')
    """
    months = int(age * 12)
    if months >= _MONTHS_TOLD:
        return f"{int(age)} years"
    return format_count(months, "month") if months else format_count(int(age * 365.25), "day")


def pair_words(pair: ReportPair) -> str:
    """Facts known about the patient and the examination, in one line; "" if there are none."""
    context = pair.context
    parts = [
        age_words(context.age) if context.age is not None else "",
        context.sex or "",
        f"indication: {context.indication}" if context.indication else "",
        f"comparison: {context.comparison}" if context.comparison else "",
    ]
    return make_printable(" \u00b7 ".join(part for part in parts if part))
