"""BLEU and ROUGE, with numbers worked out by hand from the published definitions.

BLEU (Papineni et al. 2002): brevity penalty exp(1 - r/c) times the geometric mean of the n-gram precisions; a
precision of zero becomes 1 / (2^k t) for the k-th zero and t n-grams (sacrebleu's exponential smoothing), and orders
the candidate is too short for are left out. ROUGE (Lin 2004): n-gram or longest-common-subsequence overlap, as the
harmonic mean of precision and recall.
"""

from __future__ import annotations

import math
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.adapters.lexical.options import BleuOptions, RougeOptions
from overread.adapters.lexical.plugin import overread_metrics
from overread.domain.reports.report import ReportPair
from overread.domain.results.corpus_figures import bleu_order, counts_for_corpora, figures_of_sums, terms_of
from overread.domain.results.result import Scored, Unscored
from overread.exceptions import ConfigurationError
from overread.plugins.specs import MetricSpec
from overread.testing import FakeComponents, check_metric

sacrebleu = pytest.importorskip("sacrebleu", reason="needs the extra: baselines")
pytest.importorskip("rouge_score", reason="needs the extra: baselines")

SPECS = {spec.name: spec for spec in overread_metrics()}


def metric(name: str, options: BleuOptions | RougeOptions | None = None) -> Any:
    spec = SPECS[name]
    return spec.factory(options or spec.options(), FakeComponents())


def score(name: str, reference: str, candidate: str, options: BleuOptions | RougeOptions | None = None) -> Scored:
    [outcome] = metric(name, options).evaluate([ReportPair(id="a", reference=reference, candidate=candidate)])
    assert isinstance(outcome, Scored)
    return outcome


# --- BLEU ---


@pytest.mark.parametrize(
    ("reference", "candidate", "expected"),
    [
        # All n-grams match, one word is missing: brevity penalty exp(1 - 5/4).
        ("one two three four five", "one two three four", math.exp(-0.25)),
        # p = 2/3, then 0/2 and 0/1 smoothed to 1/(2 x 2) and 1/(4 x 1); orders up to 3; no penalty.
        ("no effusion", "no pleural effusion", (2 / 3 / 4 / 4) ** (1 / 3)),
        # p = 4/5, 2/4, 0/3 -> 1/(2 x 3), 0/2 -> 1/(4 x 2).
        ("small left pleural effusion seen", "small left basal effusion seen", (4 / 5 * 2 / 4 / 6 / 8) ** (1 / 4)),
        # A word counts as often as the reference holds it: p = 1/3, 0/2 -> 1/4, 0/1 -> 1/4.
        ("effusion here today", "effusion effusion effusion", (1 / 3 / 4 / 4) ** (1 / 3)),
        # Punctuation is split off and is a word: p = 2/2 and 1/1, penalty exp(1 - 3/2).
        ("clear lungs.", "clear lungs", math.exp(-0.5)),
        ("clear", "cloudy", 0.0),
    ],
)
def test_bleu_by_hand(reference: str, candidate: str, expected: float) -> None:
    """Sentence BLEU on a scale of 0 to 1."""
    assert score("bleu", reference, candidate).score == pytest.approx(expected, abs=1e-12)


def test_bleu_shows_its_precisions_and_penalty() -> None:
    """Each n-gram precision and the brevity penalty stand in the subscores."""
    subscores = score("bleu", "one two three four five", "one two three six").subscores
    # 3 of 4, 2 of 3, 1 of 2, and 0 of 1 smoothed to 1/2.
    expected = {"precision_1": 3 / 4, "precision_2": 2 / 3, "precision_3": 1 / 2, "precision_4": 1 / 2}
    counts = counts_for_corpora(subscores)
    shown = {name: value for name, value in subscores.items() if name not in counts}
    assert shown == pytest.approx({**expected, "brevity": math.exp(-0.25)})


_WORDS = st.lists(st.sampled_from(["no", "effusion", "left", "small", "heart", "."]), max_size=9).map(" ".join)


@given(st.lists(st.tuples(_WORDS, _WORDS), min_size=1, max_size=12), st.sampled_from([1, 2, 4]))
def test_corpus_bleu_is_the_librarys_from_the_counts_of_the_pairs(texts: list[tuple[str, str]], order: int) -> None:
    """sacrebleu's corpus_score over the scored pairs, with its smoothing; pairs of blanks have no counts."""
    pairs = [ReportPair(id=str(n), reference=r, candidate=c) for n, (r, c) in enumerate(texts)]
    outcomes = metric("bleu", BleuOptions(order=order)).evaluate(pairs)
    scored = [(pair, each) for pair, each in zip(pairs, outcomes, strict=True) if isinstance(each, Scored)]
    sums: Counter[str] = Counter()
    for _, each in scored:
        sums.update(terms_of(each.subscores))
    assert bleu_order(sums) == (order if scored else 0)
    if scored:
        candidates, references = (
            [getattr(pair, side).text for pair, _ in scored] for side in ("candidate", "reference")
        )
        library = sacrebleu.BLEU(lowercase=True, max_ngram_order=order).corpus_score(candidates, [references])
        assert figures_of_sums(sums)["corpus_bleu"] == pytest.approx(library.score / 100, abs=1e-12)


def test_corpus_bleu_is_no_mean() -> None:
    """A long right report and a short wrong one: the corpus has nearly all n-grams, the mean half."""
    long = " ".join(f"word{n}" for n in range(40))
    subscores = [score("bleu", *texts).subscores for texts in ((long, long), ("no effusion", "large mass"))]
    sums: Counter[str] = Counter()
    for each in subscores:
        sums.update(terms_of(each))
    assert figures_of_sums(sums)["corpus_bleu"] > 0.9


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (BleuOptions(order=1), 2 / 3),
        (BleuOptions(order=2), math.sqrt(2 / 3 / 4)),
        (BleuOptions(lowercase=False), (1 / 3 / 4 / 4) ** (1 / 3)),
    ],
)
def test_bleu_options(options: BleuOptions, expected: float) -> None:
    """The longest n-gram and the folding of case can be chosen."""
    assert score("bleu", "No effusion", "no pleural effusion", options).score == pytest.approx(expected)


# --- ROUGE ---


@pytest.mark.parametrize(
    ("variant", "reference", "candidate", "precision", "recall"),
    [
        ("rougeL", "small left pleural effusion", "left effusion", 2 / 2, 2 / 4),
        ("rougeL", "small left pleural effusion", "effusion left", 1 / 2, 1 / 4),
        ("rouge1", "small left pleural effusion", "effusion left", 2 / 2, 2 / 4),
        ("rouge1", "effusion here", "effusion effusion effusion", 1 / 3, 1 / 2),
        ("rouge2", "small left pleural effusion", "left pleural edema", 1 / 2, 1 / 3),
        ("rouge2", "small left pleural effusion", "left effusion", 0.0, 0.0),
        ("rouge3", "one two three four", "one two three", 1 / 1, 1 / 2),
        ("rougeL", "Clear lungs; no EDEMA.", "clear lungs no edema", 1.0, 1.0),
        ("rougeL", "clear", "cloudy", 0.0, 0.0),
    ],
)
def test_rouge_by_hand(variant: str, reference: str, candidate: str, precision: float, recall: float) -> None:
    """Precision over the candidate, recall over the reference, and their harmonic mean as the score."""
    outcome = score("rouge", reference, candidate, RougeOptions(variant=variant))
    both = precision + recall
    assert outcome.score == pytest.approx(2 * precision * recall / both if both else 0.0)
    assert outcome.subscores == pytest.approx({"precision": precision, "recall": recall})


@pytest.mark.parametrize(("stemming", "expected"), [(True, 1.0), (False, 0.5)])
def test_rouge_takes_word_forms_for_one_if_stemming(expected: float, *, stemming: bool) -> None:
    """Porter's stems make effusion of effusions."""
    options = RougeOptions(stemming=stemming)
    assert score("rouge", "small effusions", "small effusion", options).score == expected


@pytest.mark.parametrize("variant", ["rougeX", "rouge0", "rouge10", "", "rouge-l"])
def test_an_unknown_variant_is_refused_when_the_metric_is_built(variant: str) -> None:
    """The message names the variant and those there are."""
    with pytest.raises(ConfigurationError, match="rougeL, rouge1 or rouge2") as caught:
        metric("rouge", RougeOptions(variant=variant))
    assert repr(variant) in str(caught.value)


# --- both ---

WORDS = st.lists(
    st.sampled_from(["small", "left", "right", "pleural", "effusion", "edema", "no", "clear", ".", "8", "mm"]),
    max_size=12,
)


def _are_scored(one: str, other: str) -> bool:
    """Whether a report holds a word, and the other one, too, or nothing at all."""
    return bool((one + other).strip()) and all(any(map(str.isalnum, text)) for text in (one, other) if text.strip())


@given(WORDS.map(" ".join), WORDS.map(" ".join))
@pytest.mark.parametrize("name", ["bleu", "rouge"])
def test_scores_lie_on_their_scale_and_identity_is_perfect(name: str, one: str, other: str) -> None:
    """0 to 1; a report with a word in it scores 1 against itself."""
    scale = SPECS[name].scale
    if _are_scored(one, other):
        assert scale.low <= score(name, one, other).score <= scale.high
    if any(word.isalnum() for word in one.split()):
        assert score(name, one, one).score == pytest.approx(1.0)


@given(WORDS.map(" ".join), WORDS.map(" ".join))
def test_rouge_is_the_same_from_either_end(one: str, other: str) -> None:
    """Swapping the reports swaps precision and recall, and keeps their harmonic mean."""
    if _are_scored(one, other):
        forth, back = score("rouge", one, other), score("rouge", other, one)
        assert forth.score == pytest.approx(back.score)
        assert forth.subscores["precision"] == pytest.approx(back.subscores["recall"])


@pytest.mark.parametrize("name", ["bleu", "rouge"])
@pytest.mark.parametrize(("reference", "candidate"), [("", "effusion"), ("effusion", ""), (" \n", "effusion")])
def test_one_empty_report_scores_zero(name: str, reference: str, candidate: str) -> None:
    """Nothing overlaps with nothing."""
    assert score(name, reference, candidate).score == 0.0


@pytest.mark.parametrize("name", ["bleu", "rouge"])
def test_two_empty_reports_are_unscored_in_their_place(name: str) -> None:
    """The pairs beside them keep their places."""
    texts = [("a b", "a b"), ("", " \n"), ("a b", "c d")]
    pairs = [ReportPair(id=str(i), reference=r, candidate=c) for i, (r, c) in enumerate(texts)]
    first, second, third = metric(name).evaluate(pairs)
    assert (first.score, third.score) == (pytest.approx(1.0), 0.0)
    assert second == Unscored("empty", "both reports are empty")


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_the_baselines_conform(spec: MetricSpec) -> None:
    """They behave as every metric must, on reports of all kinds."""
    check_metric(spec)


@pytest.mark.parametrize(
    ("name", "options", "parts"),
    [
        ("bleu", BleuOptions(), {"order": "4", "case": "lc"}),
        ("bleu", BleuOptions(order=2, lowercase=False), {"order": "2", "case": "mixed"}),
        ("rouge", RougeOptions(), {"variant": "rougeL", "stemming": "porter"}),
        ("rouge", RougeOptions(variant="rouge2", stemming=False), {"variant": "rouge2", "stemming": "none"}),
    ],
)
def test_the_signature_names_options_and_the_package_that_computes(
    name: str, options: BleuOptions | RougeOptions, parts: dict[str, str]
) -> None:
    """What changes a score is named, the version of the reference implementation included."""
    found = dict(metric(name, options).signature_parts)
    package = {"bleu": "sacrebleu", "rouge": "rouge-score"}[name]
    assert found.pop(package).count(".") >= 1
    assert found == parts


# --- length ---


@pytest.mark.parametrize("name", ["bleu", "rouge"])
def test_a_report_beyond_the_limit_is_unscored_alone(name: str) -> None:
    """The other pairs of the batch are scored; which report it is, is said, in words and not by its text."""
    options = SPECS[name].options(max_words=5)
    pairs = [
        ReportPair(id="a", reference="clear lungs", candidate="clear lungs"),
        ReportPair(id="b", reference="a,b,c,d,e,f", candidate="clear"),
        ReportPair(id="c", reference="clear", candidate="one two three four five six"),
        ReportPair(id="d", reference="one two three four five", candidate="one two three four five"),
    ]
    first, second, third, last = metric(name, options).evaluate(pairs)
    assert isinstance(first, Scored)
    assert isinstance(last, Scored)
    assert (second.reason, second.detail) == ("too long", "reference: 6 words, more than the limit of 5")
    assert (third.reason, third.fault) == ("too long", "candidate")


@pytest.mark.parametrize("name", ["bleu", "rouge"])
def test_what_a_metric_cannot_afford_is_never_begun(name: str) -> None:
    """A megabyte of words, whose longest common subsequence asks for some twenty gigabytes."""
    words = "effusion " * 120_000
    [outcome] = metric(name).evaluate([ReportPair(id="a", reference=words, candidate=words)])
    assert isinstance(outcome, Unscored)
    assert outcome.reason == "too long"


def test_a_host_keeps_its_logging() -> None:
    """No library behind a baseline sets up handlers or levels in the process that scores."""
    program = """
import logging
import overread
before = logging.root.handlers[:], logging.root.level, logging.getLoggerClass()
overread.score(reference="No effusion.", candidate="Effusion.", metrics=["rouge", "bleu"])
assert (logging.root.handlers, logging.root.level, logging.getLoggerClass()) == before, logging.root.handlers
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# --- words of other scripts ---

ARABIC = "القلب طبيعي الحجم."
CHINESE = "双肺清晰。"


@pytest.mark.parametrize("text", [ARABIC, CHINESE, "הלב תקין", "... ---", "🙂", "\u200b"])
@pytest.mark.parametrize("variant", ["rougeL", "rouge1", "rouge2", "rougeLsum"])
def test_a_report_of_which_rouge_keeps_no_word_is_unscored_and_never_zero(variant: str, text: str) -> None:
    """Equal reports would score 0 as different ones do; whose text it is, is said, and the pair beside it is scored."""
    pairs = [
        ReportPair(id="a", reference=text, candidate=text),
        ReportPair(id="b", reference="clear lungs", candidate=text),
        ReportPair(id="c", reference="clear lungs", candidate="clear lungs"),
    ]
    both, one, beside = metric("rouge", RougeOptions(variant=variant)).evaluate(pairs)
    assert [(each.reason, each.fault) for each in (both, one)] == [
        ("nothing to read", "reference"),
        ("nothing to read", "candidate"),
    ]
    assert text not in both.detail
    assert beside.score == 1.0


def test_rouge_tells_how_much_of_a_report_in_another_script_it_compares() -> None:
    """What is left may be alike where the reports are not."""
    outcome = score("rouge", "القلب CT", "الرئة CT")
    assert outcome.score == 1.0
    assert [note[:45] for note in outcome.notes] == [
        "of the reference only 2 of 7 letters were com",
        "of the candidate only 2 of 7 letters were com",
    ]
    assert score("rouge", "Größe normal", "Größe normal").notes == ()


@pytest.mark.parametrize(("variant", "words"), [("rouge2", "clear"), ("rouge3", "clear lungs")])
def test_two_reports_without_an_n_gram_are_unscored(variant: str, words: str) -> None:
    """Of equal reports of one word none of the word pairs that rouge2 counts is shared, as there is none."""
    options = RougeOptions(variant=variant)
    longer = f"{words} and heart"
    pairs = [ReportPair(id=c, reference=words, candidate=c) for c in (words, longer, "")]
    none, some, blank = metric("rouge", options).evaluate(pairs)
    assert (none.reason, none.fault) == ("nothing to read", None)
    assert (some.score, blank.score) == (0.0, 0.0)


@pytest.mark.parametrize("text", [ARABIC, CHINESE, "clear", "..."])
def test_bleu_knows_words_of_every_script(text: str) -> None:
    """A report scores 1 against itself."""
    assert score("bleu", text, text).score == pytest.approx(1.0)


def test_a_report_of_which_bleu_keeps_no_word_is_unscored() -> None:
    """sacrebleu's tokenizer leaves out its own mark for a skipped segment."""
    [outcome] = metric("bleu").evaluate([ReportPair(id="a", reference="<skipped>", candidate="<skipped>")])
    assert (outcome.reason, outcome.fault) == ("nothing to read", "reference")
