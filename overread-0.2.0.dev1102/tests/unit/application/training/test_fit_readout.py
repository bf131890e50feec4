"""Fitting a readout to labelled pairs, with a fake extractor and the real aligner and fitter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from scipy.stats import spearmanr

from overread.adapters.transport.nnls.fitter import NnlsFitter
from overread.adapters.transport.sinkhorn.plugin import overread_aligners
from overread.application.ports import Extraction
from overread.application.training.fit_readout import FitReadout
from overread.application.training.transfer import rank_correlation
from overread.domain.differences.features import FEATURE_NAMES, FEATURE_SETS
from overread.domain.findings.unit import ClinicalUnit, Polarity
from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.annotation import AnnotatedPair
from overread.domain.results.readout import TARGETS
from overread.domain.results.result import Unscored
from overread.exceptions import ConfigurationError

FINDINGS = ("effusion", "edema", "nodule", "fracture", "pneumothorax", "cardiomegaly")


class FakeLineExtractor:
    """A unit a line, "no" negates; "?" cannot be read. Counts the reports it is given."""

    identity = "fake"

    def __init__(self) -> None:
        self.seen: list[Report] = []

    def extract(self, reports: Sequence[Report]) -> list[Extraction]:
        self.seen.extend(reports)
        return [Unscored("language") if "?" in report.text else self._units(report) for report in reports]

    def _units(self, report: Report) -> tuple[ClinicalUnit, ...]:
        return tuple(
            ClinicalUnit(
                span_text=line,
                start=match.start(),
                end=match.end(),
                canonical_finding=line.removeprefix("no "),
                polarity=Polarity.ABSENT if line.startswith("no ") else Polarity.PRESENT,
            )
            for match in re.finditer(r".+", report.text)
            for line in [match.group()]
        )


def aligner(prior: str, epsilon: float) -> Any:
    spec = next(spec for spec in overread_aligners() if spec.name == "balanced")
    return spec.factory(spec.options(prior=prior, epsilon=epsilon), None)  # type: ignore[arg-type]


def labelled(name: str, study: str, reference: str, candidate: str, errors: int) -> AnnotatedPair:
    pair = ReportPair(id=name, reference=Report(reference), candidate=Report(candidate))
    return AnnotatedPair(
        pair=pair, study=study, ratings={"total": (errors,), "significant": (errors,), "insignificant": (0,)}
    )


def flipped_pairs() -> list[AnnotatedPair]:
    """Six studies; in each, candidates with 0 to 4 findings turned from present to absent."""
    rng = np.random.default_rng(0)
    pairs = []
    for study in range(6):
        lines = [str(line) for line in rng.permutation(FINDINGS)[:5]]
        for errors in range(5):
            candidate = [f"no {line}" if i < errors else line for i, line in enumerate(lines)]
            pairs.append(labelled(f"{study}-{errors}", str(study), "\n".join(lines), "\n".join(candidate), errors))
    return pairs


@pytest.mark.parametrize("kind", FEATURE_SETS)
def test_finds_the_order_of_injected_errors(kind: str) -> None:
    """Held-out pairs are ranked by their number of flipped findings, and the report says on what it was fitted."""
    report = FitReadout(extractor=FakeLineExtractor(), aligner_factory=aligner, fitter=NnlsFitter())(
        flipped_pairs(), kind=kind, settings=[("polarity-heavy", 0.2), ("no-polarity", 0.2)]
    )
    assert report.kind == kind
    assert (report.pairs, report.studies, report.skipped) == (30, 6, ())
    assert len(report.selection.table) == 2
    assert report.selection.selected_row.scores["significant"] > 0.95
    assert report.selection.readout.feature_names == FEATURE_SETS[kind].names


@pytest.mark.parametrize("kind", ["relaxed", "debiased"])
def test_without_evidence_the_risk_is_zero(kind: str) -> None:
    """A readout fitted on features that are zero for identical reports has nothing but features to add."""
    report = FitReadout(extractor=FakeLineExtractor(), aligner_factory=aligner, fitter=NnlsFitter())(
        flipped_pairs(), kind=kind, settings=[("polarity-heavy", 0.2)]
    )
    readout = report.selection.readout
    assert readout.read(np.zeros(len(readout.feature_names))).scores == dict.fromkeys(TARGETS, 0.0)


def test_the_relaxed_readout_is_fitted_unless_another_is_asked_for() -> None:
    """It is the default kind, with all of its features."""
    report = FitReadout(extractor=FakeLineExtractor(), aligner_factory=aligner, fitter=NnlsFitter())(
        flipped_pairs(), settings=[("uniform", 0.2)]
    )
    assert (report.kind, report.selection.readout.feature_names) == ("relaxed", FEATURE_SETS["relaxed"].names)


def test_each_report_is_read_once_and_each_setting_reported() -> None:
    """A reference shared by pairs is extracted once; progress counts the settings of the grid."""
    extractor = FakeLineExtractor()
    progress: list[int] = []
    FitReadout(extractor=extractor, aligner_factory=aligner, fitter=NnlsFitter())(
        flipped_pairs(),
        settings=[(prior, epsilon) for prior in ("uniform", "text-light") for epsilon in (0.1, 0.5)],
        on_progress=progress.append,
    )
    assert len(extractor.seen) == len(set(extractor.seen)) == 30
    assert progress == [1, 2, 3, 4]


def test_pairs_that_cannot_be_read_are_left_out_by_name() -> None:
    """An unreadable report and two empty ones are skipped with a reason; an empty candidate is fitted on."""
    pairs = [
        *flipped_pairs(),
        labelled("strange", "7", "?", "edema", 1),
        labelled("blank", "8", "", "", 0),
        labelled("silent", "9", "edema\nnodule", "", 2),
    ]
    report = FitReadout(extractor=FakeLineExtractor(), aligner_factory=aligner, fitter=NnlsFitter())(
        pairs, settings=[("uniform", 0.2)]
    )
    assert dict(report.skipped) == {"strange": "language", "blank": "empty"}
    assert (report.pairs, report.studies) == (31, 7)


def test_a_pair_too_long_to_be_scored_is_not_fitted_on() -> None:
    """What is fitted on is read as what is scored: a report of more than 300 units is left out by name."""
    pairs = [*flipped_pairs(), labelled("long", "7", "edema\n" * 301, "edema", 1)]
    report = FitReadout(extractor=FakeLineExtractor(), aligner_factory=aligner, fitter=NnlsFitter())(
        pairs, settings=[("uniform", 0.2)]
    )
    assert (report.pairs, report.skipped) == (30, (("long", "too long"),))


def test_features_can_be_left_out() -> None:
    """The audits of Table VI fit on a part of the features."""
    names = [name for name in FEATURE_NAMES if not name.startswith("severity_")]
    report = FitReadout(extractor=FakeLineExtractor(), aligner_factory=aligner, fitter=NnlsFitter())(
        flipped_pairs(), kind="paper", settings=[("uniform", 0.2)], feature_names=names
    )
    assert report.selection.readout.feature_names == tuple(names)
    assert report.selection.readout.scale.shape == (61,)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"kind": "raw"}, "kind must be one of relaxed, debiased, paper, not 'raw'"),
        ({"settings": [("lung-heavy", 0.2)]}, "unknown prior 'lung-heavy'"),
        ({"settings": []}, "at least one prior"),
        ({"feature_names": ["lung_volume"]}, "unknown feature 'lung_volume'"),
        ({"kind": "paper", "feature_names": ["relaxed_finding_reference_major"]}, "unknown feature 'relaxed_finding"),
        ({"kind": "relaxed", "feature_names": ["severity_expected"]}, "unknown feature 'severity_expected'"),
    ],
)
def test_an_unusable_grid_is_refused(arguments: dict[str, Any], problem: str) -> None:
    """Before anything is read."""
    extractor = FakeLineExtractor()
    with pytest.raises(ConfigurationError, match=problem):
        FitReadout(extractor=extractor, aligner_factory=aligner, fitter=NnlsFitter())(flipped_pairs(), **arguments)
    assert not extractor.seen


def test_nothing_readable_is_refused() -> None:
    """A file of unreadable pairs has nothing to fit on."""
    with pytest.raises(ConfigurationError, match="none of the labelled pairs"):
        FitReadout(extractor=FakeLineExtractor(), aligner_factory=aligner, fitter=NnlsFitter())(
            [labelled("a", "1", "?", "edema", 1)]
        )


def _elsewhere(style: str = "") -> list[AnnotatedPair]:
    """The same pairs as of other studies and in a style."""
    return [
        evolve(p, study=f"other-{p.study}", strata={"style": style}, pair=evolve(p.pair, id=f"{style}-{p.pair.id}"))
        for p in flipped_pairs()
    ]


def test_a_readout_is_tried_on_pairs_of_other_studies() -> None:
    """One row for all of them, one for each style; the number of errors ranks with the risk."""
    test = [*_elsewhere("prose"), *_elsewhere("lower"), *_elsewhere()]
    report = FitReadout(extractor=FakeLineExtractor(), aligner_factory=aligner, fitter=NnlsFitter())(
        flipped_pairs(), settings=[("polarity-heavy", 0.2)], test=test
    )
    assert [(row.style, row.pairs, row.harmless) for row in report.transfer] == [
        ("", 90, 18),
        ("lower", 30, 6),
        ("prose", 30, 6),
    ]
    for row in report.transfer:
        assert row.scores["total"] == row.scores["significant"] > 0.9
        assert row.scores["insignificant"] == 0.0
        assert row.separation == 1.0
        assert (row.length, row.growth) == (0.0, 0.0)
    assert report.pairs == 30


def test_risk_that_grows_with_length_shows() -> None:
    """Where longer candidates without errors have more risk, both correlations say so."""
    grown = [
        labelled(f"grown-{n}", f"grown-{n}", "edema", "\n".join(("edema", *(f"no finding{i}" for i in range(n)))), 0)
        for n in range(6)
    ]
    report = FitReadout(extractor=FakeLineExtractor(), aligner_factory=aligner, fitter=NnlsFitter())(
        flipped_pairs(), kind="debiased", settings=[("polarity-heavy", 0.2)], test=grown
    )
    (row,) = report.transfer
    assert (row.pairs, row.harmless) == (6, 6)
    assert row.length > 0.9
    assert row.growth > 0.9
    assert row.separation == 0.5


def test_without_a_test_nothing_is_transferred() -> None:
    """No row; the fit is the same with a test and without."""
    fit = FitReadout(extractor=FakeLineExtractor(), aligner_factory=aligner, fitter=NnlsFitter())
    alone = fit(flipped_pairs(), settings=[("uniform", 0.2)])
    tested = fit(flipped_pairs(), settings=[("uniform", 0.2)], test=_elsewhere())
    assert alone.transfer == ()
    assert alone.selection.table == tested.selection.table
    unread = [*_elsewhere(), labelled("strange", "7", "?", "edema", 1)]
    assert fit(flipped_pairs(), settings=[("uniform", 0.2)], test=unread).skipped == (("strange", "language"),)


def test_a_test_on_the_fitted_studies_is_refused() -> None:
    """It would measure memory."""
    with pytest.raises(ConfigurationError, match="6 studies of the test are also among the studies fitted on"):
        FitReadout(extractor=FakeLineExtractor(), aligner_factory=aligner, fitter=NnlsFitter())(
            flipped_pairs(), test=flipped_pairs()
        )


def test_rank_correlation_is_spearmans() -> None:
    """With ties as scipy has it; nothing to rank is no correlation."""
    rng = np.random.default_rng(4)
    a = rng.integers(0, 6, 50).astype(float)
    b = a + rng.normal(size=50).round()
    assert rank_correlation(a, b) == pytest.approx(spearmanr(a, b).statistic)
    assert rank_correlation(a, np.ones(50)) == 0.0
    assert rank_correlation(np.array([]), np.array([])) == 0.0
