"""The plugin of radot and notation: which cost, which lexicon, and who shares a reader."""

from __future__ import annotations

import gc
import shutil
import weakref
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field, frozen

from overread.adapters.lexicon import load_knowledge
from overread.adapters.metrics.transport.costs import cost_model
from overread.adapters.metrics.transport.options import NotationOptions, RadotOptions
from overread.adapters.metrics.transport.plugin import overread_metrics
from overread.adapters.transport.importance.options import ImportanceOptions
from overread.adapters.transport.importance.plugin import overread_aligners, overread_readouts
from overread.application.metrics.notation import NotationMetric
from overread.application.metrics.radot import RadotMetric
from overread.application.traits import AlignerTraits, ExtractorTraits, ReadoutTraits
from overread.domain.differences.cost import TableTwoCost
from overread.domain.differences.relational_cost import RelationalCost
from overread.domain.reports.report import ClinicalContext, ReportPair
from overread.domain.results.result import Scored
from overread.exceptions import ConfigurationError
from overread.plugins.specs import NoOptions
from overread.testing import FakeAligner, FakeComponents, FakeExtractor, FakeReadout, check_metric

SPECS = {spec.name: spec for spec in overread_metrics()}
RECORDED = {"prior": "polarity-heavy", "epsilon": 0.2}
VERSION = load_knowledge().lexicon.version


@define
class FittedReadout(FakeReadout):
    """A readout that says what it was fitted on."""

    fitted_on: dict[str, Any] = field(factory=dict)

    @property
    def traits(self) -> ReadoutTraits:
        return ReadoutTraits(fitted_on=self.fitted_on)


@frozen
class NamedAligner(FakeAligner):
    """An aligner that names its plans as the balanced one does."""

    plans: str = "balanced,prior=polarity-heavy,eps=0.2"

    @property
    def traits(self) -> AlignerTraits:
        return AlignerTraits(plans=self.plans)


@frozen
class FoldedExtractor(FakeExtractor):
    """An extractor that reads with a lexicon of its own."""

    lexicon_folder: str = ""

    @property
    def traits(self) -> ExtractorTraits:
        return ExtractorTraits(lexicon_folder=self.lexicon_folder)


def fakes(**given: Any) -> FakeComponents:
    """One assembly."""
    return FakeComponents(given)


def shipped() -> dict[str, Any]:
    """The default aligner and readout."""
    [aligner], [readout] = overread_aligners(), overread_readouts()
    components = fakes()
    return {
        "aligner": aligner.factory(ImportanceOptions(), components),
        "readout": readout.factory(NoOptions(), components),
    }


def radot(assembly: FakeComponents | None = None, **options: Any) -> RadotMetric:
    metric = SPECS["radot"].factory(RadotOptions(**options), assembly or fakes())
    assert isinstance(metric, RadotMetric)
    return metric


def notation(assembly: FakeComponents | None = None, **options: Any) -> NotationMetric:
    metric = SPECS["notation"].factory(NotationOptions(**options), assembly or fakes())
    assert isinstance(metric, NotationMetric)
    return metric


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """A lexicon with one finding more than the shipped one."""
    with as_file(files("overread.adapters.lexicon") / "data") as data:
        copied = Path(shutil.copytree(data, tmp_path / "lexicon"))
    (copied / "findings" / "more.toml").write_text(
        '[[finding]]\nid = "zebra"\nname = "zebra"\ncategory = "lung"\nimportance = "expected"\n'
        'terms = ["zebra"]\n[[finding.when]]\nage_below = 40\nto = "urgent"\nreason = "rare"\nsource = "invented"\n',
        encoding="utf-8",
    )
    return str(copied)


@pytest.mark.parametrize("name", ["radot", "notation"])
def test_both_metrics_conform(name: str) -> None:
    """As every plugin's metric must."""
    check_metric(SPECS[name])


@pytest.mark.parametrize(
    ("chosen", "fitted", "expected"),
    [
        (None, {}, RelationalCost),
        (None, RECORDED, RelationalCost),
        (None, RECORDED | {"cost": "relation"}, RelationalCost),
        (None, RECORDED | {"cost": "table-ii"}, TableTwoCost),
        ("table-ii", {}, TableTwoCost),
        ("table-ii", RECORDED | {"cost": "relation"}, TableTwoCost),
        ("relation", RECORDED | {"cost": "table-ii"}, RelationalCost),
    ],
)
def test_radot_costs_as_chosen_or_as_its_readout_was_fitted(
    chosen: str | None, fitted: dict[str, Any], expected: type[object]
) -> None:
    """Where nobody says, the relation of findings guides the cost."""
    metric = radot(fakes(readout=FittedReadout(fitted_on=fitted)), cost=chosen)
    assert isinstance(metric.reader.cost, expected)


def test_a_readout_that_does_not_say_what_it_was_fitted_on_is_taken_as_it_is() -> None:
    """The default cost, and no caveat."""
    metric = radot()
    assert isinstance(metric.reader.cost, RelationalCost)
    assert metric.caveats == ()


@pytest.mark.parametrize(
    ("aligner", "cost", "fitted", "caveats"),
    [
        ("balanced,prior=polarity-heavy,eps=0.2", None, RECORDED, []),
        ("balanced,prior=polarity-heavy,eps=0.2", "table-ii", RECORDED, []),
        (
            "balanced,prior=polarity-heavy,eps=0.25",
            None,
            RECORDED,
            ["plans of balanced,prior=polarity-heavy,eps=0.2"],
        ),
        (
            "partial,prior=polarity-heavy,eps=0.2",
            None,
            RECORDED,
            ["plans of balanced,prior=polarity-heavy,eps=0.2"],
        ),
        (
            "balanced,prior=polarity-heavy,eps=0.2",
            "table-ii",
            RECORDED | {"cost": "relation"},
            ["costs of relation"],
        ),
        ("balanced,prior=polarity-heavy,eps=0.2", None, RECORDED | {"cost": "table-ii"}, []),
        (
            "balanced,prior=uniform,eps=0.2",
            "relation",
            RECORDED | {"cost": "table-ii"},
            ["plans of balanced,prior=polarity-heavy,eps=0.2", "costs of table-ii"],
        ),
    ],
)
def test_plans_of_another_kind_than_fitted_on_are_told(
    aligner: str, cost: str | None, fitted: dict[str, Any], caveats: list[str]
) -> None:
    """Prior, epsilon, kind of plan and cost; a readout that does not name a cost minds none."""
    assembly = fakes(aligner=NamedAligner(plans=aligner), readout=FittedReadout(fitted_on=fitted))
    assert list(radot(assembly, cost=cost).caveats) == [f"the readout was fitted on {caveat}" for caveat in caveats]


@frozen
class MarkedReadout:
    """A readout of the last release: what it is stands in attributes, and its identity begins with its kind."""

    identity: str = "paper@mine"
    uses_self_alignments: bool = False
    aligner: dict[str, Any] = field(factory=lambda: {**RECORDED, "cost": "table-ii"})


def test_a_readout_of_the_last_release_is_understood_with_a_warning() -> None:
    """It is taken for the preset it names itself after, costs as it was fitted, and has its caveat."""
    warning = "MarkedReadout states fitted_on as attributes of its own"
    with pytest.warns(DeprecationWarning, match=warning):
        metric = radot(fakes(readout=MarkedReadout()), preset="paper")
    assert isinstance(metric.reader.cost, TableTwoCost)
    assert metric.caveats == ("the readout was fitted on plans of balanced,prior=polarity-heavy,eps=0.2",)
    refusal = pytest.raises(ConfigurationError, match="read out by debiased, not paper")
    with pytest.warns(DeprecationWarning, match=warning), refusal:
        radot(fakes(readout=MarkedReadout()), preset="debiased")


def test_metrics_of_one_assembly_that_ask_the_same_share_a_reader() -> None:
    """Then a pair is read once; another limit, cost, lexicon or assembly means another reader."""
    assembly = fakes(**shipped())
    shared = radot(assembly).reader
    assert notation(assembly).reader is radot(assembly, cost="importance").reader is shared
    assert radot(assembly, max_units=5).reader is not shared
    assert notation(assembly, max_units=5).reader is radot(assembly, max_units=5).reader
    assert radot(assembly, max_units=5).reader.max_units == 5
    assert radot(fakes(**shipped())).reader is not shared
    fitted = fakes()
    assert radot(fitted).reader is radot(fitted, cost="relation").reader
    assert radot(fitted, cost="table-ii").reader is not radot(fitted).reader


def test_a_reader_goes_with_its_assembly() -> None:
    """Reports that were read are not kept beyond the assembly that read them."""
    assembly = fakes()
    reader = weakref.ref(radot(assembly).reader)
    del assembly
    gc.collect()
    assert reader() is None


def test_the_lexicon_is_the_shipped_one_the_extractors_or_the_one_chosen(folder: str) -> None:
    """An option overrules the extractor, and the signature tells them apart."""
    own = load_knowledge(folder).lexicon.version
    assert own != VERSION
    folded = fakes(extractor=FoldedExtractor(lexicon_folder=folder))
    for name, metric in (("importance", notation()), ("importance", radot(fakes(**shipped()))), ("relation", radot())):
        assert ("cost", f"{name},lexicon={VERSION}") in metric.signature_parts
    for metric in (notation(lexicon=folder), notation(folded)):
        assert ("cost", f"importance,lexicon={own}") in metric.signature_parts
    for metric in (radot(lexicon=folder), radot(folded)):
        assert ("cost", f"relation,lexicon={own}") in metric.signature_parts
    assert ("lexicon", own) in notation(folded).signature_parts
    assert ("cost", "table-ii") in radot(folded, cost="table-ii").signature_parts


def test_a_lexicon_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    """With the folder's name."""
    with pytest.raises(ConfigurationError, match=r"lexicon .*none"):
        notation(lexicon=str(tmp_path / "none"))


@pytest.mark.parametrize(("age", "risk"), [(30, 0.6), (50, 0.03), (None, 0.03)])
def test_what_a_finding_asks_for_is_asked_of_the_patient(folder: str, age: float | None, risk: float) -> None:
    """An omitted zebra is urgent in the young, and expected in others: 1 or .05, by .6 for an omission."""
    metric = notation(fakes(**shipped()), lexicon=folder)
    pair = ReportPair(id="a", reference="Zebra. Edema", candidate="Edema", context=ClinicalContext(age=age))
    [outcome] = metric.evaluate([pair])
    assert isinstance(outcome, Scored)
    assert outcome.subscores["risk"] == pytest.approx(risk)
    assert [d.finding for d in outcome.discrepancies] == ["zebra"]


def test_a_cost_that_does_not_exist_is_refused() -> None:
    """A misspelt cost must not quietly become another."""
    with pytest.raises(ConfigurationError, match="cost must be importance, relation, table-ii, not 'relations'"):
        cost_model("relations", None)
