"""What a second reader cannot argue away, and what it can, of reports as the shipped reader reads them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from attrs import frozen

from overread.adapters.lexicon import load_knowledge
from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.application.metrics.notation import NotationMetric
from overread.domain.differences.hard_fact import LEAST_OF_A_FACT, LEAST_OF_AN_ASSERTION
from overread.domain.differences.second_reading import FirstReading, SecondReading
from overread.domain.results.discrepancy import Discrepancy
from overread.testing import FakeSecondReader

from ..fakes import pair
from .test_notation import scored, weighed

LEXICON = load_knowledge().lexicon
DOUBT = 0.04


@frozen
class Doubting(FakeSecondReader):
    """Thinks as little of each discrepancy."""

    probability: float = DOUBT

    def read_again(self, readings: Sequence[FirstReading]) -> list[SecondReading]:
        """The same probability for each discrepancy."""
        return [SecondReading((self.probability,) * len(first.discrepancies)) for first in readings]


def read_again(
    reader: MedspacyUnitExtractor, reference: str, candidate: str, probability: float = DOUBT
) -> dict[str, Discrepancy]:
    """The gravest discrepancy about each finding, doubted as far as it may be."""
    metric = NotationMetric(
        weighed(LEXICON, extractor=reader, second_reader=Doubting(probability=probability)), LEXICON
    )
    found = scored(metric.evaluate([pair("a", reference, candidate)])[0]).discrepancies
    return {d.finding: d for d in sorted(found, key=lambda d: d.risk)}


STONE = "A 4 mm stone lies in the distal left ureter with hydronephrosis. The right kidney is normal."


@pytest.mark.parametrize(
    ("reference", "candidate", "finding"),
    [
        pytest.param("Acute appendicitis.", "No evidence of appendicitis.", "appendicitis", id="denied"),
        pytest.param("The heart is normal in size.", "The heart is enlarged.", "cardiomegaly", id="normal by name"),
        pytest.param("Displaced fracture of the distal radius.", "No fracture.", "wrist_fracture", id="part of a name"),
        pytest.param(
            "FINDINGS: Thrombus in the portal vein.\nIMPRESSION: Portal vein thrombosis.",
            "FINDINGS: Portal vein thrombosis.\nIMPRESSION: No portal vein thrombosis.",
            "portal_vein_thrombosis",
            id="contradiction",
        ),
    ],
)
@pytest.mark.parametrize(("thought", "kept"), [(0.4, LEAST_OF_AN_ASSERTION), (DOUBT, DOUBT)])
def test_a_denial_is_doubted_only_where_a_second_reader_is_sure(
    shipped_reader: MedspacyUnitExtractor, reference: str, candidate: str, finding: str, thought: float, kept: float
) -> None:
    """It may have been misread; a second reader that is merely in doubt leaves most of its weight."""
    assert read_again(shipped_reader, reference, candidate, thought)[finding].probability == kept


@pytest.mark.parametrize(
    ("reference", "candidate", "finding"),
    [
        pytest.param(
            f"FINDINGS: {STONE}\nIMPRESSION: Obstructing stone of the distal left ureter.",
            f"FINDINGS: {STONE}\nIMPRESSION: Obstructing stone of the distal right ureter.",
            "ureteral_calculus",
            id="side in the impression alone",
        ),
        pytest.param(
            "Moderate left pleural effusion.", "Moderate right pleural effusion.", "pleural_effusion", id="side"
        ),
        pytest.param(
            "The abdominal aortic aneurysm measures 5.8 cm.",
            "The abdominal aortic aneurysm measures 3.8 cm.",
            "abdominal_aortic_aneurysm",
            id="size",
        ),
        pytest.param(
            "Compression fracture of T12 with mild loss of height.",
            "Compression fracture of L2 with mild loss of height.",
            "vertebral_compression_fracture",
            id="level",
        ),
        pytest.param("The effusion has increased.", "The effusion has decreased.", "pleural_effusion", id="course"),
        pytest.param(
            "New left lower lobe consolidation.", "Stable left lower lobe consolidation.", "consolidation", id="new"
        ),
    ],
)
def test_a_hard_fact_is_never_doubtful(
    shipped_reader: MedspacyUnitExtractor, reference: str, candidate: str, finding: str
) -> None:
    """It keeps its severity and most of its weight, whatever a second reader thinks of it."""
    found = read_again(shipped_reader, reference, candidate)[finding]
    assert found.probability == LEAST_OF_A_FACT
    assert not found.is_doubtful
    assert found.severity.counts_as_significant
    assert found.weight is not None
    assert found.risk == pytest.approx(found.weight * LEAST_OF_A_FACT)


@pytest.mark.parametrize(
    ("reference", "candidate", "finding"),
    [
        pytest.param(
            "Transverse fracture of the base of the fifth metatarsal.",
            "Transverse lucency at the base of the fifth metatarsal.",
            "foot_fracture",
            id="softened",
        ),
        pytest.param("Bowel obstruction with bowel ischemia.", "Bowel obstruction.", "bowel_ischemia", id="left out"),
        pytest.param("Consolidation in the left lung.", "The lungs are clear.", "consolidation", id="normal whole"),
        pytest.param(
            "Blunting on the left, in keeping with a small pleural effusion.",
            "Trace of fluid in the right costophrenic recess.",
            "pleural_effusion",
            id="side in other words",
        ),
    ],
)
def test_what_may_be_a_matter_of_wording_is_doubted(
    shipped_reader: MedspacyUnitExtractor, reference: str, candidate: str, finding: str
) -> None:
    """Where reports use other words for what they saw, the second reader's doubt holds in full."""
    assert read_again(shipped_reader, reference, candidate)[finding].probability == DOUBT
