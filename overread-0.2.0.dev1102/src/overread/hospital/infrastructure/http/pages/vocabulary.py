"""Names of findings, as pages show them and as people type them."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from attrs import field, frozen

from overread.domain.findings.signs import SignReader, no_signs
from overread.infrastructure.views.wording import FindingName

__all__ = ["Vocabulary"]


def _by_name(names: Mapping[str, str]) -> Mapping[str, str]:
    return {name.casefold(): finding for finding, name in names.items()}


@frozen(eq=False)
class Vocabulary:
    """Knowledge that pages have of the lexicon.

    Attributes:
        names: name of each finding by its lexicon id.
        finding_name: gives the name of a finding, and of whatever else a discrepancy may be about.
        signs: finds headings and cues in reports.
    """

    names: Mapping[str, str]
    finding_name: FindingName
    signs: SignReader = no_signs
    _ids: Mapping[str, str] = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_ids", _by_name(self.names))

    def id_of(self, words: str) -> str | None:
        """The finding that words name, by its name or its id; None for no finding.

        >>> vocabulary = Vocabulary({"rib_fracture": "rib fracture"}, str)
        >>> vocabulary.id_of("Rib fracture"), vocabulary.id_of("rib")
        ('rib_fracture', None)
        """
        return words if words in self.names else self._ids.get(words.casefold())

    def near(self, words: str, limit: int = 20) -> list[str]:
        """Names that hold these words, those that begin with them first; where none does, names that look alike.

        >>> vocabulary = Vocabulary({"rib_fracture": "rib fracture"}, str)
        >>> vocabulary.near("rib"), vocabulary.near("rip fracture"), vocabulary.near("stent")
        (['rib fracture'], ['rib fracture'], [])
        """
        wanted = words.casefold()
        holding = [name for name in self.names.values() if wanted in name.casefold()]
        holding.sort(key=lambda name: (not name.casefold().startswith(wanted), len(name), name))
        return holding[:limit] or [
            self.names[self._ids[name]] for name in get_close_matches(wanted, self._ids, n=limit)
        ]
