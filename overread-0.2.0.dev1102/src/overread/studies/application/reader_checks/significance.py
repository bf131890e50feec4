"""Significance of single differences: pairs of reports of which people said whether their difference matters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from attrs import frozen

from overread.application.scoring.evaluate import EvaluationService, Progress
from overread.domain.reports.report import ReportPair
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import EvaluationResult
from overread.domain.vocabulary.severity import is_clinically_significant
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorType
from overread.studies.application.reader_checks._drafts import Draft, DraftLine, counts, finish_check
from overread.studies.application.reader_checks.check import Mistake, ReaderCheck

__all__ = ["Probe", "check_significance"]


@frozen(kw_only=True)
class Probe:
    """A pair whose reports differ in one thing, and whether it could change what is done for the patient."""

    pair: ReportPair
    aspect: ErrorAspect
    significant: bool
    type: ErrorType | None = None


@frozen
class _Judged:
    """A probe and its result; a pair that was not scored is right in nothing."""

    probe: Probe
    result: EvaluationResult

    @property
    def noted_discrepancies(self) -> tuple[Discrepancy, ...]:
        return self.result.discrepancies if self.result.is_scored else ()

    @property
    def found_significant(self) -> bool:
        return is_clinically_significant(d.severity for d in self.noted_discrepancies)

    @property
    def is_right(self) -> bool:
        return self.result.is_scored and self.found_significant == self.probe.significant

    @property
    def is_silent(self) -> bool:
        return self.result.is_scored and not self.noted_discrepancies

    @property
    def names_aspect(self) -> bool:
        return any(d.aspect is self.probe.aspect for d in self.noted_discrepancies)


def check_significance(
    service: EvaluationService, probes: Sequence[Probe], *, on_progress: Progress | None = None
) -> ReaderCheck:
    """Has a metric that names discrepancies look at each pair.

    D: of the significant pairs, the share with a discrepancy that counts as significant. R: of the others, the share
    without. Strict R: the share without any discrepancy. Aspect: of the significant pairs, the share in which the
    probe's aspect is among those noted.

    Args:
        service: its first metric is checked: notation, or one that a judge stands behind.
        probes: the labelled pairs.
        on_progress: called with the number of pairs done.
    """
    results = service.evaluate([probe.pair for probe in probes], on_progress=on_progress)
    metric = service.metrics[0].name
    judged = [_Judged(probe, result[metric]) for probe, result in zip(probes, results, strict=True)]
    drafts = [
        Draft("Significant pairs", "pairs", tuple(_lines(judged, _discrimination))),
        Draft("Insignificant pairs", "pairs", tuple(_lines(judged, _robustness))),
    ]
    failed = sum(not item.result.is_scored for item in judged)
    return finish_check(
        "significance",
        str(judged[0].result.signature) if judged else "",
        drafts,
        len(judged),
        mistakes=_mistakes(judged),
        notes=(f"{failed} pairs could not be scored and count as wrong",) if failed else (),
    )


def _discrimination(name: str, items: Sequence[_Judged], kept: Sequence[bool]) -> DraftLine:
    keep = counts([k and item.probe.significant for k, item in zip(kept, items, strict=True)])
    right = counts([item.is_right for item in items]) * keep
    aspect = counts([item.names_aspect for item in items]) * keep
    return DraftLine(name, int(keep.sum()), {"D": (right, keep), "aspect noted": (aspect, keep)})


def _robustness(name: str, items: Sequence[_Judged], kept: Sequence[bool]) -> DraftLine:
    keep = counts([k and not item.probe.significant for k, item in zip(kept, items, strict=True)])
    right = counts([item.is_right for item in items]) * keep
    silent = counts([item.is_silent for item in items]) * keep
    return DraftLine(name, int(keep.sum()), {"R": (right, keep), "strict R": (silent, keep)})


def _lines(
    items: Sequence[_Judged], line: Callable[[str, Sequence[_Judged], Sequence[bool]], DraftLine]
) -> Iterator[DraftLine]:
    yield line("all", items, [True] * len(items))
    for aspect in ErrorAspect:
        of_aspect = [item.probe.aspect is aspect for item in items]
        if any(of_aspect) and (drafted := line(aspect.value, items, of_aspect)).count:
            yield drafted


def _mistakes(items: Sequence[_Judged]) -> Iterator[Mistake]:
    for item in items:
        if item.is_right:
            continue
        noted = "; ".join(f"{d.severity} {d.aspect} {d.finding}".strip() for d in item.noted_discrepancies)
        yield Mistake(
            item.probe.pair.id,
            f"{'significant' if item.probe.significant else 'insignificant'} {item.probe.aspect}",
            noted or ("no discrepancy" if item.result.is_scored else "not scored"),
            f"{item.probe.pair.reference.text} | {item.probe.pair.candidate.text}",
        )
