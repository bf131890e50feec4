"""A paper's protocol: which of its tables can be made, and the study that they are made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

from attrs import frozen

from overread.application.studies.reproduction.published import PublishedPaper
from overread.application.studies.tabulation import Plot, Table
from overread.exceptions import ConfigurationError

__all__ = ["Protocol", "Section"]

Study = TypeVar("Study")


@frozen(kw_only=True)
class Section:
    """What one part of a protocol comes to.

    Attributes:
        tables: with our figures and the paper's.
        plots: that go with them.
        notes: remarks a reader must know, without report text.
    """

    tables: tuple[Table, ...]
    plots: tuple[Plot, ...] = ()
    notes: tuple[str, ...] = ()


@frozen(kw_only=True)
class Protocol(Generic[Study]):
    """The tables of a paper, each made from the paper's study by a function of its own.

    Attributes:
        paper: what the paper prints.
        makers: by the number of the table.
    """

    paper: PublishedPaper
    makers: Mapping[str, Callable[[Study, PublishedPaper], Section]]

    def chosen(self, numbers: Sequence[str] = ()) -> tuple[str, ...]:
        """The tables asked for in the protocol's order; all where none is named.

        Raises:
            ConfigurationError: naming every number that is no table of this protocol.
        """
        wanted = {number.strip().upper() for number in numbers}
        known = {number.upper(): number for number in self.makers}
        unknown = sorted(wanted - set(known))
        if unknown:
            raise ConfigurationError([f"no table {number!r}; there are {', '.join(self.makers)}" for number in unknown])
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
        for done, number in enumerate(self.chosen(numbers), start=1):
            made.append(self.makers[number](study, self.paper))
            if on_progress is not None:
                on_progress(done)
        return tuple(made)
