"""Counts for a quality lead: samples to be reviewed, and rates of concordance."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from overread.domain.vocabulary.members import check_member
from overread.exceptions import InputError, NotFoundError
from overread.hospital.application.grouping import Grouping
from overread.hospital.application.rates import RadpeerCounts, Rates, radpeer_counts_of, rates_of_tallies
from overread.hospital.application.requests import Search
from overread.hospital.application.sampling import DrawnSample, SamplePlan, draw
from overread.hospital.application.use_cases.context import UseCase
from overread.hospital.application.use_cases.operation import operation
from overread.hospital.application.use_cases.searching import describe_search
from overread.hospital.domain.audit_trail import Actor

__all__ = ["Counting"]


class Counting(UseCase):
    """Draws samples and counts what is found; all pairs that count are of one moment."""

    @operation
    def draw_sample(self, search: Search, plan: SamplePlan, *, by: Actor) -> DrawnSample:
        """Draw a sample of the pairs that a search finds, and keep it, with how many pairs each stands for. Reviewer.

        Args:
            search: finds the pairs to draw from; its order and limit do not count. What was withdrawn is not drawn.
            plan: how to draw.
            by: on whose behalf.

        Raises:
            NotFoundError: if the search finds no pair.
            ConfigurationError: if the sample is too small to have a pair of each group.
        """
        _check_standing(search)
        with self._context.store.reading() as unit:
            pairs = unit.pairs.drawables(search, self._context.signature_lines, plan.by, hidden_from=by.name)
        if not pairs:
            raise NotFoundError("there are no pairs to draw a sample from")
        names = self._context.configuration.group_names
        drawn = draw([evolve(pair, group=names.name(plan.by, pair.group)) for pair in pairs], plan)
        description = f"{len(drawn)} of {len(pairs)} pairs, {plan.words}, seed {plan.seed}"
        with self._context.store.transaction() as unit:
            number = unit.samples.add(drawn, description=description, by=by.name, made=self._context.now())
            self._context.note(
                unit, by, "sample", f"sample:{number}", {"drawn": description, **describe_search(search)}
            )
        return DrawnSample(number=number, pairs=drawn, drawn_from=len(pairs), description=description)

    @operation
    def rates(self, search: Search, *, by: Actor, groupings: Sequence[Grouping] = ()) -> Rates:
        """Rates of concordance of the pairs that a search finds, unbiased for all where they are a sample. Reviewer.

        Args:
            search: finds the pairs; its order and limit do not count. What was withdrawn is in no rate.
            by: on whose behalf.
            groupings: by what to tell them apart, besides the rates of all.
        """
        _check_standing(search)
        for grouping in groupings:
            check_member(Grouping, "groupings", grouping)
        with self._context.store.reading() as unit:
            tallies = unit.pairs.tallies(search, self._context.signature_lines, groupings, hidden_from=by.name)
            names = self._context.configuration.group_names
            edits = unit.pairs.edit_tallies(search, self._context.signature_lines, hidden_from=by.name)
            rates = rates_of_tallies(tallies, by=groupings, sample=search.sample, names=names, edits=edits)
        self._context.tell(by, "rates", details={"pairs": rates.overall.pairs, **describe_search(search)})
        return rates

    @operation
    def radpeer_counts(self, search: Search, *, by: Actor) -> tuple[RadpeerCounts, ...]:
        """Reviewed pairs by RADPEER score, month of examination, site and modality, for a registry. Reviewer.

        Args:
            search: finds the pairs; its order and limit do not count. What was withdrawn is not counted.
            by: on whose behalf.
        """
        _check_standing(search)
        groupings = (Grouping.EXAMINATION_MONTH, Grouping.SITE, Grouping.MODALITY)
        with self._context.store.reading() as unit:
            tallies = unit.pairs.tallies(search, self._context.signature_lines, groupings, hidden_from=by.name)
        counts = radpeer_counts_of(tallies, self._context.configuration.group_names)
        self._context.tell(by, "radpeer-counts", details={"groups": len(counts), **describe_search(search)})
        return tuple(counts)


def _check_standing(search: Search) -> None:
    if search.withdrawn is not None:
        raise InputError("search", "withdrawn pairs are not counted in rates or samples", remedy="leave withdrawn out")
