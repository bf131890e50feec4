"""Checks of readouts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import evolve

from overread.application.contracts import is_number
from overread.application.traits import ReadoutTraits, traits_of
from overread.domain.differences.aligned_pair import AlignedPair
from overread.domain.results.readout import TARGETS, Risk
from overread.plugins.specs import Components, ComponentSpec
from overread.testing._conduct import (
    Problems,
    built_twice,
    conclude,
    conduct,
    exits_told,
    identity_problems,
    near,
)
from overread.testing._samples import SAMPLE_ALIGNED_PAIRS, SAMPLE_WEIGHED_PAIRS

__all__ = ["check_readout"]


@exits_told
def check_readout(
    spec: ComponentSpec,
    *,
    options: Any = None,
    components: Components | None = None,
    pairs: Sequence[AlignedPair] | None = None,
) -> None:
    """Checks a readout: a finite risk of 0 or more for each target, whatever the batch, the same every time.

    Where no pairs are given, they are weighed if the readout's traits say that it needs that. The self-alignments are
    there if it uses them, and only then. The matrices of an alignment raise `ValueError` where a readout writes into
    them.
    """
    readout, twin = built_twice(spec, ComponentSpec, options, components)
    if not isinstance(readout.uses_self_alignments, bool):
        conclude(spec, ["uses_self_alignments must be True or False"])
    if pairs is None:
        pairs = SAMPLE_WEIGHED_PAIRS if traits_of(readout, ReadoutTraits).needs_weighing else SAMPLE_ALIGNED_PAIRS
    asked = tuple(_as_handed_out(pair, with_selves=readout.uses_self_alignments) for pair in pairs)
    problems = conduct(
        readout,
        twin,
        asked,
        lambda its, pairs: its.read_out(pairs),
        _risk_problems,
        same=_same_risks,
        own=identity_problems,
    )
    conclude(spec, problems)


def _as_handed_out(pair: AlignedPair, *, with_selves: bool) -> AlignedPair:
    reference, candidate = pair.reference_self, pair.candidate_self
    return evolve(
        pair,
        cross=pair.cross.as_read_only(),
        reference_self=reference.as_read_only() if with_selves and reference is not None else None,
        candidate_self=candidate.as_read_only() if with_selves and candidate is not None else None,
    )


def _risk_problems(_: AlignedPair, answer: object) -> Problems:
    if not isinstance(answer, Risk):
        yield f"must be Risk, not {type(answer).__name__}"
        return
    for target in TARGETS:
        value = answer.scores.get(target)
        if not is_number(value) or value < 0:
            yield f"the risk {target!r} must be a finite number of 0 or more"
    if answer.relative is not None and not (is_number(answer.relative) and 0 <= answer.relative <= 1):
        yield "the relative risk must lie on 0 to 1, or be None"
    if not answer.contributions.keys() <= set(TARGETS):
        yield f"contributions must be of {', '.join(TARGETS)}"


def _same_risks(one: object, other: object, tolerance: float) -> bool:
    if not isinstance(one, Risk) or not isinstance(other, Risk):
        return type(one) is type(other)  # what is no risk is told on its own
    return (
        one.scores.keys() == other.scores.keys()
        and all(near(value, other.scores[target], tolerance) for target, value in one.scores.items())
        and (one.relative is None) == (other.relative is None)
        and near(one.relative or 0.0, other.relative or 0.0, tolerance)
    )
