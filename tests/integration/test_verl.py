"""Metrics as rewards of verl: its configuration, reward managers and reward loop, and training with its algorithms.

verl itself is in no extra, since it wants other versions than ours: what needs it is slow, and skipped where it is not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

import overread
from overread.application.scoring.reward import Grade, Reward
from overread.exceptions import ConfigurationError, InputError
from overread.integrations.verl import compute_score, compute_score_async, compute_scores

REFERENCE: Final = "Small left pleural effusion. No pneumothorax."
FOREIGN: Final = "Kleiner Pleuraerguss links mit Belüftungsstörung, sonst ist die Lunge unauffällig."
COMPLETIONS: Final = (REFERENCE, "Small left pleural effusion.", "Large right pneumothorax.", "No pneumothorax.")
WORDS: Final = ("<pad>", "<s>", "</s>", "Report:", *REFERENCE.split(), "Large", "right", "pneumothorax")
LENGTH: Final = 8


def test_scores_are_those_of_the_reward() -> None:
    """One at a time and in a batch; what has no score says so."""
    expected = overread.reward()(completions=COMPLETIONS, reference=[REFERENCE] * 4)
    rows: Any = (["chest"] * 4, COMPLETIONS, [REFERENCE] * 4)
    assert compute_scores(*rows) == [{"score": reward, "scored": 1.0} for reward in expected]
    assert [compute_score(*row)["score"] for row in zip(*rows, strict=True)] == expected
    unread = compute_score("chest", REFERENCE, FOREIGN, {"index": 1}, unscored=0.25)
    assert unread == {"score": 0.25, "scored": 0.0}
    assert compute_score("chest", FOREIGN, REFERENCE, unscored=0.25) == {"score": 0.0, "scored": 0.0}


def test_what_waits_is_scored_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Completions that are asked for at once are one batch, each with its own reward; other options are another."""
    sizes = []
    grade = Reward.grade

    def count(self: Reward, completions: Sequence[Any], references: Sequence[Any]) -> list[Grade]:
        sizes.append(len(completions))
        return grade(self, completions, references)

    monkeypatch.setattr(Reward, "grade", count)

    async def ask() -> list[dict[str, float]]:
        asked = [compute_score_async("chest", text, REFERENCE, metric="rouge") for text in COMPLETIONS * 5]
        return await asyncio.gather(*asked, compute_score_async("chest", "", "", metric="rouge", unscored=0.5))

    *given, blank = asyncio.run(ask())
    assert sorted(sizes) == [1, 20]
    assert [row["score"] for row in given[:4]] == overread.reward("rouge")(
        completions=COMPLETIONS, reference=[REFERENCE] * 4
    )
    assert blank == {"score": 0.5, "scored": 0.0}
    assert asyncio.run(ask())[:4] == given[:4]


def test_whoever_waits_is_told_of_a_bad_batch() -> None:
    """And the next one is scored."""

    async def ask() -> list[Any]:
        bad = [compute_score_async("chest", text, REFERENCE, metric="rouge") for text in ("a", None)]  # type: ignore[arg-type]
        told = await asyncio.gather(*bad, return_exceptions=True)
        return [*told, await compute_score_async("chest", "a", "a", metric="rouge")]

    *told, good = asyncio.run(ask())
    assert [type(error) for error in told] == [InputError, InputError]
    assert good["score"] == 1.0


def test_options_are_those_of_a_reward(tmp_path: Path) -> None:
    """Settings are a file; a completion must have a number; what verl adds for a reward model is passed by."""
    settings = tmp_path / "own.toml"
    settings.write_text("[options.rouge]\nmax_words = 1\n", encoding="utf-8")
    options: dict[str, Any] = {"metric": "rouge", "settings": str(settings), "reward_router_address": "127.0.0.1:9"}
    assert compute_score("chest", "Small effusion.", "Small effusion.", **options)["scored"] == 0.0
    with pytest.raises(ConfigurationError, match="verl needs a number"):
        compute_score("chest", "a", "a", unscored=None)  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="rougue"):
        compute_score("chest", "a", "a", metric="rougue")


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    bare = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token=WORDS[0]))
    bare.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=bare, pad_token=WORDS[0], bos_token=WORDS[1], eos_token=WORDS[2]
    )


def batch_of(tokenizer: PreTrainedTokenizerFast, completions: Sequence[str], references: Sequence[str]) -> Any:
    """What verl has after a rollout: prompts and responses padded to one length, and of each the data set's row."""
    numpy, protocol = import_module("numpy"), import_module("verl")
    ids = [tokenizer.encode(f"{text} </s>", add_special_tokens=False) for text in completions]
    responses = torch.tensor([row + [0] * (LENGTH - len(row)) for row in ids])
    prompts = torch.tensor([tokenizer.encode("Report:", add_special_tokens=False)] * len(ids))
    return protocol.DataProto.from_single_dict(
        {
            "prompts": prompts,
            "responses": responses,
            "attention_mask": torch.cat([torch.ones_like(prompts), (responses != 0).long()], dim=1),
            "data_source": numpy.array(["chest"] * len(ids), dtype=object),
            "reward_model": numpy.array([{"ground_truth": reference} for reference in references], dtype=object),
            "extra_info": numpy.array([{"index": index} for index in range(len(ids))], dtype=object),
        }
    )


def check_tensor(tensor: torch.Tensor, batch: Any, expected: Sequence[float]) -> None:
    """Each reward stands at the last token that is valid, and nothing elsewhere."""
    last = batch.batch["attention_mask"][:, batch.batch["prompts"].shape[1] :].sum(dim=1) - 1
    wanted = torch.zeros_like(tensor)
    wanted[torch.arange(len(expected)), last] = torch.tensor(expected)
    assert torch.allclose(tensor, wanted)


REFERENCES: Final = (REFERENCE, REFERENCE, REFERENCE, FOREIGN)


@pytest.mark.slow
def test_the_batch_manager(tokenizer: PreTrainedTokenizerFast) -> None:
    """verl's own manager of batches gives our rewards at the last tokens, and keeps what has a score."""
    module = pytest.importorskip("verl.workers.reward_manager.batch")
    manager = module.BatchRewardManager(tokenizer, 0, compute_scores, metric="notation", subscore="reward")
    batch = batch_of(tokenizer, COMPLETIONS, REFERENCES)
    given = manager(batch, return_dict=True)
    expected = overread.reward()(completions=COMPLETIONS, reference=REFERENCES)
    assert expected[0] == 1.0
    check_tensor(given["reward_tensor"], batch, [reward or 0.0 for reward in expected])
    assert given["reward_extra_info"] == {"score": expected, "scored": [1.0, 1.0, 1.0, 0.0]}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["compute_score", "compute_score_async"])
def test_the_reward_loop(name: str, tokenizer: PreTrainedTokenizerFast, tmp_path: Path) -> None:
    """verl's reward loop, set up by its own configuration and the lines of docs/reward.md."""
    verl = pytest.importorskip("verl")
    hydra, loop = import_module("hydra"), import_module("verl.experimental.reward_loop")
    tokenizer.save_pretrained(tmp_path / "tiny")
    LlamaConfig(vocab_size=len(WORDS)).save_pretrained(tmp_path / "tiny")
    lines = [
        "reward.custom_reward_function.path=pkg://overread.integrations.verl",
        f"reward.custom_reward_function.name={name}",
        "+reward.custom_reward_function.reward_kwargs.unscored=0.5",
        "reward.num_workers=1",
        f"actor_rollout_ref.model.path={tmp_path / 'tiny'}",
    ]
    with hydra.initialize_config_dir(str(Path(verl.__file__).parent / "trainer" / "config"), version_base=None):
        config = hydra.compose("ppo_trainer", overrides=lines)
    worker = loop.RewardLoopWorker(config)
    batch = batch_of(tokenizer, COMPLETIONS, REFERENCES)
    given = worker.loop.run_until_complete(worker.compute_score_batch(batch))
    tensor = worker.reward_manager.assemble_rm_scores(batch, [row["reward_score"] for row in given])
    expected = overread.reward(unscored=0.5)(completions=COMPLETIONS, reference=REFERENCES)
    check_tensor(tensor, batch, [reward or 0.0 for reward in expected])
    assert [row["reward_extra_info"]["scored"] for row in given] == [1.0, 1.0, 1.0, 0.0]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_training_raises_the_reward(tokenizer: PreTrainedTokenizerFast) -> None:
    """Advantages and loss by verl's functions, from its manager's tensor: the model learns to say more that is so."""
    algorithms = pytest.importorskip("verl.trainer.ppo.core_algos")
    manager = import_module("verl.workers.reward_manager.batch").BatchRewardManager(tokenizer, 0, compute_scores)
    numpy = import_module("numpy")
    torch.manual_seed(0)
    torch.set_num_threads(1)
    size: dict[str, Any] = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2}
    ends: dict[str, Any] = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
    model: Any = LlamaForCausalLM(LlamaConfig(vocab_size=len(WORDS), num_attention_heads=4, **size, **ends))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    prompt = torch.full((32, 1), WORDS.index("Report:"))
    means = []
    for _ in range(40):
        with torch.no_grad():
            ids: Any = model.generate(prompt, do_sample=True, min_new_tokens=LENGTH, max_new_tokens=LENGTH)
        responses = ids[:, 1:]
        mask = (responses == 2).cumsum(dim=1) - (responses == 2).long() == 0
        batch = batch_of(tokenizer, [""] * 32, [REFERENCE] * 32)
        batch.batch["responses"] = responses * mask
        batch.batch["attention_mask"] = torch.cat([torch.ones_like(prompt), mask.long()], dim=1)
        rewards = manager(batch)
        means.append(rewards.sum(dim=1).mean().item())
        advantages, _ = algorithms.compute_grpo_outcome_advantage(rewards, mask.float(), numpy.array(["one"] * 32))
        logits = model(ids).logits[:, :-1]
        now = torch.log_softmax(logits, dim=-1).gather(2, responses[..., None])[..., 0]
        loss = algorithms.compute_policy_loss(now.detach(), now, advantages, mask.float(), cliprange=0.2)[0]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print([round(mean, 2) for mean in means])  # noqa: T201 - pytest -s shows the figures
    assert sum(means[-5:]) / 5 > sum(means[:5]) / 5 + 0.2
