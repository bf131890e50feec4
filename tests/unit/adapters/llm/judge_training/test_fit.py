"""The fit: it learns, the judge that comes of it judges, and what is written says what it is."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import datasets.config
import pytest
from attrs import evolve
from huggingface_hub.utils import _telemetry
from safetensors.torch import load_file

from overread.adapters.llm.causal_lm.model import CausalLanguageModel
from overread.adapters.llm.causal_lm.options import TransformersModelOptions
from overread.adapters.llm.judge.one_pass import OnePassJudge
from overread.adapters.llm.judge_training.fit import fit_judge
from overread.application.asking.inquiry import Inquiry
from overread.application.asking.prompts import load_prompt
from overread.application.training.judged_pairs import JudgedPair, evaluate_judge
from overread.exceptions import ConfigurationError, MissingDependencyError

from .conftest import Trained
from .material import judged_pairs, save_model, short_recipe


def one_pass_judge(model: CausalLanguageModel, folder: Path) -> OnePassJudge:
    prompt = load_prompt("one-pass", str(folder / "prompt.toml"))
    return OnePassJudge(inquiry=Inquiry(model, None, 0), prompt=prompt, max_tokens=80, threshold=0.85)


def test_fine_tuning_lowers_the_loss_and_preferences_part_the_answers(trained: Trained) -> None:
    """Each stage does its part, and the second begins where the first ended."""
    tuned, preferring = trained.fitted.stages
    assert [tuned.stage, preferring.stage] == ["sft", "dpo"]
    assert tuned.losses[-1][1] < 0.1 * tuned.losses[0][1]
    assert tuned.after.loss < 0.1 * tuned.before.loss, "on held-out pairs too"
    assert preferring.before.loss == pytest.approx(tuned.after.loss), "one begins where the other ended"
    assert preferring.losses[-1][1] < preferring.losses[0][1]
    assert preferring.after.margin > preferring.before.margin + 1
    assert preferring.after.preferred == 1.0


def test_the_losses_are_told_as_they_come(trained: Trained) -> None:
    """Who watches a long fit sees stage, epoch and loss."""
    stages = [stage for stage, *_ in trained.told]
    assert stages == sorted(stages, reverse=True)
    assert {stage: epochs for stage, _, epochs, _ in trained.told} == {"sft": 9.0, "dpo": 1.0}
    assert 0.5 < trained.told[-1][1] <= 1.0


def test_the_adapter_makes_a_judge_of_its_base_model(trained: Trained) -> None:
    """Untrained, it says nothing that can be read; trained, it comes to the known verdicts."""
    place = trained.folder.parent
    options = TransformersModelOptions(path=str(trained.base), device="cpu")
    bare = evaluate_judge(one_pass_judge(CausalLanguageModel.create(options), place), judged_pairs(4))
    assert bare.unscored == 4
    assert bare.discrimination.value == bare.robustness.value == 0.0
    adapted = CausalLanguageModel.create(evolve(options, adapter=str(trained.fitted.adapter)))
    evaluation = evaluate_judge(one_pass_judge(adapted, place), judged_pairs(8))
    assert (evaluation.discrimination.value, evaluation.robustness.value, evaluation.unscored) == (1.0, 1.0, 0)
    found = trained.fitted.evaluations["others"]
    assert (found.discrimination.value, found.robustness.value, found.pairs) == (1.0, 1.0, 16)


def test_merged_weights_judge_as_the_adapter_does(trained: Trained) -> None:
    """A merged model can be served where adapters cannot."""
    merged = TransformersModelOptions(path=str(trained.folder / "merged"), device="cpu")
    judge = one_pass_judge(CausalLanguageModel.create(merged), trained.folder.parent)
    evaluation = evaluate_judge(judge, judged_pairs(4))
    assert (evaluation.discrimination.value, evaluation.robustness.value) == (1.0, 1.0)


def test_the_card_tells_data_base_figures_and_signature_and_no_place_on_the_machine(trained: Trained) -> None:
    """A judge is published with its card; paths tell of the hospital."""
    card = (trained.folder / "README.md").read_text()
    fitted = trained.fitted
    for fact in (
        fitted.identity,
        fitted.base,
        fitted.data,
        "made for a test",
        "| seed | 3 |",
        "| others | 16 | 100.0 %",
    ):
        assert fact in card
    assert "after preferences" in card
    published = [
        card,
        *(path.read_text() for path in trained.folder.glob("[am]*/*.json") if path.name != "tokenizer.json"),
    ]
    assert not any(str(trained.folder.parent) in text or str(trained.base) in text for text in published)


def test_started_again_a_finished_run_is_read_and_not_trained(trained: Trained) -> None:
    """Other data in the same folder are refused and do not overwrite it."""
    told: list[object] = []
    recipe = short_recipe(trained.folder.parent, "sft_epochs=9", "merge=true")
    again = fit_judge(judged_pairs(64), str(trained.base), trained.folder, recipe, told=lambda *a: told.append(a))
    assert told == []
    assert again.stages == trained.fitted.stages
    with pytest.raises(ConfigurationError, match="other data or options"):
        fit_judge(judged_pairs(60), str(trained.base), trained.folder, recipe)


def test_two_passes_are_trained_on_one_adapter(tmp_path: Path, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is reported to anyone, and nothing is cached elsewhere."""
    for name in ("CI", "HF_HUB_OFFLINE", "HF_HUB_DISABLE_TELEMETRY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    monkeypatch.setattr(_telemetry, "_start_telemetry_thread", lambda: pytest.fail("reported"))
    recipe = short_recipe(tmp_path, "two_pass=true")
    fitted = fit_judge(judged_pairs(24), str(base), tmp_path / "judge", recipe)
    assert fitted.lessons["training"] == 2 * fitted.pairs["training"]
    assert [record.after.pairs for record in fitted.stages] == [fitted.pairs["validation"]] * 2
    assert fitted.identity.startswith("two-pass,prompts=list@1:")
    assert not (tmp_path / "cache").exists()


def test_all_weights_can_be_trained_and_the_model_judges_without_its_base(tmp_path: Path, base: Path) -> None:
    """A small model needs no adapter: both stages move every weight, and what is written is whole."""
    recipe = short_recipe(tmp_path, "lora=false", "sft_epochs=9", "learning_rate=2e-3", "dpo_learning_rate=1e-5")
    fitted = fit_judge(judged_pairs(64), str(base), tmp_path / "judge", recipe, tests={"others": judged_pairs(8)})
    tuned, preferring = fitted.stages
    assert tuned.after.loss < 0.2 * tuned.before.loss
    assert preferring.before.loss == pytest.approx(tuned.after.loss, rel=1e-4), "one begins where the other ended"
    assert preferring.after.margin > preferring.before.margin
    assert fitted.adapter == tmp_path / "judge" / "model"
    assert not (tmp_path / "judge" / "adapter").exists()
    old, new = (load_file(place / "model.safetensors") for place in (base, fitted.adapter))
    assert old.keys() == new.keys()
    assert not any(old[name].equal(new[name]) for name in old)
    assert f"transformers:{tmp_path.name}" not in (tmp_path / "judge" / "README.md").read_text()
    assert "--set model=transformers:judge/model" in (tmp_path / "judge" / "README.md").read_text()
    model = CausalLanguageModel.create(TransformersModelOptions(path=str(fitted.adapter), device="cpu"))
    evaluation = evaluate_judge(one_pass_judge(model, tmp_path), judged_pairs(8))
    found = fitted.evaluations["others"]
    assert (found.discrimination, found.robustness) == (evaluation.discrimination, evaluation.robustness)
    assert evaluation.unscored == 0


@pytest.mark.parametrize(
    ("settings", "problem"),
    [(("lora=false", "merge=true"), "merge is for adapters"), (("lora=false", "dtype=fp16"), "fp16; set dtype=bf16")],
)
def test_what_all_weights_exclude_is_told(tmp_path: Path, settings: tuple[str, ...], problem: str) -> None:
    """Half of the settings of adapters make no sense without one."""
    with pytest.raises(ConfigurationError, match=problem):
        short_recipe(tmp_path, *settings)


def test_training_prints_nothing_and_logs_no_report(
    tmp_path: Path, base: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """The training libraries print progress and samples."""
    caplog.set_level(logging.DEBUG)
    recipe = short_recipe(tmp_path, "stages=dpo", "gradient_checkpointing=true")
    fit_judge(judged_pairs(16), str(base), tmp_path / "judge", recipe)
    assert capfd.readouterr() == ("", "")
    assert not any(word in caplog.text for word in ("effusion", "pneumothorax", "nodule"))


@pytest.mark.slow
def test_the_same_seed_trains_the_same_adapter(tmp_path: Path, base: Path) -> None:
    """A published fit can be made again, bit by bit."""
    weights = []
    for name in ("one", "two"):
        fitted = fit_judge(judged_pairs(16), str(base), tmp_path / name, short_recipe(tmp_path, "stages=sft"))
        weights.append(load_file(fitted.adapter / "adapter_model.safetensors"))
    assert weights[0].keys() == weights[1].keys()
    assert all(weights[0][name].equal(weights[1][name]) for name in weights[0])


def one_study() -> list[JudgedPair]:
    return [evolve(pair, study="s") for pair in judged_pairs(8)]


def no_differences() -> list[JudgedPair]:
    return [evolve(pair, spans=()) for pair in judged_pairs(8)]


@pytest.mark.parametrize(
    ("pairs", "settings", "problem"),
    [
        (one_study(), (), "all come from one study"),
        (no_differences(), ("stages=dpo",), "no training pair has a difference"),
        (judged_pairs(8), ("max_tokens=9",), "at most 9 tokens; raise max_tokens"),
        (judged_pairs(8), ("lora_targets=nowhere",), "lora_targets do not fit the model"),
        (judged_pairs(8), ("chat=green", "prompt=./nowhere.toml"), "cannot be read"),
        (
            judged_pairs(16),
            ("learning_rate=1e30", "max_gradient=1e30", "stages=sft", "sft_epochs=2"),
            "lower learning_rate",
        ),
    ],
)
def test_what_cannot_be_trained_is_told_and_leaves_the_folder_free(
    tmp_path: Path, base: Path, pairs: list[JudgedPair], settings: tuple[str, ...], problem: str
) -> None:
    """The remedy can be tried in the same folder."""
    with pytest.raises(ConfigurationError, match=problem):
        fit_judge(pairs, str(base), tmp_path / "judge", short_recipe(tmp_path, *settings))
    assert not (tmp_path / "judge" / "adapter").exists()


def test_a_run_that_failed_at_once_can_be_started_with_other_options(tmp_path: Path, base: Path) -> None:
    """A typing error does not take the folder for good."""
    with pytest.raises(ConfigurationError, match="lora_targets"):
        fit_judge(judged_pairs(16), str(base), tmp_path / "judge", short_recipe(tmp_path, "lora_targets=nowhere"))
    recipe = short_recipe(tmp_path, "lora_targets=q_proj,v_proj", "stages=sft")
    fitted = fit_judge(judged_pairs(16), str(base), tmp_path / "judge", recipe)
    names = load_file(fitted.adapter / "adapter_model.safetensors")
    assert all("q_proj" in name or "v_proj" in name for name in names)


@pytest.mark.parametrize("broken", ["nothing", "config.json", "model.safetensors", "tokenizer.json"])
def test_a_base_that_cannot_be_used_is_named(tmp_path: Path, broken: str) -> None:
    """A torn file of the base is no traceback of a library."""
    place = save_model(tmp_path / "tiny") if broken != "nothing" else tmp_path / "missing"
    if broken != "nothing":
        (place / broken).write_bytes(b"torn")
    with pytest.raises(ConfigurationError, match="checkpoint"):
        fit_judge(judged_pairs(8), str(place), tmp_path / "judge", short_recipe(tmp_path))


def test_missing_packages_are_named_with_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The training libraries are an extra of their own."""
    monkeypatch.setattr("overread.extras.find_spec", lambda name: None if name == "trl" else object())
    with pytest.raises(MissingDependencyError, match=r"trl; install with: pip install 'overread\[train\]'"):
        fit_judge(judged_pairs(8), "base", tmp_path, short_recipe(tmp_path))


def test_a_damaged_record_of_a_finished_stage_is_named(tmp_path: Path, base: Path) -> None:
    """A stage whose figures are lost is not told as finished."""
    recipe = short_recipe(tmp_path, "stages=sft")
    fit_judge(judged_pairs(16), str(base), tmp_path / "judge", recipe)
    record = tmp_path / "judge" / "sft" / "finished" / "figures.json"
    record.write_text(json.dumps({"before": {}}))
    with pytest.raises(ConfigurationError, match="is damaged; remove it"):
        fit_judge(judged_pairs(16), str(base), tmp_path / "judge", recipe)
