"""Invented judged pairs, a short prompt, and a tiny model that knows nothing yet."""

from __future__ import annotations

from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from overread.adapters.llm.judge_training.options import Recipe, read_recipe
from overread.application.training.judged_pairs import JudgedPair, MarkedSpan
from overread.domain.reports.report import ReportPair
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorType

FINDINGS = ("effusion", "pneumothorax", "nodule", "edema")
CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
PROMPT = 'name = "short"\nversion = "1"\nuser = "Reference: {reference} Candidate: {candidate}"\n'
DETECTION = 'name = "list"\nversion = "1"\nuser = "List. Reference: {reference} Candidate: {candidate}"\n'
SEVERITY = (
    'name = "rule"\nversion = "1"\n'
    'user = "Reference: {reference} Candidate: {candidate} Span: {span} Aspect: {aspect} Type: {type}"\n'
)

SMALL = (
    "learning_rate=5e-3",
    "lora_rank=64",
    "lora_alpha=64",
    "lora_dropout=0",
    "batch=8",
    "accumulation=1",
    "sft_epochs=1",
    "checkpoints=0.4",
    "dpo_learning_rate=1e-4",
    "answer_tokens=80",
    "gradient_checkpointing=false",
    "device=cpu",
    "seed=3",
)


def judged_pairs(count: int) -> list[JudgedPair]:
    """Pairs in turn with an invented finding, which matters, and with a word misspelt, which does not."""
    made = []
    for i in range(count):
        name = FINDINGS[(i // 2) % 4]
        reference = f"No {name}."
        if i % 2:
            candidate = f"Large {name}."
            span = MarkedSpan(candidate[:-1], ErrorAspect.DESCRIPTION, ErrorType.FABRICATION, Severity.SIGNIFICANT)
        else:
            candidate = f"Noo {name}."
            span = MarkedSpan("Noo", ErrorAspect.NOISE, None, Severity.INSIGNIFICANT)
        pair = ReportPair(id=str(i), reference=reference, candidate=candidate)
        made.append(JudgedPair(pair=pair, study=str(i // 4), spans=(span,), explanation="Invented."))
    return made


def tokenizer_of(template: str | None) -> PreTrainedTokenizerFast:
    """A byte-level BPE that spells every text and has learned the words of the pairs."""
    texts = [
        str(part) for judged in judged_pairs(8) for part in (judged.pair.reference.text, judged.pair.candidate.text)
    ]
    texts += ['{"critical": {}, "significant": {"', '": "Description - Fabrication"}, "insignificant": {', '"Noise"}']
    texts += ["Reference: Candidate: Span: Aspect: Type: user assistant", '"explanation": "Invented."}']
    bare = Tokenizer(models.BPE(unk_token="<unk>"))  # noqa: S106 - no password
    bare.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bare.decoder = decoders.ByteLevel()
    bare.train_from_iterator(
        texts * 3,
        trainers.BpeTrainer(
            vocab_size=420,
            special_tokens=["<s>", "</s>", "<unk>", "<|im_start|>", "<|im_end|>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    wrapped = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=bare,
        bos_token="<s>",  # noqa: S106
        eos_token="</s>",  # noqa: S106
        unk_token="<unk>",  # noqa: S106
        additional_special_tokens=["<|im_start|>", "<|im_end|>"],
    )
    wrapped.chat_template = template
    return wrapped


def save_model(folder: Path, *, template: str | None = CHATML, positions: int = 512) -> Path:
    """A Llama of two layers, 64 wide, with random weights large enough for an adapter to make something of them."""
    tokenizer = tokenizer_of(template)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=positions,
        bos_token_id=0,
        eos_token_id=1,
    )
    model = LlamaForCausalLM(config)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() > 1:
                weight.normal_(std=0.2)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def short_recipe(folder: Path, *settings: str) -> Recipe:
    """A recipe for a tiny model, with short prompts whose files are written to a folder."""
    texts = {"prompt": PROMPT, "detection_prompt": DETECTION, "severity_prompt": SEVERITY}
    for name, text in texts.items():
        (folder / f"{name}.toml").write_text(text)
    prompts = [f"{name}={folder / name}.toml" for name in texts]
    return read_recipe(None, [*prompts, *SMALL, *settings])
