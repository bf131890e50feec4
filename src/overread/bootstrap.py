"""Joins the layers: settings, plugins, metrics and store become an evaluation service."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from attrs import evolve, field, frozen

from overread.application.evaluate import EvaluationService, NamedMetric, PairResults, Progress
from overread.application.fit_ratescore import RatedPair
from overread.application.fit_readout import LabelledPair, TransferRow
from overread.application.gold.report import CheckReport
from overread.application.inquiry import Inquiry, Plan
from overread.application.planning import Asks, AsksOfReports, ReportQuestions, plan_run
from overread.application.ports import AssertionReader, LanguageModel, ResultStore, UnitExtractor
from overread.application.tally import AnswerTally
from overread.domain.lexicon import Lexicon
from overread.domain.report import ClinicalContext, Report, ReportPair
from overread.exceptions import ConfigurationError, InputError
from overread.infrastructure.logs import get_logger
from overread.infrastructure.settings import Settings
from overread.plugins.assembly import Assembly
from overread.plugins.catalogue import Catalogue

if TYPE_CHECKING:
    from overread.adapters.ratescore import FittedTable

__all__ = [
    "DEFAULT_METRICS",
    "FittedReadout",
    "Run",
    "build_service",
    "check_entailment",
    "check_findings",
    "check_names",
    "check_polarity",
    "check_significance",
    "fit_ratescore",
    "fit_readout",
    "open_component",
    "open_run",
    "open_service",
    "open_store",
    "score",
    "score_many",
]

DEFAULT_METRICS = ("radot", "notation")

_ASKING_BATCH: Final = 32
"""Pairs at once where a language model is asked: answers take seconds, and each batch shows progress."""


@frozen(kw_only=True)
class FittedReadout:
    """A fitted readout as the record its file holds, the table it was selected from, and what was left out."""

    record: dict[str, Any] = field(repr=False)
    rows: list[dict[str, Any]]
    pairs: int
    studies: int
    skipped: tuple[tuple[str, str], ...]
    transfer: tuple[TransferRow, ...] = ()


PairLike = ReportPair | Mapping[str, Any]


def build_service(
    settings: Settings,
    *,
    catalogue: Catalogue | None = None,
    assembly: Assembly | None = None,
    store: ResultStore | None = None,
    run: str = "",
    refresh: bool = False,
    only_kept: bool = False,
) -> EvaluationService:
    """An evaluation service; every dependency can be given instead of built.

    Args:
        settings: which components and options to use.
        catalogue: of the plugins; those installed where omitted.
        assembly: of the components; one of the settings where omitted.
        store: where results are kept; that of the settings where omitted.
        run: name under which results are stored.
        refresh: whether to score anew what the store holds.
        only_kept: whether language models may not be asked, but only their kept answers read.

    Raises:
        ConfigurationError: naming every setting that cannot be used.
        MissingDependencyError: if a chosen component needs packages that are not installed.
        PluginError: if plugins fail under ``strict_plugins`` or a required one is missing.
        StoreError: if the store or the file of kept answers cannot be opened.
    """
    catalogue = catalogue or _catalogue(settings)
    assembly = assembly or _assembly(settings, catalogue, only_kept=only_kept)
    metrics = [_named(catalogue, assembly, name) for name in _distinct(settings.metrics or DEFAULT_METRICS)]
    if store is None and settings.store is not None:
        store = open_store(settings.store, store_text=settings.store_text)
    service = EvaluationService(metrics, store=store, run=run, refresh=refresh, log=get_logger("evaluate"))
    if _model(assembly) is not None:
        service.batch_size = _ASKING_BATCH
    return service


@frozen(kw_only=True, eq=False)
class Run:
    """A service ready to score, and the language model that its metrics ask, if they ask one.

    Attributes:
        service: scores pairs.
        model: None where no metric asks a model.
        answers: counts what it is asked and what is found kept.
        asking: metrics and extractors that can tell beforehand what they ask.
    """

    service: EvaluationService
    model: LanguageModel | None
    answers: AnswerTally
    asking: tuple[Asks, ...]

    def plan(self, pairs: Iterable[ReportPair]) -> Plan | None:
        """What scoring pairs would ask at the first attempt, or None if no metric can tell; nothing is asked."""
        if self.model is None or not self.asking:
            return None
        return plan_run(self.asking, Inquiry(self.model, self.answers.store), pairs)

    def close(self) -> None:
        """Let go of the file of kept answers."""
        close = getattr(self.answers.store, "close", None)
        if close is not None:
            close()


def open_run(
    settings: Settings, *, run: str = "", refresh: bool = False, only_kept: bool = False, answers: Path | None = None
) -> Run:
    """A run: as `build_service`, with what it asks of a language model.

    Args:
        settings: which components and options to use.
        run: name under which results are stored.
        refresh: whether to score anew what the store holds.
        only_kept: whether the model may not be asked, but only its kept answers read.
        answers: where answers are kept if a metric asks a model and the settings name no file.
    """
    catalogue = _catalogue(settings)
    assembly = _assembly(settings, catalogue, only_kept=only_kept)
    service = build_service(settings, catalogue=catalogue, assembly=assembly, run=run, refresh=refresh)
    model, tally = _model(assembly), assembly.get("answers")
    if model is not None and tally.store is None and answers is not None:
        from overread.infrastructure.answers import open_answers

        tally.store = open_answers(answers)
    return Run(service=service, model=model, answers=tally, asking=tuple(_asking(service, assembly)))


def open_component(settings: Settings, kind: str) -> Any:
    """The chosen component of a kind, for example "extractor", with the kept answers that the settings name.

    Raises:
        ConfigurationError, MissingDependencyError, PluginError, StoreError: as `build_service`.
    """
    return _assembly(settings).get(kind)


def _catalogue(settings: Settings) -> Catalogue:
    return Catalogue.discover(strict=settings.strict_plugins, required=settings.required_plugins)


def _assembly(settings: Settings, catalogue: Catalogue | None = None, *, only_kept: bool = False) -> Assembly:
    """The assembly of the settings, with their kept answers. Only those read, their model may be a stand-in."""
    from overread.infrastructure.answers import kept_model, open_answers

    tally = AnswerTally()
    provided: dict[str, Any] = {"answers": tally}
    catalogue = catalogue or _catalogue(settings)
    assembly = Assembly(catalogue, choices=settings.choices, options=settings.options, provided=provided)
    if settings.answers is None and only_kept:
        raise ConfigurationError(["no file of kept answers is named; give it with --answers FILE"])
    if settings.answers is not None:
        tally.store = store = open_answers(settings.answers, only_kept=only_kept)
        if only_kept and "model" not in settings.choices:
            provided["model"] = kept_model(settings.answers, store.models())
    return assembly


def _model(assembly: Assembly) -> LanguageModel | None:
    """The language model that was built or provided, if any was: one that is chosen need not be asked."""
    model: LanguageModel | None = assembly.built("model")
    return model


def _asking(service: EvaluationService, assembly: Assembly) -> Iterator[Asks]:
    yield from (named.metric for named in service.metrics if isinstance(named.metric, Asks))
    extractor = assembly.built("extractor")
    if isinstance(extractor, AsksOfReports):
        yield ReportQuestions(extractor)


def open_store(path: Path, *, store_text: bool = False) -> ResultStore:
    """The SQLite store at ``path``. Raises `StoreError` if it cannot be opened."""
    from overread.infrastructure.store import open_sqlite_store

    return open_sqlite_store(path, store_text=store_text)


def fit_readout(
    settings: Settings,
    labelled: Sequence[LabelledPair],
    *,
    kind: str = "relaxed",
    grid: bool = True,
    name: str = "user",
    note: str = "",
    cost: str | None = None,
    test: Sequence[LabelledPair] = (),
    on_progress: Progress | None = None,
) -> FittedReadout:
    """Fits a readout to labelled pairs with the chosen extractor and balanced plans.

    Args:
        settings: the extractor and its options.
        labelled: pairs with total, significant and insignificant counts.
        kind: "relaxed", "debiased" or "paper".
        grid: whether all priors and epsilons compete; else only polarity-heavy at 0.20. They make no difference to the
            relaxed readout, which does not look at plans.
        name: of the fit, part of the readout's identity.
        note: how the pairs came about; kept with the coefficients.
        cost: "relation" or "table-ii"; by default the second for the paper's readout, else the first.
        test: pairs of other studies to try the readout on.
        on_progress: called with the number of settings done.
    """
    from overread.adapters.nnls import NnlsFitter, readout_record
    from overread.adapters.transport.plugin import cost_model
    from overread.application.fit_readout import DEFAULT_EPSILONS, FitReadout
    from overread.domain.cost import PRIORS
    from overread.domain.features import FEATURE_SETS

    catalogue = _catalogue(settings)
    assembly = _assembly(settings, catalogue)

    def aligner(prior: str, epsilon: float) -> Any:
        table = {"aligner": {"prior": prior, "epsilon": epsilon}}
        return Assembly(catalogue, choices={"aligner": "balanced"}, options=table).get("aligner")

    extractor = assembly.get("extractor")
    grid = grid and (kind not in FEATURE_SETS or FEATURE_SETS[kind].uses_plan)
    cost = cost or ("table-ii" if kind == "paper" else "relation")
    fit = FitReadout(
        extractor=extractor, aligner_factory=aligner, fitter=NnlsFitter(), cost=cost_model(cost, extractor)
    )
    report = fit(
        labelled,
        kind=kind,
        priors=tuple(PRIORS) if grid else ("polarity-heavy",),
        epsilons=DEFAULT_EPSILONS if grid else (0.20,),
        test=test,
        on_progress=None if on_progress is None else lambda done, _total: on_progress(done),
    )
    selected = report.selection.selected
    rows = [
        {"prior": row.prior, "epsilon": row.epsilon, "macro": row.macro, **row.scores} for row in report.selection.table
    ]
    record = readout_record(
        report.selection.readout,
        kind=kind,
        aligner={"prior": selected.prior, "epsilon": selected.epsilon, "cost": cost},
        provenance={
            "name": name,
            "note": note,
            "pairs": report.pairs,
            "studies": report.studies,
            "extractor": extractor.identity,
            "held_out_spearman": {"macro": selected.macro, **selected.scores},
        },
    )
    return FittedReadout(
        record=record,
        rows=rows,
        pairs=report.pairs,
        studies=report.studies,
        skipped=report.skipped,
        transfer=report.transfer,
    )


def fit_ratescore(
    settings: Settings,
    rated: Sequence[RatedPair],
    *,
    name: str = "user",
    note: str = "",
    measure: str = "kendall",
    lower_is_better: bool = False,
    trials: int = 500,
    seed: int = 7,
    on_progress: Callable[[int, int], None] | None = None,
) -> FittedTable:
    """Learns RaTEScore's W and p from rated pairs, with the chosen recognizer and encoder.

    Args:
        settings: the recognizer, the encoder and their options.
        rated: pairs with people's ratings; a fifth of their studies is held out.
        name: of the table, part of its identity.
        note: how the ratings came about; kept with the table.
        measure: the correlation to maximise: "kendall", "pearson" or "spearman".
        lower_is_better: whether ratings count errors.
        trials: tables to try.
        seed: of the split and of the search.
        on_progress: called with trials done and trials in all.

    Raises:
        ConfigurationError: if the pairs do not suffice for a fit, or a component cannot be used.
        MissingDependencyError: if optuna, or what a component needs, is not installed.
    """
    from overread.adapters.ratescore import fit_ratescore as fit

    assembly = _assembly(settings)
    return fit(
        assembly.get("recognizer"),
        assembly.get("encoder"),
        rated,
        name=name,
        note=note,
        correlation=measure,
        lower_is_better=lower_is_better,
        trials=trials,
        seed=seed,
        on_progress=on_progress,
    )


def check_polarity(settings: Settings, data: Path, *, on_progress: Progress | None = None) -> CheckReport:
    """Checks polarity, history and experiencer on marked phrases; see docs/gold-checks.md for the file's layout."""
    from overread.application.gold.polarity import check_polarity as check
    from overread.infrastructure.gold.negex import read_phrases

    read = read_phrases(data)
    extractor, _ = _reader(settings)
    if not isinstance(extractor, AssertionReader):
        raise ConfigurationError(["the chosen extractor reads whole reports only, not marked phrases"])
    report = check(extractor, read.phrases, identity=extractor.identity, on_progress=on_progress)
    left_out = f"left out, as the sentence does not hold the phrase: items {', '.join(read.left_out)}"
    return evolve(report, notes=(*report.notes, left_out)) if read.left_out else report


def check_findings(
    settings: Settings, data: Path, *, min_count: int = 10, on_progress: Progress | None = None
) -> CheckReport:
    """Checks the findings of coded reports, and how many sentences get no reading."""
    from overread.application.gold.findings import check_findings as check
    from overread.infrastructure.gold.openi import open_i_coding, read_coded_reports

    reports, coding = read_coded_reports(data), open_i_coding()
    extractor, lexicon = _reader(settings)
    return check(extractor, lexicon, reports, coding, min_count=min_count, on_progress=on_progress)


def check_entailment(settings: Settings, data: Path, *, on_progress: Progress | None = None) -> CheckReport:
    """Checks whether reports entail, contradict or leave open single statements."""
    from overread.application.gold.entailment import check_entailment as check
    from overread.infrastructure.gold.radfact import read_statements

    statements = read_statements(data)
    extractor, lexicon = _reader(settings)
    return check(extractor, lexicon, statements, on_progress=on_progress)


def check_names(settings: Settings, data: Path) -> CheckReport:
    """Checks which names of findings are read as the right finding."""
    from overread.application.gold.names import check_names as check
    from overread.infrastructure.gold.oidm import oidm_findings, read_names

    names = read_names(data, oidm_findings())
    extractor, lexicon = _reader(settings)
    return check(extractor, lexicon, names)


def check_significance(settings: Settings, data: Path, *, on_progress: Progress | None = None) -> CheckReport:
    """Checks whether notation tells differences that matter from those that do not."""
    from overread.application.gold.significance import check_significance as check
    from overread.infrastructure.gold.probes import read_probes

    probes = read_probes(data)
    service = build_service(evolve(settings, metrics=("notation",), store=None), refresh=True)
    return check(service, probes, on_progress=on_progress)


def _reader(settings: Settings) -> tuple[UnitExtractor, Lexicon]:
    """The chosen extractor, and the lexicon it reads with."""
    from overread.adapters.lexicon import load_knowledge

    extractor = open_component(settings, "extractor")
    return extractor, load_knowledge(getattr(extractor, "lexicon_folder", None)).lexicon


def open_service(settings: Settings | None = None, *, metrics: Sequence[str] | None = None) -> EvaluationService:
    """The service to embed: build once, then call ``evaluate(pairs)`` or ``stream(pairs)``.

    Args:
        settings: which components and options to use; the defaults where omitted.
        metrics: names of the metrics, instead of those in the settings.
    """
    settings = settings or Settings()
    if metrics is not None:
        settings = evolve(settings, metrics=tuple(metrics))
    return build_service(settings)


def score(
    *,
    reference: str | Report,
    candidate: str | Report,
    metrics: Sequence[str] | None = None,
    context: ClinicalContext | None = None,
    settings: Settings | None = None,
) -> PairResults:
    """Scores one pair.

    Args:
        reference: the radiologist's report.
        candidate: the report under test.
        metrics: names of the metrics; those of the settings, else radot and notation, where omitted.
        context: age, sex, indication and comparison, where known.
        settings: which components and options to use.

    Returns:
        The result of each metric by name.
    """
    for name, report in (("reference", reference), ("candidate", candidate)):
        if not isinstance(report, str | Report):
            raise InputError(name, f"is {type(report).__name__}, not text", remedy="give an empty string for no report")
    pair = ReportPair(id="pair", reference=reference, candidate=candidate, context=context or ClinicalContext())
    return _service(metrics, settings).evaluate([pair])[0]


def score_many(
    pairs: Iterable[PairLike],
    *,
    metrics: Sequence[str] | None = None,
    on_progress: Progress | None = None,
    settings: Settings | None = None,
) -> list[PairResults]:
    """Scores pairs, keeping length, order and ids.

    Args:
        pairs: `ReportPair`s, or mappings with id, reference, candidate and optionally age, sex, indication and
            comparison.
        metrics: names of the metrics; those of the settings, else radot and notation, where omitted.
        on_progress: called with the number of pairs done.
        settings: which components and options to use.

    Returns:
        For each pair the result of each metric by name.

    Raises:
        InputError: if a pair lacks a field or holds something that is no text, or two pairs share an id.
    """
    return _service(metrics, settings).evaluate(_checked(pairs), on_progress=on_progress)


def _distinct(choices: Sequence[str]) -> Sequence[str]:
    """Metrics chosen once each: results are told apart by the metric's name, not by what follows its colon."""
    names = [choice.partition(":")[0] for choice in choices]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ConfigurationError(
            [f"metric {name!r} is chosen twice; score with each in a run of its own" for name in twice]
        )
    return choices


def _named(catalogue: Catalogue, assembly: Assembly, name: str) -> NamedMetric:
    spec, plugin = catalogue.find_metric(name.partition(":")[0])
    origin = () if plugin.builtin else (("plugin", f"{plugin.distribution}@{plugin.version}"),)
    return NamedMetric(spec.name, spec.version, spec.scale, assembly.metric(name), origin)


def _service(metrics: Sequence[str] | None, settings: Settings | None) -> EvaluationService:
    if isinstance(metrics, str):
        raise ConfigurationError([f"metrics must be a list of names, not the text {metrics!r}"])
    if settings is None:
        return _default_service(tuple(metrics or DEFAULT_METRICS))
    return open_service(settings, metrics=metrics)


@lru_cache(maxsize=8)
def _default_service(metrics: tuple[str, ...]) -> EvaluationService:
    return open_service(metrics=metrics)


def _checked(pairs: Iterable[PairLike]) -> list[ReportPair]:
    seen: dict[str, int] = {}
    checked = []
    for row, pair in enumerate(pairs, start=1):
        made = pair if isinstance(pair, ReportPair) else _pair(pair, row)
        if made.id in seen:
            raise InputError("pairs", f"id {made.id!r} is also that of row {seen[made.id]}", row=row)
        seen[made.id] = row
        checked.append(made)
    return checked


def _pair(fields: Mapping[str, Any], row: int) -> ReportPair:
    missing = [name for name in ("id", "reference", "candidate") if name not in fields]
    if missing:
        remedy = "each pair needs id, reference and candidate"
        raise InputError("pairs", f"missing {', '.join(missing)}", row=row, remedy=remedy)
    for name in ("reference", "candidate"):
        if not isinstance(fields[name], str | Report):
            problem = f"{name} is {type(fields[name]).__name__}, not text"
            raise InputError("pairs", problem, row=row, remedy="give an empty string for an empty report")
    context = ClinicalContext(**{k: fields[k] for k in ("age", "sex", "indication", "comparison") if k in fields})
    return ReportPair(
        id=str(fields["id"]), reference=fields["reference"], candidate=fields["candidate"], context=context
    )
