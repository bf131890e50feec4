"""The model and its loss."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from transformers import BertConfig

from overread.adapters.bert.crepe._model import CrepeModel, crepe_loss

CONFIG: dict[str, Any] = {
    "vocab_size": 30,
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 32,
}
IDS = torch.tensor([[2, 5, 6, 3, 7, 3], [2, 5, 3, 8, 3, 0]])
MASK = torch.tensor([[1] * 6, [1] * 5 + [0]])
TYPES = torch.tensor([[0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 0]])


def model(**fields: Any) -> CrepeModel:
    torch.manual_seed(0)
    made = CrepeModel(BertConfig(**{**CONFIG, **fields}))
    made.eval()  # type: ignore[no-untyped-call]
    return made


def test_the_loss_is_the_mean_of_squared_error_and_cross_entropy() -> None:
    """Equations 5 to 7 by hand, for two pairs and two categories."""
    counts, labels = torch.tensor([[1.0, 0.0], [2.0, 3.0]]), torch.tensor([[0.0, 0.0], [2.0, 1.0]])
    presence = torch.tensor([[0.0, -1.0], [1.0, 2.0]])
    squared = (1.0 + 0.0 + 0.0 + 4.0) / 4
    entropy = (math.log(2) + math.log1p(math.exp(-1)) + math.log1p(math.exp(-1)) + math.log1p(math.exp(-2))) / 4
    assert crepe_loss(counts, presence, labels).item() == pytest.approx((squared + entropy) / 2, abs=1e-6)
    assert crepe_loss(counts, None, labels).item() == pytest.approx(squared)


def test_the_poisson_loss_is_rate_less_count_times_log_rate() -> None:
    """The loss is worked by hand from its definition."""
    head, label = 0.3, 2.0
    rate = math.log1p(math.exp(head))
    found = crepe_loss(torch.tensor([[head]]), None, torch.tensor([[label]]), poisson=True).item()
    assert found == pytest.approx(rate - label * math.log(rate), abs=1e-5)


def test_tensors_are_named_as_published() -> None:
    """The authors' weights load without renaming."""
    names = set(model().state_dict())
    heads = {
        f"{kind}.{i}.{part}"
        for kind in ("error_regressors", "error_presence")
        for i in range(6)
        for part in ("weight", "bias")
    }
    assert heads <= names
    assert all(name.startswith("bert.") for name in names - heads)
    assert "bert.pooler.dense.weight" in names


@pytest.mark.parametrize(("heads", "width"), [(1, 1), (2, 2), (6, 6)])
def test_a_model_has_as_many_heads_as_asked(heads: int, width: int) -> None:
    """Each head has its count and its presence."""
    answer = model(num_error_categories=heads)(IDS, MASK, TYPES)
    assert answer["counts"].shape == answer["presence"].shape == (2, width)


def test_without_presence_loss_there_are_no_presence_heads() -> None:
    """Heads that nothing trains would answer at random."""
    answer = model(use_presence_loss=False)(IDS, MASK, TYPES)
    assert "presence" not in answer
    assert not any("presence" in name for name in model(use_presence_loss=False).state_dict())


def test_pooling_as_printed_has_no_pooler_and_another_answer() -> None:
    """Paper and release differ, and both can be had."""
    printed, released = model(crepe_pooling="cls"), model(crepe_pooling="pooler")
    assert not any("pooler" in name for name in printed.state_dict())
    assert not torch.allclose(printed(IDS, MASK, TYPES)["counts"], released(IDS, MASK, TYPES)["counts"])


def test_padding_changes_nothing() -> None:
    """A pair's answer does not depend on the longest of its batch."""
    whole = model()(IDS, MASK, TYPES)["counts"][1]
    alone = model()(IDS[1:, :5], MASK[1:, :5], TYPES[1:, :5])["counts"][0]
    assert torch.allclose(whole, alone, atol=1e-6)


@pytest.mark.parametrize(
    ("fields", "rate"),
    [({"classifier_dropout": 0.3, "hidden_dropout_prob": 0.2}, 0.3), ({"hidden_dropout_prob": 0.2}, 0.2)],
)
def test_dropout_is_the_classifiers_else_the_encoders(fields: dict[str, float], rate: float) -> None:
    """The configuration names two rates, as BERT's own classifiers do."""
    assert model(**fields).dropout.p == rate
