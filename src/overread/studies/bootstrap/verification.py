"""Verification of results: each metric built as it was, and a sample of pairs scored anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from overread.application.scoring.corpus import BAD_INPUT, Row
from overread.application.scoring.evaluate import EvaluationService, Progress
from overread.application.statistics.tabulation import Tabulation
from overread.bootstrap.services import build_service
from overread.domain.reports.report import ReportPair
from overread.domain.results.scores import MetricScores
from overread.exceptions import ConfigurationError, InputError, MissingDependencyError, PluginError
from overread.infrastructure.files.completeness import Completeness, read_completeness
from overread.infrastructure.files.environment import installed_environment
from overread.infrastructure.files.scored import read_results, read_scores
from overread.infrastructure.files.scored_pairs import ScoredFile, check_pairs, columns_of
from overread.infrastructure.files.tables import read_pairs
from overread.infrastructure.settings import Settings, merge_tables, settings_from
from overread.structuring import Written
from overread.studies.application.verification import (
    MetricCheck,
    SampleCheck,
    check_sample,
    draw_sample,
    tabulate_checks,
)

__all__ = ["Verification", "verify"]


@frozen(kw_only=True)
class Verification:
    """Outcome of a verification.

    Attributes:
        can_be_made_again: whether every metric scores as then, and so the sample did.
        tabulation: the details.
    """

    can_be_made_again: bool
    tabulation: Tabulation


def verify(
    results: Path | str,
    pairs: Path | str | None = None,
    *,
    settings: Settings | Mapping[str, Any] | None = None,
    sample: int = 100,
    seed: int = 0,
    on_progress: Progress | None = None,
) -> Verification:
    """Tells whether what is installed makes the results of a file again.

    Args:
        results: file that `score_corpus` or ``overread corpus`` wrote.
        pairs: that were scored; some of them are scored anew. Without it signatures alone are compared.
        settings: in place of those that the results name.
        sample: most pairs that are scored anew.
        seed: of the draw.
        on_progress: called with the number of pairs done.

    Raises:
        InputError: if a file cannot be read, or the pairs are not those of the results.
        ConfigurationError: if ``sample`` is below 1.
    """
    if sample < 1:
        raise ConfigurationError([f"sample must be a number of pairs from 1, not {sample}"])
    path = Path(results)
    record, scores = read_completeness(path), read_scores(path)
    chosen = _settings(record, settings)
    notes = list(_notes(record, scores, settings_from(settings)))
    with _opened(chosen, {name: _named(name, chosen) for name in scores}) as (service, problems):
        now = {} if service is None else {named.name: str(named.signature) for named in service.metrics}
        checks = [
            MetricCheck(metric=name, then=each.signature, now=now.get(name, ""), problem=problems.get(name, ""))
            for name, each in scores.items()
        ]
        samples: list[SampleCheck] = []
        if pairs is not None and service is not None:
            samples += _score_anew(path, Path(pairs), scores, service, sample, seed, on_progress)
    changes = (
        [] if record is None or record.environment is None else record.environment.changes(installed_environment())
    )
    same = all(check.is_same for check in checks) and all(each.equal == each.compared for each in samples)
    tabulation = tabulate_checks(path.name, checks, samples, list(changes), notes)
    return Verification(can_be_made_again=same, tabulation=tabulation)


def _settings(record: Completeness | None, given: Settings | Mapping[str, Any] | None) -> Settings:
    """The settings of the results, with what is given in place of theirs."""
    chosen, own = settings_from(given), settings_from(_as_written(record.settings if record is not None else {}))
    return evolve(
        chosen,
        metrics=chosen.metrics or own.metrics,
        choices=merge_tables(own.choices, chosen.choices),
        options=merge_tables(own.options, chosen.options),
        store=None,
    )


def _as_written(recorded: Any) -> Any:
    """Settings of a record, whose texts may be numbers and switches that were written on the command line."""
    if isinstance(recorded, Mapping):
        return {name: _as_written(value) for name, value in recorded.items()}
    return Written(recorded) if isinstance(recorded, str) else recorded


def _named(metric: str, settings: Settings) -> str:
    """A metric as the settings name it, with its argument where it has one."""
    return next((name for name in settings.metrics if name.partition(":")[0] == metric), metric)


@contextmanager
def _opened(
    settings: Settings, named: Mapping[str, str]
) -> Iterator[tuple[EvaluationService | None, Mapping[str, str]]]:
    """A service of the metrics that can be built, None where none can, and why each of the others cannot.

    Args:
        settings: of all.
        named: each metric as the settings name it, by its name.
    """
    problems: dict[str, str] = {}
    service = _build(settings, [*named.values()], problems, "")
    if service is None:  # each alone tells which cannot
        problems.clear()
        for metric, name in named.items():
            if (alone := _build(settings, [name], problems, metric)) is not None:
                alone.close()
        usable = [name for metric, name in named.items() if metric not in problems]
        service = _build(settings, usable, problems, "") if usable else None
    try:
        yield service, problems
    finally:
        if service is not None:
            service.close()


def _build(
    settings: Settings, metrics: Sequence[str], problems: dict[str, str], metric: str
) -> EvaluationService | None:
    """A service, or None and the problem under the name of a metric."""
    try:
        return build_service(evolve(settings, metrics=metrics))
    except (ConfigurationError, InputError, MissingDependencyError, PluginError) as error:
        problems[metric] = str(error)
        return None


def _notes(record: Completeness | None, scores: Mapping[str, MetricScores], given: Settings) -> Iterator[str]:
    if record is None or record.environment is None:
        yield "nothing tells what these results were made in: an earlier overread wrote them, or they were moved alone"
    if (record is None or not record.settings) and not given.choices and not given.options:
        yield "nothing names their settings, so that the usual ones are taken; give those of then"
    if plain := [name for name, each in scores.items() if not each.signature]:
        yield f"{', '.join(plain)}: plain scores without a signature"


def _score_anew(
    results: Path,
    pairs: Path,
    scores: Mapping[str, MetricScores],
    service: EvaluationService,
    sample: int,
    seed: int,
    on_progress: Progress | None,
) -> Iterator[SampleCheck]:
    ids = dict.fromkeys(name for each in scores.values() for name in each.ids)
    bad = {name for each in scores.values() for name, reason in each.reasons.items() if reason == BAD_INPUT}
    check_pairs(pairs, ScoredFile(path=results, ids=ids, bad=bad), candidates=True)
    wanted = {*draw_sample([name for name in ids if name not in bad], sample, seed)}
    rows: Iterator[Row] = read_pairs(pairs, columns=columns_of(pairs, results), on_error="skip")
    given = [row for row in rows if isinstance(row, ReportPair) and row.id in wanted]
    made = service.evaluate(given, on_progress=on_progress)
    again = {pair.id: results for pair, results in zip(given, made, strict=True)}
    kept = read_results(results, again)
    for metric in (each.name for each in service.metrics):
        then = {name: kept[name][metric] for name in again if metric in kept.get(name, {})}
        yield check_sample(metric, then, {name: made[metric] for name, made in again.items()})
