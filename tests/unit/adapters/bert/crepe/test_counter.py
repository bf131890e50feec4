"""Counting: which tokens reach the model, and what becomes of its answers."""

from __future__ import annotations

import math
import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from attrs import define, field
from torch import Tensor, nn

from overread.adapters.bert.crepe._checkpoint import load_checkpoint
from overread.adapters.bert.crepe._counter import CrepeErrorCounter, longest_first
from overread.adapters.bert.crepe._heads import Heads, Network
from overread.adapters.bert.crepe._network import TorchNetwork
from overread.adapters.bert.crepe.options import BertCounterOptions, SmallCounterOptions
from overread.adapters.bert.crepe.plugin import bert_counter, overread_error_counters
from overread.adapters.checkpoints.padding import Ids
from overread.domain.reports.report import ReportPair
from overread.domain.results.error_counts import ErrorCounts
from overread.domain.results.result import Fault, Unscored
from overread.testing import FakeComponents

from .....credible_texts import credible_pairs
from .checkpoints import BASE, write


def _counter(folder: Path, **options: Any) -> CrepeErrorCounter:
    return bert_counter(BertCounterOptions(path=str(folder), **options))


def _embedded(**options: Any) -> CrepeErrorCounter:
    [small, _] = overread_error_counters()
    counter = small.factory(SmallCounterOptions(device="cpu", **options), FakeComponents({}))
    assert isinstance(counter, CrepeErrorCounter)
    return counter


def _pair(reference: str, candidate: str) -> ReportPair:
    return ReportPair(id="p", reference=reference, candidate=candidate)


def _counts(counter: CrepeErrorCounter, *pairs: ReportPair) -> list[ErrorCounts]:
    answers = counter.count(pairs)
    assert all(isinstance(answer, ErrorCounts) for answer in answers)
    return [answer for answer in answers if isinstance(answer, ErrorCounts)]


def _report(generator: random.Random, sentences: int) -> str:
    """Sentences of the few words that the random checkpoints know."""
    findings = ["effusion", "opacity", "pneumothorax", "nodule", "edema", "consolidation", "fracture"]
    sides = ["left", "right", "both", "upper", "lower"]
    return " ".join(
        f"{generator.choice(['No', 'Small', 'Large', 'New', 'Stable'])} {generator.choice(sides)} "
        f"{generator.choice(findings)}."
        for _ in range(sentences)
    )


def _reports(count: int, longest: int, seed: int = 1) -> list[ReportPair]:
    generator = random.Random(seed)  # noqa: S311 - no secret
    return [_pair(*(_report(generator, generator.randint(1, longest)) for _ in range(2))) for _ in range(count)]


@define(eq=False)
class Watching:
    """A network, and every batch that it is given."""

    inner: Network
    batches: list[Ids] = field(factory=list)
    types: list[Ids] = field(factory=list)

    @property
    def identity(self) -> str:
        return self.inner.identity

    def heads(self, ids: Ids, mask: Ids, types: Ids) -> Heads:
        self.batches.append(ids)
        self.types.append(types)
        return self.inner.heads(ids, mask, types)


def _watched(folder: Path, **options: Any) -> tuple[CrepeErrorCounter, Watching]:
    checkpoint = load_checkpoint(folder)
    watching = Watching(TorchNetwork(checkpoint.model))
    counter = CrepeErrorCounter(
        tokenizer=checkpoint.tokenizer,
        network=watching,
        head_names=checkpoint.head_names,
        identity="watched",
        **options,
    )
    return counter, watching


PAIR = _pair("No pleural effusion. Heart size is normal.", "Small left pleural effusion.")
SWAPPED = _pair(PAIR.candidate.text, PAIR.reference.text)


def test_rigged_heads_are_clamped_at_zero_and_named(tmp_path: Path) -> None:
    """The release's rule (parameters 6.3): what is below zero is no error."""
    counter = _counter(write(tmp_path / "crepe", biases=[1.5, -0.75, 0.25, 0.0, 2.0, -3.0]))
    [counts] = _counts(counter, PAIR)
    assert counts.counts == {"A": 1.5, "B": 0.0, "C": 0.25, "D": 0.0, "E": 2.0, "F": 0.0}
    assert counts.total == 3.75


def test_a_poisson_model_answers_with_softplus(tmp_path: Path) -> None:
    """log(1 + e^0) is log 2, and log(1 + e^log 3) is log 4."""
    counter = _counter(write(tmp_path / "crepe", heads=2, biases=[0.0, math.log(3)], use_poisson_loss=True))
    [counts] = _counts(counter, PAIR)
    assert counts.counts == pytest.approx({"significant": math.log(2), "insignificant": math.log(4)}, abs=1e-6)


def test_presence_is_the_sigmoid_of_its_heads_and_moves_no_count(tmp_path: Path) -> None:
    """The score is the sum of counts alone."""

    def rigged(state: dict[str, Tensor]) -> dict[str, Tensor]:
        heads = {name: torch.zeros_like(tensor) for name, tensor in state.items() if "error_" in name}
        return {**state, **heads, "error_presence.1.bias": torch.tensor([math.log(3)])}

    [counts] = _counts(_counter(write(tmp_path / "crepe", change=rigged)), PAIR)
    assert counts.presence == pytest.approx({"A": 0.5, "B": 0.75, "C": 0.5, "D": 0.5, "E": 0.5, "F": 0.5})
    assert counts.total == 0


def test_a_model_without_presence_heads_tells_none(tmp_path: Path) -> None:
    """No probability is made up where the model has none."""
    [counts] = _counts(_counter(write(tmp_path / "crepe", heads=1, presence=False, biases=[2.0])), PAIR)
    assert (counts.counts, counts.presence) == ({"total": 2.0}, {})


def test_the_answer_is_the_models_own(tmp_path: Path) -> None:
    """Against transformers' tokenizer and the module themselves, one pair at a time and padded to 512 as released."""
    folder = write(tmp_path / "crepe")
    checkpoint = load_checkpoint(folder)
    module: nn.Module = checkpoint.model
    module.eval()
    pairs = _reports(6, longest=9)
    for pair, counts in zip(pairs, _counts(_counter(folder), *pairs), strict=True):
        inputs = checkpoint.tokenizer(
            pair.reference.text, pair.candidate.text, padding="max_length", max_length=512, return_tensors="pt"
        )
        with torch.no_grad():
            raw = module(**inputs)["counts"][0]
        assert list(counts.counts.values()) == pytest.approx(raw.clamp(min=0).tolist(), abs=1e-4)
        assert counts.tokens == int(inputs["attention_mask"].sum())
        assert (counts.unseen, counts.windows) == (0, 1)


def test_the_order_of_the_reports_matters(tmp_path: Path) -> None:
    """An error left out and an error made up are different errors."""
    one, other = _counts(_counter(write(tmp_path / "crepe")), PAIR, SWAPPED)
    assert one.total != pytest.approx(other.total, abs=1e-3)


@pytest.mark.parametrize(("max_batch", "batch_tokens"), [(1, 16_384), (3, 16_384), (64, 100), (1000, 10**9)])
def test_batches_change_no_answer(tmp_path: Path, max_batch: int, batch_tokens: int) -> None:
    """A score is that of its pair, whatever is scored beside it."""
    folder = write(tmp_path / "crepe")
    pairs = _reports(20, longest=14)
    usual = _counts(_counter(folder), *pairs)
    other = _counts(_counter(folder, max_batch=max_batch, batch_tokens=batch_tokens), *pairs[::-1])[::-1]
    for one, same in zip(usual, other, strict=True):
        assert dict(same.counts) == pytest.approx(dict(one.counts), abs=1e-4)
        assert dict(same.presence) == pytest.approx(dict(one.presence), abs=1e-4)
    assert len({round(counts.total, 3) for counts in usual}) > 10  # the pairs do differ


def test_padding_reaches_the_longest_of_the_batch_only(tmp_path: Path) -> None:
    """Pairs of similar length share a batch, so that little is computed for nothing."""
    counter, watching = _watched(write(tmp_path / "crepe"), max_batch=4)
    pairs = _reports(12, longest=20)
    lengths = sorted((counts.tokens for counts in _counts(counter, *pairs)), reverse=True)
    assert [tuple(batch.shape) for batch in watching.batches] == [(4, lengths[0]), (4, lengths[4]), (4, lengths[8])]


def test_a_pair_is_read_once_however_often_it_comes(tmp_path: Path) -> None:
    """Corpora repeat their normal reports; swapped reports are another pair."""
    counter, watching = _watched(write(tmp_path / "crepe"))
    answers = _counts(counter, PAIR, SWAPPED, PAIR, _pair(PAIR.reference.text, PAIR.candidate.text))
    assert sum(len(batch) for batch in watching.batches) == 2
    assert answers[0] == answers[2] == answers[3] != answers[1]


def test_two_blank_reports_are_unscored_and_shift_nothing(tmp_path: Path) -> None:
    """The answers of other pairs keep their places."""
    counter, watching = _watched(write(tmp_path / "crepe"))
    answers = counter.count([_pair("", " \n"), PAIR, _pair("\t", "")])
    assert answers == [Unscored("empty", "both reports are empty"), *counter.count([PAIR]), answers[0]]
    assert all(len(batch) == 1 for batch in watching.batches)


def test_one_blank_report_is_read(tmp_path: Path) -> None:
    """A report left out altogether is an error that the model can count."""
    omitted, invented = _counts(
        _counter(write(tmp_path / "crepe")), _pair("No effusion.", " "), _pair("", "No effusion.")
    )
    assert omitted.tokens == invented.tokens == 6  # [CLS] [SEP] no effusion . [SEP]
    assert omitted.total != invented.total


@pytest.mark.parametrize(
    ("reference", "candidate"),
    [("No effusion.", ""), ("No effusion.", " "), ("No effusion.", "\n"), ("", "No effusion."), (" ", "Nodule.")],
)
def test_a_blank_report_reaches_the_model_as_in_the_release(tmp_path: Path, reference: str, candidate: str) -> None:
    """The release hands each pair to transformers' tokenizer, which takes an empty second text for none."""
    counter, watching = _watched(write(tmp_path / "crepe"))
    [counts] = _counts(counter, _pair(reference, candidate))
    released = counter.tokenizer(reference, candidate, truncation="longest_first", max_length=512)
    [batch], [types] = watching.batches, watching.types
    assert batch.tolist() == [released["input_ids"]]
    assert types.tolist() == [released["token_type_ids"]]
    assert counts.tokens == len(released["input_ids"])
    assert released["input_ids"].count(3) == (2 if candidate else 1)  # [SEP]


@pytest.mark.parametrize("long", ["truncate", "windows"])
def test_a_report_of_which_the_tokenizer_knows_no_token_is_unscored(tmp_path: Path, long: str) -> None:
    """A model's counts for unknown tokens are counts of nothing; whose report it is, is said."""
    unknown = "القلب طبيعي الحجم " * 200
    pairs = [_pair(unknown, "No effusion."), _pair("No effusion.", "双肺清晰"), _pair("No effusion.", "القلب effusion")]
    one, other, some = _counter(write(tmp_path / "crepe"), long=long).count(pairs)
    assert [(each.reason, each.fault) for each in (one, other) if isinstance(each, Unscored)] == [
        ("nothing to read", Fault.REFERENCE),
        ("nothing to read", Fault.CANDIDATE),
    ]
    assert isinstance(some, ErrorCounts)


def test_no_pair_asks_nothing_of_the_model(tmp_path: Path) -> None:
    """An empty batch has no tensor."""
    counter, watching = _watched(write(tmp_path / "crepe"))
    assert counter.count([]) == []
    assert watching.batches == []


def test_an_answer_that_is_no_number_is_unscored(tmp_path: Path) -> None:
    """An overflow never becomes a score."""

    class Overflowing:
        identity = "overflowing"

        def heads(self, ids: Ids, mask: Ids, types: Ids) -> Heads:
            assert ids.shape == mask.shape == types.shape
            return torch.full((len(ids), 6), math.inf).numpy(), None

    checkpoint = load_checkpoint(write(tmp_path / "crepe"))
    counter = CrepeErrorCounter(
        tokenizer=checkpoint.tokenizer, network=Overflowing(), head_names=checkpoint.head_names, identity="x"
    )
    [answer] = counter.count([PAIR])
    assert isinstance(answer, Unscored)
    assert answer.reason == "not finite"


LONG = _pair("Left effusion. " * 150, "No nodule. " * 60)
"""450 and 180 tokens: 633 with the three special ones."""


def test_truncation_cuts_the_longer_report_and_tells_exactly_how_many_tokens(tmp_path: Path) -> None:
    """The release cuts so; what it did not see is told."""
    counter, watching = _watched(write(tmp_path / "crepe"))
    [counts] = _counts(counter, LONG)
    assert (counts.tokens, counts.unseen, counts.windows) == (633, 121, 1)
    [[row]] = watching.batches
    assert len(row) == 512
    separators = np.flatnonzero(row == 3).tolist()
    assert separators == [330, 511]  # 329 = 450 - 121 tokens of the reference are left, all 180 of the candidate


def test_a_pair_of_exactly_the_longest_length_is_whole(tmp_path: Path) -> None:
    """Neither is a token cut too early nor one too many sent."""
    folder = write(tmp_path / "crepe")
    whole, cut = _counts(_counter(folder), _pair("Nodule " * 510, ""), _pair("Nodule " * 511, ""))
    assert (whole.tokens, whole.unseen) == (512, 0)
    assert (cut.tokens, cut.unseen) == (513, 1)
    whole, cut = _counts(_counter(folder), _pair("Nodule " * 508, "No"), _pair("Nodule " * 509, "No"))
    assert (whole.tokens, whole.unseen) == (512, 0)
    assert (cut.tokens, cut.unseen) == (513, 1)


def test_windows_see_every_token(tmp_path: Path) -> None:
    """The other way to read long reports leaves nothing out."""
    counter, watching = _watched(write(tmp_path / "crepe"), long="windows")
    [counts, short] = _counts(counter, LONG, PAIR)
    assert (counts.tokens, counts.unseen, counts.windows) == (633, 0, 2)
    assert (short.unseen, short.windows) == (0, 1)
    seen = [token for batch in watching.batches for row in batch[batch[:, 0] == 2] for token in row.tolist()]
    short_tokens = short.tokens - 3
    assert sum(token > 4 for token in seen) == 450 + 180 + short_tokens


def test_windows_add_their_counts_and_join_their_presence(tmp_path: Path) -> None:
    """An error is in a report if it is in any of its parts."""

    def rigged(state: dict[str, Tensor]) -> dict[str, Tensor]:
        heads = {name: torch.zeros_like(tensor) for name, tensor in state.items() if "error_presence" in name}
        return {**state, **heads}

    folder = write(tmp_path / "crepe", biases=[1.0, 0.5, -1.0, 0.0, 0.0, 0.0], change=rigged)
    [counts] = _counts(_counter(folder, long="windows", max_tokens=256), LONG)
    assert counts.windows > 2
    assert counts.total == pytest.approx(1.5 * counts.windows)
    assert counts.presence["A"] == pytest.approx(1 - 0.5**counts.windows)


def test_a_word_longer_than_a_window_is_cut_and_counted(tmp_path: Path) -> None:
    """Text without spaces cannot make a window overflow."""
    counter = _counter(write(tmp_path / "crepe"), long="windows", max_tokens=32)
    [counts] = _counts(counter, _pair("left." * 50, "No nodule."))
    assert counts.tokens == 100 + 3 + 3
    assert (counts.windows, counts.unseen) == (4, 0)


def test_identity_tells_checkpoint_and_options(tmp_path: Path) -> None:
    """What changes no answer, as the batch size, changes no signature."""
    folder = write(tmp_path / "my|crepe")
    counters = [
        _counter(folder),
        _counter(folder, pooling="cls"),
        _counter(folder, long="windows"),
        _counter(folder, max_tokens=128),
        _counter(folder, dtype="bf16"),
        _counter(write(tmp_path / "other", seed=1)),
    ]
    digest = load_checkpoint(folder).digest
    assert counters[0].identity == f"bert:my_crepe@{digest},pooling=pooler,long=truncate,max_tokens=512,dtype=fp32"
    assert len({counter.identity for counter in counters}) == len(counters)
    assert _counter(folder, max_batch=1, device="cpu").identity == counters[0].identity
    assert counters[0].note == ""


def test_pooling_changes_the_answer(tmp_path: Path) -> None:
    """Paper and release differ here, so that the choice is part of the identity."""
    folder = write(tmp_path / "crepe")
    [pooler], [cls] = (_counts(_counter(folder, pooling=pooling), PAIR) for pooling in ("pooler", "cls"))
    assert pooler.total != pytest.approx(cls.total, abs=1e-3)


def test_mixed_precision_stays_near(tmp_path: Path) -> None:
    """bf16 has 8 bits of mantissa: 0.4 % in each step of two layers whose weights are wide."""
    folder = write(tmp_path / "crepe")
    pairs = _reports(10, longest=8)
    for exact, mixed in zip(
        _counts(_counter(folder), *pairs), _counts(_counter(folder, dtype="bf16"), *pairs), strict=True
    ):
        assert mixed.total == pytest.approx(exact.total, rel=0.1, abs=0.3)


@pytest.mark.parametrize("settings", [{}, {"attn_implementation": "eager"}], ids=["sdpa", "eager"])
@pytest.mark.parametrize("pooling", ["pooler", "cls"])
def test_a_last_layer_for_the_first_token_answers_as_the_whole(
    tmp_path: Path, pooling: Any, settings: dict[str, str]
) -> None:
    """Nothing is read of the other tokens' last states; padded pairs included."""
    checkpoint = load_checkpoint(write(tmp_path / "crepe"), pooling)
    if settings:
        checkpoint.model.set_attn_implementation(settings["attn_implementation"])
    pairs = [(pair.reference.text, pair.candidate.text) for pair in _reports(8, longest=12)]
    inputs = checkpoint.tokenizer([one for one, _ in pairs], [other for _, other in pairs], padding=True)
    ids, mask, types = (torch.tensor(inputs[name]) for name in ("input_ids", "attention_mask", "token_type_ids"))
    module: nn.Module = checkpoint.model
    module.eval()
    with torch.no_grad():
        whole = module(ids, mask, types)
    counts, presence = TorchNetwork(checkpoint.model, device="cpu").heads(ids.numpy(), mask.numpy(), types.numpy())
    assert presence is not None
    assert counts == pytest.approx(whole["counts"].numpy(), abs=1e-5)
    assert presence == pytest.approx(whole["presence"].numpy(), abs=1e-5)


def test_bf16_moves_no_count_of_the_embedded_model_by_more_than_two_hundredths() -> None:
    """Where "auto" takes bf16 for a trained model of the published size, the scores are still its own."""
    pairs = credible_pairs(12, seed=6)
    exact, other, auto = (
        [pair.counts for pair in _counts(_embedded(dtype=dtype), *pairs)] for dtype in ("fp32", "bf16", "auto")
    )
    moves = [abs(one[name] - two[name]) for one, two in zip(exact, other, strict=True) for name in one]
    assert 0 < max(moves) <= 0.02
    assert auto == exact, "it is small, and stays in fp32 on every CPU"


def test_a_checkpoint_of_the_published_size_loads_and_scores(tmp_path: Path) -> None:
    """12 layers of 768 and 30,522 words, as CREPE-BiomedBERT."""
    folder = write(tmp_path / "base", sizes=BASE)
    assert (folder / "model.safetensors").stat().st_size > 430_000_000
    answers = _counts(_counter(folder), PAIR, SWAPPED)
    assert all(set(answer.counts) == set("ABCDEF") and math.isfinite(answer.total) for answer in answers)
    assert answers[0].presence != answers[1].presence


def test_the_published_example_scores_as_published() -> None:
    """The release's own example pair and figures."""
    folder = os.environ.get("OVERREAD_CREPE_CHECKPOINT")
    if not folder:
        pytest.skip("set OVERREAD_CREPE_CHECKPOINT to a folder with gihuncho/crepe-biomedbert")
    [counts] = _counts(
        _counter(Path(folder), device="cpu"), _pair("Normal chest radiograph", "Bilateral pleural effusions noted")
    )
    assert counts.total == pytest.approx(2.3631812632083893, abs=1e-4)
    published = [1.5391030311584473, 0.7975516319274902, 0.0, 0.026526600122451782, 0.0, 0.0]
    assert list(counts.counts.values()) == pytest.approx(published, abs=1e-4)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("presence", [True, False])
def test_a_head_that_is_no_number_is_no_count_of_none(tmp_path: Path, value: float, presence: bool) -> None:  # noqa: FBT001
    """Clamping at zero must not turn a broken model into a perfect score."""

    class Broken:
        identity = "broken"

        def heads(self, ids: Ids, mask: Ids, types: Ids) -> Heads:  # noqa: ARG002 - the network's interface
            counts = np.zeros((len(ids), 6), dtype=np.float32)
            counts[0, 2] = value
            return counts, np.zeros_like(counts) if presence else None

    checkpoint = load_checkpoint(write(tmp_path / "c"))
    counter = CrepeErrorCounter(
        tokenizer=checkpoint.tokenizer, network=Broken(), head_names=checkpoint.head_names, identity="broken"
    )
    [answer] = counter.count([_pair("no effusion.", "left effusion.")])
    assert isinstance(answer, Unscored)
    assert answer.reason == "not finite"


def test_the_longer_report_is_cut_first_as_its_tokenizer_would(tmp_path: Path) -> None:
    """Scores of long pairs are those of the release."""
    tokenizer = load_checkpoint(write(tmp_path / "c")).tokenizer
    generator = random.Random(5)  # noqa: S311 - no secret
    for _ in range(300):
        one, other, room = generator.randint(0, 40), generator.randint(0, 40), generator.randint(4, 60)
        texts = (["no " * one], ["left " * other])
        types = tokenizer(*texts, truncation="longest_first", max_length=room + 3)["token_type_ids"][0]
        candidate = sum(types) - 1
        assert longest_first(one, other, room) == (len(types) - candidate - 3, candidate)


def test_half_a_character_pair_is_read_as_a_question_mark(tmp_path: Path) -> None:
    """Tokenizers fail on half a character."""
    counter = _counter(write(tmp_path / "c"))
    # One at a time: the rows of one batch may differ in their last bits.
    assert _counts(counter, _pair("no \ud800 effusion.", "no")) == _counts(counter, _pair("no ? effusion.", "no"))
