"""The plugin of the transport metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final
from weakref import WeakKeyDictionary

from overread.adapters.lexicon import knowledge_of, load_knowledge
from overread.adapters.metrics.transport.options import NotationOptions, RadotOptions
from overread.application.metrics.notation import NOTATION_SCALE, NotationMetric
from overread.application.metrics.pair_reader import PairReader
from overread.application.metrics.radot import RADOT_SCALE, RadotMetric
from overread.application.ports import CostModel
from overread.domain.cost import TableTwoCost
from overread.domain.lexicon import Lexicon
from overread.domain.relational_cost import RelationalCost
from overread.exceptions import ConfigurationError
from overread.plugins import hookimpl
from overread.plugins.specs import Components, MetricSpec

_VERSION: Final = "0.1.0"


_RELATION: Final = "relation"
_TABLE_TWO: Final = "table-ii"
_READERS: WeakKeyDictionary[Components, dict[tuple[object, ...], PairReader]] = WeakKeyDictionary()


def _reader(components: Components, cost: str, max_units: int, lexicon: str | None) -> PairReader:
    """The reader of an assembly: metrics that ask the same of it share it, so a pair is read once for all."""
    readers = _READERS.setdefault(components, {})
    key = (cost, max_units, lexicon)
    if key not in readers:
        extractor, aligner = components.get("extractor"), components.get("aligner")
        readers[key] = PairReader(extractor, aligner, cost_model(cost, extractor, lexicon), max_units)
    return readers[key]


def cost_model(name: str, extractor: object, lexicon: str | None = None) -> CostModel:
    """The cost "relation" or "table-ii"; relations are those of a lexicon folder, by default the extractor's.

    Raises:
        ConfigurationError: if there is no such cost.
    """
    if name not in (_RELATION, _TABLE_TWO):
        raise ConfigurationError([f"cost must be {_RELATION} or {_TABLE_TWO}, not {name!r}"])
    return RelationalCost(_lexicon(extractor, lexicon)) if name == _RELATION else TableTwoCost()


def _lexicon(extractor: object, folder: str | None) -> Lexicon:
    return (load_knowledge(folder) if folder else knowledge_of(extractor)).lexicon


def _radot(options: RadotOptions, components: Components) -> RadotMetric:
    readout = components.get("readout")
    fitted: Mapping[str, Any] = getattr(readout, "aligner", None) or {}
    cost = options.cost or fitted.get("cost", _RELATION)
    reader = _reader(components, cost, options.max_units, options.lexicon)
    return RadotMetric(reader, readout, (*_notes(reader), *_caveats(reader.aligner.identity, cost, fitted)))


def _notes(reader: PairReader) -> tuple[str, ...]:
    """What an extractor has to say of its answers, for example that a report was sent elsewhere."""
    note = getattr(reader.extractor, "note", "")
    return (note,) if note else ()


def _caveats(aligner: str, cost: str, fitted: Mapping[str, Any]) -> tuple[str, ...]:
    """What to say where a readout meets plans of another kind than it was fitted on."""
    if not fitted:
        return ()
    wanted = f"balanced,prior={fitted['prior']},eps={fitted['epsilon']:g}"
    caveats = [] if aligner.startswith(wanted + ",") else [f"the readout was fitted on plans of {wanted}"]
    if fitted.get("cost", cost) != cost:
        caveats.append(f"the readout was fitted on costs of {fitted['cost']}")
    return tuple(caveats)


def _notation(options: NotationOptions, components: Components) -> NotationMetric:
    reader = _reader(components, _RELATION, options.max_units, options.lexicon)
    return NotationMetric(reader, _lexicon(reader.extractor, options.lexicon), _notes(reader))


@hookimpl
def overread_metrics() -> Iterable[MetricSpec]:
    """radot and notation."""
    return [
        MetricSpec(
            name="radot",
            version=_VERSION,
            summary="risk from optimal transport over clinical units (RadOT-Eval)",
            scale=RADOT_SCALE,
            factory=_radot,
            options=RadotOptions,
        ),
        MetricSpec(
            name="notation",
            version=_VERSION,
            summary="every discrepancy with category, aspect, severity and place; GREEN's formula over them",
            scale=NOTATION_SCALE,
            factory=_notation,
            options=NotationOptions,
        ),
    ]
