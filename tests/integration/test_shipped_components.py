"""The shipped extractors, aligners and metrics pass the checks that plugin authors use."""

from __future__ import annotations

import pytest

from overread.plugins.assembly import Assembly
from overread.plugins.catalogue import Catalogue, Registered
from overread.testing import check_aligner, check_extractor, check_metric

_CATALOGUE = Catalogue.discover(entry_points=[])


@pytest.fixture(scope="module")
def assembly() -> Assembly:
    """The default components, shared by the metrics."""
    return Assembly(_CATALOGUE)


def test_extractor() -> None:
    """The default one, and the only one."""
    (extractor,) = _CATALOGUE.of("extractor")
    check_extractor(extractor.spec)  # type: ignore[arg-type]  # only metrics have another kind of spec


@pytest.mark.parametrize("aligner", _CATALOGUE.of("aligner"), ids=lambda registered: registered.spec.name)
def test_aligner(aligner: Registered) -> None:
    """Balanced, partial and unbalanced plans."""
    check_aligner(aligner.spec)  # type: ignore[arg-type]  # as above


@pytest.mark.parametrize("name", [r.spec.name for r in _CATALOGUE.metrics() if not r.missing()])
def test_metric(name: str, assembly: Assembly) -> None:
    """Each that can run here, over the default components."""
    spec, _ = _CATALOGUE.find_metric(name)
    check_metric(spec, components=assembly)


def test_metrics_without_extras_can_run() -> None:
    """The check above leaves out none of these."""
    assert {"radot", "notation"} <= {r.spec.name for r in _CATALOGUE.metrics() if not r.missing()}
