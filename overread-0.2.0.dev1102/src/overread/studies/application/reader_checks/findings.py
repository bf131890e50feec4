"""Findings of whole reports against the codes that people gave them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from attrs import field, frozen

from overread.application.ports import Extraction, UnitExtractor
from overread.application.scoring.evaluate import Progress
from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.unit import ClinicalUnit
from overread.domain.reports.report import ClinicalContext, Report
from overread.domain.results.result import Unscored
from overread.studies.application.reader_checks._drafts import Draft, DraftLine, counts, finish_check
from overread.studies.application.reader_checks.check import Mistake, ReaderCheck

__all__ = ["CodeMeaning", "CodedReport", "Coding", "check_findings", "normalised_code"]

_BATCH: Final = 64


@frozen(kw_only=True)
class CodedReport:
    """A report with its codes, each a head term and qualifiers parted by slashes."""

    id: str
    report: Report
    codes: tuple[str, ...]
    context: ClinicalContext = field(factory=ClinicalContext)


@frozen(kw_only=True)
class CodeMeaning:
    """Meaning of the codes of a head term with certain qualifiers.

    Attributes:
        head: the head term.
        qualifiers: those a code must have.
        findings: one of these, or a kind of it, must be asserted; one after "=" exactly. Empty: nothing to find.
        apart: whether head and qualifiers are counted as a separate term.
    """

    head: str
    qualifiers: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    apart: bool = False

    @property
    def term(self) -> str:
        """The name it is counted under."""
        return "/".join((self.head, *self.qualifiers)) if self.apart else self.head

    def names(self, finding: str, lexicon: Lexicon) -> bool:
        """Returns whether the finding is one of those meant, or a kind of one."""
        return any(
            finding == wanted[1:] if wanted.startswith("=") else lexicon.is_kind_of(finding, wanted)
            for wanted in self.findings
        )

    def explains(self, finding: str, lexicon: Lexicon) -> bool:
        """Returns whether the code accounts for an asserted finding by naming it or something narrower."""
        return self.names(finding, lexicon) or any(
            lexicon.is_kind_of(wanted.removeprefix("="), finding) for wanted in self.findings
        )


@lru_cache(maxsize=8192)
def normalised_code(code: str) -> tuple[str, ...]:
    """Head and qualifiers without regard to capitals and spaces.

    >>> normalised_code("Aorta,  Thoracic/tortuous ")
    ('aorta, thoracic', 'tortuous')
    """
    return tuple(" ".join(part.lower().split()) for part in code.split("/"))


@frozen(kw_only=True)
class Coding:
    """The meanings of all codes; the first that fits a code holds.

    Attributes:
        normal: codes of a report without a finding.
        skipped: codes that say nothing of the patient.
    """

    meanings: tuple[CodeMeaning, ...]
    normal: frozenset[tuple[str, ...]]
    skipped: frozenset[tuple[str, ...]]

    def is_normal(self, report: CodedReport) -> bool:
        """Returns whether the report is coded as normal and as nothing else."""
        codes = {normalised_code(code) for code in report.codes} - self.skipped
        return bool(codes) and codes <= self.normal

    def is_coded(self, report: CodedReport) -> bool:
        """Returns whether the report has a code that says something about the patient."""
        return any(normalised_code(code) not in self.skipped for code in report.codes)

    def meanings_of(self, report: CodedReport) -> tuple[tuple[CodeMeaning, ...], tuple[str, ...]]:
        """The distinct meanings of a report's codes, and the codes that have none."""
        meanings: dict[CodeMeaning, None] = {}
        unknown: list[str] = []
        for code in report.codes:
            parts = normalised_code(code)
            if parts in self.normal or parts in self.skipped:
                continue
            meaning = self._meaning(parts)
            if meaning is None:
                unknown.append(code)
            else:
                meanings[meaning] = None
        return tuple(meanings), tuple(unknown)

    def _meaning(self, parts: tuple[str, ...]) -> CodeMeaning | None:
        head, qualifiers = parts[0], set(parts[1:])
        for meaning in self.meanings:
            if normalised_code(meaning.head) == (head,):
                wanted = {" ".join(q.lower().split()) for q in meaning.qualifiers}
                if wanted <= qualifiers:
                    return meaning
        return None


@frozen(kw_only=True)
class _Read:
    """A report as read: its meanings, what it asserts, and its sentences by how they were read."""

    source: CodedReport
    meanings: tuple[CodeMeaning, ...]
    asserted: tuple[str, ...]
    sentences: int
    unread: tuple[ClinicalUnit, ...]
    administrative: int
    actionable: tuple[str, ...]


def check_findings(
    extractor: UnitExtractor,
    lexicon: Lexicon,
    reports: Iterable[CodedReport],
    coding: Coding,
    *,
    min_count: int = 10,
    on_progress: Progress | None = None,
) -> ReaderCheck:
    """Reads every report and compares what it asserts with its codes.

    Recall: of the distinct coded findings of each report, the share that the reader finds asserted. Precision: of the
    distinct findings that the reader asserts and that some counted term would name, the share that a code of the
    report accounts for. Reports without a code that says something count in neither.

    Args:
        extractor: reads the reports.
        lexicon: what the findings are kinds of, and what they ask for.
        reports: the coded reports.
        coding: what the codes mean.
        min_count: terms of fewer reports are left out of recall and precision.
        on_progress: called with the number of reports done.
    """
    reports = list(reports)
    read: list[_Read] = []
    failed: Counter[str] = Counter()
    unknown: Counter[str] = Counter()
    for start in range(0, len(reports), _BATCH):
        batch = reports[start : start + _BATCH]
        extractions = extractor.extract([coded.report for coded in batch])
        for coded, extraction in zip(batch, extractions, strict=True):
            if isinstance(extraction, Unscored):
                failed[extraction.reason] += 1
            meanings, without = coding.meanings_of(coded)
            unknown.update(without)
            read.append(_read(coded, meanings, extraction, lexicon))
        if on_progress is not None:
            on_progress(min(start + _BATCH, len(reports)))
    frequent = _frequent(read, min_count)
    has_code = [coding.is_coded(report.source) for report in read]
    normal = [coding.is_normal(report.source) for report in read]
    drafts = [
        _overall(read, frequent, has_code, lexicon),
        _sentences(read),
        _normals(read, normal),
        _in_normals(read, normal),
        *_terms(read, frequent, has_code, lexicon),
    ]
    return finish_check(
        "findings",
        extractor.identity,
        drafts,
        len(read),
        mistakes=_mistakes(read, frequent, normal, lexicon),
        notes=_notes(failed, unknown),
    )


def _read(coded: CodedReport, meanings: tuple[CodeMeaning, ...], extraction: Extraction, lexicon: Lexicon) -> _Read:
    units = () if isinstance(extraction, Unscored) else extraction
    asserted = tuple(dict.fromkeys(unit.canonical_finding for unit in units if unit.asserts_finding))
    patient = lexicon.for_patient(coded.context)
    sentences: defaultdict[int, list[ClinicalUnit]] = defaultdict(list)
    for unit in units:
        sentences[unit.sentence_index].append(unit)
    return _Read(
        source=coded,
        meanings=meanings,
        asserted=asserted,
        sentences=len(sentences),
        unread=tuple(own[0] for own in sentences.values() if all(unit.is_unread for unit in own)),
        administrative=sum(
            any(unit.administrative for unit in own) and not any(unit.canonical_finding for unit in own)
            for own in sentences.values()
        ),
        actionable=tuple(finding for finding in asserted if patient.importance(finding).is_actionable),
    )


def _frequent(read: Sequence[_Read], min_count: int) -> frozenset[str]:
    """Terms that name a finding and occur in enough reports."""
    reports = Counter(term for report in read for term in {m.term for m in report.meanings if m.findings})
    return frozenset(term for term, count in reports.items() if count >= min_count)


def _is_asserted(report: _Read, meaning: CodeMeaning, lexicon: Lexicon) -> bool:
    return any(meaning.names(finding, lexicon) for finding in report.asserted)


def _counted_meanings(report: _Read, terms: frozenset[str]) -> list[CodeMeaning]:
    return [meaning for meaning in report.meanings if meaning.findings and meaning.term in terms]


def _recall(read: Sequence[_Read], terms: frozenset[str], lexicon: Lexicon) -> tuple[list[int], list[int]]:
    """Coded findings found, and all of them, by report."""
    wanted = [_counted_meanings(report, terms) for report in read]
    hits = [sum(_is_asserted(r, m, lexicon) for m in own) for r, own in zip(read, wanted, strict=True)]
    return hits, [len(own) for own in wanted]


class _Precision:
    """Asserted findings that a term would name, and those that a code accounts for."""

    def __init__(self, read: Sequence[_Read], coded: Sequence[bool], lexicon: Lexicon) -> None:
        self._findings = sorted({finding for report in read for finding in report.asserted})
        self._lexicon = lexicon
        self._read = [
            [(f, any(m.explains(f, lexicon) for m in r.meanings)) for f in r.asserted] if has_code else []
            for r, has_code in zip(read, coded, strict=True)
        ]

    def counted(self, meanings: Iterable[CodeMeaning]) -> tuple[list[int], list[int]]:
        """Accounted for, and all, by report."""
        meanings = list(meanings)
        named = {f for f in self._findings if any(m.names(f, self._lexicon) for m in meanings)}
        right = [sum(explained for f, explained in own if f in named) for own in self._read]
        return right, [sum(f in named for f, _ in own) for own in self._read]


def _overall(read: Sequence[_Read], terms: frozenset[str], coded: Sequence[bool], lexicon: Lexicon) -> Draft:
    hits, wanted = _recall(read, terms, lexicon)
    meanings = {m for report in read for m in _counted_meanings(report, terms)}
    right, asserted = _Precision(read, coded, lexicon).counted(meanings)
    fractions = {"recall": (counts(hits), counts(wanted)), "precision": (counts(right), counts(asserted))}
    line = DraftLine("all counted terms", sum(wanted), fractions)
    return Draft("Coded findings", "coded findings", (line,))


def _terms(read: Sequence[_Read], terms: frozenset[str], coded: Sequence[bool], lexicon: Lexicon) -> Iterator[Draft]:
    precision = _Precision(read, coded, lexicon)
    lines = []
    for term in terms:
        hits, wanted = _recall(read, frozenset([term]), lexicon)
        right, asserted = precision.counted(
            {m for report in read for m in _counted_meanings(report, frozenset([term]))}
        )
        fractions = {"recall": (counts(hits), counts(wanted)), "precision": (counts(right), counts(asserted))}
        lines.append(DraftLine(term, sum(wanted), fractions))
    if lines:
        yield Draft("Coded findings by term", "coded findings", tuple(sorted(lines, key=lambda x: (-x.count, x.name))))


def _sentences(read: Sequence[_Read]) -> Draft:
    total = counts([report.sentences for report in read])
    unread = counts([len(report.unread) for report in read])
    administrative = counts([report.administrative for report in read])
    lines = (
        DraftLine("without a reading", int(total.sum()), {"share": (unread, total)}),
        DraftLine("administrative", int(total.sum()), {"share": (administrative, total)}),
    )
    return Draft("Sentences", "sentences", lines)


def _normals(read: Sequence[_Read], normal: Sequence[bool]) -> Draft:
    normals = counts(list(normal))
    flagged = counts([bool(report.actionable) for report in read]) * normals
    line = DraftLine("with an actionable finding", int(normals.sum()), {"share": (flagged, normals)})
    return Draft("Reports coded normal", "reports", (line,))


def _in_normals(read: Sequence[_Read], normal: Sequence[bool]) -> Draft:
    normals = counts(list(normal))
    tally = Counter(f for report, is_normal in zip(read, normal, strict=True) if is_normal for f in report.actionable)
    lines = (
        DraftLine(f, count, {"share": (counts([f in report.actionable for report in read]) * normals, normals)})
        for f, count in tally.most_common()
    )
    return Draft("Actionable findings in reports coded normal", "reports with it", tuple(lines))


def _mistakes(
    read: Sequence[_Read], terms: frozenset[str], normal: Sequence[bool], lexicon: Lexicon
) -> Iterator[Mistake]:
    for report, is_normal in zip(read, normal, strict=True):
        name, text = report.source.id, " ".join(report.source.report.text.split())
        for meaning in _counted_meanings(report, terms):
            if not _is_asserted(report, meaning, lexicon):
                label = "/".join((meaning.head, *meaning.qualifiers))
                yield Mistake(name, label, "not found", text)
        if is_normal and report.actionable:
            yield Mistake(name, "normal", ", ".join(report.actionable), text)
        for unit in report.unread:
            yield Mistake(name, "a reading", "no reading", unit.span_text)


def _notes(failed: Counter[str], unknown: Counter[str]) -> Iterator[str]:
    for reason, count in failed.items():
        yield f"{count} reports could not be read ({reason}); what they are coded with counts as not found"
    if unknown:
        shown = ", ".join(f"{code} ({count})" for code, count in unknown.most_common(10))
        yield f"{sum(unknown.values())} codes have no meaning in the mapping and are left out: {shown}"
