"""Use case: fit a readout to labelled pairs (RadOT-Eval section V-A)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from overread.application.batching import batches
from overread.application.metrics.pair_reader import PairUnits, read_units
from overread.application.ports import Aligner, CostModel, UnitExtractor
from overread.application.scoring.evaluate import Progress
from overread.application.telling import tell
from overread.application.training.transfer import TransferRow, targets_of, transfer_rows
from overread.domain.differences.aligned_pair import AlignedPair
from overread.domain.differences.cost import PRIORS, PairCosts, TableTwoCost
from overread.domain.differences.features import FEATURE_SETS, FeatureSet
from overread.domain.reports.report import ReportPair
from overread.domain.results.annotation import AnnotatedPair
from overread.domain.results.readout import MonotoneReadout
from overread.domain.results.result import Unscored
from overread.exceptions import ConfigurationError

__all__ = [
    "DEFAULT_EPSILONS",
    "FitReadout",
    "FitReport",
    "ReadoutFitter",
    "Selection",
    "SelectionRow",
    "Setting",
    "settings_of",
]

Matrix = npt.NDArray[np.float64]

Setting = tuple[str, float]
"""Name of a prior, and epsilon."""

DEFAULT_EPSILONS: Final = (0.05, 0.10, 0.20, 0.50)
"""Epsilon grid. The paper shows .05, .10 and .20 (Table VI) and not its whole grid: this one is overread's own."""

_BATCH: Final = 200
"""Pairs that are read at a time, so that it can be told how far reading is."""

DEFAULT_SETTING: Final[Setting] = ("polarity-heavy", 0.20)
"""What the paper selects."""


def settings_of(kind: str, *, search: bool = True) -> tuple[Setting, ...]:
    """Settings that compete for a readout of a kind: all priors under all epsilons, or the default one alone.

    A readout that does not look at plans is the same under each.
    """
    if not search or (kind in FEATURE_SETS and not FEATURE_SETS[kind].uses_plan):
        return (DEFAULT_SETTING,)
    return tuple((prior, epsilon) for prior in PRIORS for epsilon in DEFAULT_EPSILONS)


@frozen(kw_only=True)
class SelectionRow:
    """One setting's held-out rank correlations, a row of RadOT-Eval Table X."""

    prior: str
    epsilon: float
    macro: float
    scores: Mapping[str, float]


@frozen(kw_only=True)
class Selection:
    """Every setting by falling macro correlation, and the readout of the first, fitted on all pairs."""

    table: tuple[SelectionRow, ...]
    readout: MonotoneReadout = field(repr=False)

    @property
    def selected_row(self) -> SelectionRow:
        """The setting of the readout."""
        return self.table[0]


class ReadoutFitter(Protocol):
    """Chooses among settings by cross-validation and fits a monotone readout."""

    def select(
        self,
        features: Mapping[Setting, Matrix],
        targets: Mapping[str, Matrix],
        groups: Sequence[str],
        *,
        kind: str,
        feature_names: Sequence[str],
    ) -> Selection:
        """Select a setting and fit its readout.

        Args:
            features: pairs x features under each setting.
            targets: one number a pair, by target.
            groups: study of each pair.
            kind: one of `overread.domain.differences.features.FEATURE_SETS`.
            feature_names: order of the feature columns.
        """
        ...


@frozen(kw_only=True)
class FitReport:
    """The fitted readout, how it was chosen, and on what it was fitted.

    Attributes:
        kind: one of `overread.domain.differences.features.FEATURE_SETS`.
        selection: the table of settings and the readout.
        pairs: number of pairs fitted on.
        studies: number of studies among them.
        skipped: id and reason of each pair left out.
        transfer: performance of the readout on the pairs given as a test: all of them, then each style.
    """

    kind: str
    selection: Selection
    pairs: int
    studies: int
    skipped: tuple[tuple[str, str], ...]
    transfer: tuple[TransferRow, ...] = ()


@frozen(kw_only=True)
class FitReadout:
    """Fits a readout to labelled pairs.

    Attributes:
        extractor: reads the reports into units.
        aligner_factory: builds the aligner of a prior and epsilon.
        fitter: selects and fits.
        cost: what it costs to carry one unit onto another.
    """

    extractor: UnitExtractor
    aligner_factory: Callable[[str, float], Aligner]
    fitter: ReadoutFitter
    cost: CostModel = field(factory=TableTwoCost)

    def __call__(
        self,
        pairs: Sequence[AnnotatedPair],
        *,
        kind: str = "relaxed",
        settings: Sequence[Setting] | None = None,
        feature_names: Sequence[str] | None = None,
        test: Sequence[AnnotatedPair] = (),
        on_progress: Progress | None = None,
    ) -> FitReport:
        """Compute features under every setting, select one and fit.

        Args:
            pairs: pairs with the errors that people counted; one that cannot be read is left out and named in the
                report.
            kind: one of `overread.domain.differences.features.FEATURE_SETS`.
            settings: that compete, by default those of `settings_of`.
            feature_names: features to use, by default all that the kind knows; the paper's audits leave some out.
            test: pairs to try the readout on; no study of theirs may be among those fitted on.
            on_progress: called with the number of settings done.

        Raises:
            ConfigurationError: if there is no setting, the kind is unknown, no pair can be read, or a study is in both
                sets.
        """
        known, names, settings = _resolve_choices(kind, settings, feature_names)
        _check_apart(pairs, test)
        columns = [known.names.index(name) for name in names]
        readable, costs, skipped = self._costs(pairs, known)
        matrices: dict[Setting, Matrix] = {}
        for done, setting in enumerate(settings, start=1):
            tell("fitting", done - 1, len(settings))
            matrices[setting] = costs.features(self.aligner_factory(*setting), known)[:, columns]
            if on_progress is not None:
                on_progress(done)
        studies = [labelled.study for labelled in readable]
        selection = self.fitter.select(matrices, targets_of(readable), studies, kind=kind, feature_names=names)
        transfer: tuple[TransferRow, ...] = ()
        if test:
            tested, test_costs, left_out = self._costs(test, known)
            skipped |= left_out
            chosen = self.aligner_factory(selection.selected_row.prior, selection.selected_row.epsilon)
            transfer = transfer_rows(selection.readout, test_costs.features(chosen, known)[:, columns], tested)
        return FitReport(
            kind=kind,
            selection=selection,
            pairs=len(readable),
            studies=len(set(studies)),
            skipped=tuple(skipped.items()),
            transfer=transfer,
        )

    def _costs(
        self, pairs: Sequence[AnnotatedPair], known: FeatureSet
    ) -> tuple[list[AnnotatedPair], _Costs, dict[str, str]]:
        """The pairs that can be read, their costs, and the reason for each of the others, by id."""
        outcomes: list[PairUnits | Unscored] = []
        for batch in batches(pairs, _BATCH):
            tell("reading", len(outcomes), len(pairs))
            outcomes += read_units(self.extractor, [_texts(labelled.pair) for labelled in batch])
        skipped, readable, read = {}, [], []
        for labelled, outcome in zip(pairs, outcomes, strict=True):
            if isinstance(outcome, Unscored):
                skipped[labelled.pair.id] = str(outcome.reason)
            else:
                readable.append(labelled)
                read.append(outcome)
        if not readable:
            raise ConfigurationError(["none of the labelled pairs can be read"])
        texts = [_texts(labelled.pair) for labelled in readable]
        return readable, _Costs.between(texts, read, self.cost, with_self=known.uses_self_alignments), skipped


def _texts(pair: ReportPair) -> tuple[str, str]:
    return pair.reference.text, pair.candidate.text


@frozen(eq=False)
class _Costs:
    """Costs of every alignment that the pairs need: each pair's own, and each text's with itself once."""

    texts: Sequence[tuple[str, str]]
    cross: list[PairCosts]
    selves: dict[str, PairCosts]
    burdens: list[tuple[Matrix, Matrix]]

    @classmethod
    def between(
        cls, texts: Sequence[tuple[str, str]], read: Sequence[PairUnits], cost: CostModel, *, with_self: bool
    ) -> _Costs:
        ends = {
            text: end for key, pair in zip(texts, read, strict=True) for text, end in zip(key, pair.ends, strict=True)
        }
        return cls(
            texts,
            cross=[cost.between(*pair.ends) for pair in read],
            selves={text: cost.between(end, end) for text, end in ends.items()} if with_self else {},
            burdens=[
                (cost.burden(reference), cost.burden(candidate)) for reference, candidate in (p.ends for p in read)
            ],
        )

    def features(self, aligner: Aligner, known: FeatureSet) -> Matrix:
        """Features of every pair, pairs x features."""
        alignments = aligner.align([*self.cross, *self.selves.values()])
        selves = dict(zip(self.selves, alignments[len(self.cross) :], strict=True))
        rows = zip(self.texts, alignments, self.burdens, strict=False)
        return np.stack(
            [
                known.vector(
                    AlignedPair(
                        cross=cross,
                        reference_self=selves.get(reference),
                        candidate_self=selves.get(candidate),
                        reference_burden=burdens[0],
                        candidate_burden=burdens[1],
                    )
                )
                for (reference, candidate), cross, burdens in rows
            ]
        )


def _check_apart(pairs: Sequence[AnnotatedPair], test: Sequence[AnnotatedPair]) -> None:
    common = {labelled.study for labelled in pairs} & {labelled.study for labelled in test}
    if common:
        raise ConfigurationError([f"{len(common)} studies of the test are also among the studies fitted on"])


def _resolve_choices(
    kind: str, settings: Sequence[Setting] | None, feature_names: Sequence[str] | None
) -> tuple[FeatureSet, Sequence[str], Sequence[Setting]]:
    """The features of a kind, the names of those to use, and the settings that compete."""
    if kind not in FEATURE_SETS:
        raise ConfigurationError([f"kind must be one of {', '.join(FEATURE_SETS)}, not {kind!r}"])
    known = FEATURE_SETS[kind]
    names = known.names if feature_names is None else feature_names
    settings = settings_of(kind) if settings is None else settings
    priors = dict.fromkeys(prior for prior, _ in settings)
    problems = [
        f"unknown prior {prior!r}; choose from {', '.join(sorted(PRIORS))}" for prior in priors if prior not in PRIORS
    ]
    problems += [f"unknown feature {name!r}" for name in names if name not in known.names]
    if not settings or not names:
        problems.append("at least one prior, one epsilon and one feature are needed")
    if problems:
        raise ConfigurationError(problems)
    return known, names, settings
