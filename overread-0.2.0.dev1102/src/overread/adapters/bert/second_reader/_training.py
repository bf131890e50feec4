"""Training a second reader: encoder and network together, on marked pairs."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import torch
from attrs import define, frozen
from torch import Tensor, nn
from torch.nn import functional

from overread.adapters.bert.second_reader._calibration import Tried, measure_answers
from overread.adapters.bert.second_reader._claims import TRAITS, kind_of
from overread.adapters.bert.second_reader._encoder import SentenceEncoder
from overread.adapters.bert.second_reader._network import PairNetwork, Sizes
from overread.adapters.bert.second_reader._questions import CATEGORIES, Questions, Sentence, ask, kinds_told_apart
from overread.adapters.bert.second_reader._scale import AS_THEY_ARE, Calibration
from overread.adapters.bert.second_reader._tokens import MARKS, Tokens
from overread.adapters.bert.second_reader.options import TrainingOptions
from overread.application.training.marked_readings import MarkedReading
from overread.domain.differences.notation import PRIOR
from overread.domain.results.annotation import STRANGERS, MarkedError

__all__ = ["Beginning", "Figures", "Trained", "train"]

_FEWEST: Final = 15
"""Discrepancies of a kind that it takes to tell it apart."""

_WARM_UP: Final = 100
_GENTLEST: Final = 0.02
"""Share of the learning rate that is left in the end."""

_OF_A_STUDY: Final = 5
"""Most candidates of one reference in a step."""

_EASY: Final = 0.2
"""Weight in the loss of a sentence without an error that stands word for word in the other report."""

_SENTENCES, _WEIGHTS, _CATEGORIES, _PAIRS, _RANKS = 1.5, 0.5, 0.15, 0.3, 0.3
"""Shares of the losses beside that of discrepancies."""

_MARGIN: Final = 0.05
"""Difference in weight from which one candidate is worse than another."""

_SMOOTH: Final = 0.1
_STEEP: Final = 4.0


@frozen(kw_only=True)
class Figures:
    """Figures of a reader on held-out studies: over discrepancies, and over sentences."""

    discrepancies: Tried
    sentences: Tried


@define(eq=False)
class Beginning:
    """Starting point of a training.

    Attributes:
        encoder: whose word embeddings are left as they are.
        kinds: of discrepancies that the network tells apart; None for those of which the pairs have enough.
        weights: of the network by name; None for a new one.
        calibration: kept where too little is kept apart to fit another.
    """

    encoder: SentenceEncoder
    kinds: tuple[str, ...] | None = None
    weights: Mapping[str, Tensor] | None = None
    calibration: Calibration = (AS_THEY_ARE, AS_THEY_ARE)


@define(eq=False)
class Trained:
    """Result of a training.

    Attributes:
        encoder, network, sizes: as trained.
        kinds: of discrepancies that the network tells apart.
        figures: of the studies kept apart.
        before: the same of the reader that training began with; None where it began with a new network.
        pairs: number of pairs learned from.
    """

    encoder: SentenceEncoder
    network: PairNetwork
    sizes: Sizes
    kinds: tuple[str, ...]
    figures: Figures
    before: Figures | None
    pairs: int


@frozen(eq=False)
class _Example:
    """A pair's questions with what is right: whether each holds, and weight and category of what is wrong."""

    questions: Questions
    holds: Tensor
    weights: Tensor
    categories: Tensor
    study: str
    reference: str
    source: str

    @property
    def total(self) -> float:
        """Weight of all that is wrong."""
        return float(self.weights.sum())


def train(
    judged: Sequence[MarkedReading],
    beginning: Beginning,
    tokens: Tokens,
    options: TrainingOptions,
    on_step: Callable[[int, int], None] | None = None,
) -> Trained:
    """Trains an encoder and a network on marked pairs.

    Args:
        judged: in any order.
        beginning: encoder and network to begin with.
        tokens: cuts reports for it.
        options: of the training.
        on_step: called with steps done and steps in all.
    """
    torch.manual_seed(options.seed)
    draw = random.Random(options.seed)  # noqa: S311 - the order of the pairs is no secret
    encoder, kinds = beginning.encoder, _kinds(judged) if beginning.kinds is None else beginning.kinds
    studies = sorted({pair.study for pair in judged})
    kept_apart = set(draw.sample(studies, int(options.held_out * len(studies))))
    examples = [one for pair in judged if (one := _example(pair, tokens, kinds)).questions.can_be_answered]
    learned = [pair for pair in examples if pair.study not in kept_apart]
    sizes = Sizes(marks=MARKS, traits=TRAITS, kinds=kinds_told_apart(kinds))
    network = PairNetwork(sizes, options.dropout)
    apart = [pair for pair in examples if pair.study in kept_apart]
    before = None
    if beginning.weights is not None:
        network.load_state_dict(beginning.weights)
        before = _figures(encoder.eval(), network.eval(), tokens, apart, beginning.calibration)
    for name, weights in encoder.named_parameters():
        weights.requires_grad_("word_embeddings" not in name)
    projecting = [p for name, p in encoder.named_parameters() if not name.startswith("bert.")]
    optimizer = torch.optim.AdamW(
        [
            {
                "params": [p for p in encoder.bert.parameters() if p.requires_grad],
                "peak": options.encoder_learning_rate,
            },
            {"params": projecting + list(network.parameters()), "peak": options.learning_rate},
        ],
        weight_decay=options.weight_decay,
    )
    batches = _batches(learned, options.pairs, draw)
    encoder.train()
    network.train()
    for step in range(options.steps):
        share = min(1.0, (step + 1) / _WARM_UP) * max(_GENTLEST, 1 - step / options.steps)
        for group in optimizer.param_groups:
            group["lr"] = group["peak"] * share
        loss = _loss(encoder, network, tokens, next(batches))
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_([*encoder.parameters(), *network.parameters()], 1.0)
        optimizer.step()
        if on_step is not None:
            on_step(step + 1, options.steps)
    figures = _figures(encoder.eval(), network.eval(), tokens, apart, beginning.calibration)
    return Trained(encoder, network, sizes, kinds, figures, before, len(learned))


def _kinds(judged: Sequence[MarkedReading]) -> tuple[str, ...]:
    """Kinds of which there are enough discrepancies to tell them apart."""
    counts = Counter(kind_of(d) for pair in judged for d in pair.first.discrepancies)
    return tuple(sorted(kind for kind, count in counts.items() if count >= _FEWEST))


# --- examples --------------------------------------------------------------------------------------------------------


def _example(judged: MarkedReading, tokens: Tokens, kinds: Sequence[str]) -> _Example:
    questions = ask(judged.first, tokens, kinds)
    answers = _sentences_told(questions.sentences, judged.errors)
    count = questions.discrepancies
    return _Example(
        questions=questions,
        holds=torch.tensor([*map(float, judged.holds), *(float(hit) for hit, _, _ in answers)]),
        weights=torch.tensor([0.0] * count + [weight for _, weight, _ in answers]),
        categories=torch.tensor([-1] * count + [category for _, _, category in answers]),
        study=judged.study,
        reference=judged.first.reference,
        source=judged.source,
    )


def _sentences_told(sentences: Sequence[Sentence], errors: Sequence[MarkedError]) -> list[tuple[bool, float, int]]:
    """Return for each sentence whether it has an error, its share of their weight, and the gravest one's category.

    An error that stands in both reports weighs half in each.
    """
    answers = [(False, 0.0, -1, 0.0) for _ in sentences]
    for error in errors:
        sides = bool(error.reference_spans) + bool(error.candidate_spans)
        for at, spans in enumerate((error.reference_spans, error.candidate_spans)):
            here = [
                number
                for number, sentence in enumerate(sentences)
                if sentence.report == at and any(sentence.span.meets(span) for span in spans)
            ]
            for number in here:
                _, weight, category, gravest = answers[number]
                if error.weight >= gravest:
                    category, gravest = CATEGORIES.index(error.category), error.weight
                answers[number] = (True, weight + error.weight / sides / len(here), category, gravest)
    return [(hit, weight, category) for hit, weight, category, _ in answers]


def _batches(examples: Sequence[_Example], size: int, draw: random.Random) -> Iterator[list[_Example]]:
    """Batches without end: a like share of each set of pairs, candidates of one reference together."""
    sets: defaultdict[str, defaultdict[tuple[str, str], list[_Example]]] = defaultdict(lambda: defaultdict(list))
    for example in examples:
        sets[example.source][example.study, example.reference].append(example)
    strangers: Mapping[tuple[str, str], list[_Example]] = sets.pop(STRANGERS, {})
    drawn = [_cycle_groups(groups, draw) for groups in sets.values()]
    shares = [size // len(drawn) + (number < size % len(drawn)) for number in range(len(drawn))]
    strange = _cycle_groups(strangers, draw) if strangers else None
    while True:
        batch = [
            one for groups, share in zip(drawn, shares, strict=True) for one in _sample_examples(groups, share, draw)
        ]
        yield batch if strange is None else [*batch, *_sample_examples(strange, 1, draw)]


def _cycle_groups(groups: Mapping[tuple[str, str], list[_Example]], draw: random.Random) -> Iterator[list[_Example]]:
    names = sorted(groups)
    while True:
        draw.shuffle(names)
        for name in names:
            yield groups[name]


def _sample_examples(groups: Iterator[list[_Example]], count: int, draw: random.Random) -> list[_Example]:
    taken: list[_Example] = []
    while len(taken) < count:
        group = next(groups)
        taken += draw.sample(group, min(len(group), _OF_A_STUDY, count - len(taken)))
    return taken


# --- losses ----------------------------------------------------------------------------------------------------------


def _loss(encoder: SentenceEncoder, network: PairNetwork, tokens: Tokens, batch: Sequence[_Example]) -> Tensor:
    """Loss over discrepancies, sentences, whole pairs, and candidates of one reference."""
    odds, weights, categories = zip(*_answers(encoder, network, tokens, batch), strict=True)
    holds = torch.cat([example.holds for example in batch])
    of_sentences = torch.cat([torch.arange(len(example.holds)) >= example.questions.discrepancies for example in batch])
    easy = torch.cat([_easy(example) for example in batch])
    each_loss = functional.binary_cross_entropy_with_logits(torch.cat(odds), holds, reduction="none")
    loss = each_loss[of_sentences].mul(easy[of_sentences]).sum() / easy[of_sentences].sum() * _SENTENCES
    if not of_sentences.all():
        loss = loss + each_loss[~of_sentences].mean()
    wrong = of_sentences & (holds > 0)
    if wrong.any():
        rated_totals, wanted = torch.cat(weights)[wrong], torch.cat([example.weights for example in batch])[wrong]
        loss = loss + _WEIGHTS * functional.smooth_l1_loss(rated_totals, wanted, beta=_SMOOTH)
        right = torch.cat([example.categories for example in batch])[wrong]
        loss = loss + _CATEGORIES * functional.cross_entropy(torch.cat(categories)[wrong], right)
    rated = [number for number, example in enumerate(batch) if example.source != STRANGERS]
    totals = {number: _total(batch[number], odds[number], weights[number]) for number in rated}
    if totals:
        rated_totals = torch.stack([totals[number] for number in rated])
        wanted = torch.tensor([batch[number].total for number in rated])
        pairs = functional.smooth_l1_loss(
            rated_totals / (rated_totals + PRIOR), wanted / (wanted + PRIOR), beta=_SMOOTH
        )
        loss = loss + _PAIRS * pairs
    ranks = [
        functional.softplus(_STEEP * (0.5 * min(difference, 1.0) - (totals[worse] - totals[better]))) / _STEEP
        for worse in rated
        for better in rated
        if batch[worse].reference == batch[better].reference
        and (difference := batch[worse].total - batch[better].total) > _MARGIN
    ]
    return loss + _RANKS * torch.stack(ranks).mean() if ranks else loss


def _easy(example: _Example) -> Tensor:
    """Weight of each question in its loss."""
    sentences = example.questions.sentences
    holds = example.holds[example.questions.discrepancies :]
    weights = [_EASY if one.verbatim and not hit else 1.0 for one, hit in zip(sentences, holds.tolist(), strict=True)]
    return torch.tensor([1.0] * example.questions.discrepancies + weights)


def _total(example: _Example, odds: Tensor, weights: Tensor) -> Tensor:
    """Expected weight of all that is wrong in the sentences of a pair."""
    count = example.questions.discrepancies
    return (torch.sigmoid(odds[count:]) * weights[count:]).sum()


def _answers(
    encoder: SentenceEncoder, network: PairNetwork, tokens: Tokens, batch: Sequence[_Example]
) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """The network's answers for each pair; each distinct sentence is encoded once."""
    encoded = encoder.sentences(
        tokens, [text for example in batch for report in example.questions.reports for text in report.sentences]
    )
    for example in batch:
        questions = example.questions
        yield network(
            *(torch.cat([encoded[text] for text in report.sentences]) for report in questions.reports),
            *(torch.from_numpy(report.marks) for report in questions.reports),
            *(torch.from_numpy(pointed) for pointed in questions.pointed),
            torch.from_numpy(questions.kinds),
            torch.from_numpy(questions.traits),
        )


def _figures(
    encoder: SentenceEncoder, network: PairNetwork, tokens: Tokens, apart: Sequence[_Example], known: Calibration
) -> Figures:
    odds: tuple[list[float], list[float]] = ([], [])
    holds: tuple[list[float], list[float]] = ([], [])
    with torch.inference_mode():
        for example in apart:
            [(answer, _, _)] = _answers(encoder, network, tokens, [example])
            count = example.questions.discrepancies
            for at, part in enumerate((slice(count), slice(count, None))):
                odds[at].extend(answer[part].tolist())
                holds[at].extend(example.holds[part].tolist())
    of_discrepancies, of_sentences = (measure_answers(odds[at], holds[at], known[at]) for at in (0, 1))
    return Figures(discrepancies=of_discrepancies, sentences=of_sentences)
