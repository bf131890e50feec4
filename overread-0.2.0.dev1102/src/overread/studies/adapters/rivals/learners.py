"""The four rivals with the settings that compete for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from overread.studies.application.reproduction.radot.rivals.rival import Rival, RivalLearner

__all__ = ["rivals"]


def rivals(seed: int) -> Mapping[str, Rival]:
    """The rivals by row of Table III.

    Args:
        seed: of the network's weights; the others leave nothing to chance.
    """
    return {
        "Text-only ridge": Rival(
            idea="ridge regression on the tf-idf weights of words that only one of the reports has, no units",
            learners=_ridges,
        ),
        "Structured monotone": Rival(
            idea="non-negative least squares on counts of findings and attributes that differ as sets, no plan",
            learners=_load_structured,
        ),
        "Graph-derived monotone": Rival(
            idea="non-negative least squares on what the candidate's entities and relations lose of recall and "
            "precision, the graphs made of our units",
            learners=_graphs,
        ),
        "GNN discrepancy model": Rival(
            idea="a small network that passes messages between the units of both reports, their costs on the edges",
            learners=lambda: _networks(seed),
        ),
    }


def _ridges() -> Sequence[RivalLearner]:
    from overread.studies.adapters.rivals._ridge import TextRidge  # noqa: PLC0415 - slow to import

    return [
        TextRidge(longest=longest, alpha=alpha, overall=overall)
        for overall in (True, False)
        for longest in (1, 2)
        for alpha in (0.1, 1.0, 10.0, 100.0)
    ]


def _load_structured() -> Sequence[RivalLearner]:
    from overread.studies.adapters.rivals._monotone import structured_rivals  # noqa: PLC0415 - slow to import

    return structured_rivals()


def _graphs() -> Sequence[RivalLearner]:
    from overread.studies.adapters.rivals._monotone import graph_rivals  # noqa: PLC0415 - slow to import

    return graph_rivals()


def _networks(seed: int) -> Sequence[RivalLearner]:
    from overread.studies.adapters.rivals._network import GraphNetwork  # noqa: PLC0415 - slow to import

    return [GraphNetwork(layers=layers, seed=seed) for layers in (1, 2)]
