from __future__ import annotations

import pytest

from overread.adapters.lexicon import load_knowledge
from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.adapters.reader.medspacy.options import MedspacyOptions
from overread.application.synthesis.injected.material import Material
from overread.application.synthesis.invented import Purpose, SyntheticPairs
from overread.domain.lexicon import Lexicon


@pytest.fixture(scope="session")
def extractor() -> MedspacyUnitExtractor:
    return MedspacyUnitExtractor.create(MedspacyOptions())


@pytest.fixture(scope="session")
def lexicon() -> Lexicon:
    return load_knowledge().lexicon


@pytest.fixture(scope="session")
def material(extractor: MedspacyUnitExtractor, lexicon: Lexicon) -> Material:
    """Invented reports of every length."""
    pairs = SyntheticPairs(lexicon, seed=3, studies=300, candidates_per_study=1, purpose=Purpose.COUNTS)
    return Material.read(((pair.study, pair.reference) for pair in pairs), extractor, lexicon)
