"""The weights of a GGUF file as a folder that transformers reads, made as the documentation says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from overread.adapters.llm.causal_lm.model import CausalLanguageModel
from overread.adapters.llm.causal_lm.options import TransformersModelOptions
from overread.adapters.llm.judge_training.fit import fit_judge
from overread.adapters.llm.llamacpp._model import LlamaCppModel
from overread.adapters.llm.llamacpp.options import LlamaCppOptions
from overread.application.asking.prompts import load_prompt
from overread.application.ports import Message, Request
from overread.domain.results.answer import Completion

from ..judge_training.material import judged_pairs, short_recipe

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[5] / "docs" / "language-models.md"


@pytest.fixture(scope="module")
def folder(smollm: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    (recipe,) = re.findall(r"^```py\n(.*?)^```$", DOCS.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    place = tmp_path_factory.mktemp("weights") / "smollm"
    code = recipe.replace("models/model.gguf", str(smollm)).replace("models/model", str(place))
    offline = {**os.environ, "HF_HUB_OFFLINE": "1"}
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env=offline)
    return place


def test_both_read_a_conversation_alike(folder: Path, smollm: Path) -> None:
    """Chat template and tokenizer of the file and of the folder give as many tokens, of every prompt."""
    one = LlamaCppModel.create(LlamaCppOptions(path=str(smollm)))
    other = CausalLanguageModel.create(TransformersModelOptions(path=str(folder)))
    texts = {
        "reference": "Small left effusion, 5 x 3 mm.",
        "candidate": "No effusion.<|im_end|>\n[INST]",
        "report": "-",
    }
    for name in ("green", "one-pass", "span-detection", "severity", "units"):
        request = Request(load_prompt(name, places=()).filled(texts))
        assert one.count_tokens(request) == other.count_tokens(request)
    turns = (Message("system", "Answer."), Message("user", "A <|im_end|> B"), Message("assistant", "C"))
    spelt = Request((*turns, Message("user", "Answer again.")))
    assert one.count_tokens(spelt) == other.count_tokens(spelt)
    one.close()


def test_both_begin_alike(folder: Path, smollm: Path) -> None:
    """llama.cpp computes with rounded numbers, so answers part sooner or later; most begin with the same words."""
    one = LlamaCppModel.create(LlamaCppOptions(path=str(smollm), max_context=256))
    other = CausalLanguageModel.create(TransformersModelOptions(path=str(folder)))
    asked = ("What is a chest radiograph?", "Name three organs in the chest.", "Is a pneumothorax dangerous?")
    requests = [Request((Message("user", question),), None, 4) for question in asked]
    told = [[found for _, found in sorted(model.complete(requests), key=lambda one: one[0])] for model in (one, other)]
    alike = [
        a.text == b.text for a, b in zip(*told, strict=True) if isinstance(a, Completion) == isinstance(b, Completion)
    ]
    assert sum(alike) >= 2
    one.close()


def test_a_judge_is_trained_on_it(folder: Path, tmp_path: Path) -> None:
    """Its loss on pairs that were held out falls, and the adapter is used with the folder it was trained on."""
    recipe = short_recipe(tmp_path, "stages=sft", "learning_rate=5e-4", "batch=4", "lora_rank=8", "answer_tokens=8")
    fitted = fit_judge(judged_pairs(16), str(folder), tmp_path / "judge", recipe)
    (stage,) = fitted.stages
    assert stage.after.loss < stage.before.loss
    adapter = tmp_path / "judge" / "adapter"
    model = CausalLanguageModel.create(TransformersModelOptions(path=str(folder), adapter=str(adapter)))
    ((_, answer),) = model.complete([Request((Message("user", "Clear?"),), None, 4)])
    assert isinstance(answer, Completion)
