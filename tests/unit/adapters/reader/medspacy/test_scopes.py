"""Scopes without medspaCy: the same findings for the same cues, and results that say so."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overread.adapters.lexicon.loader import ContextRule
from overread.adapters.lexicon.matching import Match, Term
from overread.adapters.reader.medspacy._context import MedspacyContext
from overread.adapters.reader.medspacy._medspacy import ConTextGraph
from overread.adapters.reader.medspacy._scopes import Scopes
from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.adapters.reader.medspacy.options import MedspacyOptions
from overread.domain.findings.unit import Polarity
from overread.domain.reports.report import Report

_LENGTH: Final = 14
_RULES: Final = [
    ContextRule(category, direction, (f"{category} {direction} {scope} {targets}",), scope, targets)
    for category in ("NEGATED", "POSSIBLE")
    for direction in ("FORWARD", "BACKWARD", "BIDIRECTIONAL", "TERMINATE", "PSEUDO")
    for scope in (None, 1, 4)
    for targets in (None, 1, 2)
]
_CONTEXT: Final = MedspacyContext(_RULES)
_places = st.tuples(st.integers(0, _LENGTH - 1), st.integers(1, 3)).map(lambda at: (at[0], min(sum(at), _LENGTH)))
_cues = st.lists(st.tuples(st.sampled_from(_RULES), _places).map(lambda cue: (cue[0], *cue[1])), max_size=5)
_targets = st.lists(_places, max_size=5, unique=True)

Link = tuple[str, str, tuple[int, int], int, int]


def _links(graph: Scopes | ConTextGraph) -> list[Link]:
    return [(c.category, c.direction, tuple(c.modifier_span), t.start, t.end) for t, c in graph.edges]


@given(_cues, _targets)
@settings(max_examples=300, deadline=None)
def test_the_links_are_those_of_medspacy(
    cues: list[tuple[ContextRule, int, int]], places: list[tuple[int, int]]
) -> None:
    """Whatever cues and findings stand wherever in a sentence: the same, in the same order."""
    targets = [Match(Term("effusion", "FINDING", ("pleural_effusion",)), *place, 0) for place in sorted(places)]
    ours, theirs = Scopes.of(cues, targets, _LENGTH), _CONTEXT(cues, targets, _LENGTH)
    assert _links(ours) == _links(theirs)
    assert [cue.modifier_span for cue in ours.modifiers] == [cue.modifier_span for cue in theirs.modifiers]


def test_a_reader_without_medspacy_reads_denials_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """In its identity, and where nobody chose that, in a note that goes with every result."""
    monkeypatch.setattr("overread.adapters.reader.medspacy.extractor.has_medspacy", lambda: False)
    reader = MedspacyUnitExtractor.create(MedspacyOptions())
    [units] = reader.extract([Report("No pneumothorax, but a small left effusion.")])
    assert isinstance(units, tuple)
    assert [unit.polarity for unit in units] == [Polarity.ABSENT, Polarity.PRESENT]
    assert reader.identity.endswith(",scopes=own")
    assert "medspaCy is not installed" in reader.traits.note
    chosen = MedspacyUnitExtractor.create(MedspacyOptions(scopes="own"))
    assert chosen.identity == reader.identity
    assert chosen.traits.note == ""
