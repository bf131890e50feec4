from __future__ import annotations

import pytest

from overread.adapters.lexicon import load_knowledge
from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.domain.findings.lexicon import Lexicon
from overread.studies.application.synthesis.credible.reports import credible_reports
from overread.studies.application.synthesis.injected.by_rules import by_rules
from overread.studies.application.synthesis.injected.material import Material, Synthesis


@pytest.fixture(scope="session")
def extractor(shipped_reader: MedspacyUnitExtractor) -> MedspacyUnitExtractor:
    return shipped_reader


@pytest.fixture(scope="session")
def lexicon() -> Lexicon:
    return load_knowledge().lexicon


@pytest.fixture(scope="session")
def material(extractor: MedspacyUnitExtractor, lexicon: Lexicon) -> Material:
    """Invented reports of every length."""
    return Material.read(
        ((made.study, made.text) for made in credible_reports(seed=3, studies=160)), extractor, lexicon
    )


@pytest.fixture(scope="session")
def made(material: Material, extractor: MedspacyUnitExtractor) -> Synthesis:
    """Two pairs of every kind."""
    return by_rules(material, extractor, per_category=2, seed=5)
