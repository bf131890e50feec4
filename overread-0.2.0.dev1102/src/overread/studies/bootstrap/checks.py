"""Checks of the chosen reader, or of a metric, against what people said."""

from __future__ import annotations

from pathlib import Path

from attrs import evolve

from overread.application.ports import AssertionReader
from overread.application.scoring.evaluate import Progress
from overread.application.telling import telling
from overread.bootstrap.services import build_service, open_reader
from overread.exceptions import ConfigurationError, InputError
from overread.infrastructure.settings import Settings
from overread.studies.application.reader_checks.check import ReaderCheck

__all__ = [
    "check_confidence",
    "check_entailment",
    "check_findings",
    "check_names",
    "check_polarity",
    "check_significance",
    "check_wordings",
]


def check_polarity(settings: Settings, data: Path, *, on_progress: Progress | None = None) -> ReaderCheck:
    """Checks polarity, history and experiencer on marked phrases; see docs/reader-checks.md for the file's layout."""
    from overread.studies.application.reader_checks.polarity import check_polarity as check
    from overread.studies.infrastructure.datasets.reader_labels.negex import read_phrases

    read = read_phrases(data)
    extractor, _ = open_reader(settings)
    if not isinstance(extractor, AssertionReader):
        raise ConfigurationError(["the chosen extractor reads whole reports only, not marked phrases"])
    progress = telling("reading", len(read.phrases), on_progress)
    return check(extractor, read.phrases, identity=extractor.identity, left_out=read.left_out, on_progress=progress)


def check_findings(
    settings: Settings, data: Path, *, min_count: int = 10, on_progress: Progress | None = None
) -> ReaderCheck:
    """Checks the findings of coded reports, and how many sentences get no reading."""
    from overread.studies.application.reader_checks.findings import check_findings as check
    from overread.studies.infrastructure.datasets.reader_labels.openi import open_i_coding, read_coded_reports

    reports, coding = read_coded_reports(data), open_i_coding()
    extractor, lexicon = open_reader(settings)
    progress = telling("reading", len(reports), on_progress)
    return check(extractor, lexicon, reports, coding, min_count=min_count, on_progress=progress)


def check_entailment(settings: Settings, data: Path, *, on_progress: Progress | None = None) -> ReaderCheck:
    """Checks whether reports entail, contradict or leave open single statements."""
    from overread.studies.application.reader_checks.entailment import check_entailment as check
    from overread.studies.infrastructure.datasets.reader_labels.radfact import read_statements

    statements = read_statements(data)
    extractor, lexicon = open_reader(settings)
    return check(extractor, lexicon, statements, on_progress=telling("reading", len(statements), on_progress))


def check_names(settings: Settings, data: Path) -> ReaderCheck:
    """Checks which names of findings are read as the right finding."""
    from overread.studies.application.reader_checks.names import check_names as check
    from overread.studies.infrastructure.datasets.reader_labels.oidm import oidm_findings, read_names

    names = read_names(data, oidm_findings())
    extractor, lexicon = open_reader(settings)
    return check(extractor, lexicon, names)


def check_wordings(
    settings: Settings, data: Path | None = None, *, part: str = "open", on_progress: Progress | None = None
) -> ReaderCheck:
    """Checks what is read in sentences of which it is written down what they say.

    Args:
        settings: whose reader is checked.
        data: file of such sentences; where omitted, the bank that comes with overread.
        part: of the bank, "open" or "sealed".
        on_progress: called with the number of sentences done.
    """
    from overread.studies.application.reader_checks.wordings import check_wordings as check
    from overread.studies.infrastructure.datasets.reader_labels.wordings import read_wordings, shipped_wordings

    wordings = shipped_wordings(part) if data is None else read_wordings(data)
    extractor, lexicon = open_reader(settings)
    return check(extractor, lexicon, wordings, on_progress=telling("reading", len(wordings), on_progress))


def check_significance(
    settings: Settings, data: Path, *, metric: str = "notation", on_progress: Progress | None = None
) -> ReaderCheck:
    """Checks whether a metric that names discrepancies tells differences that matter from those that do not."""
    from overread.studies.application.reader_checks.significance import check_significance as check
    from overread.studies.infrastructure.datasets.reader_labels.probes import read_probes

    probes = read_probes(data)
    service = build_service(evolve(settings, metrics=(metric,), store=None), refresh=True)
    return check(service, probes, on_progress=telling("scoring", len(probes), on_progress))


def check_confidence(
    settings: Settings,
    data: Path | None = None,
    *,
    part: str = "select",
    metric: str = "notation",
    on_progress: Progress | None = None,
) -> ReaderCheck:
    """Checks how often the discrepancies of a metric hold that are told as so likely.

    Args:
        settings: of the metric.
        data: marked pairs in the form of the gold corpus; where omitted, all settings of the gold corpus.
        part: of the gold corpus.
        metric: one that names discrepancies.
        on_progress: called with the number of pairs done.
    """
    from overread.studies.application.reader_checks.confidence import check_confidence as check
    from overread.studies.infrastructure.datasets.training_pairs.marked import gold_files, read_marked_gold

    marked = [pair for path in ([data] if data else gold_files(part)) for pair in read_marked_gold(path)]
    if not marked:
        raise InputError(str(data), "holds no pairs", remedy="give studies with candidates, one a line")
    service = build_service(evolve(settings, metrics=(metric,), store=None), refresh=True)
    return check(service, marked, on_progress=telling("scoring", len(marked), on_progress))
