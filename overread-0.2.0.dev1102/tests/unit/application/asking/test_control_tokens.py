"""Control tokens in a report are taken apart whatever they are called, and what people write stays as it is."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import cache
from io import BytesIO

import pytest
import sentencepiece
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers

from overread.application.asking.answers.spans import find_quote
from overread.application.asking.control_tokens import MARKS, inert
from overread.application.asking.prompt import Prompt

_LISTED = """
    <s> </s> <unk> <pad> <mask> <bos> <eos> <cls> <sep> <EOD> <EOS_TOKEN> <unused0> <reserved_106> <extra_id_1>
    <|im_start|> <|im_end|> <|endoftext|> <|eot_id|> <|start_header_id|> <|END_OF_TURN_TOKEN|> <|user|> <|assistant|>
    <|begin_of_text|> <|python_tag|> <|reserved_special_token_0|> <|channel|> <|message|> <|return|>
    <start_of_turn> <end_of_turn> <start_of_image> <image_soft_token> <turn|> <|turn> <channel|> <|channel> <|tool_call>
    <think> </think> <tool_call> </tool_call> <fim_prefix> <fim-middle> <commit_before> <jupyter_start>
    <0x0A> <SPECIAL_12> <seed:bos> <seed:think>
    <AI> <\u7528\u6237> <mask:0> <h1> <2de> <\uff5cUser\uff5c> <\uff5cAssistant\uff5c>
    <\uff5cbegin\u2581of\u2581sentence\uff5c> <\uff5ctool\u2581calls\u2581begin\uff5c> <\uff5chy_User\uff5c>
    [INST] [/INST] <<SYS>> <</SYS>> [SYSTEM_PROMPT] [/SYSTEM_PROMPT] [TOOL_CALLS] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS]
    [TOOL_RESULTS] [IMG] [IMG_BREAK] [PREFIX] [SUFFIX] [THINK] [ARGS] [CALL_ID] [control_8] [gMASK] [sMASK] [MASK] [CLS]
    [SEP] [PAD] [UNK] [BOS] [EOS] [EOT] [UNUSED_TOKEN_146] [|system|] [|endofturn|] [e~[ ]~b] ]~!b[ ]<]image[>[
    >>TITLE<< >>ANSWER<< |||EMAIL_ADDRESS||| \u25c1think\u25b7 \u25c1/think\u25b7 \u3010user\u3011
    \uff1c|im_end|\uff1e \ufe64s\ufe65 \uff3bINST\uff3d
"""
TOKENS = _LISTED.split()
KEPT = [
    "<5 mm",
    "size <5 mm or > 2 cm",
    "T1 < T2",
    "pH <7, a | b",
    "2 x 3 > 1",
    "-> unchanged",
    "x --> y",
    "SUV>4.5",
    "[ DATE ]",
    "[** Name **]",
    "[1, 2]",
    "[no prior images]",
    "___ XXXX (see above) {reference} L4/5",
]
MENDED = {
    "[DATE]": "[ DATE]",
    "[**Hospital**]": "[ **Hospital**]",
    "[**2101-10-3**], [redacted]": "[ **2101-10-3**], [ redacted]",
    "T1<T2>T3": "T1< T2>T3",
    "<UNK> ___": "< UNK> ___",
    "left|right|both": "left| right|both",
}


@pytest.mark.parametrize("token", TOKENS)
def test_no_report_can_end_its_turn(token: str) -> None:
    """A control token in a report is taken apart; one in the wording is meant."""
    [turn] = Prompt("p", "1", f"{token} {{report}}").filled({"report": f"Clear.{token}\nNo errors."})
    assert turn.text.count(token) == 1
    assert turn.text.startswith(f"{token} Clear.{token[0]}")
    assert turn.text.replace(" ", "") == f"{token}Clear.{token}\nNoerrors."


@pytest.mark.parametrize("text", KEPT)
def test_what_is_no_control_token_stays_as_it_is(text: str) -> None:
    """Reports hold angle brackets and bars of their own."""
    assert inert(text) == text


@pytest.mark.parametrize("text", MENDED)
def test_what_might_be_one_keeps_its_meaning(text: str) -> None:
    """A space is all that is put in, and a model that quotes what it was shown still quotes the report."""
    shown = inert(text)
    assert shown == MENDED[text]
    found = find_quote(shown, f"Seen {text} again.")
    assert found is not None
    assert found.of(f"Seen {text} again.").strip("]") == text.strip("]")


@given(st.text(alphabet="<|/s>[INSTbeo]~ \uff5c\u25c1\u226e\n"))
def test_what_is_inert_stays_so_and_loses_nothing(text: str) -> None:
    """Only spaces are put in, and once is enough."""
    assert inert(inert(text)) == inert(text)
    assert inert(text).replace(" ", "") == text.replace(" ", "")


def test_every_character_that_becomes_a_mark_is_one() -> None:
    """Tokenizers normalise before they look for control tokens."""
    ascii_marks = set("<>[]|")
    for point in range(0x110000):
        if not unicodedata.decomposition(chr(point)):
            continue
        forms = (unicodedata.normalize(form, chr(point)) for form in ("NFKC", "NFKD"))
        if any(ascii_marks & set(form) for form in forms):
            assert chr(point) in MARKS


Encode = Callable[[str], list[int]]


def _dressed(tokenizer: Tokenizer, *, normalized: bool) -> tuple[Encode, frozenset[int]]:
    """How a tokenizer reads a text, with all control tokens known to it, and their ids."""
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=normalized) for token in TOKENS])
    ids = frozenset(found for token in TOKENS if (found := tokenizer.token_to_id(token)) is not None)
    assert len(ids) == len(TOKENS)
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids, ids


def _bytes(*, normalized: bool) -> tuple[Encode, frozenset[int]]:
    """As of GPT, Llama 3 and Qwen."""
    tokenizer = Tokenizer(
        models.BPE(vocab={c: i for i, c in enumerate(pre_tokenizers.ByteLevel.alphabet())}, merges=[])
    )
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return _dressed(tokenizer, normalized=normalized)


def _unigrams(*, normalized: bool) -> tuple[Encode, frozenset[int]]:
    """As of T5 and XLM, with the control tokens among the pieces, and NFKC before them."""
    pieces = [("?", 0.0), *((token, -1.0) for token in TOKENS), *((chr(n), -3.0) for n in range(33, 127) if n != 63)]
    tokenizer = Tokenizer(models.Unigram(vocab=[*pieces, ("\u2581", -3.0)], unk_id=0))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC()])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    return _dressed(tokenizer, normalized=normalized)


def _llama(*, normalized: bool) -> tuple[Encode, frozenset[int]]:
    """As of Llama 2 and Gemma: spaces become marks before control tokens are looked for, and bytes have tokens."""
    tokenizer = Tokenizer(
        models.BPE(vocab={c: n for n, c in enumerate(["\u2581", *map(chr, range(33, 127))])}, merges=[])
    )
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")])
    return _dressed(tokenizer, normalized=normalized)


def _bert(*, normalized: bool) -> tuple[Encode, frozenset[int]]:
    """Control characters and accents are taken out, and letters made small, before control tokens are looked for."""
    tokenizer = Tokenizer(models.WordPiece(vocab={"?": 0}, unk_token="?"))  # noqa: S106 - no password
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True, strip_accents=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return _dressed(tokenizer, normalized=normalized)


def _sentencepieces(**_: bool) -> tuple[Encode, frozenset[int]]:
    """SentencePiece's own, which knows control tokens of the user's from the text, with its own NFKC."""
    model = BytesIO()
    ours = [token for token in TOKENS if token not in ("<s>", "</s>", "<unk>", "<pad>", "<0x0A>")]
    sentences = [
        "No pleural effusion or pneumothorax.",
        "user assistant system <5 mm > [date] | abcdefghijklmnopqrstuvwxyz",
    ]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences * 20),
        model_writer=model,
        model_type="bpe",
        vocab_size=600,
        hard_vocab_limit=False,
        byte_fallback=True,
        user_defined_symbols=ours,
        minloglevel=5,
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    ids = frozenset(map(processor.piece_to_id, [*ours, "<s>", "</s>"]))
    return lambda text: list(processor.encode(text)), ids


FAMILIES = {family.__name__.strip("_"): family for family in (_bytes, _unigrams, _llama, _bert, _sentencepieces)}


@cache
def tokenizer_of(family: str, *, normalized: bool) -> tuple[Encode, frozenset[int]]:
    return FAMILIES[family](normalized=normalized)


spelled = st.sampled_from(TOKENS)
disguised = st.builds(
    lambda token, ignored, place: token[:place] + ignored + token[place:],
    spelled,
    st.sampled_from(
        ["\u200b", "\u00ad", "\x1f", "\x1c", "\x0b", "\u2060", "\ufeff", "\u0338", "\u0301", "\x85", "\x00"]
    ),
    st.integers(0, 8),
)
widened = spelled.map(lambda token: token.translate({n: n + 0xFEE0 for n in range(33, 127)}))
fragments = st.text(st.sampled_from([*sorted(MARKS), *"/~!_s INST\u2581\u0338\u200b\n"]), max_size=8)
reports = st.lists(spelled | disguised | widened | fragments | st.just("No effusion"), max_size=6).map("".join)


@pytest.mark.parametrize("normalized", [False, True], ids=["as written", "normalised"])
@pytest.mark.parametrize("family", FAMILIES)
@given(report=reports)
@example(report="".join(TOKENS))
@example(report="\u226e|im_end|\u226f")
def test_no_control_token_of_a_tokenizer_comes_from_a_report(*, family: str, normalized: bool, report: str) -> None:
    """Whichever tokenizer a server has, and whatever the report spells, hides or widens."""
    encode, controls = tokenizer_of(family, normalized=normalized)
    assert not controls & set(encode(f"Report:\n{inert(report)}\n"))


@pytest.mark.parametrize("family", FAMILIES)
def test_without_it_a_report_could_speak_for_another(family: str) -> None:
    """Each of these tokenizers reads the spelling of a control token as the token."""
    encode, controls = tokenizer_of(family, normalized=False)
    assert controls & set(encode("No effusion.<|im_end|>"))
