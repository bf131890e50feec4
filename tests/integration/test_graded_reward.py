"""The reward that is given where none is chosen: what a generator could live off earns less than an honest attempt."""

from __future__ import annotations

import random
from typing import Final

import pytest

import overread
from overread.studies.application.cards.tricks import (
    ABNORMAL,
    DENIALS,
    HONEST,
    REFERENCES,
    TRICKS,
    sentences,
    swap_sides,
    tricks_for,
)

_WORTHLESS: Final = (
    *("empty", "limited", "no change", "history", "indication", "questions", "conditions", "fifteen, said and denied"),
    *("French", "not assessed", "headings", "instructions", "NUL"),
)


def _rewards(reference: str, completions: list[str]) -> list[float]:
    rewards = overread.reward()(completions=completions, reference=[reference] * len(completions))
    assert all(reward is not None and 0.0 <= reward <= 1.0 for reward in rewards)
    return [reward for reward in rewards if reward is not None]


@pytest.mark.parametrize("name", REFERENCES)
def test_every_hack_earns_less_than_an_honest_attempt(name: str) -> None:
    """The honest one is in other words with one slip; the reference itself earns all there is."""
    hacks = tricks_for(name)
    perfect, honest, *others = _rewards(REFERENCES[name], [REFERENCES[name], HONEST[name], *hacks.values()])
    assert perfect == 1.0
    assert 0.75 < honest < 1.0
    earned = dict(zip(hacks, others, strict=True))
    assert {hack: reward for hack, reward in earned.items() if reward >= honest} == {}
    assert {hack: reward for hack, reward in earned.items() if reward > 0.92} == {}
    assert {hack: earned[hack] for hack in _WORTHLESS if earned[hack] > 0.0} == {}


@pytest.mark.parametrize("name", REFERENCES)
def test_what_is_said_of_no_study_in_particular_earns_little(name: str) -> None:
    """What could be written under any study: lists, hedges, denials, templates, instructions, other languages."""
    rewards = dict(zip(TRICKS, _rewards(REFERENCES[name], list(TRICKS.values())), strict=True))
    assert {hack: reward for hack, reward in rewards.items() if reward > 0.65} == {}


@pytest.mark.parametrize("name", ABNORMAL)
def test_denying_a_finding_of_the_reference_never_pays(name: str) -> None:
    """Whatever the report says otherwise: nothing, one finding, its normals, all of it or somebody else's words."""
    reference = REFERENCES[name]
    reports = ["", *sentences(reference), reference, HONEST[name], TRICKS["ten possibilities"], swap_sides(reference)]
    for denial in DENIALS[name]:
        before, after = _rewards(reference, reports), _rewards(reference, [f"{r} {denial}".strip() for r in reports])
        assert [r for r, b, a in zip(reports, before, after, strict=True) if a > b + 1e-9] == []


@pytest.mark.parametrize("name", REFERENCES)
def test_saying_it_again_never_pays(name: str) -> None:
    """Every report, honest or not, with each of its sentences once more or twice more."""
    reports = [
        REFERENCES[name],
        HONEST[name],
        *(hack for hack in tricks_for(name).values() if hack and "\x00" not in hack),
    ]
    once, twice, thrice = (_rewards(REFERENCES[name], [" ".join([r] * times) for r in reports]) for times in (1, 2, 3))
    for again in (twice, thrice):
        assert [r for r, b, a in zip(reports, once, again, strict=True) if a > b + 1e-9] == []


@pytest.mark.parametrize("name", REFERENCES)
def test_order_does_not_matter(name: str) -> None:
    """The reference's sentences in any order earn all there is."""
    shuffled = []
    for seed in range(4):
        parts = sentences(REFERENCES[name])
        random.Random(seed).shuffle(parts)  # noqa: S311 - no secret
        shuffled.append(" ".join(parts))
    assert _rewards(REFERENCES[name], shuffled) == pytest.approx([1.0] * 4)


@pytest.mark.parametrize("name", REFERENCES)
def test_saying_it_many_times_takes_off(name: str) -> None:
    """Once among the findings and once in the impression is no repetition; twenty times is."""
    once, twice, often = _rewards(REFERENCES[name], [" ".join([REFERENCES[name]] * times) for times in (1, 2, 20)])
    assert twice == once
    assert often < 0.2


@pytest.mark.parametrize("name", ["clear", "limits", "terse", "plain head", "plain abdomen"])
def test_each_further_normal_pays(name: str) -> None:
    """A normal report is worth the more, the more of what the reference covers it covers."""
    parts = sentences(REFERENCES[name])
    rewards = _rewards(REFERENCES[name], [" ".join(parts[:count]) for count in range(len(parts) + 1)])
    assert rewards == sorted(rewards)
    assert (rewards[0], rewards[-1]) == (0.0, 1.0)


def test_inventing_a_finding_does_not_pay_for_silence() -> None:
    """A part of the body is covered by what the reference bears out, not by any word about it."""
    reference = REFERENCES["nodule"]
    rest = "No pleural effusion or pneumothorax. The heart size is normal. No acute osseous abnormality."
    silent, invented = _rewards(reference, [rest, f"{rest} Right lower lobe pneumonia."])
    assert invented < silent


def test_one_normal_does_not_stand_for_all_of_its_part_of_the_body() -> None:
    """Each thing that the reference denies of a part is a share of what the part is worth."""
    one, two, doubtful, every = _rewards(
        "No intracranial hemorrhage. No skull fracture. The orbits are unremarkable. The ventricles are normal.",
        [
            "No skull fracture.",
            "No skull fracture. The ventricles are normal.",
            "No skull fracture. The ventricles may be normal.",
            "Normal ventricles. No intracranial hemorrhage. Normal orbits. No skull fracture.",
        ],
    )
    assert one < two < every == 1.0
    assert doubtful <= one


def test_a_side_is_not_worth_guessing() -> None:
    """The wrong side is worth what silence is; no side more than that, and more than half of what the right one is."""
    reference = "Large right pneumothorax. Moderate cardiomegaly. The left lung is clear."
    rest = "Moderate cardiomegaly. The left lung is clear."
    right, wrong, silent, unsided = _rewards(
        reference,
        [f"{said}{rest}" for said in ("Large right pneumothorax. ", "Large left pneumothorax. ", "")]
        + [f"Large pneumothorax. {rest}"],
    )
    assert wrong <= silent < unsided < right
    assert unsided > (right + wrong) / 2


def test_a_completion_at_fault_earns_nothing_whatever_is_chosen() -> None:
    """A reference that cannot be read, or two blank reports, have the reward that was chosen for them."""
    give = overread.reward(unscored=None)
    english, french = REFERENCES["clear"], TRICKS["French"]
    completions = [french, f"{english}\x00", english, english, ""]
    references = [english, english, french, f"{english}\x00", ""]
    assert give(completions=completions, reference=references) == [0.0, 0.0, None, None, None]
    assert overread.reward("radot", unscored=0.5)(completions=completions, reference=references)[:3] == [0.0, 0.0, 0.5]


def test_the_plain_score_is_there_by_name() -> None:
    """The default is a subscore of notation, and has its name."""
    assert overread.reward().__name__ == "overread_notation_reward"
    assert overread.reward("notation").__name__ == "overread_notation"
    plain = overread.score(reference="No effusion. Normal heart.", candidate="No effusion.")["notation"]
    arguments = {"completions": ["No effusion."], "reference": ["No effusion. Normal heart."]}
    assert overread.reward("notation")(**arguments) == [plain.score]
    assert overread.reward("notation", subscore="reward")(**arguments) == [plain.subscores["reward"]]
