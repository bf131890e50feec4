"""The training aid: which tokens are new beside the other report, worked by hand."""

from __future__ import annotations

import torch

from overread.adapters.bert.crepe._matching import novelty

CLS, SEP, PAD = 2, 3, 0
NO, LEFT, RIGHT, EFFUSION = 10, 11, 12, 13


def asked(reference: list[int], candidate: list[int], padding: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    ids = [CLS, *reference, SEP, *candidate, SEP]
    types = [0] * (len(reference) + 2) + [1] * (len(candidate) + 1)
    real = [1] * len(ids) + [0] * padding
    tensors = [torch.tensor([row + [PAD] * padding]) for row in (ids, types)]
    new, counted = novelty(tensors[0], torch.tensor([real]), tensors[1])
    return new[0], counted[0]


def test_a_token_is_new_where_the_other_report_lacks_it() -> None:
    """A token that both reports hold is not new in either."""
    new, _ = asked([NO, EFFUSION], [LEFT, EFFUSION])
    assert new[:, 0].tolist() == [1, 1, 0, 0, 1, 0, 0]


def test_a_token_is_new_after_the_one_before_it_and_before_the_one_after_it() -> None:
    """Left effusion against right effusion: the effusion is known, but not after "left"."""
    new, _ = asked([RIGHT, EFFUSION], [LEFT, EFFUSION])
    effusion = 5
    assert new[effusion].tolist() == [0, 1, 0]


def test_a_copy_holds_nothing_new() -> None:
    """Every token but the first is asked about."""
    new, counted = asked([NO, LEFT, EFFUSION], [NO, LEFT, EFFUSION])
    inner = [2, 3, 6, 7]
    assert new[inner].sum() == 0
    assert counted.tolist() == [0, 1, 1, 1, 1, 1, 1, 1, 1]


def test_padding_is_neither_asked_nor_matched() -> None:
    """The length of a batch teaches nothing."""
    plain, _ = asked([NO, EFFUSION], [EFFUSION])
    new, counted = asked([NO, EFFUSION], [EFFUSION], padding=3)
    assert torch.equal(new[: len(plain)], plain)
    assert counted[len(plain) :].sum() == 0
