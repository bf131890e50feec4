"""The plugin of the transport metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final
from weakref import WeakKeyDictionary

from attrs import frozen

from overread.adapters.lexicon import load_knowledge
from overread.application.notation import NOTATION_SCALE, NotationMetric
from overread.application.radot import RADOT_SCALE, RadotMetric
from overread.application.reading import PairReader
from overread.plugins import hookimpl
from overread.plugins.specs import Components, MetricSpec

_VERSION: Final = "0.1.0"


@frozen(kw_only=True)
class RadotOptions:
    """Options of radot.

    Attributes:
        max_units: a report of more units is unscored as "too long".
    """

    max_units: int = 300


@frozen(kw_only=True)
class NotationOptions:
    """Options of notation.

    Attributes:
        max_units: a report of more units is unscored as "too long".
        lexicon: folder of lexicon files that say how findings are related and what they ask for; by default those
            the extractor reads with.
    """

    max_units: int = 300
    lexicon: str | None = None


_READERS: WeakKeyDictionary[Components, dict[int, PairReader]] = WeakKeyDictionary()


def _reader(components: Components, max_units: int) -> PairReader:
    """The reader of an assembly: radot and notation share it, so a pair is read once for both."""
    readers = _READERS.setdefault(components, {})
    if max_units not in readers:
        readers[max_units] = PairReader(components.get("extractor"), components.get("aligner"), max_units)
    return readers[max_units]


def _radot(options: RadotOptions, components: Components) -> RadotMetric:
    reader, readout = _reader(components, options.max_units), components.get("readout")
    return RadotMetric(reader, readout, _caveats(reader.aligner.identity, getattr(readout, "aligner", None)))


def _caveats(aligner: str, fitted: Mapping[str, Any] | None) -> tuple[str, ...]:
    """What to say where a readout meets plans of another kind than it was fitted on."""
    if fitted is None:
        return ()
    wanted = f"balanced,prior={fitted['prior']},eps={fitted['epsilon']:g}"
    return () if aligner.startswith(wanted + ",") else (f"the readout was fitted on plans of {wanted}",)


def _notation(options: NotationOptions, components: Components) -> NotationMetric:
    reader = _reader(components, options.max_units)
    folder = options.lexicon or getattr(reader.extractor, "lexicon_folder", None)
    return NotationMetric(reader, load_knowledge(folder).lexicon)


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
