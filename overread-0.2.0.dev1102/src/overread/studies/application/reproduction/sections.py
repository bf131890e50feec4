"""A paper's tables made again: which of them can be, and what they come to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from attrs import frozen

from overread.application.statistics.tabulation import Fact, Plot, Table, Tabulation
from overread.application.telling import tell
from overread.exceptions import ConfigurationError
from overread.studies.application.reproduction.published import PublishedPaper

__all__ = ["Maker", "Reproduction", "Section"]

Study = TypeVar("Study")


@frozen(kw_only=True)
class Section:
    """Results for one table of a paper, or a few that belong together.

    Attributes:
        tables: with our figures and the paper's.
        plots: that go with them.
        notes: remarks a reader must know, without report text.
    """

    tables: tuple[Table, ...]
    plots: tuple[Plot, ...] = ()
    notes: tuple[str, ...] = ()


Maker = Callable[[Study, PublishedPaper], Section]
"""Makes a table from a study, beside what the paper prints."""


@frozen(kw_only=True)
class Reproduction(Generic[Study]):
    """The tables of a paper, each made from the paper's study by a function of its own.

    Attributes:
        paper: what the paper prints.
        makers: by the number of the table.
    """

    paper: PublishedPaper
    makers: Mapping[str, Maker[Study]]

    def choose_tables(self, numbers: Sequence[str] = ()) -> tuple[str, ...]:
        """The tables asked for in the paper's order; all where none is named.

        Raises:
            ConfigurationError: naming every number that is no table of it.
        """
        wanted = {number.strip().upper() for number in numbers}
        known = {number.upper(): number for number in self.makers}
        unknown = sorted(wanted - set(known))
        if unknown:
            raise ConfigurationError(
                [f"no table {number!r}; choose from {', '.join(self.makers)}" for number in unknown]
            )
        return tuple(number for upper, number in known.items() if not wanted or upper in wanted)

    def sections(
        self, study: Study, numbers: Sequence[str] = (), on_progress: Callable[[int], None] | None = None
    ) -> tuple[Section, ...]:
        """The tables asked for.

        Args:
            study: what they are made from.
            numbers: of the tables, all where empty.
            on_progress: called with the number of tables done.
        """
        made = []
        chosen = self.choose_tables(numbers)
        for done, number in enumerate(chosen, start=1):
            tell("making tables", done - 1, len(chosen))
            made.append(self.makers[number](study, self.paper))
            if on_progress is not None:
                on_progress(done)
        return tuple(made)

    def tabulation(
        self,
        sections: Sequence[Section],
        *,
        facts: Mapping[str, Fact],
        before: Iterable[str] = (),
        after: Iterable[str] = (),
    ) -> Tabulation:
        """The tables as a study.

        Args:
            sections: the tables made.
            facts: what was run.
            before: notes that head those of the sections.
            after: notes that follow them.
        """
        return Tabulation(
            name=self.paper.key,
            title=f"{self.paper.name}: our figures beside the paper's",
            tables=tuple(table for section in sections for table in section.tables),
            plots=tuple(plot for section in sections for plot in section.plots),
            facts=facts,
            notes=(*before, *(note for section in sections for note in section.notes), *after),
        )
