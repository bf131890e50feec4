"""Models that are learned from the verdicts that stand in a hospital's store, and judged by later ones."""

from __future__ import annotations

import json
import math
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from attrs import asdict, evolve, field, frozen

from overread.adapters.checkpoints.model_card import card_table, with_interval
from overread.application.batching import batches
from overread.application.contracts import second_readings_of
from overread.application.statistics.resampling import DRAWS
from overread.application.telling import tell
from overread.bootstrap.services import build_service, open_component
from overread.bootstrap.training import first_reader, fit_readout
from overread.domain.vocabulary.equality import in_tuple
from overread.exceptions import InputError
from overread.hospital.application.model_comparison import ALL_SITES, Claims, ModelComparison, compare_models
from overread.hospital.application.review_labels import MarkedPairs, check_claims, count_pairs, mark_pairs
from overread.hospital.application.standing_pairs import (
    Least,
    LeftOut,
    StandingPair,
    StandingPairs,
    TemporalSplit,
    TrainingPurpose,
    check_enough,
    split_by_day,
)
from overread.hospital.application.worklist import RISK_OF
from overread.hospital.domain.audit_trail import Actor
from overread.infrastructure.files.whole_files import check_place
from overread.infrastructure.settings import Settings
from overread.infrastructure.views.tabulations import tabulation_record

if TYPE_CHECKING:
    from overread.adapters.bert.second_reader.options import TrainingOptions
    from overread.application.ports import SecondReader
    from overread.hospital.application.service import HospitalService

__all__ = ["Lesson", "ReviewedModel", "learn_readout", "learn_second_reader"]

CARD: Final = "README.md"
FIGURES: Final = "figures.json"
COEFFICIENTS: Final = "readout.json"

_BATCH: Final = 200


@frozen(kw_only=True)
class Lesson:
    """Choices of what is learned from, and how it is judged.

    Attributes:
        singles: whether a single reviewer's word counts.
        day: first day of the examinations that a model is judged by; chosen where None.
        name: of the model; that of its folder where "".
        least: least numbers of pairs.
        draws, seed: of the intervals.
    """

    singles: bool = False
    day: date | None = None
    name: str = ""
    least: Least = field(factory=Least)
    draws: int = DRAWS
    seed: int = 0


@frozen(kw_only=True)
class ReviewedModel:
    """A model that was learned from reviews.

    Attributes:
        folder: that it stands in, with its card.
        setting: line under ``[choose]`` of the settings file that would use it.
        standing: the pairs that there were.
        split: those it learned from, and those it is judged by.
        comparison: with the present model.
        notes: what was left out, in words.
    """

    folder: Path
    setting: str
    standing: StandingPairs = field(repr=False)
    split: TemporalSplit = field(repr=False)
    comparison: ModelComparison
    notes: tuple[str, ...] = field(default=(), converter=in_tuple)


def learn_second_reader(
    service: HospitalService,
    settings: Settings,
    folder: Path,
    options: TrainingOptions,
    *,
    by: Actor,
    lesson: Lesson | None = None,
    on_step: Callable[[int, int], None] | None = None,
) -> ReviewedModel:
    """Trains a second reader on the verdicts that stand, and judges it by later ones. Nothing is switched on.

    It begins with the reader that ships, which has seen none of them.

    Args:
        service: whose store is read.
        settings: extractor and aligner of the first reading, and the present second reader.
        folder: to write; it must not be there yet.
        options: of the training.
        by: on whose behalf; admin.
        lesson: what is learned from; as usual where omitted.
        on_step: called with steps done and steps in all.

    Raises:
        PermissionDeniedError: if somebody else may do this alone.
        ConfigurationError: if there is too little to learn from, with what is needed; or a component cannot be used.
        InputError: if the folder is there already.
        MissingDependencyError: if what trains is not installed.
    """
    from overread.adapters.bert.second_reader.fit import fit_second_reader

    lesson = lesson or Lesson()
    _check_folder(folder)
    standing = service.standing_pairs(by=by, purpose=TrainingPurpose.SECOND_READER, singles=lesson.singles)
    split = _split(service, standing, lesson)
    reader = first_reader(settings)
    earlier, later = mark_pairs(reader, split.earlier), mark_pairs(reader, split.later)
    check_claims(earlier, later, lesson.least)
    name = lesson.name or folder.name
    with _finished(folder) as place:
        fit_second_reader(
            earlier.readings, place, options, name=name, note=_note(split.earlier, standing), on_step=on_step
        )
        fitted = _with_choice(settings, "second_reader", "comparing", place)
        comparison = compare_models(
            split.later,
            _risks(settings, split.later),
            _risks(fitted, split.later),
            _claims(later, split.later, settings, fitted),
            least=lesson.least,
            draws=lesson.draws,
            seed=lesson.seed,
        )
        model = ReviewedModel(
            folder=folder,
            setting=f'second_reader = "comparing:{folder.absolute()}"',
            standing=standing,
            split=split,
            comparison=comparison,
            notes=[*_notes(standing, split), *_unmarked_notes(earlier, later)],
        )
        _write_card(place, name, "a second reader", model, service, {"training": asdict(options)})
    return model


def learn_readout(
    service: HospitalService,
    settings: Settings,
    folder: Path,
    *,
    by: Actor,
    kind: str = "relaxed",
    grid: bool = True,
    lesson: Lesson | None = None,
) -> ReviewedModel:
    """Fits a readout to the verdicts that stand, and judges it by later ones. Nothing is switched on.

    Args:
        service: whose store is read.
        settings: the extractor, and the present readout.
        folder: to write; it must not be there yet.
        by: on whose behalf; admin.
        kind: "relaxed", "debiased" or "paper".
        grid: whether all priors and epsilons compete.
        lesson: what is learned from; as usual where omitted.

    Raises:
        PermissionDeniedError, ConfigurationError, InputError: as `learn_second_reader`.
    """
    lesson = lesson or Lesson()
    _check_folder(folder)
    standing = service.standing_pairs(by=by, purpose=TrainingPurpose.READOUT, singles=lesson.singles)
    split = _split(service, standing, lesson)
    name = lesson.name or folder.name
    with _finished(folder) as place:
        fit = fit_readout(
            settings,
            count_pairs(split.earlier),
            kind=kind,
            grid=grid,
            name=name,
            note=_note(split.earlier, standing),
        )
        record = json.dumps(fit.record, indent=1, allow_nan=False) + "\n"
        (place / COEFFICIENTS).write_text(record, encoding="utf-8")
        fitted = _with_choice(settings, "readout", kind, place / COEFFICIENTS)
        comparison = compare_models(
            split.later,
            _risks(settings, split.later),
            _risks(fitted, split.later),
            least=lesson.least,
            draws=lesson.draws,
            seed=lesson.seed,
        )
        unread = [f"earlier pairs left out, cannot be read: {len(fit.report.skipped)}"] if fit.report.skipped else []
        model = ReviewedModel(
            folder=folder,
            setting=f'readout = "{kind}:{folder.absolute() / COEFFICIENTS}"',
            standing=standing,
            split=split,
            comparison=comparison,
            notes=[*_notes(standing, split), *unread],
        )
        chosen = fit.report.selection.selected_row
        told = {"kind": kind, "prior": chosen.prior, "epsilon": chosen.epsilon}
        _write_card(place, name, "a readout", model, service, {"fit": told})
    return model


def _split(service: HospitalService, standing: StandingPairs, lesson: Lesson) -> TemporalSplit:
    split = split_by_day(standing.pairs, service.configuration.zone_of, lesson.day)
    check_enough(split, lesson.least)
    return split


def _with_choice(settings: Settings, kind: str, name: str, path: Path) -> Settings:
    """Settings with a component that stands in a place, instead of the one that is chosen."""
    own = {option: value for option, value in settings.options.get(kind, {}).items() if option != "path"}
    options = {each: table for each, table in settings.options.items() if each != kind} | ({kind: own} if own else {})
    return evolve(settings, choices={**settings.choices, kind: f"{name}:{path}"}, options=options)


def _risks(settings: Settings, pairs: Sequence[StandingPair]) -> list[float]:
    """Score of each pair as the worklist would have it under these settings; NaN without one."""
    chosen = [metric for metric in settings.metrics if metric.partition(":")[0] == RISK_OF]
    risks: list[float] = []
    scoring = evolve(settings, store=None, metrics=tuple(chosen or [RISK_OF]))
    with build_service(scoring) as service:
        for some in batches(pairs, _BATCH):
            tell("judging", len(risks), len(pairs))
            results = service.evaluate_batch([pair.report_pair for pair in some])
            scores = [each[RISK_OF] for each in results]
            risks += [math.nan if each.score is None else each.score for each in scores]
    return risks


def _claims(
    marked: MarkedPairs, later: Sequence[StandingPair], present: Settings, fitted: Settings
) -> list[Claims | None]:
    """Probabilities by both second readers of the discrepancies of each later pair."""
    readings = [reading.first for reading in marked.readings]
    told = [_probabilities(settings, readings) for settings in (present, fitted)]
    claims = {
        pair.number: Claims(holds=reading.holds, present=one, fitted=other)
        for pair, reading, one, other in zip(marked.pairs, marked.readings, *told, strict=True)
    }
    return [claims.get(pair.number) for pair in later]


def _probabilities(settings: Settings, readings: Sequence[Any]) -> list[Sequence[float]]:
    reader: SecondReader | None = open_component(settings, "second_reader")
    if reader is None:
        return [(1.0,) * len(first.discrepancies) for first in readings]
    return [second.probabilities for second in second_readings_of(reader, list(readings))]


# --- words and files -------------------------------------------------------------------------------------------------


def _check_folder(folder: Path) -> None:
    if folder.exists():
        raise InputError(str(folder), "is there already", remedy="name a folder that is not, or remove it")
    check_place(folder)


@contextmanager
def _finished(folder: Path) -> Iterator[Path]:
    """A folder to write to, which takes its place once everything within is done."""
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as temporary:
        place = Path(temporary) / folder.name
        place.mkdir()
        yield place
        place.rename(folder)


def _note(pairs: Sequence[StandingPair], standing: StandingPairs) -> str:
    return f"{len(pairs)} reviewed pairs of a hospital's store, digest {standing.digest[:12]}"


def _notes(standing: StandingPairs, split: TemporalSplit) -> Iterator[str]:
    grounds = Counter(pair.ground for pair in (*split.earlier, *split.later))
    yield f"{', '.join(f'{count} {ground.value}' for ground, count in sorted(grounds.items()))}"
    for reason, count in sorted(standing.left_out.items()):
        yield f"reviewed pairs left out, {reason.value}: {count}"
    if split.crossing:
        yield f"earlier pairs left out, {LeftOut.CROSSING.value}: {split.crossing}"


def _unmarked_notes(earlier: MarkedPairs, later: MarkedPairs) -> Iterator[str]:
    for words, marked in (("earlier", earlier), ("later", later)):
        held = sum(marked.holds)
        yield f"{words}: {held} discrepancies confirmed, {len(marked.holds) - held} refuted, {marked.missed} missed"
        for reason, count in sorted(marked.left_out.items()):
            yield f"{words} pairs left out of training and chances, {reason.value}: {count}"


def _write_card(
    place: Path,
    name: str,
    what: str,
    model: ReviewedModel,
    service: HospitalService,
    more: Mapping[str, Mapping[str, object]],
) -> None:
    """The card, and the figures without rounding; neither holds text, or an identifier of anybody."""
    split, comparison = model.split, model.comparison
    record = {**tabulation_record(comparison.tabulation()), "pairs_digest": model.standing.digest, **more}
    (place / FIGURES).write_text(json.dumps(record, indent=1, allow_nan=False, default=str) + "\n", encoding="utf-8")
    zone_of = service.configuration.zone_of
    days = {
        part: [pair.day(zone_of) for pair in pairs]
        for part, pairs in (("earlier", split.earlier), ("later", split.later))
    }
    protocols = Counter(pair.protocol for pair in (*split.earlier, *split.later))
    told = [
        f"{count} of protocol {number}" if number is not None else f"{count} of no protocol"
        for number, count in sorted(protocols.items(), key=lambda item: item[0] or 0)
    ]
    lines = [
        f"# {name}: {what} learned from reviews",
        "",
        comparison.words,
        "",
        f"- Use, under `[choose]` of the settings file: `{model.setting}`",
        f"- Learned from: {len(split.earlier)} pairs, examinations of {_period(days['earlier'])}",
        f"- Judged by: {len(split.later)} pairs, examinations of {_period(days['later'])}, of other patients",
        f"- Verdicts: {', '.join(told)}",
        *(f"- {note}" for note in model.notes),
        f"- Pairs, as the audit trail names them (`train`): {model.standing.digest}",
        *(f"- {title.capitalize()}: {_told(table)}" for title, table in more.items()),
        "",
        *card_table(("site", "earlier", "with a discrepancy", "later", "with a discrepancy"), _site_rows(split)),
        "",
        *card_table(
            ("figure", "site", "n", "present", "fitted", "fitted less present"),
            (
                (
                    row.measure.value,
                    row.site,
                    row.support,
                    with_interval(row.present),
                    with_interval(row.fitted),
                    with_interval(row.difference),
                )
                for row in comparison.rows
            ),
        ),
        "",
        "What the figures are is told in `figures.json`. The model holds no report, but was made of reports: keep it",
        "where their store is kept.",
        "",
    ]
    (place / CARD).write_text("\n".join(lines), encoding="utf-8")


def _period(days: Sequence[date]) -> str:
    return f"{min(days).isoformat()} to {max(days).isoformat()}"


def _told(table: Mapping[str, object]) -> str:
    return ", ".join(f"{key} {value}" for key, value in table.items())


def _site_rows(split: TemporalSplit) -> Iterator[tuple[object, ...]]:
    for site in (ALL_SITES, *split.sites):
        parts = [[pair for pair in pairs if site in {ALL_SITES, pair.site}] for pairs in (split.earlier, split.later)]
        yield (site, *(count for part in parts for count in (len(part), sum(bool(pair.named) for pair in part))))
