"""The plugin of the transport metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from overread.adapters.metrics.transport.costs import RELATION, cost_model, lexicon_of
from overread.adapters.metrics.transport.options import NotationOptions, RadotOptions
from overread.application.metrics.notation import NOTATION_SCALE, NotationMetric
from overread.application.metrics.pair_reader import PairReader
from overread.application.metrics.radot import RADOT_SCALE, RadotMetric
from overread.application.ports import Aligner, FittedReadout, NamedPlans, Noted
from overread.plugins import hookimpl
from overread.plugins.specs import Components, MetricSpec

__all__ = ["overread_metrics"]

_VERSION: Final = "0.1.0"


def _reader(components: Components, cost: str, max_units: int, lexicon: str | None) -> PairReader:
    """Metrics of one assembly that ask the same share a reader, so a pair is read once for all."""

    def made() -> PairReader:
        extractor = components.get("extractor")
        return PairReader(extractor, components.get("aligner"), cost_model(cost, extractor, lexicon), max_units)

    return components.shared((PairReader, cost, max_units, lexicon), made)


def _radot(options: RadotOptions, components: Components) -> RadotMetric:
    readout = components.get("readout")
    fitted = readout.aligner if isinstance(readout, FittedReadout) else {}
    cost = options.cost or fitted.get("cost", RELATION)
    reader = _reader(components, cost, options.max_units, options.lexicon)
    return RadotMetric(reader, readout, (*_notes(reader), *_caveats(reader.aligner, cost, fitted)))


def _notation(options: NotationOptions, components: Components) -> NotationMetric:
    reader = _reader(components, RELATION, options.max_units, options.lexicon)
    return NotationMetric(reader, lexicon_of(reader.extractor, options.lexicon), _notes(reader))


def _notes(reader: PairReader) -> tuple[str, ...]:
    """What an extractor has to say of its answers, for example that a report was sent elsewhere."""
    note = reader.extractor.note if isinstance(reader.extractor, Noted) else ""
    return (note,) if note else ()


def _caveats(aligner: Aligner, cost: str, fitted: Mapping[str, Any]) -> tuple[str, ...]:
    """What to say where a readout meets plans of another kind than it was fitted on."""
    if not fitted:
        return ()
    wanted = f"balanced,prior={fitted['prior']},eps={fitted['epsilon']:g}"
    alike = isinstance(aligner, NamedPlans) and aligner.plans == wanted
    caveats = [] if alike else [f"the readout was fitted on plans of {wanted}"]
    if fitted.get("cost", cost) != cost:
        caveats.append(f"the readout was fitted on costs of {fitted['cost']}")
    return tuple(caveats)


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
