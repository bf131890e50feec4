"""The plugin of the transport metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from overread.adapters.metrics.transport.costs import IMPORTANCE, RELATION, cost_model, lexicon_of
from overread.adapters.metrics.transport.options import NotationOptions, RadotOptions
from overread.application.metrics.notation import NOTATION_SCALE, NotationMetric
from overread.application.metrics.pair_reader import PairReader
from overread.application.metrics.radot import RADOT_SCALE, RadotMetric
from overread.application.ports import Aligner, Readout
from overread.application.traits import AlignerTraits, ExtractorTraits, ReadoutTraits, name_of, traits_of
from overread.domain.differences.weighing import UNCHARGED
from overread.exceptions import ConfigurationError
from overread.plugins import hookimpl
from overread.plugins.specs import Components, MetricSpec

__all__ = ["overread_metrics"]

_RADOT_VERSION: Final = "0.3.0"
_NOTATION_VERSION: Final = "0.4.0"

_FAST: Final = "fast"
_READOUTS: Final = {"importance": "plan", _FAST: "plan", "relaxed": "relaxed", "debiased": "debiased", "paper": "paper"}
"""Readout of each preset of radot."""

_NO_PLAN: Final = "no transport plan enters the relaxed readout: aligner, epsilon and weights change nothing"
_OWN_PLANS: Final = "read off plans of importance, not of the aligner that is chosen"


def _reader(components: Components, aligner: Aligner, cost: str, options: RadotOptions | NotationOptions) -> PairReader:
    """Metrics of one assembly that ask the same share a reader, so a pair is read once for all."""

    def make_reader() -> PairReader:
        extractor = components.get("extractor")
        again = components.get("second_reader") if cost == IMPORTANCE and not is_fast else None
        return PairReader(extractor, aligner, cost_model(cost, extractor, options.lexicon), again, options.max_units)

    is_fast = options.preset == _FAST
    return components.shared((PairReader, id(aligner), cost, is_fast, options.max_units, options.lexicon), make_reader)


def _radot(options: RadotOptions, components: Components) -> RadotMetric:
    readout, aligner = _readout_and_aligner(_READOUTS[options.preset or "importance"], components)
    traits = traits_of(readout, ReadoutTraits)
    cost = options.cost or traits.fitted_on.get("cost", IMPORTANCE if traits.needs_weighing else RELATION)
    if options.preset:
        _check_preset(options.preset, readout, cost, traits.fitted_on.get("cost", cost))
    if traits.needs_weighing and cost != IMPORTANCE:
        raise ConfigurationError([f"readout {readout.identity} needs radot.cost={IMPORTANCE}, not {cost}"])
    reader = _reader(components, aligner, cost, options)
    return RadotMetric(reader, readout, (*_notes(reader), *_caveats(aligner, traits, cost)))


def _readout_and_aligner(usual: str, components: Components) -> tuple[Readout, Aligner]:
    """The readout that is chosen, else the usual one if it can read the aligner's plans, and the aligner."""
    readout = components.get("readout", usual)
    traits = traits_of(readout, ReadoutTraits)
    aligner = components.get("aligner", *(() if traits.needs_weighing else ("balanced", _plans(traits.fitted_on))))
    if traits.needs_weighing and not traits_of(aligner, AlignerTraits).takes_masses:
        readout = components.get("readout", _READOUTS["debiased"])
        if traits_of(readout, ReadoutTraits).needs_weighing:
            problem = f"readout {readout.identity} reads plans of importance, not those of aligner {aligner.identity}"
            raise ConfigurationError([f"{problem}: leave one of them out"])
    return readout, aligner


def _plans(fitted: Mapping[str, Any]) -> dict[str, Any]:
    """Options of the balanced plans that a readout was fitted on: a fit is of use with these alone."""
    return {key: fitted[key] for key in ("prior", "epsilon") if key in fitted}


def _check_preset(preset: str, readout: Readout, cost: str, wanted: str) -> None:
    """Raises `ConfigurationError` where another readout or cost is chosen beside a preset."""
    name = name_of(readout)
    if name != _READOUTS[preset]:
        problem = f"radot={preset} is read out by {_READOUTS[preset]}, not {name}"
    elif cost != wanted:
        problem = f"radot={preset} needs radot.cost={wanted}, not {cost}"
    else:
        return
    raise ConfigurationError([f"{problem}: leave one of them out"])


def _notation(options: NotationOptions, components: Components) -> NotationMetric:
    aligner = components.get("aligner")
    own: tuple[str, ...] = _idle_factors(aligner)
    if not traits_of(aligner, AlignerTraits).takes_masses:
        aligner = components.named("aligner", "importance")
        own = (_OWN_PLANS,)
    reader = _reader(components, aligner, IMPORTANCE, options)
    return NotationMetric(reader, lexicon_of(reader.extractor, options.lexicon), (*_notes(reader), *own))


def _notes(reader: PairReader) -> tuple[str, ...]:
    """Notes of an extractor on its answers, for example that a report was sent elsewhere."""
    note = traits_of(reader.extractor, ExtractorTraits).note
    return (note,) if note else ()


def _caveats(aligner: Aligner, readout: ReadoutTraits, cost: str) -> tuple[str, ...]:
    """Caveats for a readout that meets plans of another kind than it was fitted on, or none."""
    caveats, fitted = [], readout.fitted_on
    if not readout.uses_plan:
        caveats.append(_NO_PLAN)
    elif fitted:
        wanted = f"balanced,prior={fitted['prior']},eps={fitted['epsilon']:g}"
        if traits_of(aligner, AlignerTraits).plans != wanted:
            caveats.append(f"the readout was fitted on plans of {wanted}")
    elif cost == IMPORTANCE:
        caveats.extend(_idle_factors(aligner))
    if fitted.get("cost", cost) != cost:
        caveats.append(f"the readout was fitted on costs of {fitted['cost']}")
    return tuple(caveats)


def _idle_factors(aligner: Aligner) -> tuple[str, ...]:
    """Caveats for an aligner that multiplies channels in which importance costs nothing."""
    factors = traits_of(aligner, AlignerTraits).factors
    idle = [channel for channel in UNCHARGED if factors.get(channel, 1.0) != 1.0]
    return (f"weights of {' and '.join(idle)} change nothing: no cost of importance stands there",) if idle else ()


@hookimpl
def overread_metrics() -> Iterable[MetricSpec]:
    """radot and notation."""
    return [
        MetricSpec(
            name="radot",
            version=_RADOT_VERSION,
            summary="risk from optimal transport of clinical importance between units (RadOT-Eval)",
            scale=RADOT_SCALE,
            factory=_radot,
            options=RadotOptions,
        ),
        MetricSpec(
            name="notation",
            version=_NOTATION_VERSION,
            summary="every discrepancy with category, severity, weight and place; a score over the weights",
            scale=NOTATION_SCALE,
            factory=_notation,
            options=NotationOptions,
        ),
    ]
