"""The Python interface: pairs, corpora and pages in one call, for scripts and notebooks, and the service to embed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal, Unpack

from attrs import evolve, field, fields, frozen

from overread.application.scoring.corpus import CorpusSummary, evaluate_rows
from overread.application.scoring.evaluate import EvaluationService, Progress
from overread.application.scoring.pairs import PairLike, checked_choice, checked_rows
from overread.application.scoring.process_service import ProcessService
from overread.application.scoring.reward import Reward
from overread.application.scoring.unit_reading import UnitCounts
from overread.bootstrap.corpus import SHARD_ROWS, EngineName, open_corpus, open_unit_reading
from overread.bootstrap.results import PairResults, Results
from overread.bootstrap.services import DEFAULT_METRICS, build_service, catalogue_of
from overread.domain.reports.report import ClinicalContext, Report, ReportPair
from overread.exceptions import InputError
from overread.infrastructure.files.reports import read_distinct_reports
from overread.infrastructure.files.tables import Columns, PairFile, columns_from
from overread.infrastructure.files.whole_files import keep_inputs
from overread.infrastructure.frames.reading import GivenRow, rows_of, rows_of_lists
from overread.infrastructure.settings import Choices, Settings, choose_settings
from overread.infrastructure.store.answers import answers_beside
from overread.plugins.catalogue import Catalogue
from overread.structuring import structure_value
from overread.tables.cells import RowError, report_text

__all__ = [
    "list_plugins",
    "open_service",
    "reward",
    "score",
    "score_corpus",
    "score_many",
    "score_systems",
    "write_units",
]

SettingsLike = Settings | Mapping[str, Any]
"""Settings, or a mapping that is laid out as the settings file is."""

OnError = Literal["fail", "skip"]


def open_service(
    settings: SettingsLike | None = None, *, metrics: str | Sequence[str] | None = None, **choices: Unpack[Choices]
) -> EvaluationService:
    """The service to embed: build once, then call ``evaluate(pairs)`` or ``stream(pairs)``, and in the end ``close()``.

    Args:
        settings: which components and options to use, also as a mapping that is laid out as the settings file is; the
            defaults where omitted.
        metrics: names of the metrics, or one name, instead of those in the settings.
        choices: components by kind, and options, in place of those of the settings: ``second_reader="none"``.
    """
    return build_service(choose_settings(settings, metrics, choices))


def score(
    *,
    reference: str | Report,
    candidate: str | Report,
    metrics: str | Sequence[str] | None = None,
    context: ClinicalContext | Mapping[str, Any] | None = None,
    settings: SettingsLike | None = None,
    **choices: Unpack[Choices],
) -> PairResults:
    """Scores one pair.

    Args:
        reference: the radiologist's report.
        candidate: the report under test.
        metrics: names of the metrics, or one name; those of the settings, else radot and notation, where omitted.
        context: age, sex, indication and comparison, where known.
        settings: which components and options to use.
        choices: as of `open_service`.

    Returns:
        The result of each metric by name.

    Raises:
        InputError: if a report is no text, or one that `score_many` would not take either, or the context is none.
        ConfigurationError, MissingDependencyError, PluginError, StoreError: as `open_service`.
    """
    for name, report in (("reference", reference), ("candidate", candidate)):
        _check_report(name, report)
    pair = ReportPair(id="pair", reference=reference, candidate=candidate, context=_context_from(context))
    return PairResults(_service(metrics, settings, choices).evaluate([pair])[0], pair=pair)


def _context_from(given: ClinicalContext | Mapping[str, Any] | None) -> ClinicalContext:
    if isinstance(given, ClinicalContext):
        return given
    known = [each.name for each in fields(ClinicalContext)]
    if not isinstance(given, Mapping | None) or any(name not in known for name in given or ()):
        raise InputError("context", f"is no mapping with {', '.join(known)} alone", remedy="or give a ClinicalContext")
    try:
        return ClinicalContext(**given or {})
    except (TypeError, ValueError) as error:
        raise InputError("context", str(error)) from None


def _check_report(name: str, report: object) -> None:
    if not isinstance(report, str | Report):
        raise InputError(name, f"is {type(report).__name__}, not text", remedy="give an empty string for no report")
    try:
        report_text(report.text if isinstance(report, Report) else report, "it")
    except RowError as error:
        raise InputError(name, str(error)) from None


def score_many(
    pairs: Iterable[PairLike] | Any = None,
    *,
    references: Iterable[Any] | None = None,
    candidates: Iterable[Any] | None = None,
    ids: Iterable[Any] | None = None,
    metrics: str | Sequence[str] | None = None,
    columns: Columns | Mapping[str, str] | None = None,
    on_error: OnError = "fail",
    on_progress: Progress | None = None,
    settings: SettingsLike | None = None,
    **choices: Unpack[Choices],
) -> Results:
    """Scores pairs, keeping length, order and ids.

    Args:
        pairs: each a `ReportPair`, or a mapping with id, reference, candidate and optionally age, sex, indication and
            comparison; or a table with such columns: a pandas data frame, whose index serves as ids where it has no
            column id, a pyarrow or polars table, or a data set of Hugging Face's library.
        references: instead of pairs, the radiologists' reports as a list.
        candidates: the reports under test, in a list of the same length.
        ids: of the pairs in such lists; numbers from 1 where omitted.
        metrics: names of the metrics, or one name; those of the settings, else radot and notation, where omitted.
        columns: names of the columns, or of the keys of mappings; also as ``{"candidate": "generated"}``.
        on_error: whether a row that holds no pair ends the call, or is unscored in its place for the reason "bad
            input". Such are a report that is missing, no text, or holds a NUL byte or half a character, an id that is
            missing or that of a row before, and an age that is none.
        on_progress: called with the number of pairs done.
        settings: which components and options to use.
        choices: as of `open_service`.

    Returns:
        For each pair the result of each metric by name: a list of dicts that a notebook shows, and that has
        ``frame()``, ``to_dict()`` and ``summary()``.

    Raises:
        InputError: if a table lacks a column, lists are of different length, or under "fail" any row holds no pair: it
            names every such row.
        ConfigurationError, MissingDependencyError, PluginError, StoreError: as `open_service`.
    """
    checked_choice(on_error)
    given = _gather_rows(pairs, references, candidates, ids, columns_from(columns))
    rows = checked_rows([given_row.row for given_row in given], on_error)
    results = Results()
    for given_row, by_metric in zip(given, evaluate_rows(_service(metrics, settings, choices), rows), strict=True):
        pair = given_row.row if isinstance(given_row.row, ReportPair) else None
        results.append(PairResults(by_metric, pair=pair, label=given_row.label))
        if on_progress is not None:
            on_progress(len(results))
    return results


def score_systems(
    pairs: Any,
    systems: Sequence[str],
    *,
    metrics: str | Sequence[str] | None = None,
    columns: Columns | Mapping[str, str] | None = None,
    on_error: OnError = "fail",
    on_progress: Progress | None = None,
    settings: SettingsLike | None = None,
    **choices: Unpack[Choices],
) -> dict[str, Results]:
    """Scores the candidates of several systems that stand beside one reference, for `compare` and `rank`.

    Args:
        pairs: a table or mappings, as of `score_many`, with a column of candidates for each system.
        systems: names of these columns.
        metrics: as of `score_many`.
        columns: names of the other columns.
        on_error: as of `score_many`.
        on_progress: called with the number of candidates done.
        settings: which components and options to use.
        choices: as of `open_service`.

    Returns:
        The results of each system by its name.

    Raises:
        InputError: as of `score_many`, or if no system is named or one twice.
        ConfigurationError, MissingDependencyError, PluginError, StoreError: as `open_service`.
    """
    if isinstance(systems, str) or not systems or len({*systems}) < len(systems):
        remedy = 'give the names of their columns, such as ["old", "new"]'
        raise InputError("systems", "are no list of distinct columns", remedy=remedy)
    named = columns_from(columns) or Columns()
    kept = pairs if hasattr(pairs, "__len__") else list(pairs)
    scored: dict[str, Results] = {}
    for system in systems:
        done = sum(map(len, scored.values()))
        scored[system] = score_many(
            kept,
            metrics=metrics,
            columns=evolve(named, candidate=system),
            on_error=on_error,
            on_progress=on_progress and partial(_report_total, on_progress, done),
            settings=settings,
            **choices,
        )
    return scored


def _report_total(on_progress: Progress, before: int, done: int) -> None:
    on_progress(before + done)


def score_corpus(
    pairs: Path | str,
    output: Path | str,
    *,
    metrics: str | Sequence[str] | None = None,
    settings: SettingsLike | None = None,
    columns: Columns | Mapping[str, str] | None = None,
    on_error: OnError = "fail",
    split: str = "",
    workers: int = 1,
    engine: EngineName = "local",
    shard_rows: int = SHARD_ROWS,
    restart: bool = False,
    only_kept: bool = False,
    on_progress: Progress | None = None,
    tell: Callable[[str], None] | None = None,
    **choices: Unpack[Choices],
) -> CorpusSummary:
    """Scores every pair of a file, as `overread corpus` does; a run that was stopped goes on when it is called again.

    Args:
        pairs: .csv, .tsv, .jsonl, .ndjson (each also gzipped), .parquet, or a folder written by ``save_to_disk``.
        output: .jsonl or .parquet file; its shards lie in ``OUTPUT.partial`` until all are there.
        metrics: names of the metrics, instead of those in the settings.
        settings: which components and options to use; the defaults where omitted. What a language model answers is
            kept in ``OUTPUT.answers.sqlite`` unless they name another file.
        columns: names of the columns.
        on_error: whether a bad row ends the run, or is unscored.
        split: of a data set that has several.
        workers: processes that score.
        engine: where they run: on this machine, or by Ray.
        shard_rows: pairs that are scored and committed together.
        restart: whether to throw away what a run that was stopped has committed.
        only_kept: whether language models may not be asked, but only their kept answers read, as `overread rescore`.
        on_progress: called with the number of pairs done.
        tell: is told in words what was found of a run that was stopped, and of workers that died.
        choices: as of `open_service`.

    Returns:
        Number of pairs, and of each metric how many are scored, their mean, and why the others are not.

    Raises:
        InputError: if the pairs cannot be read, are not what they were when they were scored, or the output cannot be
            written or is of another run.
        ConfigurationError, MissingDependencyError, PluginError, StoreError: as `open_service`.
    """
    source = PairFile(path=Path(pairs), columns=columns_from(columns) or Columns(), on_error=on_error, split=split)
    opened = open_corpus(
        source,
        Path(output),
        choose_settings(settings, metrics, choices),
        workers=workers,
        engine=engine,
        shard_rows=shard_rows,
        restart=restart,
        only_kept=only_kept,
        tell=tell,
    )
    with opened as run:
        return run.score(on_progress)


def write_units(
    reports: Path | str,
    output: Path | str,
    *,
    columns: Sequence[str] = (),
    settings: SettingsLike | None = None,
    on_progress: Progress | None = None,
    **choices: Unpack[Choices],
) -> UnitCounts:
    """Reads the reports of a file into a table of units, as `overread units` does: for the extractor "table".

    Args:
        reports: .csv, .tsv, .jsonl, .ndjson (each also gzipped), .parquet, or a folder written by ``save_to_disk``.
        output: .parquet or .jsonl file. What a language model answers is kept in ``OUTPUT.answers.sqlite`` unless the
            settings name another file.
        columns: with reports; those of report, reference and candidate that are there, where omitted.
        settings: which extractor to use, and how.
        on_progress: called with the number of reports done.
        choices: as of `open_service`.

    Raises:
        InputError: if the reports cannot be read, or the table cannot be written.
        ConfigurationError, MissingDependencyError, PluginError, StoreError: as `open_service`.
    """
    names = structure_value(tuple[str, ...], columns, "columns")
    distinct, place = read_distinct_reports(reports, names), Path(output)
    chosen = choose_settings(settings, None, choices)
    keep_inputs(place, Path(reports), chosen.answers or answers_beside(place))
    return open_unit_reading(place, chosen).read(distinct, on_progress)


def list_plugins(*, strict: bool = False) -> dict[str, Any]:
    """Plugins, components and failures to load, as `overread plugins --json` tells them.

    Args:
        strict: whether a plugin that fails to load is an error.

    Raises:
        PluginError: if one does.
    """
    return Catalogue.discover(strict=strict).describe()


def reward(
    metric: str | None = None,
    *,
    reference: str = "reference",
    subscore: str | None = None,
    unscored: float | None = 0.0,
    on_error: OnError = "fail",
    settings: SettingsLike | None = None,
    **choices: Unpack[Choices],
) -> Reward:
    """A reward function for training a report generator, for example ``GRPOTrainer(reward_funcs=[...])``.

    Args:
        metric: which metric scores; where omitted, notation's subscore "reward", which is made for training: the score
            less what is left unsaid, padded, not read, or said both ways.
        reference: name of the column with the radiologist's reports.
        subscore: rewards this number of errors or of risk instead of the score: total, significant, insignificant,
            critical, errors, risk, or a category from A to H, as far as the metric tells them; or "reward", as it is.
        unscored: reward of a pair that has no score for its reference's sake, or because what scores failed. None
            leaves it out; TRL logs a row, reports included, that has None from every reward function. A completion
            that cannot be scored for what it is, as one in another language, has 0.
        on_error: whether a reference or a completion that is no text, such as None or NaN, ends the call, or the row
            has the reward of a pair without a score: ``unscored`` for its reference's sake, 0 for its completion's.
        settings: which components and options to use; the defaults where omitted.
        choices: as of `open_service`.

    Returns:
        A callable from completions and columns to rewards on [0, 1], higher is better.

    Raises:
        ConfigurationError: if ``unscored`` is no number on [0, 1], or ``subscore`` or ``on_error`` none of those.
    """
    chosen = choose_settings(settings, None, choices)
    if metric is None:
        metric, subscore = "notation", subscore or "reward"
    if (metric, subscore) == ("notation", "reward"):  # which no second reader touches
        chosen = evolve(chosen, choices={"second_reader": "none", **chosen.choices})
    chosen = evolve(chosen, metrics=(metric,))
    catalogue_of(chosen).find_metric(metric.partition(":")[0])  # not only once a generator has run
    service = ProcessService(partial(build_service, chosen))
    return Reward(metric, reference, subscore, unscored, service, on_error)


def _gather_rows(pairs: Any, references: Any, candidates: Any, ids: Any, columns: Columns | None) -> list[GivenRow]:
    if pairs is None and references is not None and candidates is not None and columns is None:
        return rows_of_lists(references, candidates, ids)
    if pairs is None or references is not None or candidates is not None or ids is not None:
        raise InputError("pairs", "give either pairs, or references and candidates in two lists")
    return rows_of(pairs, columns or Columns())


def _service(metrics: str | Sequence[str] | None, settings: SettingsLike | None, choices: Choices) -> EvaluationService:
    chosen = choose_settings(settings, metrics, choices)
    if chosen.store is not None or chosen.answers is not None or "model" in chosen.choices:
        return build_service(chosen)  # it holds files or a model open
    metrics = chosen.metrics or DEFAULT_METRICS
    arguments = [Path(name).expanduser() for name in (metric.partition(":")[2] for metric in metrics) if name]
    return _kept_service(
        _Chosen(evolve(chosen, metrics=metrics)), tuple(map(_last_write_time, (*arguments, *chosen.files)))
    )


@frozen
class _Chosen:
    """Settings as a key: equal where every value is."""

    settings: Settings = field(eq=repr)

    def __hash__(self) -> int:
        return hash(repr(self.settings))


@lru_cache(maxsize=8)
def _kept_service(chosen: _Chosen, _written: tuple[float, ...]) -> EvaluationService:
    return build_service(chosen.settings)


def _last_write_time(path: Path) -> float:
    """Time of the last write to a file, or to one in a folder, else 0; a new time loads it anew."""
    try:
        files = list(path.iterdir()) if path.is_dir() else [path]
        return max((file.stat().st_mtime_ns for file in files), default=0)
    except (OSError, ValueError):
        return 0
