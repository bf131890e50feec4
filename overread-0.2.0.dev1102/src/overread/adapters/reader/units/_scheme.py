"""RaTEScore's scheme of types over overread's findings, read from a data file."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from attrs import frozen

from overread.domain.entities.entity import EntityType
from overread.domain.findings.lexicon import Lexicon

__all__ = ["Scheme", "load_scheme"]


@frozen(kw_only=True)
class Scheme:
    """Findings that are diseases, and the words for where a device lies; see the head of ``entities.toml``.

    Attributes:
        diseases: findings that are diseases, with their kinds.
        abnormalities: kinds of a disease that are not diseases.
        denied_diseases: normal statements that deny a disease by its name.
        unremarkable: findings that report nothing amiss.
        in_place, out_of_place: terms for how a device lies.
        digest: of the data file.
    """

    diseases: frozenset[str]
    abnormalities: frozenset[str]
    denied_diseases: frozenset[str]
    unremarkable: frozenset[str]
    in_place: tuple[str, ...]
    out_of_place: tuple[str, ...]
    digest: str

    def type_of(self, concept: str, lexicon: Lexicon, *, denied: bool) -> EntityType:
        """The type of a finding, asserted or denied; a normal statement is denied where it stands as it is."""
        is_disease = concept in self.denied_diseases or self._is_disease(concept, lexicon)
        if is_disease:
            return EntityType.NON_DISEASE if denied else EntityType.DISEASE
        return EntityType.NON_ABNORMALITY if denied != (concept in self.unremarkable) else EntityType.ABNORMALITY

    def _is_disease(self, concept: str, lexicon: Lexicon) -> bool:
        listed = (kind in self.diseases for kind in (concept, *lexicon.ancestors(concept)) if self._decides(kind))
        return next(listed, False)

    def _decides(self, concept: str) -> bool:
        return concept in self.diseases or concept in self.abnormalities

    def unknown(self, lexicon: Lexicon) -> Iterator[str]:
        """Listed ids that the lexicon lacks."""
        yield from sorted((self.diseases | self.abnormalities | self.unremarkable) - lexicon.findings.keys())
        yield from sorted(self.denied_diseases - lexicon.normals.keys())


@cache
def load_scheme() -> Scheme:
    """The shipped scheme."""
    data = (files("overread.adapters.reader.units") / "data" / "entities.toml").read_bytes()
    document = tomllib.loads(data.decode())
    return Scheme(
        diseases=frozenset(document["diseases"]),
        abnormalities=frozenset(document["abnormalities"]),
        denied_diseases=frozenset(document["denied_diseases"]),
        unremarkable=frozenset(document["unremarkable"]),
        in_place=tuple(document["in_place"]),
        out_of_place=tuple(document["out_of_place"]),
        digest=hashlib.sha256(data).hexdigest()[:8],
    )
