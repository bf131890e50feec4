"""The rival that is a network: messages between the units of both reports, and a risk from what they come to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from attrs import frozen
from torch import Tensor, nn
from torch.nn.functional import softplus

from overread.domain.differences.cost import GROUND_CHANNELS, SIDE_CHANNELS
from overread.domain.findings.unit import Certainty, Change, ClinicalUnit, Polarity, severity_ordinal
from overread.studies.application.reproduction.radot.reading import ReadSet

__all__ = ["GraphNetwork"]

Vector = npt.NDArray[np.float64]

_WIDTH: Final = 16
_EPOCHS: Final = 60
_RATE: Final = 0.02
_DECAY: Final = 1e-3
_FAR: Final = -1e9
"""Score of an edge to a unit that is not there."""


@frozen(kw_only=True)
class GraphNetwork:
    """A message-passing network over the bipartite graph of a pair's units.

    Nodes are the units with their polarity, certainty, change, severity, sides and numbers of labels; each pair of a
    reference's and a candidate's unit is an edge with the nine costs between them. In each layer a unit takes the mean
    of what the other report's units send it, weighted by how near they lie; all units are summed and averaged by report
    into the risks, which are never below 0. No transport plan is solved. Widths, epochs and rate are overread's own.

    Attributes:
        layers: how often messages are passed.
        seed: of the weights at the start, the only thing left to chance.
    """

    layers: int
    seed: int

    @property
    def setting(self) -> str:
        """The setting in words."""
        return f"{self.layers} layer{'s' * (self.layers > 1)}"

    def fit(self, data: ReadSet, labels: Mapping[str, Vector]) -> FittedNetwork:
        """Fit all targets at once, each in units of its mean, by Adam on all pairs together."""
        names = tuple(labels)
        scale = torch.tensor([max(float(np.mean(labels[name])), 1e-6) for name in names], dtype=torch.float32)
        wanted = torch.tensor(np.column_stack([labels[name] for name in names]), dtype=torch.float32) / scale
        network = _Network(self.layers, len(names), torch.Generator().manual_seed(self.seed))
        graphs = _Graphs.of(data)
        optimiser = torch.optim.Adam(network.parameters(), lr=_RATE, weight_decay=_DECAY)
        with _one_thread():
            for _ in range(_EPOCHS):
                optimiser.zero_grad()
                loss = torch.mean((network(graphs) - wanted) ** 2)
                loss.backward()  # type: ignore[no-untyped-call]
                optimiser.step()
        return FittedNetwork(network.eval(), names, scale)


@frozen(eq=False)
class FittedNetwork:
    """A trained network; ``scale`` is the mean of each target."""

    network: nn.Module
    names: tuple[str, ...]
    scale: Tensor

    def risks(self, data: ReadSet) -> Mapping[str, Vector]:
        """Risk of each pair by target, 0 or more; the order of a report's units makes no difference."""
        with torch.inference_mode():
            predicted = (self.network(_Graphs.of(data)) * self.scale).numpy()
        return {name: np.array(predicted[:, place], dtype=np.float64) for place, name in enumerate(self.names)}


@contextmanager
def _one_thread() -> Iterator[None]:
    """Sets of hundreds of pairs are too small for threads: handing out the work takes longer than the work."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@frozen(eq=False)
class _Graphs:
    """The pairs of a set as one batch, padded with units that are not there.

    Attributes:
        reference, candidate: pairs x units x features.
        edges: pairs x reference units x candidate units x costs.
        is_reference, is_candidate: pairs x units, 1 for a unit that is there.
    """

    reference: Tensor
    candidate: Tensor
    edges: Tensor
    is_reference: Tensor
    is_candidate: Tensor

    @classmethod
    def of(cls, data: ReadSet) -> _Graphs:
        ends = [pair.ends for pair in data.units]
        rows, columns = (max(len(end[side]) for end in ends) for side in (0, 1))
        costs = [
            np.stack([*(pair.ground[c] for c in GROUND_CHANNELS), *(pair.side[c] for c in SIDE_CHANNELS)], axis=-1)
            for pair in data.costs
        ]
        edges = np.zeros((len(ends), rows, columns, len(GROUND_CHANNELS) + len(SIDE_CHANNELS)))
        for place, cost in enumerate(costs):
            edges[place, : cost.shape[0], : cost.shape[1]] = cost
        reference, is_reference = _pad_reports([end[0] for end in ends], rows)
        candidate, is_candidate = _pad_reports([end[1] for end in ends], columns)
        return cls(reference, candidate, torch.from_numpy(edges).float(), is_reference, is_candidate)


class _Network(nn.Module):
    def __init__(self, layers: int, targets: int, generator: torch.Generator) -> None:
        super().__init__()
        costs = len(GROUND_CHANNELS) + len(SIDE_CHANNELS)
        self.entry = _linear(_NODE_FEATURES, _WIDTH, generator)
        self.nearness = nn.ModuleList(_linear(costs, 1, generator) for _ in range(layers))
        self.sender = nn.ModuleList(_linear(_WIDTH, _WIDTH, generator) for _ in range(layers))
        self.edge = nn.ModuleList(_linear(costs, _WIDTH, generator) for _ in range(layers))
        self.update = nn.ModuleList(_linear(2 * _WIDTH, _WIDTH, generator) for _ in range(layers))
        self.risk = _linear(4 * _WIDTH, targets, generator)

    def forward(self, graphs: _Graphs) -> Tensor:
        """Risks in units of each target's mean, pairs x targets."""
        reference, candidate = torch.relu(self.entry(graphs.reference)), torch.relu(self.entry(graphs.candidate))
        for nearness, sender, edge, update in zip(self.nearness, self.sender, self.edge, self.update, strict=True):
            scores, carried = nearness(graphs.edges).squeeze(-1), edge(graphs.edges)
            from_candidate = _receive_messages(sender(candidate), scores, carried, graphs.is_candidate)
            heard = _receive_messages(
                sender(reference), scores.transpose(1, 2), carried.transpose(1, 2), graphs.is_reference
            )
            reference = torch.relu(update(torch.cat([reference, from_candidate], dim=-1)))
            candidate = torch.relu(update(torch.cat([candidate, heard], dim=-1)))
        pooled = [*_pool_units(reference, graphs.is_reference), *_pool_units(candidate, graphs.is_candidate)]
        return softplus(self.risk(torch.cat(pooled, dim=-1)))


def _receive_messages(sent: Tensor, scores: Tensor, carried: Tensor, is_there: Tensor) -> Tensor:
    """Messages to each unit from those of the other report: pairs x units x width."""
    shares = torch.softmax(scores.masked_fill(is_there.unsqueeze(1) == 0, _FAR), dim=-1)
    messages = torch.relu(sent.unsqueeze(1) + carried)
    return torch.matmul(shares.unsqueeze(2), messages).squeeze(2)


def _pool_units(units: Tensor, is_there: Tensor) -> tuple[Tensor, Tensor]:
    """Sum and mean over the units that are there; the sum in tens, as reports hold about ten."""
    total = (units * is_there.unsqueeze(-1)).sum(dim=1)
    return total / 10, total / is_there.sum(dim=1, keepdim=True)


def _linear(inputs: int, outputs: int, generator: torch.Generator) -> nn.Linear:
    """A layer whose weights are drawn by a generator of its own: the host's random numbers stay as they are."""
    layer: nn.Linear = nn.utils.skip_init(nn.Linear, inputs, outputs, dtype=torch.float32)  # type: ignore[no-untyped-call]
    nn.init.xavier_uniform_(layer.weight, generator=generator)
    nn.init.zeros_(layer.bias)
    return layer


def _node(unit: ClinicalUnit) -> list[float]:
    stated = [unit.polarity == value for value in Polarity]
    stated += [unit.certainty == value for value in Certainty]
    stated += [unit.change == value for value in Change]
    stated += [unit.device is not None, unit.is_normal_statement, unit.is_unread]
    stated += ["left" in unit.anatomy, "right" in unit.anatomy]
    return [*map(float, stated), severity_ordinal(unit.severity), len(unit.anatomy) / 3, len(unit.modifiers) / 3]


_NODE_FEATURES: Final = len(_node(ClinicalUnit(span_text="", start=0, end=0)))


def _pad_reports(reports: Sequence[Sequence[ClinicalUnit]], most: int) -> tuple[Tensor, Tensor]:
    nodes, there = np.zeros((len(reports), most, _NODE_FEATURES)), np.zeros((len(reports), most))
    for place, units in enumerate(reports):
        nodes[place, : len(units)] = [_node(unit) for unit in units]
        there[place, : len(units)] = 1.0
    return torch.from_numpy(nodes).float(), torch.from_numpy(there).float()
