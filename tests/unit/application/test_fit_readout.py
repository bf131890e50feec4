"""Fitting a readout to labelled pairs, with a fake extractor and the real aligner and fitter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from overread.adapters.nnls._fit import NnlsFitter
from overread.adapters.sinkhorn.plugin import overread_aligners
from overread.application.fit_readout import FitReadout, LabelledPair
from overread.application.ports import Extraction
from overread.domain.features import FEATURE_NAMES
from overread.domain.readout import TARGETS
from overread.domain.report import Report, ReportPair
from overread.domain.result import Unscored
from overread.domain.unit import ClinicalUnit, Polarity
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
                start=0,
                end=len(line),
                canonical_finding=line.removeprefix("no "),
                polarity=Polarity.ABSENT if line.startswith("no ") else Polarity.PRESENT,
            )
            for line in report.text.splitlines()
        )


def aligner(prior: str, epsilon: float) -> Any:
    spec = next(spec for spec in overread_aligners() if spec.name == "balanced")
    return spec.factory(spec.options(prior=prior, epsilon=epsilon), None)  # type: ignore[arg-type]


def labelled(name: str, study: str, reference: str, candidate: str, errors: int) -> LabelledPair:
    pair = ReportPair(id=name, reference=Report(reference), candidate=Report(candidate))
    return LabelledPair(pair=pair, study=study, total=errors, significant=errors, insignificant=0)


def flipped_pairs() -> list[LabelledPair]:
    """Six studies; in each, candidates with 0 to 4 findings turned from present to absent."""
    rng = np.random.default_rng(0)
    pairs = []
    for study in range(6):
        lines = [str(line) for line in rng.permutation(FINDINGS)[:5]]
        for errors in range(5):
            candidate = [f"no {line}" if i < errors else line for i, line in enumerate(lines)]
            pairs.append(labelled(f"{study}-{errors}", str(study), "\n".join(lines), "\n".join(candidate), errors))
    return pairs


@pytest.mark.parametrize("kind", ["debiased", "paper"])
def test_finds_the_order_of_injected_errors(kind: str) -> None:
    """Held-out pairs are ranked by their number of flipped findings, and the report says on what it was fitted."""
    report = FitReadout(extractor=FakeLineExtractor(), aligner_factory=aligner, fitter=NnlsFitter())(
        flipped_pairs(), kind=kind, priors=["polarity-heavy", "no-polarity"], epsilons=[0.2]
    )
    assert report.kind == kind
    assert (report.pairs, report.studies, report.skipped) == (30, 6, ())
    assert len(report.selection.table) == 2
    assert report.selection.selected.scores["significant"] > 0.95
    assert report.selection.readout.feature_names == FEATURE_NAMES


def test_without_evidence_the_debiased_risk_is_zero() -> None:
    """A readout fitted on debiased features has nothing but features to add."""
    report = FitReadout(extractor=FakeLineExtractor(), aligner_factory=aligner, fitter=NnlsFitter())(
        flipped_pairs(), priors=["polarity-heavy"], epsilons=[0.2]
    )
    assert report.selection.readout.read(np.zeros(66)).scores == dict.fromkeys(TARGETS, 0.0)


def test_each_report_is_read_once_and_each_setting_reported() -> None:
    """A reference shared by pairs is extracted once; progress counts the settings of the grid."""
    extractor = FakeLineExtractor()
    progress: list[tuple[int, int]] = []
    FitReadout(extractor=extractor, aligner_factory=aligner, fitter=NnlsFitter())(
        flipped_pairs(),
        priors=["uniform", "text-light"],
        epsilons=[0.1, 0.5],
        on_progress=lambda done, total: progress.append((done, total)),
    )
    assert len(extractor.seen) == len(set(extractor.seen)) == 30
    assert progress == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_pairs_that_cannot_be_read_are_left_out_by_name() -> None:
    """An unreadable report and two empty ones are skipped with a reason; an empty candidate is fitted on."""
    pairs = [
        *flipped_pairs(),
        labelled("strange", "7", "?", "edema", 1),
        labelled("blank", "8", "", "", 0),
        labelled("silent", "9", "edema\nnodule", "", 2),
    ]
    report = FitReadout(extractor=FakeLineExtractor(), aligner_factory=aligner, fitter=NnlsFitter())(
        pairs, priors=["uniform"], epsilons=[0.2]
    )
    assert dict(report.skipped) == {"strange": "language", "blank": "neither report has a clinical unit"}
    assert (report.pairs, report.studies) == (31, 7)


def test_features_can_be_left_out() -> None:
    """The audits of Table VI fit on a part of the features."""
    names = [name for name in FEATURE_NAMES if not name.startswith("severity_")]
    report = FitReadout(extractor=FakeLineExtractor(), aligner_factory=aligner, fitter=NnlsFitter())(
        flipped_pairs(), priors=["uniform"], epsilons=[0.2], feature_names=names
    )
    assert report.selection.readout.feature_names == tuple(names)
    assert report.selection.readout.scale.shape == (61,)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"kind": "raw"}, "kind must be debiased or paper"),
        ({"priors": ["lung-heavy"]}, "no prior 'lung-heavy'"),
        ({"priors": []}, "at least one prior"),
        ({"epsilons": []}, "at least one prior"),
        ({"feature_names": ["lung_volume"]}, "no feature 'lung_volume'"),
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
