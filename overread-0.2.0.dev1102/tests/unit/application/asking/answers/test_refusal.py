"""Refusals are told from answers."""

from __future__ import annotations

import pytest

from overread.application.asking.answers.refusal import is_refusal

DECLINED = [
    "I'm sorry, but I can't assist with that request.",
    "I’m sorry, but I can’t help with that.",
    "I apologize, but I am not able to provide medical advice.",
    "As an AI language model, I cannot interpret radiology reports. Please consult a radiologist.",
    "Unfortunately, I am unable to evaluate these reports.",
    "I must respectfully decline.",
    "I do not feel comfortable comparing medical documents.",
    "I won't be able to complete this task.",
    "Your request cannot be processed.",
    "Doing so would be against our policies.",
    "<think>The user wants medical advice.</think>I cannot provide a diagnosis.",
    "Sorry, unable to assist.",
]

ANSWERED = [
    "",
    "Significant",
    "No differences were found.",
    "I cannot find any difference between the reports.",
    "I'm sorry for the delay. The reports agree.",
    "The candidate cannot be compared with a prior study, as none is named.",
    "The reference says that pneumonia cannot be excluded.",
    "I cannot see a difference in laterality; the effusion is on the right in both.",
    '{"critical": {}, "explanation": "I cannot provide more."}',
    "[Explanation]: I am unable to assess the prior study.",
    "I cannot help it: " + "the reports differ in the side of the effusion. " * 20,
]


@pytest.mark.parametrize("answer", DECLINED)
def test_an_answer_that_declines_is_a_refusal(answer: str) -> None:
    """A refusal is not repaired, and summaries count it by its own reason."""
    assert is_refusal(answer)


@pytest.mark.parametrize("answer", ANSWERED)
def test_an_answer_that_says_something_is_none(answer: str) -> None:
    """Words of refusal occur in reports and explanations, too."""
    assert not is_refusal(answer)
